target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local void @_Z12pragma_loopsPfi(ptr nocapture noundef %0, i32 noundef %1) local_unnamed_addr #0 !dbg !9 {
  %3 = icmp sgt i32 %1, 0, !dbg !12
  br i1 %3, label %4, label %86, !dbg !13

4:                                                ; preds = %2
  %5 = and i32 %1, 3, !dbg !13
  %6 = icmp ult i32 %1, 4, !dbg !13
  br i1 %6, label %9, label %7, !dbg !13

7:                                                ; preds = %4
  %8 = and i32 %1, 2147483644, !dbg !13
  br label %28, !dbg !13

9:                                                ; preds = %28, %4
  %10 = phi i32 [ 0, %4 ], [ %50, %28 ]
  %11 = icmp eq i32 %5, 0, !dbg !13
  br i1 %11, label %22, label %12, !dbg !13

12:                                               ; preds = %12, %9
  %13 = phi i32 [ %19, %12 ], [ %10, %9 ]
  %14 = phi i32 [ %20, %12 ], [ 0, %9 ]
  %15 = zext nneg i32 %13 to i64, !dbg !14
  %16 = getelementptr inbounds float, ptr %0, i64 %15, !dbg !14
  %17 = load float, ptr %16, align 4, !dbg !14, !tbaa !15
  %18 = fmul contract float %17, 2.000000e+00, !dbg !19
  store float %18, ptr %16, align 4, !dbg !20, !tbaa !15
  %19 = add nuw nsw i32 %13, 1, !dbg !21
  %20 = add i32 %14, 1, !dbg !13
  %21 = icmp eq i32 %20, %5, !dbg !13
  br i1 %21, label %22, label %12, !dbg !13, !llvm.loop !22

22:                                               ; preds = %12, %9
  br i1 %3, label %23, label %86, !dbg !24

23:                                               ; preds = %22
  %24 = and i32 %1, 1, !dbg !24
  %25 = icmp eq i32 %1, 1, !dbg !24
  br i1 %25, label %53, label %26, !dbg !24

26:                                               ; preds = %23
  %27 = and i32 %1, 2147483646, !dbg !24
  br label %65, !dbg !24

28:                                               ; preds = %28, %7
  %29 = phi i32 [ 0, %7 ], [ %50, %28 ]
  %30 = phi i32 [ 0, %7 ], [ %51, %28 ]
  %31 = zext nneg i32 %29 to i64, !dbg !14
  %32 = getelementptr inbounds float, ptr %0, i64 %31, !dbg !14
  %33 = load float, ptr %32, align 4, !dbg !14, !tbaa !15
  %34 = fmul contract float %33, 2.000000e+00, !dbg !19
  store float %34, ptr %32, align 4, !dbg !20, !tbaa !15
  %35 = or disjoint i32 %29, 1, !dbg !21
  %36 = zext nneg i32 %35 to i64, !dbg !14
  %37 = getelementptr inbounds float, ptr %0, i64 %36, !dbg !14
  %38 = load float, ptr %37, align 4, !dbg !14, !tbaa !15
  %39 = fmul contract float %38, 2.000000e+00, !dbg !19
  store float %39, ptr %37, align 4, !dbg !20, !tbaa !15
  %40 = or disjoint i32 %29, 2, !dbg !21
  %41 = zext nneg i32 %40 to i64, !dbg !14
  %42 = getelementptr inbounds float, ptr %0, i64 %41, !dbg !14
  %43 = load float, ptr %42, align 4, !dbg !14, !tbaa !15
  %44 = fmul contract float %43, 2.000000e+00, !dbg !19
  store float %44, ptr %42, align 4, !dbg !20, !tbaa !15
  %45 = or disjoint i32 %29, 3, !dbg !21
  %46 = zext nneg i32 %45 to i64, !dbg !14
  %47 = getelementptr inbounds float, ptr %0, i64 %46, !dbg !14
  %48 = load float, ptr %47, align 4, !dbg !14, !tbaa !15
  %49 = fmul contract float %48, 2.000000e+00, !dbg !19
  store float %49, ptr %47, align 4, !dbg !20, !tbaa !15
  %50 = add nuw nsw i32 %29, 4, !dbg !21
  %51 = add i32 %30, 4, !dbg !13
  %52 = icmp eq i32 %51, %8, !dbg !13
  br i1 %52, label %9, label %28, !dbg !13, !llvm.loop !25

53:                                               ; preds = %65, %23
  %54 = phi i32 [ 0, %23 ], [ %83, %65 ]
  %55 = icmp eq i32 %24, 0, !dbg !24
  br i1 %55, label %64, label %56, !dbg !24

56:                                               ; preds = %53
  %57 = zext nneg i32 %54 to i64, !dbg !28
  %58 = getelementptr inbounds float, ptr %0, i64 %57, !dbg !28
  %59 = load float, ptr %58, align 4, !dbg !28, !tbaa !15
  %60 = fadd contract float %59, 1.000000e+00, !dbg !29
  %61 = add nuw nsw i32 %54, %1, !dbg !30
  %62 = zext nneg i32 %61 to i64, !dbg !31
  %63 = getelementptr inbounds float, ptr %0, i64 %62, !dbg !31
  store float %60, ptr %63, align 4, !dbg !32, !tbaa !15
  br label %64, !dbg !33

64:                                               ; preds = %56, %53
  br i1 %3, label %87, label %86, !dbg !33

65:                                               ; preds = %65, %26
  %66 = phi i32 [ 0, %26 ], [ %83, %65 ]
  %67 = phi i32 [ 0, %26 ], [ %84, %65 ]
  %68 = zext nneg i32 %66 to i64, !dbg !28
  %69 = getelementptr inbounds float, ptr %0, i64 %68, !dbg !28
  %70 = load float, ptr %69, align 4, !dbg !28, !tbaa !15
  %71 = fadd contract float %70, 1.000000e+00, !dbg !29
  %72 = add nuw nsw i32 %66, %1, !dbg !30
  %73 = zext nneg i32 %72 to i64, !dbg !31
  %74 = getelementptr inbounds float, ptr %0, i64 %73, !dbg !31
  store float %71, ptr %74, align 4, !dbg !32, !tbaa !15
  %75 = or disjoint i32 %66, 1, !dbg !34
  %76 = zext nneg i32 %75 to i64, !dbg !28
  %77 = getelementptr inbounds float, ptr %0, i64 %76, !dbg !28
  %78 = load float, ptr %77, align 4, !dbg !28, !tbaa !15
  %79 = fadd contract float %78, 1.000000e+00, !dbg !29
  %80 = add nuw nsw i32 %75, %1, !dbg !30
  %81 = zext nneg i32 %80 to i64, !dbg !31
  %82 = getelementptr inbounds float, ptr %0, i64 %81, !dbg !31
  store float %79, ptr %82, align 4, !dbg !32, !tbaa !15
  %83 = add nuw nsw i32 %66, 2, !dbg !34
  %84 = add i32 %67, 2, !dbg !24
  %85 = icmp eq i32 %84, %27, !dbg !24
  br i1 %85, label %53, label %65, !dbg !24, !llvm.loop !35

86:                                               ; preds = %95, %64, %22, %2
  ret void, !dbg !39

87:                                               ; preds = %95, %64
  %88 = phi i32 [ %96, %95 ], [ 0, %64 ]
  %89 = zext nneg i32 %88 to i64, !dbg !40
  %90 = getelementptr inbounds float, ptr %0, i64 %89, !dbg !40
  %91 = load float, ptr %90, align 4, !dbg !40, !tbaa !15
  %92 = fcmp contract olt float %91, 0.000000e+00, !dbg !41
  br i1 %92, label %95, label %93, !dbg !40

93:                                               ; preds = %87
  %94 = fadd contract float %91, -1.000000e+00
  store float %94, ptr %90, align 4, !dbg !42, !tbaa !15
  br label %95, !dbg !43

95:                                               ; preds = %93, %87
  %96 = add nuw nsw i32 %88, 1, !dbg !44
  %97 = icmp eq i32 %96, %1, !dbg !45
  br i1 %97, label %86, label %87, !dbg !33, !llvm.loop !46
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx42,+sm_90" "uniform-work-group-size"="true" }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "pragma_loops.cu", directory: "/src")
!2 = !{ptr @_Z12pragma_loopsPfi, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!7 = !{i32 7, !"frame-pointer", i32 2}
!8 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!9 = distinct !DISubprogram(name: "pragma_loops", scope: !1, file: !1, line: 3, type: !10, scopeLine: 3, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!10 = !DISubroutineType(types: !11)
!11 = !{}
!12 = !DILocation(line: 5, column: 23, scope: !9)
!13 = !DILocation(line: 5, column: 5, scope: !9)
!14 = !DILocation(line: 6, column: 16, scope: !9)
!15 = !{!16, !16, i64 0}
!16 = !{!"float", !17, i64 0}
!17 = !{!"omnipotent char", !18, i64 0}
!18 = !{!"Simple C++ TBAA"}
!19 = !DILocation(line: 6, column: 21, scope: !9)
!20 = !DILocation(line: 6, column: 14, scope: !9)
!21 = !DILocation(line: 5, column: 29, scope: !9)
!22 = distinct !{!22, !23}
!23 = !{!"llvm.loop.unroll.disable"}
!24 = !DILocation(line: 8, column: 5, scope: !9)
!25 = distinct !{!25, !13, !26, !27, !23}
!26 = !DILocation(line: 6, column: 23, scope: !9)
!27 = !{!"llvm.loop.mustprogress"}
!28 = !DILocation(line: 9, column: 20, scope: !9)
!29 = !DILocation(line: 9, column: 25, scope: !9)
!30 = !DILocation(line: 9, column: 13, scope: !9)
!31 = !DILocation(line: 9, column: 9, scope: !9)
!32 = !DILocation(line: 9, column: 18, scope: !9)
!33 = !DILocation(line: 11, column: 5, scope: !9)
!34 = !DILocation(line: 8, column: 29, scope: !9)
!35 = distinct !{!35, !24, !36, !27, !37, !38}
!36 = !DILocation(line: 9, column: 27, scope: !9)
!37 = !{!"llvm.loop.interleave.count", i32 2}
!38 = !{!"llvm.loop.vectorize.enable", i1 true}
!39 = !DILocation(line: 16, column: 1, scope: !9)
!40 = !DILocation(line: 12, column: 13, scope: !9)
!41 = !DILocation(line: 12, column: 18, scope: !9)
!42 = !DILocation(line: 14, column: 14, scope: !9)
!43 = !DILocation(line: 15, column: 5, scope: !9)
!44 = !DILocation(line: 11, column: 29, scope: !9)
!45 = !DILocation(line: 11, column: 23, scope: !9)
!46 = distinct !{!46, !33, !43, !27, !23}
