target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: mustprogress nofree norecurse nosync nounwind memory(argmem: readwrite)
define dso_local void @_Z12pragma_loopsPfi(ptr nocapture noundef %0, i32 noundef %1) local_unnamed_addr #0 {
  %3 = icmp sgt i32 %1, 0
  br i1 %3, label %4, label %86

4:                                                ; preds = %2
  %5 = and i32 %1, 3
  %6 = icmp ult i32 %1, 4
  br i1 %6, label %9, label %7

7:                                                ; preds = %4
  %8 = and i32 %1, 2147483644
  br label %28

9:                                                ; preds = %28, %4
  %10 = phi i32 [ 0, %4 ], [ %50, %28 ]
  %11 = icmp eq i32 %5, 0
  br i1 %11, label %22, label %12

12:                                               ; preds = %12, %9
  %13 = phi i32 [ %19, %12 ], [ %10, %9 ]
  %14 = phi i32 [ %20, %12 ], [ 0, %9 ]
  %15 = zext nneg i32 %13 to i64
  %16 = getelementptr inbounds float, ptr %0, i64 %15
  %17 = load float, ptr %16, align 4, !tbaa !7
  %18 = fmul contract float %17, 2.000000e+00
  store float %18, ptr %16, align 4, !tbaa !7
  %19 = add nuw nsw i32 %13, 1
  %20 = add i32 %14, 1
  %21 = icmp eq i32 %20, %5
  br i1 %21, label %22, label %12, !llvm.loop !11

22:                                               ; preds = %12, %9
  br i1 %3, label %23, label %86

23:                                               ; preds = %22
  %24 = and i32 %1, 1
  %25 = icmp eq i32 %1, 1
  br i1 %25, label %53, label %26

26:                                               ; preds = %23
  %27 = and i32 %1, 2147483646
  br label %65

28:                                               ; preds = %28, %7
  %29 = phi i32 [ 0, %7 ], [ %50, %28 ]
  %30 = phi i32 [ 0, %7 ], [ %51, %28 ]
  %31 = zext nneg i32 %29 to i64
  %32 = getelementptr inbounds float, ptr %0, i64 %31
  %33 = load float, ptr %32, align 4, !tbaa !7
  %34 = fmul contract float %33, 2.000000e+00
  store float %34, ptr %32, align 4, !tbaa !7
  %35 = or disjoint i32 %29, 1
  %36 = zext nneg i32 %35 to i64
  %37 = getelementptr inbounds float, ptr %0, i64 %36
  %38 = load float, ptr %37, align 4, !tbaa !7
  %39 = fmul contract float %38, 2.000000e+00
  store float %39, ptr %37, align 4, !tbaa !7
  %40 = or disjoint i32 %29, 2
  %41 = zext nneg i32 %40 to i64
  %42 = getelementptr inbounds float, ptr %0, i64 %41
  %43 = load float, ptr %42, align 4, !tbaa !7
  %44 = fmul contract float %43, 2.000000e+00
  store float %44, ptr %42, align 4, !tbaa !7
  %45 = or disjoint i32 %29, 3
  %46 = zext nneg i32 %45 to i64
  %47 = getelementptr inbounds float, ptr %0, i64 %46
  %48 = load float, ptr %47, align 4, !tbaa !7
  %49 = fmul contract float %48, 2.000000e+00
  store float %49, ptr %47, align 4, !tbaa !7
  %50 = add nuw nsw i32 %29, 4
  %51 = add i32 %30, 4
  %52 = icmp eq i32 %51, %8
  br i1 %52, label %9, label %28, !llvm.loop !13

53:                                               ; preds = %65, %23
  %54 = phi i32 [ 0, %23 ], [ %83, %65 ]
  %55 = icmp eq i32 %24, 0
  br i1 %55, label %64, label %56

56:                                               ; preds = %53
  %57 = zext nneg i32 %54 to i64
  %58 = getelementptr inbounds float, ptr %0, i64 %57
  %59 = load float, ptr %58, align 4, !tbaa !7
  %60 = fadd contract float %59, 1.000000e+00
  %61 = add nuw nsw i32 %54, %1
  %62 = zext nneg i32 %61 to i64
  %63 = getelementptr inbounds float, ptr %0, i64 %62
  store float %60, ptr %63, align 4, !tbaa !7
  br label %64

64:                                               ; preds = %56, %53
  br i1 %3, label %87, label %86

65:                                               ; preds = %65, %26
  %66 = phi i32 [ 0, %26 ], [ %83, %65 ]
  %67 = phi i32 [ 0, %26 ], [ %84, %65 ]
  %68 = zext nneg i32 %66 to i64
  %69 = getelementptr inbounds float, ptr %0, i64 %68
  %70 = load float, ptr %69, align 4, !tbaa !7
  %71 = fadd contract float %70, 1.000000e+00
  %72 = add nuw nsw i32 %66, %1
  %73 = zext nneg i32 %72 to i64
  %74 = getelementptr inbounds float, ptr %0, i64 %73
  store float %71, ptr %74, align 4, !tbaa !7
  %75 = or disjoint i32 %66, 1
  %76 = zext nneg i32 %75 to i64
  %77 = getelementptr inbounds float, ptr %0, i64 %76
  %78 = load float, ptr %77, align 4, !tbaa !7
  %79 = fadd contract float %78, 1.000000e+00
  %80 = add nuw nsw i32 %75, %1
  %81 = zext nneg i32 %80 to i64
  %82 = getelementptr inbounds float, ptr %0, i64 %81
  store float %79, ptr %82, align 4, !tbaa !7
  %83 = add nuw nsw i32 %66, 2
  %84 = add i32 %67, 2
  %85 = icmp eq i32 %84, %27
  br i1 %85, label %53, label %65, !llvm.loop !15

86:                                               ; preds = %95, %64, %22, %2
  ret void

87:                                               ; preds = %95, %64
  %88 = phi i32 [ %96, %95 ], [ 0, %64 ]
  %89 = zext nneg i32 %88 to i64
  %90 = getelementptr inbounds float, ptr %0, i64 %89
  %91 = load float, ptr %90, align 4, !tbaa !7
  %92 = fcmp contract olt float %91, 0.000000e+00
  br i1 %92, label %95, label %93

93:                                               ; preds = %87
  %94 = fadd contract float %91, -1.000000e+00
  store float %94, ptr %90, align 4, !tbaa !7
  br label %95

95:                                               ; preds = %93, %87
  %96 = add nuw nsw i32 %88, 1
  %97 = icmp eq i32 %96, %1
  br i1 %97, label %86, label %87, !llvm.loop !18
}

attributes #0 = { mustprogress nofree norecurse nosync nounwind memory(argmem: readwrite) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx42,+sm_90" "uniform-work-group-size"="true" }

!nvvm.annotations = !{!0}
!llvm.module.flags = !{!1, !2, !3, !4, !5}
!llvm.ident = !{!6}

!0 = !{ptr @_Z12pragma_loopsPfi, !"kernel", i32 1}
!1 = !{i32 7, !"Dwarf Version", i32 2}
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 1, !"wchar_size", i32 4}
!4 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!5 = !{i32 7, !"frame-pointer", i32 2}
!6 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!7 = !{!8, !8, i64 0}
!8 = !{!"float", !9, i64 0}
!9 = !{!"omnipotent char", !10, i64 0}
!10 = !{!"Simple C++ TBAA"}
!11 = distinct !{!11, !12}
!12 = !{!"llvm.loop.unroll.disable"}
!13 = distinct !{!13, !14, !12}
!14 = !{!"llvm.loop.mustprogress"}
!15 = distinct !{!15, !14, !16, !17}
!16 = !{!"llvm.loop.interleave.count", i32 2}
!17 = !{!"llvm.loop.vectorize.enable", i1 true}
!18 = distinct !{!18, !14, !12}
