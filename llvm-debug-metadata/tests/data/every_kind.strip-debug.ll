
@g = global i32 0

define void @f(i32 %x) {
entry:
  store i32 %x, ptr @g, align 4
  ret void
}

!llvm.module.flags = !{!0}
!all = !{!1, !4, !6, !15, !29, !7, !30, !31, !32, !33, !34, !35, !36, !24, !10, !11, !12, !37, !39, !40}

!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !GenericDINode(tag: DW_TAG_member, header: "head", operands: {!2, null, !3})
!2 = !DIBasicType(name: "int", size: 32, align: 32, encoding: DW_ATE_signed, flags: DIFlagBigEndian)
!3 = !{}
!4 = !DIDerivedType(tag: DW_TAG_member, name: "m", scope: !6, file: !5, line: 3, baseType: !2, size: 3, align: 32, offset: 5, flags: DIFlagBitField, extraData: i64 0, annotations: !13)
!5 = !DIFile(filename: "k.cu", directory: "/src", checksumkind: CSK_MD5, checksum: "000102030405060708090a0b0c0d0e0f", source: "int g;\0A")
!6 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "S", scope: !7, file: !5, line: 2, baseType: !2, size: 64, align: 32, offset: 1, flags: DIFlagTypePassByValue, elements: !8, runtimeLang: DW_LANG_C, vtableHolder: !2, templateParams: !9, identifier: "_ZTS1S", annotations: !13)
!7 = !DINamespace(name: "ns", scope: null, exportSymbols: true)
!8 = !{!4}
!9 = !{!10, !11, !12}
!10 = !DITemplateTypeParameter(name: "T", type: !2, defaulted: true)
!11 = !DITemplateValueParameter(tag: DW_TAG_GNU_template_template_param, name: "C", value: !"vec")
!12 = !DITemplateValueParameter(name: "N", type: !2, defaulted: true, value: i32 7)
!13 = !{!14}
!14 = !{!"tag", !"value"}
!15 = distinct !DILexicalBlock(scope: !16, file: !5, line: 8, column: 2)
!16 = distinct !DISubprogram(name: "f", linkageName: "_Z1fv", scope: !7, file: !5, line: 7, type: !17, scopeLine: 7, containingType: !6, virtualIndex: 3, thisAdjustment: 8, flags: DIFlagPublic | DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !19, templateParams: !3, retainedNodes: !3, thrownTypes: !3, annotations: !13, targetFuncName: "f.target")
!17 = !DISubroutineType(flags: DIFlagLValueReference, cc: DW_CC_nocall, types: !18)
!18 = !{null, !2}
!19 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !5, producer: "by \22hand\22", isOptimized: true, flags: "-O2", runtimeVersion: 2, splitDebugFilename: "k.dwo", emissionKind: FullDebug, enums: !3, retainedTypes: !3, globals: !20, imports: !23, macros: !25, splitDebugInlining: false, debugInfoForProfiling: true, nameTableKind: GNU, rangesBaseAddress: true, sysroot: "/", sdk: "sdk")
!20 = !{!21}
!21 = !DIGlobalVariableExpression(var: !22, expr: !DIExpression())
!22 = distinct !DIGlobalVariable(name: "g", linkageName: "g", scope: !19, file: !5, line: 1, type: !2, isLocal: false, isDefinition: true, align: 32, annotations: !13)
!23 = !{!24}
!24 = !DIImportedEntity(tag: DW_TAG_imported_module, name: "n", scope: !19, entity: !7, file: !5, line: 2, elements: !3)
!25 = !{!26}
!26 = !DIMacroFile(line: 9, file: !5, nodes: !27)
!27 = !{!28}
!28 = !DIMacro(type: DW_MACINFO_define, line: 1, name: "X", value: "7")
!29 = !DILexicalBlockFile(scope: !15, file: !5, discriminator: 4)
!30 = !DIModule(scope: !7, name: "M", configMacros: "-DX", includePath: "/inc", apinotes: "/notes", file: !5, line: 4, isDecl: true)
!31 = distinct !DICommonBlock(scope: !16, declaration: !22, name: "common", file: !5, line: 5)
!32 = !DISubrange(count: !22, lowerBound: 1, stride: !DIExpression(DW_OP_constu, 4))
!33 = !DIGenericSubrange(lowerBound: !DIExpression(DW_OP_constu, 1), upperBound: !22, stride: !22)
!34 = !DIEnumerator(name: "Red", value: 200, isUnsigned: true)
!35 = !DIStringType(name: "character(n)", stringLength: !22, stringLengthExpression: !DIExpression(), stringLocationExpression: !DIExpression(DW_OP_deref), size: 32, align: 8, encoding: DW_ATE_ASCII)
!36 = !DIObjCProperty(name: "p", file: !5, line: 6, setter: "p", getter: "p", attributes: 7, type: !2)
!37 = !DICompositeType(tag: DW_TAG_array_type, baseType: !2, elements: !38, dataLocation: !22, associated: !22, allocated: !DIExpression(), rank: 3)
!38 = !{!32}
!39 = !DICompositeType(tag: DW_TAG_variant_part, scope: !6, discriminator: !4)
!40 = !DIDerivedType(tag: DW_TAG_LLVM_ptrauth_type, baseType: !41, ptrAuthKey: 2, ptrAuthIsAddressDiscriminated: true, ptrAuthExtraDiscriminator: 1234, ptrAuthIsaPointer: true, ptrAuthAuthenticatesNullValues: true)
!41 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !2, size: 64, dwarfAddressSpace: 3)
