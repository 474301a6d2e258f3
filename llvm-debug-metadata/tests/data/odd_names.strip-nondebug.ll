
%0 = type { i32, %1 }
%1 = type { ptr }

$foo = comdat any

@0 = internal global %0 zeroinitializer, !dbg !0
@1 = private unnamed_addr constant [3 x i8] c"x;\22", align 1
@llvm.used = appending global [1 x ptr] [ptr @keepme], section "llvm.metadata"
@keepme = internal global i32 3
@ba = global ptr blockaddress(@4, %5)
@2 = internal global i32 7

@al = internal alias i32, ptr @keepme

@if = ifunc void (), ptr @3

define internal ptr @3() {
  ret ptr null
}

define internal void @4(ptr %0, i32 %1) comdat($foo) prefix i32 5 personality ptr @3 {
  %3 = load %0, ptr %0, align 8
  %4 = extractvalue %0 %3, 1
  br label %5

5:                                                ; preds = %2
  %6 = phi i32 [ %1, %2 ]
  %7 = getelementptr %0, ptr %0, i32 0, i32 1
  %8 = insertvalue %0 %3, i32 %6, 0
  musttail call void @4(ptr %0, i32 %6)
  ret void
}

define void @bar(...) !dbg !17 {
  %1 = alloca %1, align 8
    #dbg_value(i32 0, !18, !DIExpression(DW_OP_plus_uconst, 4), !20)
  %2 = call i32 @llvm.read_register.i32(metadata !22), !dbg !20
  switch i32 %2, label %3 [
    i32 0, label %3
    i32 1, label %4
  ], !prof !16

3:                                                ; preds = %0, %0
  ret void

4:                                                ; preds = %0
  unreachable
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare i32 @llvm.read_register.i32(metadata) #0

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(read) }

!llvm.dbg.cu = !{!2, !12}
!llvm.module.flags = !{!13}
!named = !{!14, !15, !16}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "g", scope: !2, file: !3, type: !5, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !4, globals: !11)
!3 = !DIFile(filename: "a", directory: "b")
!4 = !{!5}
!5 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "S", elements: !6, identifier: "S")
!6 = !{!7, !10}
!7 = !DISubprogram(name: "bar", linkageName: "_bar", scope: !5, file: !3, type: !8, spFlags: 0)
!8 = !DISubroutineType(types: !9)
!9 = !{null, !5}
!10 = !DISubprogram(linkageName: "_noname", scope: !5, file: !3, type: !8, spFlags: 0)
!11 = !{!0}
!12 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!13 = !{i32 2, !"Debug Info Version", i32 3}
!14 = distinct !{null, !2, !14}
!15 = !{ptr @0, ptr @4, !3, !"x"}
!16 = !{!"branch_weights", i32 1, i32 2, i32 3}
!17 = distinct !DISubprogram(name: "bar", linkageName: "_bar", scope: null, file: !3, type: !8, spFlags: DISPFlagDefinition, unit: !2, declaration: !7)
!18 = !DILocalVariable(name: "v", scope: !19, type: !5)
!19 = distinct !DISubprogram(name: "inl", scope: null, file: !3, type: !8, spFlags: DISPFlagDefinition, unit: !12)
!20 = !DILocation(line: 4, scope: !19, inlinedAt: !21)
!21 = distinct !DILocation(line: 9, scope: !17)
!22 = !{!"sp"}
