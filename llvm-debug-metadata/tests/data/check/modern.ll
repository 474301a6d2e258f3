target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@counter = addrspace(1) global i32 0, align 4, !dbg !20
@tile = internal addrspace(3) global [4 x i32] undef, align 4, !dbg !22

define void @helper(ptr %p, i32 %n) noinline !dbg !30 {
  store i32 %n, ptr %p, align 4, !dbg !31
  ret void, !dbg !32
}

define ptx_kernel void @k(ptr addrspace(1) %out, i32 %a) !dbg !6 {
  %x = alloca i32, align 4
    #dbg_declare(ptr %x, !40, !DIExpression(), !41)
    #dbg_value(ptr addrspace(1) %out, !42, !DIExpression(), !41)
    #dbg_value(i32 %a, !43, !DIExpression(), !41)
  store i32 %a, ptr %x, align 4, !dbg !44
  call void @helper(ptr %x, i32 %a), !dbg !45
  %v = load i32, ptr %x, align 4, !dbg !45
    #dbg_label(!46, !44)
  store i32 %v, ptr addrspace(1) @counter, align 4, !dbg !45
  %q = getelementptr [4 x i32], ptr addrspace(3) @tile, i32 0, i32 %a, !dbg !45
  store i32 %v, ptr addrspace(3) %q, align 4, !dbg !45
  store i32 %v, ptr addrspace(1) %out, align 4, !dbg !47
  ret void, !dbg !48
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!nvvmir.version = !{!2}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !3, producer: "p", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, enums: !60, retainedTypes: !61, globals: !62, imports: !63)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !{i32 2, i32 0, i32 3, i32 2}
!3 = !DIFile(filename: "k.cu", directory: "/src", checksumkind: CSK_MD5, checksum: "00112233445566778899aabbccddeeff")
!4 = !DISubroutineType(types: !5)
!5 = !{null, !50, !10}
!6 = distinct !DISubprogram(name: "k", linkageName: "k", scope: !3, file: !3, line: 3, type: !4, scopeLine: 3, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !49)
!10 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression(DW_OP_constu, 5, DW_OP_swap, DW_OP_xderef))
!21 = distinct !DIGlobalVariable(name: "counter", scope: !0, file: !3, line: 1, type: !10, isLocal: false, isDefinition: true)
!22 = !DIGlobalVariableExpression(var: !23, expr: !DIExpression(DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef))
!23 = distinct !DIGlobalVariable(name: "tile", scope: !6, file: !3, line: 2, type: !24, isLocal: true, isDefinition: true)
!24 = !DICompositeType(tag: DW_TAG_array_type, baseType: !10, size: 128, elements: !25)
!25 = !{!26}
!26 = !DISubrange(count: 4)
!30 = distinct !DISubprogram(name: "helper", linkageName: "helper", scope: !3, file: !3, line: 20, type: !33, scopeLine: 20, spFlags: DISPFlagDefinition, unit: !0)
!31 = !DILocation(line: 21, column: 3, scope: !30)
!32 = !DILocation(line: 22, column: 1, scope: !30)
!33 = !DISubroutineType(types: !34)
!34 = !{null, !50, !10}
!40 = !DILocalVariable(name: "x", scope: !51, file: !3, line: 4, type: !10)
!41 = !DILocation(line: 4, column: 7, scope: !51)
!42 = !DILocalVariable(name: "out", arg: 1, scope: !6, file: !3, line: 3, type: !50)
!43 = !DILocalVariable(name: "a", arg: 2, scope: !6, file: !3, line: 3, type: !10)
!44 = !DILocation(line: 5, column: 5, scope: !51)
!45 = !DILocation(line: 6, column: 5, scope: !52)
!46 = !DILabel(scope: !6, name: "again", file: !3, line: 5)
!47 = !DILocation(line: 8, column: 5, scope: !6)
!48 = !DILocation(line: 9, column: 1, scope: !6)
!49 = !{!42, !43, !46}
!50 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !10, size: 64)
!51 = distinct !DILexicalBlock(scope: !6, file: !3, line: 4, column: 3)
!52 = !DILexicalBlockFile(scope: !51, file: !3, discriminator: 2)
!60 = !{!64}
!61 = !{!65, !68}
!62 = !{!20, !22}
!63 = !{!70}
!64 = !DICompositeType(tag: DW_TAG_enumeration_type, name: "E", file: !3, line: 30, baseType: !10, size: 32, elements: !66)
!65 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "S", file: !3, line: 31, size: 64, flags: DIFlagTypePassByValue, elements: !69, templateParams: !73)
!66 = !{!67}
!67 = !DIEnumerator(name: "A", value: 0)
!68 = !DIDerivedType(tag: DW_TAG_typedef, name: "T", file: !3, line: 33, baseType: !65)
!69 = !{!71, !72}
!70 = !DIImportedEntity(tag: DW_TAG_imported_declaration, scope: !75, entity: !65, file: !3, line: 40)
!71 = !DIDerivedType(tag: DW_TAG_member, name: "m", scope: !65, file: !3, line: 32, baseType: !10, size: 32)
!72 = !DIDerivedType(tag: DW_TAG_member, name: "n", scope: !65, file: !3, line: 32, baseType: !10, size: 32, offset: 32)
!73 = !{!74, !76}
!74 = !DITemplateTypeParameter(name: "X", type: !10)
!75 = !DINamespace(name: "ns", scope: null)
!76 = !DITemplateValueParameter(name: "N", type: !10, value: i32 4)
