; ModuleID = 'last_calls.ll'
source_filename = "last_calls.ll"

declare i32 @llvm.experimental.deoptimize.i32(...)

declare i32 @g(i32)

define i32 @d(i32 %x) !dbg !5 {
  %y = add i32 %x, 1, !dbg !11
    #dbg_value(i32 %y, !9, !DIExpression(), !11)
  %r = call i32 (...) @llvm.experimental.deoptimize.i32(i32 1) [ "deopt"() ], !dbg !12
  ret i32 %r, !dbg !13
}

define i32 @d2(i32 %x) !dbg !14 {
    #dbg_value(i32 %r, !16, !DIExpression(), !17)
  %r = call i32 (...) @llvm.experimental.deoptimize.i32(i32 1) [ "deopt"() ], !dbg !17
  ret i32 %r, !dbg !18
}

define i64 @m(i64 %x) !dbg !19 {
    #dbg_value(i64 %r, !21, !DIExpression(), !23)
  %r = musttail call i64 @m(i64 %x), !dbg !23
  ret i64 %r, !dbg !24
}

define void @mv(i64 %x) !dbg !25 {
    #dbg_value(i32 0, !27, !DIExpression(), !28)
  musttail call void @mv(i64 %x), !dbg !28
  ret void, !dbg !29
}

define i64 @m2(i64 %x) !dbg !30 {
  %y = add i64 %x, 1, !dbg !33
    #dbg_value(i64 %y, !32, !DIExpression(), !33)
  %r = musttail call i64 @m(i64 %y), !dbg !34
  ret i64 %r, !dbg !35
}

define ptr @m3(ptr %x) !dbg !36 {
    #dbg_value(ptr %r, !38, !DIExpression(), !39)
  %r = musttail call ptr @m3(ptr %x), !dbg !39
  %b = bitcast ptr %r to ptr, !dbg !40
  ret ptr %b, !dbg !41
}

define void @inv(i64 %x) personality ptr @g !dbg !42 {
    #dbg_value(i64 %r, !44, !DIExpression(), !45)
  %r = invoke i64 @m(i64 %x)
          to label %a unwind label %b, !dbg !45

a:                                                ; preds = %0
  ret void, !dbg !46

b:                                                ; preds = %0
  %l = landingpad { ptr, i32 }
          cleanup, !dbg !47
  ret void, !dbg !48
}

!llvm.dbg.cu = !{!0}
!llvm.debugify = !{!2, !3}
!llvm.module.flags = !{!4}

!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "debugify", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "last_calls.ll", directory: "/")
!2 = !{i32 19}
!3 = !{i32 7}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "d", linkageName: "d", scope: null, file: !1, line: 1, type: !6, scopeLine: 1, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !8)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = !{!9}
!9 = !DILocalVariable(name: "1", scope: !5, file: !1, line: 1, type: !10)
!10 = !DIBasicType(name: "ty32", size: 32, encoding: DW_ATE_unsigned)
!11 = !DILocation(line: 1, column: 1, scope: !5)
!12 = !DILocation(line: 2, column: 1, scope: !5)
!13 = !DILocation(line: 3, column: 1, scope: !5)
!14 = distinct !DISubprogram(name: "d2", linkageName: "d2", scope: null, file: !1, line: 4, type: !6, scopeLine: 4, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !15)
!15 = !{!16}
!16 = !DILocalVariable(name: "2", scope: !14, file: !1, line: 4, type: !10)
!17 = !DILocation(line: 4, column: 1, scope: !14)
!18 = !DILocation(line: 5, column: 1, scope: !14)
!19 = distinct !DISubprogram(name: "m", linkageName: "m", scope: null, file: !1, line: 6, type: !6, scopeLine: 6, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !20)
!20 = !{!21}
!21 = !DILocalVariable(name: "3", scope: !19, file: !1, line: 6, type: !22)
!22 = !DIBasicType(name: "ty64", size: 64, encoding: DW_ATE_unsigned)
!23 = !DILocation(line: 6, column: 1, scope: !19)
!24 = !DILocation(line: 7, column: 1, scope: !19)
!25 = distinct !DISubprogram(name: "mv", linkageName: "mv", scope: null, file: !1, line: 8, type: !6, scopeLine: 8, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !26)
!26 = !{!27}
!27 = !DILocalVariable(name: "4", scope: !25, file: !1, line: 8, type: !10)
!28 = !DILocation(line: 8, column: 1, scope: !25)
!29 = !DILocation(line: 9, column: 1, scope: !25)
!30 = distinct !DISubprogram(name: "m2", linkageName: "m2", scope: null, file: !1, line: 10, type: !6, scopeLine: 10, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !31)
!31 = !{!32}
!32 = !DILocalVariable(name: "5", scope: !30, file: !1, line: 10, type: !22)
!33 = !DILocation(line: 10, column: 1, scope: !30)
!34 = !DILocation(line: 11, column: 1, scope: !30)
!35 = !DILocation(line: 12, column: 1, scope: !30)
!36 = distinct !DISubprogram(name: "m3", linkageName: "m3", scope: null, file: !1, line: 13, type: !6, scopeLine: 13, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !37)
!37 = !{!38}
!38 = !DILocalVariable(name: "6", scope: !36, file: !1, line: 13, type: !22)
!39 = !DILocation(line: 13, column: 1, scope: !36)
!40 = !DILocation(line: 14, column: 1, scope: !36)
!41 = !DILocation(line: 15, column: 1, scope: !36)
!42 = distinct !DISubprogram(name: "inv", linkageName: "inv", scope: null, file: !1, line: 16, type: !6, scopeLine: 16, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0, retainedNodes: !43)
!43 = !{!44}
!44 = !DILocalVariable(name: "7", scope: !42, file: !1, line: 16, type: !22)
!45 = !DILocation(line: 16, column: 1, scope: !42)
!46 = !DILocation(line: 17, column: 1, scope: !42)
!47 = !DILocation(line: 18, column: 1, scope: !42)
!48 = !DILocation(line: 19, column: 1, scope: !42)
