; ModuleID = 'k.cu'
source_filename = "k.c"

@kept = global i32 0, !dbg !0

define i32 @f() !dbg !6 {
  ret i32 3, !dbg !9
}

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!5}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "kept", scope: !2, file: !3, line: 1, type: !4, isLocal: false, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "by hand", isOptimized: false, runtimeVersion: 0, splitDebugFilename: "a.dwo", emissionKind: FullDebug, dwoId: 77)
!3 = !DIFile(filename: "a.c", directory: "/src")
!4 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!5 = !{i32 2, !"Debug Info Version", i32 3}
!6 = distinct !DISubprogram(name: "f", scope: !3, file: !3, line: 4, type: !7, scopeLine: 4, spFlags: DISPFlagDefinition, unit: !2)
!7 = !DISubroutineType(types: !8)
!8 = !{!4}
!9 = !DILocation(line: 4, column: 17, scope: !6)
