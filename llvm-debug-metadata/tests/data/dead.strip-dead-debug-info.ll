
@kept = global i32 0, !dbg !0

define i32 @f() !dbg !9 {
  ret i32 3, !dbg !12
}

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!8}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "kept", scope: !2, file: !3, line: 1, type: !7, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "by hand", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, globals: !4)
!3 = !DIFile(filename: "a.c", directory: "/src")
!4 = !{!0, !5}
!5 = !DIGlobalVariableExpression(var: !6, expr: !DIExpression(DW_OP_constu, 5, DW_OP_stack_value))
!6 = distinct !DIGlobalVariable(name: "constant", scope: !2, file: !3, line: 3, type: !7, isLocal: true, isDefinition: true)
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !{i32 2, !"Debug Info Version", i32 3}
!9 = distinct !DISubprogram(name: "f", scope: !3, file: !3, line: 4, type: !10, scopeLine: 4, spFlags: DISPFlagDefinition, unit: !2)
!10 = !DISubroutineType(types: !11)
!11 = !{!7}
!12 = !DILocation(line: 4, column: 17, scope: !9)
