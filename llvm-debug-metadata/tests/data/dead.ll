; ModuleID = 'k.cu'
source_filename = "k.c"

@kept = global i32 0, !dbg !0

define i32 @f() !dbg !16 {
  ret i32 3, !dbg !19
}

!llvm.dbg.cu = !{!2, !10}
!llvm.module.flags = !{!15}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "kept", scope: !2, file: !3, line: 1, type: !7, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "by hand", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, globals: !4)
!3 = !DIFile(filename: "a.c", directory: "/src")
!4 = !{!0, !5, !8}
!5 = !DIGlobalVariableExpression(var: !6, expr: !DIExpression())
!6 = distinct !DIGlobalVariable(name: "gone", scope: !2, file: !3, line: 2, type: !7, isLocal: true, isDefinition: true)
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DIGlobalVariableExpression(var: !9, expr: !DIExpression(DW_OP_constu, 5, DW_OP_stack_value))
!9 = distinct !DIGlobalVariable(name: "constant", scope: !2, file: !3, line: 3, type: !7, isLocal: true, isDefinition: true)
!10 = distinct !DICompileUnit(language: DW_LANG_C11, file: !11, producer: "by hand", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, globals: !12)
!11 = !DIFile(filename: "b.c", directory: "/src")
!12 = !{!13}
!13 = !DIGlobalVariableExpression(var: !14, expr: !DIExpression())
!14 = distinct !DIGlobalVariable(name: "lost", scope: !10, file: !11, line: 1, type: !7, isLocal: true, isDefinition: true)
!15 = !{i32 2, !"Debug Info Version", i32 3}
!16 = distinct !DISubprogram(name: "f", scope: !3, file: !3, line: 4, type: !17, scopeLine: 4, spFlags: DISPFlagDefinition, unit: !2)
!17 = !DISubroutineType(types: !18)
!18 = !{!7}
!19 = !DILocation(line: 4, column: 17, scope: !16)
