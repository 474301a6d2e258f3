; ModuleID = 'target_types.ll'
source_filename = "target_types.ll"

declare target("spirv.Event") @ev1()

define void @t1() !dbg !5 {
  %e = call target("spirv.Event") @ev1(), !dbg !11
    #dbg_value(target("spirv.Event") %e, !9, !DIExpression(), !11)
  ret void, !dbg !12
}

declare target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) @ev2()

define void @t2() !dbg !13 {
  %e = call target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) @ev2(), !dbg !16
    #dbg_value(target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0) %e, !15, !DIExpression(), !16)
  ret void, !dbg !17
}

declare target("dx.TypedBuffer", float, 1, 0, 0) @ev4()

define void @t4() !dbg !18 {
  %e = call target("dx.TypedBuffer", float, 1, 0, 0) @ev4(), !dbg !22
    #dbg_value(target("dx.TypedBuffer", float, 1, 0, 0) %e, !20, !DIExpression(), !22)
  ret void, !dbg !23
}

declare target("foo.bar") @ev6()

define void @t6() !dbg !24 {
  %e = call target("foo.bar") @ev6(), !dbg !27
    #dbg_value(target("foo.bar") %e, !26, !DIExpression(), !27)
  ret void, !dbg !28
}

!llvm.dbg.cu = !{!0}
!llvm.debugify = !{!2, !3}
!llvm.module.flags = !{!4}

!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "debugify", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "target_types.ll", directory: "/")
!2 = !{i32 8}
!3 = !{i32 4}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "t1", linkageName: "t1", scope: null, file: !1, line: 1, type: !6, scopeLine: 1, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !8)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = !{!9}
!9 = !DILocalVariable(name: "1", scope: !5, file: !1, line: 1, type: !10)
!10 = !DIBasicType(name: "ty64", size: 64, encoding: DW_ATE_unsigned)
!11 = !DILocation(line: 1, column: 1, scope: !5)
!12 = !DILocation(line: 2, column: 1, scope: !5)
!13 = distinct !DISubprogram(name: "t2", linkageName: "t2", scope: null, file: !1, line: 3, type: !6, scopeLine: 3, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !14)
!14 = !{!15}
!15 = !DILocalVariable(name: "2", scope: !13, file: !1, line: 3, type: !10)
!16 = !DILocation(line: 3, column: 1, scope: !13)
!17 = !DILocation(line: 4, column: 1, scope: !13)
!18 = distinct !DISubprogram(name: "t4", linkageName: "t4", scope: null, file: !1, line: 5, type: !6, scopeLine: 5, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !19)
!19 = !{!20}
!20 = !DILocalVariable(name: "3", scope: !18, file: !1, line: 5, type: !21)
!21 = !DIBasicType(name: "ty0", encoding: DW_ATE_unsigned)
!22 = !DILocation(line: 5, column: 1, scope: !18)
!23 = !DILocation(line: 6, column: 1, scope: !18)
!24 = distinct !DISubprogram(name: "t6", linkageName: "t6", scope: null, file: !1, line: 7, type: !6, scopeLine: 7, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !25)
!25 = !{!26}
!26 = !DILocalVariable(name: "4", scope: !24, file: !1, line: 7, type: !21)
!27 = !DILocation(line: 7, column: 1, scope: !24)
!28 = !DILocation(line: 8, column: 1, scope: !24)
