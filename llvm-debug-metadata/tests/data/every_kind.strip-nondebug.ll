
@g = global i32 0, !dbg !0

define void @f(i32 %0) !dbg !26 {
    #dbg_value(i32 %0, !42, !DIExpression(DW_OP_LLVM_fragment, 0, 8), !43)
    #dbg_value(!DIArgList(i32 %0, i32 7), !42, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus, DW_OP_stack_value), !43)
    #dbg_label(!45, !43)
    #dbg_assign(i32 %0, !42, !DIExpression(), !46, ptr @g, !DIExpression(), !43)
  store i32 %0, ptr @g, align 4, !dbg !43, !DIAssignID !46
  ret void, !dbg !43
}

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!16}
!all = !{!17, !18, !19, !25, !29, !8, !30, !31, !32, !33, !34, !35, !36, !7, !22, !23, !24, !37, !39, !40}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "g", linkageName: "g", scope: !2, file: !3, line: 1, type: !13, isLocal: false, isDefinition: true, align: 32, annotations: !14)
!2 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !3, producer: "by \22hand\22", isOptimized: true, flags: "-O2", runtimeVersion: 2, splitDebugFilename: "k.dwo", emissionKind: FullDebug, enums: !4, retainedTypes: !4, globals: !5, imports: !6, macros: !9, splitDebugInlining: false, debugInfoForProfiling: true, nameTableKind: GNU, rangesBaseAddress: true, sysroot: "/", sdk: "sdk")
!3 = !DIFile(filename: "k.cu", directory: "/src", checksumkind: CSK_MD5, checksum: "000102030405060708090a0b0c0d0e0f", source: "int g;\0A")
!4 = !{}
!5 = !{!0}
!6 = !{!7}
!7 = !DIImportedEntity(tag: DW_TAG_imported_module, name: "n", scope: !2, entity: !8, file: !3, line: 2, elements: !4)
!8 = !DINamespace(name: "ns", scope: null, exportSymbols: true)
!9 = !{!10}
!10 = !DIMacroFile(line: 9, file: !3, nodes: !11)
!11 = !{!12}
!12 = !DIMacro(type: DW_MACINFO_define, line: 1, name: "X", value: "7")
!13 = !DIBasicType(name: "int", size: 32, align: 32, encoding: DW_ATE_signed, flags: DIFlagBigEndian)
!14 = !{!15}
!15 = !{!"tag", !"value"}
!16 = !{i32 2, !"Debug Info Version", i32 3}
!17 = !GenericDINode(tag: DW_TAG_member, header: "head", operands: {!13, null, !4})
!18 = !DIDerivedType(tag: DW_TAG_member, name: "m", scope: !19, file: !3, line: 3, baseType: !13, size: 3, align: 32, offset: 5, flags: DIFlagBitField, extraData: i64 0, annotations: !14)
!19 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "S", scope: !8, file: !3, line: 2, baseType: !13, size: 64, align: 32, offset: 1, flags: DIFlagTypePassByValue, elements: !20, runtimeLang: DW_LANG_C, vtableHolder: !13, templateParams: !21, identifier: "_ZTS1S", annotations: !14)
!20 = !{!18}
!21 = !{!22, !23, !24}
!22 = !DITemplateTypeParameter(name: "T", type: !13, defaulted: true)
!23 = !DITemplateValueParameter(tag: DW_TAG_GNU_template_template_param, name: "C", value: !"vec")
!24 = !DITemplateValueParameter(name: "N", type: !13, defaulted: true, value: i32 7)
!25 = distinct !DILexicalBlock(scope: !26, file: !3, line: 8, column: 2)
!26 = distinct !DISubprogram(name: "f", linkageName: "_Z1fv", scope: !8, file: !3, line: 7, type: !27, scopeLine: 7, containingType: !19, virtualIndex: 3, thisAdjustment: 8, flags: DIFlagPublic | DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !2, templateParams: !4, retainedNodes: !4, thrownTypes: !4, annotations: !14, targetFuncName: "f.target")
!27 = !DISubroutineType(flags: DIFlagLValueReference, cc: DW_CC_nocall, types: !28)
!28 = !{null, !13}
!29 = !DILexicalBlockFile(scope: !25, file: !3, discriminator: 4)
!30 = !DIModule(scope: !8, name: "M", configMacros: "-DX", includePath: "/inc", apinotes: "/notes", file: !3, line: 4, isDecl: true)
!31 = distinct !DICommonBlock(scope: !26, declaration: !1, name: "common", file: !3, line: 5)
!32 = !DISubrange(count: !1, lowerBound: 1, stride: !DIExpression(DW_OP_constu, 4))
!33 = !DIGenericSubrange(lowerBound: !DIExpression(DW_OP_constu, 1), upperBound: !1, stride: !1)
!34 = !DIEnumerator(name: "Red", value: 200, isUnsigned: true)
!35 = !DIStringType(name: "character(n)", stringLength: !1, stringLengthExpression: !DIExpression(), stringLocationExpression: !DIExpression(DW_OP_deref), size: 32, align: 8, encoding: DW_ATE_ASCII)
!36 = !DIObjCProperty(name: "p", file: !3, line: 6, setter: "p", getter: "p", attributes: 7, type: !13)
!37 = !DICompositeType(tag: DW_TAG_array_type, baseType: !13, elements: !38, dataLocation: !1, associated: !1, allocated: !DIExpression(), rank: 3)
!38 = !{!32}
!39 = !DICompositeType(tag: DW_TAG_variant_part, scope: !19, discriminator: !18)
!40 = !DIDerivedType(tag: DW_TAG_LLVM_ptrauth_type, baseType: !41, ptrAuthKey: 2, ptrAuthIsAddressDiscriminated: true, ptrAuthExtraDiscriminator: 1234, ptrAuthIsaPointer: true, ptrAuthAuthenticatesNullValues: true)
!41 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !13, size: 64, dwarfAddressSpace: 3)
!42 = !DILocalVariable(name: "x", arg: 1, scope: !25, file: !3, line: 7, type: !13, flags: DIFlagArtificial, align: 32, annotations: !14)
!43 = !DILocation(line: 8, column: 3, scope: !29, inlinedAt: !44, isImplicitCode: true)
!44 = distinct !DILocation(line: 9, column: 1, scope: !26)
!45 = !DILabel(scope: !25, name: "again", file: !3, line: 9)
!46 = distinct !DIAssignID()
