; ModuleID = 'k.cu'
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.Pair = type { i32, float }

@count = internal addrspace(1) global i32 0, align 4, !dbg !0

; Function Attrs: convergent
define void @k(ptr noundef %data) #0 !dbg !10 {
entry:
  %pair = alloca %struct.Pair, align 4
    #dbg_declare(ptr %pair, !13, !DIExpression(), !14)
  br label %loop, !dbg !14

loop:                                             ; preds = %loop, %entry
  %old = load i32, ptr addrspace(1) @count, align 4, !dbg !15
  %more = icmp slt i32 %old, 7, !dbg !15
  br i1 %more, label %loop, label %done, !dbg !15, !llvm.loop !16

done:                                             ; preds = %loop
  ret void, !dbg !18
}

attributes #0 = { convergent }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!8}
!nvvm.annotations = !{!9}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "count", scope: !2, file: !3, line: 1, type: !7, isLocal: true, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !3, isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, globals: !4)
!3 = !DIFile(filename: "k.cu", directory: "/src")
!4 = !{!0, !5}
!5 = !DIGlobalVariableExpression(var: !6, expr: !DIExpression())
!6 = distinct !DIGlobalVariable(name: "gone", scope: !2, file: !3, line: 2, type: !7, isLocal: true, isDefinition: true)
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !{i32 2, !"Debug Info Version", i32 3}
!9 = !{ptr @k, !"kernel", i32 1}
!10 = distinct !DISubprogram(name: "k", linkageName: "k", scope: !3, file: !3, line: 3, type: !11, scopeLine: 3, spFlags: DISPFlagDefinition, unit: !2)
!11 = !DISubroutineType(types: !12)
!12 = !{null}
!13 = !DILocalVariable(name: "pair", scope: !10, file: !3, line: 4, type: !7)
!14 = !DILocation(line: 4, column: 8, scope: !10)
!15 = !DILocation(line: 5, column: 9, scope: !10)
!16 = distinct !{!16, !14, !17}
!17 = !{!"llvm.loop.mustprogress"}
!18 = !DILocation(line: 6, column: 1, scope: !10)
