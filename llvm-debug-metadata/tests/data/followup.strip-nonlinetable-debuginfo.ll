target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local void @_Z1kPii(ptr noundef %0, i32 noundef %1) #0 !dbg !9 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  store i32 0, ptr %5, align 4, !dbg !12
  br label %6, !dbg !13

6:                                                ; preds = %18, %2
  %7 = load i32, ptr %5, align 4, !dbg !14
  %8 = load i32, ptr %4, align 4, !dbg !15
  %9 = icmp slt i32 %7, %8, !dbg !16
  br i1 %9, label %10, label %21, !dbg !17

10:                                               ; preds = %6
  %11 = load i32, ptr %5, align 4, !dbg !18
  %12 = load ptr, ptr %3, align 8, !dbg !19
  %13 = load i32, ptr %5, align 4, !dbg !20
  %14 = sext i32 %13 to i64, !dbg !19
  %15 = getelementptr inbounds i32, ptr %12, i64 %14, !dbg !19
  %16 = load i32, ptr %15, align 4, !dbg !21
  %17 = add nsw i32 %16, %11, !dbg !21
  store i32 %17, ptr %15, align 4, !dbg !21
  br label %18, !dbg !19

18:                                               ; preds = %10
  %19 = load i32, ptr %5, align 4, !dbg !22
  %20 = add nsw i32 %19, 1, !dbg !22
  store i32 %20, ptr %5, align 4, !dbg !22
  br label %6, !dbg !17, !llvm.loop !23

21:                                               ; preds = %6
  ret void, !dbg !38
}

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx42,+sm_80" "uniform-work-group-size"="true" }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "m.cu", directory: "/tmp/n/ir")
!2 = !{ptr @_Z1kPii, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!7 = !{i32 7, !"frame-pointer", i32 2}
!8 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!9 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !10, scopeLine: 1, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0)
!10 = !DISubroutineType(types: !11)
!11 = !{}
!12 = !DILocation(line: 3, column: 9, scope: !9)
!13 = !DILocation(line: 3, column: 5, scope: !9)
!14 = !DILocation(line: 3, column: 13, scope: !9)
!15 = !DILocation(line: 3, column: 15, scope: !9)
!16 = !DILocation(line: 3, column: 14, scope: !9)
!17 = !DILocation(line: 3, column: 1, scope: !9)
!18 = !DILocation(line: 3, column: 28, scope: !9)
!19 = !DILocation(line: 3, column: 22, scope: !9)
!20 = !DILocation(line: 3, column: 24, scope: !9)
!21 = !DILocation(line: 3, column: 26, scope: !9)
!22 = !DILocation(line: 3, column: 18, scope: !9)
!23 = distinct !{!23, !17, !18, !24, !25, !26}
!24 = !{!"llvm.loop.mustprogress"}
!25 = !{!"llvm.loop.distribute.enable", i1 true}
!26 = !{!"llvm.loop.distribute.followup_all", !27}
!27 = distinct !{!27, !28, !36, !24, !37}
!28 = !DILocation(line: 3, column: 1, scope: !29)
!29 = distinct !DILexicalBlock(scope: !30, file: !1, line: 3, column: 1)
!30 = distinct !DISubprogram(name: "k", linkageName: "_Z1kPii", scope: !1, file: !1, line: 1, type: !31, scopeLine: 1, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !35, retainedNodes: !11)
!31 = !DISubroutineType(types: !32)
!32 = !{null, !33, !34}
!33 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !34, size: 64)
!34 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!35 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!36 = !DILocation(line: 3, column: 28, scope: !29)
!37 = !{!"llvm.loop.unroll.count", i32 8}
!38 = !DILocation(line: 3, column: 31, scope: !9)
