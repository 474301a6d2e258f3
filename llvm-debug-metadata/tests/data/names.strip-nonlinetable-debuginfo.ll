target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%class.Counter = type { i32 }

$_ZN7CounterC1Ei = comdat any

$_ZN7Counter4nextEv = comdat any

$_ZN7Counter5twiceEi = comdat any

$_ZN7CounterC2Ei = comdat any

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local void @_Z13class_methodsPi(ptr noundef %p) #0 !dbg !9 {
entry:
  %p.addr = alloca ptr, align 8
  %counter = alloca %class.Counter, align 4
  store ptr %p, ptr %p.addr, align 8
  %0 = load ptr, ptr %p.addr, align 8, !dbg !12
  %arrayidx = getelementptr inbounds i32, ptr %0, i64 0, !dbg !12
  %1 = load i32, ptr %arrayidx, align 4, !dbg !12
  call void @_ZN7CounterC1Ei(ptr noundef nonnull align 4 dereferenceable(4) %counter, i32 noundef %1) #2, !dbg !13
  %call = call noundef i32 @_ZN7Counter4nextEv(ptr noundef nonnull align 4 dereferenceable(4) %counter) #2, !dbg !14
  %call1 = call noundef i32 @_ZN7Counter4nextEv(ptr noundef nonnull align 4 dereferenceable(4) %counter) #2, !dbg !15
  %call2 = call noundef i32 @_ZN7Counter5twiceEi(i32 noundef %call1) #2, !dbg !16
  %add = add nsw i32 %call, %call2, !dbg !17
  %2 = load ptr, ptr %p.addr, align 8, !dbg !18
  %arrayidx3 = getelementptr inbounds i32, ptr %2, i64 1, !dbg !18
  store i32 %add, ptr %arrayidx3, align 4, !dbg !19
  ret void, !dbg !20
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN7CounterC1Ei(ptr noundef nonnull align 4 dereferenceable(4) %this, i32 noundef %start) unnamed_addr #1 comdat align 2 !dbg !21 {
entry:
  %this.addr = alloca ptr, align 8
  %start.addr = alloca i32, align 4
  store ptr %this, ptr %this.addr, align 8
  store i32 %start, ptr %start.addr, align 4
  %this1 = load ptr, ptr %this.addr, align 8
  %0 = load i32, ptr %start.addr, align 4, !dbg !22
  call void @_ZN7CounterC2Ei(ptr noundef nonnull align 4 dereferenceable(4) %this1, i32 noundef %0) #2, !dbg !22
  ret void, !dbg !23
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_ZN7Counter4nextEv(ptr noundef nonnull align 4 dereferenceable(4) %this) #1 comdat align 2 !dbg !24 {
entry:
  %this.addr = alloca ptr, align 8
  store ptr %this, ptr %this.addr, align 8
  %this1 = load ptr, ptr %this.addr, align 8
  %value = getelementptr inbounds %class.Counter, ptr %this1, i32 0, i32 0, !dbg !25
  %0 = load i32, ptr %value, align 4, !dbg !26
  %inc = add nsw i32 %0, 1, !dbg !26
  store i32 %inc, ptr %value, align 4, !dbg !26
  ret i32 %inc, !dbg !27
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local noundef i32 @_ZN7Counter5twiceEi(i32 noundef %x) #1 comdat align 2 !dbg !28 {
entry:
  %x.addr = alloca i32, align 4
  store i32 %x, ptr %x.addr, align 4
  %0 = load i32, ptr %x.addr, align 4, !dbg !29
  %mul = mul nsw i32 2, %0, !dbg !30
  ret i32 %mul, !dbg !31
}

; Function Attrs: convergent mustprogress noinline nounwind optnone
define linkonce_odr dso_local void @_ZN7CounterC2Ei(ptr noundef nonnull align 4 dereferenceable(4) %this, i32 noundef %start) unnamed_addr #1 comdat align 2 !dbg !32 {
entry:
  %this.addr = alloca ptr, align 8
  %start.addr = alloca i32, align 4
  store ptr %this, ptr %this.addr, align 8
  store i32 %start, ptr %start.addr, align 4
  %this1 = load ptr, ptr %this.addr, align 8
  %value = getelementptr inbounds %class.Counter, ptr %this1, i32 0, i32 0, !dbg !33
  %0 = load i32, ptr %start.addr, align 4, !dbg !34
  store i32 %0, ptr %value, align 4, !dbg !33
  ret void, !dbg !35
}

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx42,+sm_90" "uniform-work-group-size"="true" }
attributes #1 = { convergent mustprogress noinline nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx42,+sm_90" }
attributes #2 = { convergent nounwind }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "class_methods.cu", directory: "/src")
!2 = !{ptr @_Z13class_methodsPi, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!7 = !{i32 7, !"frame-pointer", i32 2}
!8 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!9 = distinct !DISubprogram(name: "class_methods", scope: !1, file: !1, line: 12, type: !10, scopeLine: 12, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0)
!10 = !DISubroutineType(types: !11)
!11 = !{}
!12 = !DILocation(line: 13, column: 21, scope: !9)
!13 = !DILocation(line: 13, column: 13, scope: !9)
!14 = !DILocation(line: 14, column: 20, scope: !9)
!15 = !DILocation(line: 14, column: 52, scope: !9)
!16 = !DILocation(line: 14, column: 29, scope: !9)
!17 = !DILocation(line: 14, column: 27, scope: !9)
!18 = !DILocation(line: 14, column: 5, scope: !9)
!19 = !DILocation(line: 14, column: 10, scope: !9)
!20 = !DILocation(line: 15, column: 1, scope: !9)
!21 = distinct !DISubprogram(name: "Counter", scope: !1, file: !1, line: 8, type: !10, scopeLine: 8, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0)
!22 = !DILocation(line: 8, column: 50, scope: !21)
!23 = !DILocation(line: 8, column: 51, scope: !21)
!24 = distinct !DISubprogram(name: "next", scope: !1, file: !1, line: 9, type: !10, scopeLine: 9, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0)
!25 = !DILocation(line: 9, column: 38, scope: !24)
!26 = !DILocation(line: 9, column: 36, scope: !24)
!27 = !DILocation(line: 9, column: 29, scope: !24)
!28 = distinct !DISubprogram(name: "twice", scope: !1, file: !1, line: 10, type: !10, scopeLine: 10, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0)
!29 = !DILocation(line: 10, column: 53, scope: !28)
!30 = !DILocation(line: 10, column: 51, scope: !28)
!31 = !DILocation(line: 10, column: 42, scope: !28)
!32 = distinct !DISubprogram(name: "Counter", scope: !1, file: !1, line: 8, type: !10, scopeLine: 8, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0)
!33 = !DILocation(line: 8, column: 37, scope: !32)
!34 = !DILocation(line: 8, column: 43, scope: !32)
!35 = !DILocation(line: 8, column: 51, scope: !32)
