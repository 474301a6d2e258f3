; ModuleID = 'k.cu'
source_filename = "class_methods.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%class.Counter = type { i32 }

$_ZN7CounterC1Ei = comdat any

$_ZN7Counter4nextEv = comdat any

$_ZN7Counter5twiceEi = comdat any

$_ZN7CounterC2Ei = comdat any

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local void @_Z13class_methodsPi(ptr noundef %p) #0 !dbg !25 {
entry:
  %p.addr = alloca ptr, align 8
  %counter = alloca %class.Counter, align 4
  store ptr %p, ptr %p.addr, align 8
    #dbg_declare(ptr %p.addr, !30, !DIExpression(), !31)
    #dbg_declare(ptr %counter, !32, !DIExpression(), !33)
  %0 = load ptr, ptr %p.addr, align 8, !dbg !34
  %arrayidx = getelementptr inbounds i32, ptr %0, i64 0, !dbg !34
  %1 = load i32, ptr %arrayidx, align 4, !dbg !34
  call void @_ZN7CounterC1Ei(ptr noundef nonnull align 4 dereferenceable(4) %counter, i32 noundef %1) #2, !dbg !33
  %call = call noundef i32 @_ZN7Counter4nextEv(ptr noundef nonnull align 4 dereferenceable(4) %counter) #2, !dbg !35
  %call1 = call noundef i32 @_ZN7Counter4nextEv(ptr noundef nonnull align 4 dereferenceable(4) %counter) #2, !dbg !36
  %call2 = call noundef i32 @_ZN7Counter5twiceEi(i32 noundef %call1) #2, !dbg !37
  %add = add nsw i32 %call, %call2, !dbg !38
  %2 = load ptr, ptr %p.addr, align 8, !dbg !39
  %arrayidx3 = getelementptr inbounds i32, ptr %2, i64 1, !dbg !39
  store i32 %add, ptr %arrayidx3, align 4, !dbg !40
  ret void, !dbg !41
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN7CounterC1Ei(ptr noundef nonnull align 4 dereferenceable(4) %this, i32 noundef %start) unnamed_addr #1 comdat align 2 !dbg !42 {
entry:
  %this.addr = alloca ptr, align 8
  %start.addr = alloca i32, align 4
  store ptr %this, ptr %this.addr, align 8
    #dbg_declare(ptr %this.addr, !43, !DIExpression(), !45)
  store i32 %start, ptr %start.addr, align 4
    #dbg_declare(ptr %start.addr, !46, !DIExpression(), !47)
  %this1 = load ptr, ptr %this.addr, align 8
  %0 = load i32, ptr %start.addr, align 4, !dbg !48
  call void @_ZN7CounterC2Ei(ptr noundef nonnull align 4 dereferenceable(4) %this1, i32 noundef %0) #2, !dbg !48
  ret void, !dbg !49
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_ZN7Counter4nextEv(ptr noundef nonnull align 4 dereferenceable(4) %this) #1 comdat align 2 !dbg !50 {
entry:
  %this.addr = alloca ptr, align 8
  store ptr %this, ptr %this.addr, align 8
    #dbg_declare(ptr %this.addr, !51, !DIExpression(), !52)
  %this1 = load ptr, ptr %this.addr, align 8
  %value = getelementptr inbounds %class.Counter, ptr %this1, i32 0, i32 0, !dbg !53
  %0 = load i32, ptr %value, align 4, !dbg !54
  %inc = add nsw i32 %0, 1, !dbg !54
  store i32 %inc, ptr %value, align 4, !dbg !54
  ret i32 %inc, !dbg !55
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_ZN7Counter5twiceEi(i32 noundef %x) #1 comdat align 2 !dbg !56 {
entry:
  %x.addr = alloca i32, align 4
  store i32 %x, ptr %x.addr, align 4
    #dbg_declare(ptr %x.addr, !57, !DIExpression(), !58)
  %0 = load i32, ptr %x.addr, align 4, !dbg !59
  %mul = mul nsw i32 2, %0, !dbg !60
  ret i32 %mul, !dbg !61
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN7CounterC2Ei(ptr noundef nonnull align 4 dereferenceable(4) %this, i32 noundef %start) unnamed_addr #1 comdat align 2 !dbg !62 {
entry:
  %this.addr = alloca ptr, align 8
  %start.addr = alloca i32, align 4
  store ptr %this, ptr %this.addr, align 8
    #dbg_declare(ptr %this.addr, !63, !DIExpression(), !64)
  store i32 %start, ptr %start.addr, align 4
    #dbg_declare(ptr %start.addr, !65, !DIExpression(), !66)
  %this1 = load ptr, ptr %this.addr, align 8
  %value = getelementptr inbounds %class.Counter, ptr %this1, i32 0, i32 0, !dbg !67
  %0 = load i32, ptr %start.addr, align 4, !dbg !68
  store i32 %0, ptr %value, align 4, !dbg !67
  ret void, !dbg !69
}

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx42,+sm_90" "uniform-work-group-size"="true" }
attributes #1 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx42,+sm_90" }
attributes #2 = { convergent nounwind }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!18}
!llvm.module.flags = !{!19, !20, !21, !22, !23}
!llvm.ident = !{!24}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !2, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "class_methods.cu", directory: "/src")
!2 = !{!3}
!3 = distinct !DICompositeType(tag: DW_TAG_class_type, name: "Counter", file: !1, line: 3, size: 32, flags: DIFlagTypePassByValue | DIFlagNonTrivial, elements: !4, identifier: "_ZTS7Counter")
!4 = !{!5, !7, !8, !12, !15}
!5 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !3, file: !1, line: 4, baseType: !6, size: 32)
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !DIDerivedType(tag: DW_TAG_member, name: "total", scope: !3, file: !1, line: 5, baseType: !6, flags: DIFlagStaticMember)
!8 = !DISubprogram(name: "Counter", scope: !3, file: !1, line: 8, type: !9, scopeLine: 8, flags: DIFlagPublic | DIFlagPrototyped, spFlags: 0)
!9 = !DISubroutineType(types: !10)
!10 = !{null, !11, !6}
!11 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !3, size: 64, flags: DIFlagArtificial | DIFlagObjectPointer)
!12 = !DISubprogram(name: "next", linkageName: "_ZN7Counter4nextEv", scope: !3, file: !1, line: 9, type: !13, scopeLine: 9, flags: DIFlagPublic | DIFlagPrototyped, spFlags: 0)
!13 = !DISubroutineType(types: !14)
!14 = !{!6, !11}
!15 = !DISubprogram(name: "twice", linkageName: "_ZN7Counter5twiceEi", scope: !3, file: !1, line: 10, type: !16, scopeLine: 10, flags: DIFlagPublic | DIFlagPrototyped | DIFlagStaticMember, spFlags: 0)
!16 = !DISubroutineType(types: !17)
!17 = !{!6, !6}
!18 = !{ptr @_Z13class_methodsPi, !"kernel", i32 1}
!19 = !{i32 7, !"Dwarf Version", i32 2}
!20 = !{i32 2, !"Debug Info Version", i32 3}
!21 = !{i32 1, !"wchar_size", i32 4}
!22 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!23 = !{i32 7, !"frame-pointer", i32 2}
!24 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!25 = distinct !DISubprogram(name: "class_methods", linkageName: "_Z13class_methodsPi", scope: !1, file: !1, line: 12, type: !26, scopeLine: 12, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !29)
!26 = !DISubroutineType(types: !27)
!27 = !{null, !28}
!28 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !6, size: 64)
!29 = !{}
!30 = !DILocalVariable(name: "p", arg: 1, scope: !25, file: !1, line: 12, type: !28)
!31 = !DILocation(line: 12, column: 36, scope: !25)
!32 = !DILocalVariable(name: "counter", scope: !25, file: !1, line: 13, type: !3)
!33 = !DILocation(line: 13, column: 13, scope: !25)
!34 = !DILocation(line: 13, column: 21, scope: !25)
!35 = !DILocation(line: 14, column: 20, scope: !25)
!36 = !DILocation(line: 14, column: 52, scope: !25)
!37 = !DILocation(line: 14, column: 29, scope: !25)
!38 = !DILocation(line: 14, column: 27, scope: !25)
!39 = !DILocation(line: 14, column: 5, scope: !25)
!40 = !DILocation(line: 14, column: 10, scope: !25)
!41 = !DILocation(line: 15, column: 1, scope: !25)
!42 = distinct !DISubprogram(name: "Counter", linkageName: "_ZN7CounterC1Ei", scope: !3, file: !1, line: 8, type: !9, scopeLine: 8, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !8, retainedNodes: !29)
!43 = !DILocalVariable(name: "this", arg: 1, scope: !42, type: !44, flags: DIFlagArtificial | DIFlagObjectPointer)
!44 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !3, size: 64)
!45 = !DILocation(line: 0, scope: !42)
!46 = !DILocalVariable(name: "start", arg: 2, scope: !42, file: !1, line: 8, type: !6)
!47 = !DILocation(line: 8, column: 28, scope: !42)
!48 = !DILocation(line: 8, column: 50, scope: !42)
!49 = !DILocation(line: 8, column: 51, scope: !42)
!50 = distinct !DISubprogram(name: "next", linkageName: "_ZN7Counter4nextEv", scope: !3, file: !1, line: 9, type: !13, scopeLine: 9, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !12, retainedNodes: !29)
!51 = !DILocalVariable(name: "this", arg: 1, scope: !50, type: !44, flags: DIFlagArtificial | DIFlagObjectPointer)
!52 = !DILocation(line: 0, scope: !50)
!53 = !DILocation(line: 9, column: 38, scope: !50)
!54 = !DILocation(line: 9, column: 36, scope: !50)
!55 = !DILocation(line: 9, column: 29, scope: !50)
!56 = distinct !DISubprogram(name: "twice", linkageName: "_ZN7Counter5twiceEi", scope: !3, file: !1, line: 10, type: !16, scopeLine: 10, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !15, retainedNodes: !29)
!57 = !DILocalVariable(name: "x", arg: 1, scope: !56, file: !1, line: 10, type: !6)
!58 = !DILocation(line: 10, column: 37, scope: !56)
!59 = !DILocation(line: 10, column: 53, scope: !56)
!60 = !DILocation(line: 10, column: 51, scope: !56)
!61 = !DILocation(line: 10, column: 42, scope: !56)
!62 = distinct !DISubprogram(name: "Counter", linkageName: "_ZN7CounterC2Ei", scope: !3, file: !1, line: 8, type: !9, scopeLine: 8, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, declaration: !8, retainedNodes: !29)
!63 = !DILocalVariable(name: "this", arg: 1, scope: !62, type: !44, flags: DIFlagArtificial | DIFlagObjectPointer)
!64 = !DILocation(line: 0, scope: !62)
!65 = !DILocalVariable(name: "start", arg: 2, scope: !62, file: !1, line: 8, type: !6)
!66 = !DILocation(line: 8, column: 28, scope: !62)
!67 = !DILocation(line: 8, column: 37, scope: !62)
!68 = !DILocation(line: 8, column: 43, scope: !62)
!69 = !DILocation(line: 8, column: 51, scope: !62)
