
@g = global i32 0

define void @f(i32 %x) !dbg !7 {
entry:
  store i32 %x, ptr @g, align 4, !dbg !10, !DIAssignID !12
  ret void, !dbg !10
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!6}
!all = !{!7, !7}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "by \22hand\22", isOptimized: true, flags: "-O2", runtimeVersion: 2, splitDebugFilename: "k.dwo", emissionKind: LineTablesOnly, macros: !2, splitDebugInlining: false, debugInfoForProfiling: true, nameTableKind: GNU, rangesBaseAddress: true, sysroot: "/", sdk: "sdk")
!1 = !DIFile(filename: "k.cu", directory: "/src", checksumkind: CSK_MD5, checksum: "000102030405060708090a0b0c0d0e0f", source: "int g;\0A")
!2 = !{!3}
!3 = !DIMacroFile(line: 9, file: !1, nodes: !4)
!4 = !{!5}
!5 = !DIMacro(type: DW_MACINFO_define, line: 1, name: "X", value: "7")
!6 = !{i32 2, !"Debug Info Version", i32 3}
!7 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 7, type: !8, scopeLine: 7, virtualIndex: 3, thisAdjustment: 8, flags: DIFlagPublic | DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!8 = !DISubroutineType(types: !9)
!9 = !{}
!10 = !DILocation(line: 8, column: 3, scope: !7, inlinedAt: !11)
!11 = distinct !DILocation(line: 9, column: 1, scope: !7)
!12 = distinct !DIAssignID()
