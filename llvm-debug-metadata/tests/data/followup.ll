; ModuleID = 'followup'
source_filename = "followup"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: convergent mustprogress noinline norecurse nounwind optnone
define dso_local void @_Z1kPii(ptr noundef %0, i32 noundef %1) #0 !dbg !9 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
    #dbg_declare(ptr %3, !15, !DIExpression(), !16)
  store i32 %1, ptr %4, align 4
    #dbg_declare(ptr %4, !17, !DIExpression(), !18)
    #dbg_declare(ptr %5, !19, !DIExpression(), !21)
  store i32 0, ptr %5, align 4, !dbg !21
  br label %6, !dbg !22

6:                                                ; preds = %18, %2
  %7 = load i32, ptr %5, align 4, !dbg !23
  %8 = load i32, ptr %4, align 4, !dbg !25
  %9 = icmp slt i32 %7, %8, !dbg !26
  br i1 %9, label %10, label %21, !dbg !27

10:                                               ; preds = %6
  %11 = load i32, ptr %5, align 4, !dbg !28
  %12 = load ptr, ptr %3, align 8, !dbg !29
  %13 = load i32, ptr %5, align 4, !dbg !30
  %14 = sext i32 %13 to i64, !dbg !29
  %15 = getelementptr inbounds i32, ptr %12, i64 %14, !dbg !29
  %16 = load i32, ptr %15, align 4, !dbg !31
  %17 = add nsw i32 %16, %11, !dbg !31
  store i32 %17, ptr %15, align 4, !dbg !31
  br label %18, !dbg !29

18:                                               ; preds = %10
  %19 = load i32, ptr %5, align 4, !dbg !32
  %20 = add nsw i32 %19, 1, !dbg !32
  store i32 %20, ptr %5, align 4, !dbg !32
  br label %6, !dbg !33, !llvm.loop !34

21:                                               ; preds = %6
  ret void, !dbg !41
}

attributes #0 = { convergent mustprogress noinline norecurse nounwind optnone "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_80" "target-features"="+ptx42,+sm_80" "uniform-work-group-size"="true" }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "m.cu", directory: "/tmp/n/ir")
!2 = !{ptr @_Z1kPii, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!7 = !{i32 7, !"frame-pointer", i32 2}
!8 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!9 = distinct !DISubprogram(name: "k", linkageName: "_Z1kPii", scope: !1, file: !1, line: 1, type: !10, scopeLine: 1, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !14)
!10 = !DISubroutineType(types: !11)
!11 = !{null, !12, !13}
!12 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !13, size: 64)
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!14 = !{}
!15 = !DILocalVariable(name: "a", arg: 1, scope: !9, file: !1, line: 1, type: !12)
!16 = !DILocation(line: 1, column: 36, scope: !9)
!17 = !DILocalVariable(name: "n", arg: 2, scope: !9, file: !1, line: 1, type: !13)
!18 = !DILocation(line: 1, column: 42, scope: !9)
!19 = !DILocalVariable(name: "i", scope: !20, file: !1, line: 3, type: !13)
!20 = distinct !DILexicalBlock(scope: !9, file: !1, line: 3, column: 1)
!21 = !DILocation(line: 3, column: 9, scope: !20)
!22 = !DILocation(line: 3, column: 5, scope: !20)
!23 = !DILocation(line: 3, column: 13, scope: !24)
!24 = distinct !DILexicalBlock(scope: !20, file: !1, line: 3, column: 1)
!25 = !DILocation(line: 3, column: 15, scope: !24)
!26 = !DILocation(line: 3, column: 14, scope: !24)
!27 = !DILocation(line: 3, column: 1, scope: !20)
!28 = !DILocation(line: 3, column: 28, scope: !24)
!29 = !DILocation(line: 3, column: 22, scope: !24)
!30 = !DILocation(line: 3, column: 24, scope: !24)
!31 = !DILocation(line: 3, column: 26, scope: !24)
!32 = !DILocation(line: 3, column: 18, scope: !24)
!33 = !DILocation(line: 3, column: 1, scope: !24)
!34 = distinct !{!34, !27, !35, !36, !37, !38}
!35 = !DILocation(line: 3, column: 28, scope: !20)
!36 = !{!"llvm.loop.mustprogress"}
!37 = !{!"llvm.loop.distribute.enable", i1 true}
!38 = !{!"llvm.loop.distribute.followup_all", !39}
!39 = distinct !{!39, !27, !35, !36, !40}
!40 = !{!"llvm.loop.unroll.count", i32 8}
!41 = !DILocation(line: 3, column: 31, scope: !9)
