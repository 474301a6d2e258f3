target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite)
define dso_local void @_Z7lambdasPi(ptr nocapture noundef %0) local_unnamed_addr #0 !dbg !9 {
  %2 = load i32, ptr %0, align 4, !dbg !12, !tbaa !13
  %3 = add nsw i32 %2, 3, !dbg !17
  %4 = shl nsw i32 %2, 2, !dbg !22
  %5 = add nsw i32 %3, %4, !dbg !27
  %6 = getelementptr inbounds i8, ptr %0, i64 4, !dbg !28
  store i32 %5, ptr %6, align 4, !dbg !29, !tbaa !13
  ret void, !dbg !30
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx42,+sm_90" "uniform-work-group-size"="true" }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "lambdas.cu", directory: "/src")
!2 = !{ptr @_Z7lambdasPi, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!7 = !{i32 7, !"frame-pointer", i32 2}
!8 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!9 = distinct !DISubprogram(name: "lambdas", scope: !1, file: !1, line: 4, type: !10, scopeLine: 4, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!10 = !DISubroutineType(types: !11)
!11 = !{}
!12 = !DILocation(line: 5, column: 13, scope: !9)
!13 = !{!14, !14, i64 0}
!14 = !{!"int", !15, i64 0}
!15 = !{!"omnipotent char", !16, i64 0}
!16 = !{!"Simple C++ TBAA"}
!17 = !DILocation(line: 6, column: 39, scope: !18, inlinedAt: !19)
!18 = distinct !DISubprogram(name: "operator()", scope: !1, file: !1, line: 6, type: !10, scopeLine: 6, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!19 = distinct !DILocation(line: 3, column: 65, scope: !20, inlinedAt: !21)
!20 = distinct !DISubprogram(name: "apply<(lambda at lambdas.cu:6:17)>", scope: !1, file: !1, line: 3, type: !10, scopeLine: 3, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!21 = distinct !DILocation(line: 7, column: 12, scope: !9)
!22 = !DILocation(line: 7, column: 57, scope: !23, inlinedAt: !24)
!23 = distinct !DISubprogram(name: "operator()", scope: !1, file: !1, line: 7, type: !10, scopeLine: 7, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!24 = distinct !DILocation(line: 3, column: 65, scope: !25, inlinedAt: !26)
!25 = distinct !DISubprogram(name: "apply<(lambda at lambdas.cu:7:35)>", scope: !1, file: !1, line: 3, type: !10, scopeLine: 3, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!26 = distinct !DILocation(line: 7, column: 29, scope: !9)
!27 = !DILocation(line: 7, column: 27, scope: !9)
!28 = !DILocation(line: 7, column: 5, scope: !9)
!29 = !DILocation(line: 7, column: 10, scope: !9)
!30 = !DILocation(line: 8, column: 1, scope: !9)
