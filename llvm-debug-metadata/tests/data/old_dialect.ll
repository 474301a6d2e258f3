; ModuleID = 'k.cu'
source_filename = "scale.cu"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Pair = type { i32, float }

@table = internal addrspace(1) global [4 x %struct.Pair] zeroinitializer, align 4, !dbg !0

; Function Attrs: nounwind
define void @scale(float* nocapture %data, i32 %count) #0 !dbg !17 {
entry:
  %data.addr = alloca float*, align 8
  store float* %data, float** %data.addr, align 8
  call void @llvm.dbg.declare(metadata float** %data.addr, metadata !21, metadata !DIExpression()), !dbg !22
  call void @llvm.dbg.value(metadata i32 %count, metadata !23, metadata !DIExpression()), !dbg !22
  %more = icmp sgt i32 %count, 0, !dbg !24
  br i1 %more, label %loop, label %done, !dbg !24

loop:                                             ; preds = %loop, %entry
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.dbg.value(metadata i32 %i, metadata !25, metadata !DIExpression()), !dbg !26
  %element = getelementptr inbounds float, float* %data, i32 %i, !dbg !27
  %old = load float, float* %element, align 4, !dbg !27
  %factor = getelementptr inbounds [4 x %struct.Pair], [4 x %struct.Pair]* addrspacecast ([4 x %struct.Pair] addrspace(1)* @table to [4 x %struct.Pair]*), i32 0, i32 %i, i32 1, !dbg !27
  %f = load float, float* %factor, align 4, !dbg !27
  %new = fmul float %old, %f, !dbg !27
  store float %new, float* %element, align 4, !dbg !27
  %next = add nsw i32 %i, 1, !dbg !28
  %again = icmp slt i32 %next, %count, !dbg !29
  br i1 %again, label %loop, label %done, !dbg !24, !llvm.loop !30

done:                                             ; preds = %loop, %entry
  ret void, !dbg !32
}

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare void @llvm.dbg.declare(metadata, metadata, metadata) #1

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare void @llvm.dbg.value(metadata, metadata, metadata) #1

attributes #0 = { nounwind "target-cpu"="sm_70" }
attributes #1 = { nofree nosync nounwind readnone speculatable willreturn }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!13, !14}
!nvvm.annotations = !{!15}
!nvvmir.version = !{!16}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "table", scope: !2, file: !3, line: 2, type: !6, isLocal: true, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !3, producer: "by hand", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug, enums: !4, globals: !5, nameTableKind: None)
!3 = !DIFile(filename: "scale.cu", directory: "/src")
!4 = !{}
!5 = !{!0}
!6 = !DICompositeType(tag: DW_TAG_array_type, baseType: !7, size: 256, elements: !11)
!7 = !DICompositeType(tag: DW_TAG_structure_type, name: "Pair", file: !3, line: 1, size: 64, elements: !8)
!8 = !{!9}
!9 = !DIDerivedType(tag: DW_TAG_member, name: "factor", scope: !7, file: !3, line: 1, baseType: !10, size: 32, offset: 32)
!10 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!11 = !{!12}
!12 = !DISubrange(count: 4)
!13 = !{i32 2, !"Debug Info Version", i32 3}
!14 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!15 = !{void (float*, i32)* @scale, !"kernel", i32 1}
!16 = !{i32 2, i32 0, i32 3, i32 1}
!17 = distinct !DISubprogram(name: "scale", linkageName: "scale", scope: !3, file: !3, line: 3, type: !18, scopeLine: 3, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, retainedNodes: !4)
!18 = !DISubroutineType(types: !19)
!19 = !{null, !20}
!20 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !10, size: 64)
!21 = !DILocalVariable(name: "data", arg: 1, scope: !17, file: !3, line: 3, type: !20)
!22 = !DILocation(line: 3, column: 40, scope: !17)
!23 = !DILocalVariable(name: "count", arg: 2, scope: !17, file: !3, line: 3, type: !10)
!24 = !DILocation(line: 4, column: 5, scope: !17)
!25 = !DILocalVariable(name: "i", scope: !17, file: !3, line: 4, type: !10)
!26 = !DILocation(line: 4, column: 14, scope: !17)
!27 = !DILocation(line: 5, column: 17, scope: !17)
!28 = !DILocation(line: 4, column: 30, scope: !17)
!29 = !DILocation(line: 4, column: 23, scope: !17)
!30 = distinct !{!30, !24, !31}
!31 = !{!"llvm.loop.mustprogress"}
!32 = !DILocation(line: 6, column: 1, scope: !17)
