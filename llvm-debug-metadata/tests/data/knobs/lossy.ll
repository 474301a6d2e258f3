target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Function Attrs: convergent mustprogress norecurse nounwind
define dso_local void @k(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3) #0 !dbg !9 {
    #dbg_value(ptr %0, !15, !DIExpression(), !16)
    #dbg_value(ptr %1, !17, !DIExpression(), !16)
    #dbg_value(i32 %2, !18, !DIExpression(), !16)
    #dbg_value(i32 %3, !19, !DIExpression(), !16)
    #dbg_value(i32 0, !20, !DIExpression(), !16)
    #dbg_value(i32 0, !21, !DIExpression(), !23)
  br label %5, !dbg !24

5:                                                ; preds = %18, %4
  %.010 = phi i32 [ 0, %4 ], [ %.1, %18 ], !dbg !16
  %.0 = phi i32 [ 0, %4 ], [ %19, %18 ], !dbg !25
    #dbg_value(i32 %.0, !21, !DIExpression(), !23)
    #dbg_value(i32 %.010, !20, !DIExpression(), !16)
  %6 = icmp slt i32 %.0, %2, !dbg !26
  br i1 %6, label %7, label %20, !dbg !28

7:                                                ; preds = %5
  %8 = icmp sgt i32 %3, 3, !dbg !29
  br i1 %8, label %9, label %12, !dbg !32

9:                                                ; preds = %7
  %10 = load i32, ptr %1, align 4, !dbg !33
  %11 = add nsw i32 %.010, %10, !dbg !34
    #dbg_value(i32 %11, !20, !DIExpression(), !16)
  br label %15, !dbg !35

12:                                               ; preds = %7
  %13 = load i32, ptr %1, align 4, !dbg !36
  %14 = sub nsw i32 %.010, %13, !dbg !37
    #dbg_value(i32 %14, !20, !DIExpression(), !16)
  br label %15

15:                                               ; preds = %12, %9
  %.1 = phi i32 [ %11, %9 ], [ %14, %12 ], !dbg !38
    #dbg_value(i32 %.1, !20, !DIExpression(), !16)
  %16 = sext i32 %.0 to i64, !dbg !39
  %17 = getelementptr inbounds i32, ptr %0, i64 %16, !dbg !39
  store i32 %.1, ptr %17, align 4, !dbg !40
  br label %18, !dbg !41

18:                                               ; preds = %15
  %19 = add nsw i32 %.0, 1, !dbg !42
    #dbg_value(i32 %19, !21, !DIExpression(), !23)
  br label %5, !dbg !43, !llvm.loop !44

20:                                               ; preds = %5
  ret void, !dbg !47
}

attributes #0 = { convergent mustprogress norecurse nounwind "frame-pointer"="all" "target-cpu"="sm_90" "target-features"="+ptx42,+sm_90" "uniform-work-group-size"="true" }

!llvm.dbg.cu = !{!0}
!nvvm.annotations = !{!2}
!llvm.module.flags = !{!3, !4, !5, !6, !7}
!llvm.ident = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 19.1.7 (3~deb12u1)", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "l.cu", directory: "/src")
!2 = !{ptr @k, !"kernel", i32 1}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !{i32 1, !"wchar_size", i32 4}
!6 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!7 = !{i32 7, !"frame-pointer", i32 2}
!8 = !{!"Debian clang version 19.1.7 (3~deb12u1)"}
!9 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 1, type: !10, scopeLine: 1, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !14)
!10 = !DISubroutineType(types: !11)
!11 = !{null, !12, !12, !13, !13}
!12 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !13, size: 64)
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!14 = !{}
!15 = !DILocalVariable(name: "p", arg: 1, scope: !9, file: !1, line: 1, type: !12)
!16 = !DILocation(line: 0, scope: !9)
!17 = !DILocalVariable(name: "q", arg: 2, scope: !9, file: !1, line: 1, type: !12)
!18 = !DILocalVariable(name: "n", arg: 3, scope: !9, file: !1, line: 1, type: !13)
!19 = !DILocalVariable(name: "m", arg: 4, scope: !9, file: !1, line: 1, type: !13)
!20 = !DILocalVariable(name: "s", scope: !9, file: !1, line: 2, type: !13)
!21 = !DILocalVariable(name: "i", scope: !22, file: !1, line: 3, type: !13)
!22 = distinct !DILexicalBlock(scope: !9, file: !1, line: 3, column: 3)
!23 = !DILocation(line: 0, scope: !22)
!24 = !DILocation(line: 3, column: 8, scope: !22)
!25 = !DILocation(line: 3, scope: !22)
!26 = !DILocation(line: 3, column: 21, scope: !27)
!27 = distinct !DILexicalBlock(scope: !22, file: !1, line: 3, column: 3)
!28 = !DILocation(line: 3, column: 3, scope: !22)
!29 = !DILocation(line: 4, column: 11, scope: !30)
!30 = distinct !DILexicalBlock(scope: !31, file: !1, line: 4, column: 9)
!31 = distinct !DILexicalBlock(scope: !27, file: !1, line: 3, column: 31)
!32 = !DILocation(line: 4, column: 9, scope: !31)
!33 = !DILocation(line: 4, column: 21, scope: !30)
!34 = !DILocation(line: 4, column: 18, scope: !30)
!35 = !DILocation(line: 4, column: 16, scope: !30)
!36 = !DILocation(line: 4, column: 35, scope: !30)
!37 = !DILocation(line: 4, column: 32, scope: !30)
!38 = !DILocation(line: 4, scope: !30)
!39 = !DILocation(line: 5, column: 5, scope: !31)
!40 = !DILocation(line: 5, column: 10, scope: !31)
!41 = !DILocation(line: 6, column: 3, scope: !31)
!42 = !DILocation(line: 3, column: 27, scope: !27)
!43 = !DILocation(line: 3, column: 3, scope: !27)
!44 = distinct !{!44, !28, !45, !46}
!45 = !DILocation(line: 6, column: 3, scope: !22)
!46 = !{!"llvm.loop.mustprogress"}
!47 = !DILocation(line: 7, column: 1, scope: !9)
!nvvmir.version = !{!999}
!999 = !{i32 2, i32 0, i32 3, i32 2}
