//! Two modules or more for each rule: edits of a sound module in each dialect.

use llvm_debug_metadata::IrDialect;
use llvm_debug_metadata::check::RuleId;

/// A module that breaks a rule.
pub(crate) struct Case {
    pub(crate) rule: RuleId,
    pub(crate) name: &'static str,
    pub(crate) dialect: IrDialect,
    pub(crate) text: String,
}

/// A sound module with full debug information.
pub(crate) fn sound(dialect: IrDialect) -> &'static str {
    match dialect {
        IrDialect::TypedPointers => include_str!("../data/check/typed.ll"),
        IrDialect::OpaquePointers => include_str!("../data/check/modern.ll"),
    }
}

/// The sound module with lines only, and a call that was inlined.
pub(crate) fn directives_only(dialect: IrDialect) -> String {
    sound(dialect).replace("FullDebug", "DebugDirectivesOnly").replace(
        "!48 = !DILocation(line: 9, column: 1, scope: !6)",
        "!48 = !DILocation(line: 9, column: 1, scope: !30, inlinedAt: !80)\n!80 = distinct !DILocation(line: 8, column: 5, scope: !6)",
    )
}

/// Which dialects a case is for.
#[derive(Clone, Copy)]
enum In {
    Both,
    Typed,
    Modern,
}

/// What is put in the place of what, in the whole module. `+` stands for its end.
type Edits = &'static [(&'static str, &'static str)];

use In::{Both, Modern, Typed};
use RuleId as Id;

/// Edits of the sound module.
#[rustfmt::skip] // one module, one place
const CASES: &[(Id, &str, In, Edits)] = &[
    (Id::Text, "a line that begins nothing", Both, &[("+", "nonsense\n")]),
    (Id::Text, "a node without a value", Both, &[("+", "!99 =\n")]),
    (Id::Text, "a number twice", Both, &[("+", "!31 = !{}\n")]),
    (Id::Field, "an unknown field", Both, &[("line: 22, ", "line: 22, colour: 2, ")]),
    (Id::Field, "a field twice", Both, &[("line: 22, ", "line: 22, line: 23, ")]),
    (Id::Field, "a field is missing", Both, &[("!31 = !DILocation(line: 21, column: 3, scope: !30)", "!31 = !DILocation(line: 21, column: 3)")]),
    (Id::Field, "a field is null", Both, &[("!31 = !DILocation(line: 21, column: 3, scope: !30)", "!31 = !DILocation(line: 21, column: 3, scope: null)")]),
    (Id::Field, "a column above 16 bits", Both, &[("column: 7", "column: 70000")]),
    (Id::Field, "a line above 32 bits", Both, &[("line: 22", "line: 4294967296")]),
    (Id::Field, "a line below 0", Both, &[("line: 22", "line: -1")]),
    (Id::Field, "a string as a line", Both, &[("line: 22", "line: \"22\"")]),
    (Id::Field, "a number as a node", Both, &[("column: 1, scope: !30", "column: 1, scope: 5")]),
    (Id::Field, "a number as a string", Both, &[("name: \"helper\"", "name: 5")]),
    (Id::Field, "a number as a boolean", Both, &[("isOptimized: false", "isOptimized: 5")]),
    (Id::Field, "an unknown tag", Both, &[("DW_TAG_typedef", "DW_TAG_typedefs")]),
    (Id::Field, "an unknown emission kind", Both, &[("FullDebug", "AllDebug")]),
    (Id::Field, "an emission kind above 3", Both, &[("FullDebug", "4")]),
    (Id::Field, "an unknown flag", Both, &[("DIFlagPrototyped", "DIFlagProto")]),
    (Id::Field, "an unknown language", Both, &[("DW_LANG_C_plus_plus", "DW_LANG_CUDA")]),
    (Id::Field, "an unknown encoding", Both, &[("DW_ATE_signed", "DW_ATE_half")]),
    (Id::Field, "an unknown operation", Both, &[("DW_OP_swap", "DW_OP_exchange")]),
    (Id::Field, "a checksum without its kind", Both, &[("checksumkind: CSK_MD5, ", "")]),
    (Id::Field, "a field of a later LLVM", Typed, &[("emissionKind", "nameTableKind: None, emissionKind")]),
    (Id::UndefinedNode, "a scope", Both, &[("line: 22, column: 1, scope: !30", "line: 22, column: 1, scope: !77")]),
    (Id::UndefinedNode, "an attachment", Both, &[("ret void, !dbg !48", "ret void, !dbg !500")]),
    (Id::NotDistinct, "a unit", Both, &[("!0 = distinct", "!0 =")]),
    (Id::NotDistinct, "a subprogram", Both, &[("!6 = distinct", "!6 =")]),
    (Id::DebugInfoVersion, "missing", Both, &[("!llvm.module.flags = !{!1}\n", "")]),
    (Id::DebugInfoVersion, "2", Both, &[("Version\", i32 3", "Version\", i32 2")]),
    (Id::DebugInfoVersion, "4, and a subprogram without a unit", Both, &[("Version\", i32 3", "Version\", i32 4"), ("scopeLine: 20, spFlags: DISPFlagDefinition, unit: !0", "scopeLine: 20, spFlags: DISPFlagDefinition"), ("scopeLine: 20, isLocal: false, isDefinition: true, unit: !0", "scopeLine: 20, isLocal: false, isDefinition: true")]),
    (Id::ModuleFlag, "twice", Both, &[("flags = !{!1}", "flags = !{!1, !1}")]),
    (Id::ModuleFlag, "a behavior of 9", Both, &[("!{i32 2, !\"Debug", "!{i32 9, !\"Debug")]),
    (Id::ModuleFlag, "a behavior of 8", Typed, &[("!{i32 2, !\"Debug", "!{i32 8, !\"Debug")]),
    (Id::ModuleFlag, "a number that other modules require", Both, &[("!{i32 2, !\"Debug", "!{i32 3, !\"Debug")]),
    (Id::ModuleFlag, "a number that is appended", Both, &[("!{i32 2, !\"Debug", "!{i32 5, !\"Debug")]),
    (Id::ModuleFlag, "a string as the highest value", Both, &[("flags = !{!1}", "flags = !{!1, !99}"), ("+", "!99 = !{i32 7, !\"x\", !\"y\"}\n")]),
    (Id::ModuleFlag, "two operands", Both, &[("flags = !{!1}", "flags = !{!1, !99}"), ("+", "!99 = !{i32 2, !\"x\"}\n")]),
    (Id::IrVersion, "missing", Both, &[("!nvvmir.version = !{!2}\n", "")]),
    (Id::IrVersion, "1.0", Both, &[("!2 = !{i32 2, i32 0", "!2 = !{i32 1, i32 0")]),
    (Id::IrVersion, "2.1", Both, &[("!2 = !{i32 2, i32 0", "!2 = !{i32 2, i32 1")]),
    (Id::IrVersion, "three numbers", Both, &[("!2 = !{i32 2, i32 0, i32 3, ", "!2 = !{i32 2, i32 0, ")]),
    (Id::DebugVersion, "3.3", Both, &[("!2 = !{i32 2, i32 0, i32 3, i32 2}", "!2 = !{i32 2, i32 0, i32 3, i32 3}"), ("!2 = !{i32 2, i32 0, i32 3, i32 1}", "!2 = !{i32 2, i32 0, i32 3, i32 3}")]),
    (Id::DebugVersion, "missing", Both, &[("!2 = !{i32 2, i32 0, i32 3, i32 2}", "!2 = !{i32 2, i32 0}"), ("!2 = !{i32 2, i32 0, i32 3, i32 1}", "!2 = !{i32 2, i32 0}")]),
    (Id::DebugVersion, "2.0", Both, &[("!2 = !{i32 2, i32 0, i32 3", "!2 = !{i32 2, i32 0, i32 2")]),
    (Id::UnitNotListed, "the list is missing", Both, &[("!llvm.dbg.cu = !{!0}\n", "")]),
    (Id::UnitNotListed, "the list has another unit", Both, &[("dbg.cu = !{!0}", "dbg.cu = !{!99}"), ("+", "!99 = distinct !DICompileUnit(language: DW_LANG_C, file: !3, emissionKind: FullDebug)\n")]),
    (Id::ListedNoUnit, "a file", Both, &[("dbg.cu = !{!0}", "dbg.cu = !{!0, !3}")]),
    (Id::ListedNoUnit, "a subprogram alone", Both, &[("dbg.cu = !{!0}", "dbg.cu = !{!6}")]),
    (Id::UnitWithoutLines, "by its name", Both, &[("FullDebug", "NoDebug")]),
    (Id::UnitWithoutLines, "by its number", Both, &[("FullDebug", "0")]),
    (Id::UnitWithoutLines, "one of two units", Both, &[("dbg.cu = !{!0}", "dbg.cu = !{!0, !99}"), ("!30 = distinct !DISubprogram(name: \"helper\", linkageName: \"helper\", scope: !3, file: !3, line: 20, type: !33, scopeLine: 20, spFlags: DISPFlagDefinition, unit: !0)", "!30 = distinct !DISubprogram(name: \"helper\", linkageName: \"helper\", scope: !3, file: !3, line: 20, type: !33, scopeLine: 20, spFlags: DISPFlagDefinition, unit: !99)"), ("!30 = distinct !DISubprogram(name: \"helper\", linkageName: \"helper\", scope: !3, file: !3, line: 20, type: !33, scopeLine: 20, isLocal: false, isDefinition: true, unit: !0)", "!30 = distinct !DISubprogram(name: \"helper\", linkageName: \"helper\", scope: !3, file: !3, line: 20, type: !33, scopeLine: 20, isLocal: false, isDefinition: true, unit: !99)"), ("+", "!99 = distinct !DICompileUnit(language: DW_LANG_C, file: !3, emissionKind: NoDebug)\n")]),
    (Id::OptimizedDebugging, "FullDebug", Both, &[("+", "; as it is\n")]),
    (Id::OptimizedDebugging, "by its number", Both, &[("FullDebug", "1")]),
    (Id::SeveralNamesTables, "two units", Modern, &[("dbg.cu = !{!0}", "dbg.cu = !{!0, !99}"), ("scopeLine: 20, spFlags: DISPFlagDefinition, unit: !0", "scopeLine: 20, spFlags: DISPFlagDefinition, unit: !99"), ("+", "!99 = distinct !DICompileUnit(language: DW_LANG_C, file: !3, emissionKind: FullDebug)\n")]),
    (Id::SeveralNamesTables, "one of them by its number", Modern, &[("dbg.cu = !{!0}", "dbg.cu = !{!0, !99}"), ("scopeLine: 20, spFlags: DISPFlagDefinition, unit: !0", "scopeLine: 20, spFlags: DISPFlagDefinition, unit: !99"), ("+", "!99 = distinct !DICompileUnit(language: DW_LANG_C, file: !3, emissionKind: FullDebug, nameTableKind: 0)\n")]),
    (Id::LinesOnlyVariable, "declared and given values", Both, &[("FullDebug", "LineTablesOnly")]),
    (Id::LinesOnlyVariable, "in retained nodes alone", Both, &[("FullDebug", "LineTablesOnly"), ("    #dbg_declare(ptr %x, !40, !DIExpression(), !41)\n", ""), ("    #dbg_value(ptr addrspace(1) %out, !42, !DIExpression(), !41)\n", ""), ("    #dbg_value(i32 %a, !43, !DIExpression(), !41)\n", ""), ("    #dbg_label(!46, !44)\n", ""), ("  call void @llvm.dbg.declare(metadata i32* %x, metadata !40, metadata !DIExpression()), !dbg !41\n", ""), ("  call void @llvm.dbg.value(metadata i32 addrspace(1)* %out, metadata !42, metadata !DIExpression()), !dbg !41\n", ""), ("  call void @llvm.dbg.value(metadata i32 %a, metadata !43, metadata !DIExpression()), !dbg !41\n", "")]),
    (Id::LinesOnlyVariable, "by its number", Both, &[("FullDebug", "2")]),
    (Id::WrongNode, "the scope of a location", Modern, &[("!31 = !DILocation(line: 21, column: 3, scope: !30)", "!31 = !DILocation(line: 21, column: 3, scope: !3)")]),
    (Id::WrongNode, "the type of a subprogram", Both, &[("line: 3, type: !4", "line: 3, type: !10")]),
    (Id::WrongNode, "the file of a subprogram", Both, &[("file: !3, line: 3,", "file: !10, line: 3,")]),
    (Id::WrongNode, "the type of a variable", Both, &[("line: 4, type: !10", "line: 4, type: !6")]),
    (Id::WrongNode, "the scope of a variable", Both, &[("name: \"x\", scope: !51", "name: \"x\", scope: !10")]),
    (Id::WrongNode, "an element of retained nodes", Both, &[("!49 = !{!42", "!49 = !{!10")]),
    (Id::WrongNode, "an enumeration", Both, &[("!60 = !{!64}", "!60 = !{!65}")]),
    (Id::WrongNode, "a template parameter", Both, &[("!73 = !{!74", "!73 = !{!10")]),
    (Id::WrongNode, "the entity of an import", Both, &[("entity: !65", "entity: !69")]),
    (Id::WrongNode, "elements of a structure", Both, &[("elements: !69", "elements: !10")]),
    (Id::NodeValue, "a column without a line", Both, &[("file: !3, line: 4, column: 3)", "file: !3, column: 3)")]),
    (Id::NodeValue, "a tag of another kind", Both, &[("DW_TAG_typedef", "DW_TAG_structure_type")]),
    (Id::NodeValue, "a tag by its number", Both, &[("DW_TAG_typedef", "19")]),
    (Id::NodeValue, "a line without a file", Both, &[("scope: !3, file: !3, line: 3,", "scope: !3, line: 3,")]),
    (Id::NodeValue, "a checksum that is too short", Both, &[("00112233445566778899aabbccddeeff", "0011")]),
    (Id::NodeValue, "a unit's file without a name", Both, &[("filename: \"k.cu\"", "filename: \"\"")]),
    (Id::NodeValue, "flags that exclude each other", Both, &[("DIFlagTypePassByValue", "DIFlagTypePassByValue | DIFlagTypePassByReference")]),
    (Id::NodeValue, "a location in a declaration", Both, &[("line: 22, column: 1, scope: !30", "line: 22, column: 1, scope: !99"), ("+", "!99 = !DISubprogram(name: \"d\", scope: !3, file: !3, line: 20, type: !33, DECLARATION)\n")]),
    (Id::NodeValue, "a class without a file", Typed, &[("DW_TAG_structure_type, name: \"S\", file: !3", "DW_TAG_class_type, name: \"S\"")]),
    (Id::NodeValue, "an array without a type", Modern, &[("DW_TAG_array_type, baseType: !10", "DW_TAG_array_type")]),
    (Id::NodeValue, "an element that is null", Modern, &[("!69 = !{!71", "!69 = !{null")]),
    (Id::NodeValue, "a function as the type of a variable", Modern, &[("line: 4, type: !10", "line: 4, type: !4")]),
    (Id::Unit, "missing", Both, &[("scopeLine: 20, spFlags: DISPFlagDefinition, unit: !0", "scopeLine: 20, spFlags: DISPFlagDefinition"), ("scopeLine: 20, isLocal: false, isDefinition: true, unit: !0", "scopeLine: 20, isLocal: false, isDefinition: true")]),
    (Id::Unit, "a file", Both, &[("scopeLine: 20, spFlags: DISPFlagDefinition, unit: !0", "scopeLine: 20, spFlags: DISPFlagDefinition, unit: !3"), ("scopeLine: 20, isLocal: false, isDefinition: true, unit: !0", "scopeLine: 20, isLocal: false, isDefinition: true, unit: !3")]),
    (Id::DeclarationUnit, "a unit", Both, &[("retainedTypes: !61", "retainedTypes: !96"), ("+", "!96 = !{!99}\n!99 = !DISubprogram(name: \"d\", scope: !3, file: !3, line: 20, type: !33, DECLARATION, unit: !0)\n")]),
    (Id::DeclarationUnit, "a declaration", Modern, &[("retainedTypes: !61", "retainedTypes: !96"), ("+", "!96 = !{!99}\n!99 = !DISubprogram(name: \"d\", scope: !3, file: !3, line: 20, type: !33, DECLARATION, declaration: !98)\n!98 = !DISubprogram(name: \"e\", scope: !3, file: !3, line: 20, type: !33, DECLARATION)\n")]),
    (Id::LinkageName, "missing", Both, &[("FullDebug", "DebugDirectivesOnly"), ("name: \"helper\", linkageName: \"helper\"", "name: \"helper\""), ("!48 = !DILocation(line: 9, column: 1, scope: !6)", "!48 = !DILocation(line: 9, column: 1, scope: !30, inlinedAt: !80)\n!80 = distinct !DILocation(line: 8, column: 5, scope: !6)")]),
    (Id::LinkageName, "empty", Both, &[("FullDebug", "DebugDirectivesOnly"), ("name: \"helper\", linkageName: \"helper\"", "name: \"helper\", linkageName: \"\""), ("!48 = !DILocation(line: 9, column: 1, scope: !6)", "!48 = !DILocation(line: 9, column: 1, scope: !30, inlinedAt: !80)\n!80 = distinct !DILocation(line: 8, column: 5, scope: !6)")]),
    (Id::Expression, "an operand is missing", Both, &[("%x, !40, !DIExpression()", "%x, !40, !DIExpression(DW_OP_plus_uconst)"), ("%x, metadata !40, metadata !DIExpression()", "%x, metadata !40, metadata !DIExpression(DW_OP_plus_uconst)")]),
    (Id::Expression, "an operation that LLVM does not take", Both, &[("DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef", "DW_OP_addr, 8")]),
    (Id::Expression, "a swap alone", Both, &[("DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef", "DW_OP_swap")]),
    (Id::Expression, "a fragment before the end", Both, &[("DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef", "DW_OP_LLVM_fragment, 0, 8, DW_OP_deref")]),
    (Id::Expression, "an operation of a later LLVM", Typed, &[("DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef", "DW_OP_consts, 8")]),
    (Id::ScopeCycle, "a block in itself", Both, &[("!51 = distinct !DILexicalBlock(scope: !6", "!51 = distinct !DILexicalBlock(scope: !51")]),
    (Id::ScopeCycle, "call sites in a circle", Both, &[("!44 = !DILocation(line: 5, column: 5, scope: !51)", "!44 = distinct !DILocation(line: 5, column: 5, scope: !30, inlinedAt: !44)")]),
    (Id::SubprogramFile, "of a kernel", Both, &[("FullDebug", "DebugDirectivesOnly"), ("scope: !3, file: !3, line: 3, type: !4, scopeLine: 3", "scope: !3, type: !4, scopeLine: 3")]),
    (Id::SubprogramFile, "of a function", Both, &[("FullDebug", "DebugDirectivesOnly"), ("scope: !3, file: !3, line: 20, type: !33, scopeLine: 20", "scope: !3, type: !33, scopeLine: 20")]),
    (Id::Unverified, "an expression that is none", Both, &[("expr: !DIExpression(DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef)", "expr: !10")]),
    (Id::Unverified, "an operand is missing outside functions", Both, &[("DW_OP_constu, 8, DW_OP_swap, DW_OP_xderef", "DW_OP_plus_uconst")]),
    (Id::Unverified, "a variable without a type", Both, &[("arg: 2, scope: !6, file: !3, line: 3, type: !10", "arg: 2, scope: !6, file: !3, line: 3")]),
    (Id::Unverified, "a value parameter without a type, of lines only", Both, &[("FullDebug", "DebugDirectivesOnly"), ("name: \"N\", type: !10, ", "name: \"N\", ")]),
    (Id::Unverified, "a subprogram without a type", Both, &[("line: 3, type: !4, ", "line: 3, ")]),
    (Id::FunctionAttachment, "a location", Both, &[("%a) !dbg !6", "%a) !dbg !31")]),
    (Id::FunctionAttachment, "two subprograms", Both, &[("%a) !dbg !6", "%a) !dbg !6 !dbg !30")]),
    (Id::FunctionAttachment, "a declaration", Modern, &[("%a) !dbg !6", "%a) !dbg !99"), ("+", "!99 = !DISubprogram(name: \"d\", scope: !3, file: !3, line: 20, type: !33, DECLARATION)\n")]),
    (Id::FunctionAttachment, "a declaration at a function without a body", Typed, &[("+", "declare !dbg !99 void @elsewhere()\n!99 = !DISubprogram(name: \"elsewhere\", scope: !3, file: !3, line: 20, type: !33, DECLARATION)\n")]),
    (Id::FunctionAttachment, "a definition at a function without a body", Modern, &[("+", "declare !dbg !30 void @elsewhere()\n")]),
    (Id::SharedSubprogram, "of the kernel", Both, &[("noinline !dbg !30", "noinline !dbg !6")]),
    (Id::SharedSubprogram, "of the function", Both, &[("%a) !dbg !6", "%a) !dbg !30")]),
    (Id::LocationWithoutSubprogram, "of a function", Both, &[("noinline !dbg !30", "noinline")]),
    (Id::LocationWithoutSubprogram, "of the kernel", Both, &[("%a) !dbg !6", "%a)")]),
    (Id::FunctionWithoutSubprogram, "of a function", Both, &[("noinline !dbg !30", "noinline"), (", !dbg !31", ""), (", !dbg !32", "")]),
    (Id::FunctionWithoutSubprogram, "of one that is added", Both, &[("define void @helper", "define void @added() {\n  ret void\n}\n\ndefine void @helper")]),
    (Id::LocationAttachment, "operands in braces", Both, &[("ret void, !dbg !48", "ret void, !dbg !5")]),
    (Id::LocationAttachment, "a subprogram", Both, &[("ret void, !dbg !48", "ret void, !dbg !6")]),
    (Id::OtherSubprogram, "of another function", Both, &[("!48 = !DILocation(line: 9, column: 1, scope: !6)", "!48 = !DILocation(line: 9, column: 1, scope: !30)")]),
    (Id::OtherSubprogram, "a call site in another function", Both, &[("!48 = !DILocation(line: 9, column: 1, scope: !6)", "!48 = !DILocation(line: 9, column: 1, scope: !6, inlinedAt: !31)")]),
    (Id::CallWithoutLocation, "of a function", Both, &[("@helper(ptr %x, i32 %a), !dbg !45", "@helper(ptr %x, i32 %a)"), ("@helper(i32* %x, i32 %a), !dbg !45", "@helper(i32* %x, i32 %a)")]),
    (Id::CallWithoutLocation, "of one that linkers merge", Both, &[("define void @helper", "define linkonce_odr void @helper"), ("@helper(ptr %x, i32 %a), !dbg !45", "@helper(ptr %x, i32 %a)"), ("@helper(i32* %x, i32 %a), !dbg !45", "@helper(i32* %x, i32 %a)")]),
    (Id::CallWithoutLocation, "of one that linkers replace", Typed, &[("define void @helper", "define weak void @helper"), ("@helper(i32* %x, i32 %a), !dbg !45", "@helper(i32* %x, i32 %a)")]),
    (Id::FunctionWithoutLocation, "a function", Both, &[(", !dbg !31", ""), (", !dbg !32", "")]),
    (Id::FunctionWithoutLocation, "a function of lines only", Both, &[("FullDebug", "DebugDirectivesOnly"), (", !dbg !31", ""), (", !dbg !32", "")]),
    (Id::LocationInNode, "as a scope", Modern, &[("name: \"x\", scope: !51", "name: \"x\", scope: !41")]),
    (Id::LocationInNode, "in an attachment named as LLVM names loops inside", Modern, &[("ret void, !dbg !48", "ret void, !dbg !48, !loop !99"), ("+", "!99 = distinct !{!99, !48}\n")]),
    (Id::LocationInNode, "in another attachment", Modern, &[("ret void, !dbg !48", "ret void, !dbg !48, !place !99"), ("+", "!99 = !{!48}\n")]),
    (Id::RecordOperand, "a type as a variable", Both, &[("%x, !40", "%x, !10"), ("%x, metadata !40", "%x, metadata !10")]),
    (Id::RecordOperand, "a type as an expression", Both, &[("!40, !DIExpression()", "!40, !10"), ("metadata !40, metadata !DIExpression()", "metadata !40, metadata !10")]),
    (Id::RecordOperand, "a type as a value", Both, &[("#dbg_declare(ptr %x", "#dbg_declare(!10"), ("dbg.declare(metadata i32* %x", "dbg.declare(metadata !10")]),
    (Id::RecordOperand, "a variable as a label", Modern, &[("#dbg_label(!46", "#dbg_label(!42")]),
    (Id::RecordLocation, "missing", Typed, &[("metadata !40, metadata !DIExpression()), !dbg !41", "metadata !40, metadata !DIExpression())")]),
    (Id::RecordLocation, "operands in braces", Modern, &[("!40, !DIExpression(), !41)", "!40, !DIExpression(), !5)")]),
    (Id::RecordLocation, "a subprogram", Modern, &[("!40, !DIExpression(), !41)", "!40, !DIExpression(), !6)")]),
    (Id::RecordLocation, "of a value", Typed, &[("metadata !43, metadata !DIExpression()), !dbg !41", "metadata !43, metadata !DIExpression())")]),
    (Id::RecordSubprogram, "a variable of another function", Both, &[("name: \"x\", scope: !51", "name: \"x\", scope: !30")]),
    (Id::RecordSubprogram, "a parameter of another function", Both, &[("arg: 2, scope: !6", "arg: 2, scope: !30")]),
    (Id::RecordSubprogram, "a label of another function", Modern, &[("!DILabel(scope: !6", "!DILabel(scope: !30")]),
    (Id::ArgumentTwice, "two of one number", Both, &[("arg: 2", "arg: 1")]),
    (Id::ArgumentTwice, "a local variable too", Both, &[("name: \"x\", scope: !51", "name: \"x\", arg: 1, scope: !51")]),
    (Id::Fragment, "beyond the variable", Both, &[("%x, !40, !DIExpression()", "%x, !40, !DIExpression(DW_OP_LLVM_fragment, 16, 32)"), ("%x, metadata !40, metadata !DIExpression()", "%x, metadata !40, metadata !DIExpression(DW_OP_LLVM_fragment, 16, 32)")]),
    (Id::Fragment, "all of the variable", Both, &[("%x, !40, !DIExpression()", "%x, !40, !DIExpression(DW_OP_LLVM_fragment, 0, 32)"), ("%x, metadata !40, metadata !DIExpression()", "%x, metadata !40, metadata !DIExpression(DW_OP_LLVM_fragment, 0, 32)")]),
    (Id::VariableAttachment, "a variable without an expression", Both, &[("align 4, !dbg !20", "align 4, !dbg !21")]),
    (Id::VariableAttachment, "a type", Both, &[("align 4, !dbg !20", "align 4, !dbg !10")]),
    (Id::AddressClass, "of global memory in shared memory", Both, &[("DW_OP_constu, 8, ", "DW_OP_constu, 5, ")]),
    (Id::AddressClass, "of none", Both, &[("DW_OP_constu, 5, ", "DW_OP_constu, 77, ")]),
    (Id::AddressSpace, "2", Both, &[("+", "@odd = addrspace(2) global i32 0, align 4\n")]),
    (Id::AddressSpace, "5", Both, &[("+", "@odd = addrspace(5) global i32 0, align 4\n")]),
];

/// All cases.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (rule, name, dialects, edits) in CASES {
        for dialect in [IrDialect::TypedPointers, IrDialect::OpaquePointers] {
            let is_asked = match dialects {
                Both => true,
                Typed => dialect == IrDialect::TypedPointers,
                Modern => dialect == IrDialect::OpaquePointers,
            };
            if is_asked {
                cases.push(Case { rule: *rule, name, dialect, text: edited(sound(dialect), edits, dialect) });
            }
        }
    }
    cases
}

/// The sound module after edits, each of which changes something, if it is of this dialect.
fn edited(text: &str, edits: Edits, dialect: IrDialect) -> String {
    let mut made = text.to_owned();
    for (from, to) in edits {
        let to = match dialect {
            IrDialect::TypedPointers => to.replace("DECLARATION", "isDefinition: false"),
            IrDialect::OpaquePointers => to.replace("DECLARATION", "spFlags: 0"),
        };
        if *from == "+" { made += &to } else { made = made.replace(from, &to) }
    }
    assert_ne!(made, text, "{edits:?} change nothing");
    made
}
