; ModuleID = 'o2.ll'
source_filename = "one.ll"

define i32 @f(i32 %a) !dbg !5 {
  %b = add i32 %a, 1, !dbg !11
    #dbg_value(i32 %b, !9, !DIExpression(), !11)
  ret i32 %b, !dbg !12
}

!llvm.debugify = !{!0, !1, !0, !1}
!llvm.module.flags = !{!2}
!llvm.dbg.cu = !{!3}

!0 = !{i32 2}
!1 = !{i32 1}
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = distinct !DICompileUnit(language: DW_LANG_C, file: !4, producer: "debugify", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!4 = !DIFile(filename: "o2.ll", directory: "/")
!5 = distinct !DISubprogram(name: "f", linkageName: "f", scope: null, file: !4, line: 1, type: !6, scopeLine: 1, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !3, retainedNodes: !8)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = !{!9}
!9 = !DILocalVariable(name: "1", scope: !5, file: !4, line: 1, type: !10)
!10 = !DIBasicType(name: "ty32", size: 32, encoding: DW_ATE_unsigned)
!11 = !DILocation(line: 1, column: 1, scope: !5)
!12 = !DILocation(line: 2, column: 1, scope: !5)
