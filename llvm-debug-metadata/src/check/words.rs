//! The words that fields take: tags, kinds of emission and others.

use crate::{IrDialect, Node, NodeKind};

/// The tags that LLVM's verifier takes for a kind of nodes; nothing where the parser chooses.
pub(super) fn tags(kind: NodeKind, dialect: IrDialect) -> Option<&'static [&'static str]> {
    match (kind, dialect) {
        (NodeKind::BasicType, _) => {
            Some(&["DW_TAG_base_type", "DW_TAG_unspecified_type", "DW_TAG_string_type"])
        }
        (NodeKind::DerivedType, IrDialect::TypedPointers) => Some(DERIVED.0),
        (NodeKind::DerivedType, IrDialect::OpaquePointers) => Some(DERIVED.1),
        (NodeKind::CompositeType, _) => Some(&[
            "DW_TAG_array_type",
            "DW_TAG_structure_type",
            "DW_TAG_union_type",
            "DW_TAG_enumeration_type",
            "DW_TAG_class_type",
            "DW_TAG_variant_part",
            "DW_TAG_namelist",
        ]),
        (NodeKind::TemplateValueParameter, _) => Some(&[
            "DW_TAG_template_value_parameter",
            "DW_TAG_GNU_template_template_param",
            "DW_TAG_GNU_template_parameter_pack",
        ]),
        (NodeKind::ImportedEntity, _) => Some(&["DW_TAG_imported_module", "DW_TAG_imported_declaration"]),
        _ => None,
    }
}

/// For typed pointers, then for modern IR.
const DERIVED: (&[&str], &[&str]) = (
    &[
        "DW_TAG_typedef",
        "DW_TAG_pointer_type",
        "DW_TAG_ptr_to_member_type",
        "DW_TAG_reference_type",
        "DW_TAG_rvalue_reference_type",
        "DW_TAG_const_type",
        "DW_TAG_volatile_type",
        "DW_TAG_restrict_type",
        "DW_TAG_atomic_type",
        "DW_TAG_member",
        "DW_TAG_inheritance",
        "DW_TAG_friend",
    ],
    &[
        "DW_TAG_typedef",
        "DW_TAG_pointer_type",
        "DW_TAG_ptr_to_member_type",
        "DW_TAG_reference_type",
        "DW_TAG_rvalue_reference_type",
        "DW_TAG_const_type",
        "DW_TAG_immutable_type",
        "DW_TAG_volatile_type",
        "DW_TAG_restrict_type",
        "DW_TAG_atomic_type",
        "DW_TAG_LLVM_ptrauth_type",
        "DW_TAG_member",
        "DW_TAG_inheritance",
        "DW_TAG_friend",
        "DW_TAG_set_type",
        "DW_TAG_template_alias",
    ],
);

/// A field that takes few words, or numbers up to one.
pub(super) struct WordRow {
    /// The kind of the node.
    pub(super) kind: NodeKind,
    /// The name of the field.
    pub(super) field: &'static str,
    /// The words.
    pub(super) words: &'static [&'static str],
    /// The highest number.
    pub(super) max: u64,
    /// What libNVVM says of another word, before the word in quotes if it ends with a blank.
    pub(super) sentence: &'static str,
}

/// Fields that take few words. Observed: libNVVM 13.0.88.
pub(super) static WORDS: [WordRow; 6] = [
    WordRow {
        kind: NodeKind::CompileUnit,
        field: "emissionKind",
        words: &["NoDebug", "FullDebug", "LineTablesOnly", "DebugDirectivesOnly"],
        max: 3,
        sentence: "expected emission kind",
    },
    WordRow {
        kind: NodeKind::CompileUnit,
        field: "nameTableKind",
        words: &["Default", "GNU", "None", "Apple"],
        max: 3,
        sentence: "expected nameTable kind",
    },
    WordRow {
        kind: NodeKind::File,
        field: "checksumkind",
        words: &["CSK_MD5", "CSK_SHA1", "CSK_SHA256"],
        max: 0,
        sentence: "invalid checksum kind ",
    },
    WordRow {
        kind: NodeKind::Subprogram,
        field: "virtuality",
        words: &["DW_VIRTUALITY_none", "DW_VIRTUALITY_virtual", "DW_VIRTUALITY_pure_virtual"],
        max: 2,
        sentence: "invalid DWARF virtuality code ",
    },
    WordRow {
        kind: NodeKind::Macro,
        field: "type",
        words: &[
            "DW_MACINFO_define",
            "DW_MACINFO_undef",
            "DW_MACINFO_start_file",
            "DW_MACINFO_end_file",
            "DW_MACINFO_vendor_ext",
        ],
        max: 0xff,
        sentence: "invalid DWARF macinfo type ",
    },
    WordRow {
        kind: NodeKind::MacroFile,
        field: "type",
        words: &[
            "DW_MACINFO_define",
            "DW_MACINFO_undef",
            "DW_MACINFO_start_file",
            "DW_MACINFO_end_file",
            "DW_MACINFO_vendor_ext",
        ],
        max: 0xff,
        sentence: "invalid DWARF macinfo type ",
    },
];

/// A field that takes many words of one prefix, with `|` between them where they are flags.
pub(super) struct PrefixRow {
    /// The name of the field.
    pub(super) field: &'static str,
    /// What its words begin with.
    pub(super) prefix: &'static str,
    /// The rest of its words.
    pub(super) words: &'static [&'static str],
    /// What libNVVM says of a word without the prefix.
    pub(super) expected: &'static str,
    /// What libNVVM says before a word that it does not know, in quotes.
    pub(super) invalid: &'static str,
    /// The same with typed pointers.
    pub(super) invalid_if_typed: &'static str,
}

const fn prefix(
    field: &'static str,
    prefix: &'static str,
    words: &'static [&'static str],
    expected: &'static str,
    invalid: &'static str,
) -> PrefixRow {
    PrefixRow { field, prefix, words, expected, invalid, invalid_if_typed: invalid }
}

/// Fields that take many words. Observed: libNVVM 13.0.88.
pub(super) static PREFIXES: [PrefixRow; 6] = [
    prefix("tag", "DW_TAG_", TAGS, "expected DWARF tag", "invalid DWARF tag"),
    prefix("language", "DW_LANG_", LANGUAGES, "expected DWARF language", "invalid DWARF language"),
    prefix(
        "encoding",
        "DW_ATE_",
        ENCODINGS,
        "expected DWARF type attribute encoding",
        "invalid DWARF type attribute encoding",
    ),
    prefix(
        "cc",
        "DW_CC_",
        CONVENTIONS,
        "expected DWARF calling convention",
        "invalid DWARF calling convention",
    ),
    PrefixRow {
        invalid_if_typed: "invalid debug info flag flag",
        ..prefix("flags", "DIFlag", FLAGS, "expected debug info flag", "invalid debug info flag")
    },
    prefix(
        "spFlags",
        "DISPFlag",
        SUBPROGRAM_FLAGS,
        "expected debug info flag",
        "invalid subprogram debug info flag",
    ),
];

/// The tags of DWARF that LLVM's parser knows, without `DW_TAG_`.
#[rustfmt::skip] // words
static TAGS: &[&str] = &[
    "array_type", "class_type", "entry_point", "enumeration_type", "formal_parameter",
    "imported_declaration", "label", "lexical_block", "member", "pointer_type", "reference_type",
    "compile_unit", "string_type", "structure_type", "subroutine_type", "typedef", "union_type",
    "unspecified_parameters", "variant", "common_block", "common_inclusion", "inheritance",
    "inlined_subroutine", "module", "ptr_to_member_type", "set_type", "subrange_type",
    "with_stmt", "access_declaration", "base_type", "catch_block", "const_type", "constant",
    "enumerator", "file_type", "friend", "namelist", "namelist_item", "packed_type", "subprogram",
    "template_type_parameter", "template_value_parameter", "thrown_type", "try_block",
    "variant_part", "variable", "volatile_type", "dwarf_procedure", "restrict_type",
    "interface_type", "namespace", "imported_module", "unspecified_type", "partial_unit",
    "imported_unit", "condition", "shared_type", "type_unit", "rvalue_reference_type",
    "template_alias", "coarray_type", "generic_subrange", "dynamic_type", "atomic_type",
    "call_site", "call_site_parameter", "skeleton_unit", "immutable_type", "MIPS_loop",
    "format_label", "function_template", "class_template", "GNU_BINCL", "GNU_EINCL",
    "GNU_template_template_param", "GNU_template_parameter_pack", "GNU_formal_parameter_pack",
    "GNU_call_site", "GNU_call_site_parameter", "APPLE_property", "LLVM_ptrauth_type",
    "LLVM_annotation",
];

/// The languages of DWARF, without `DW_LANG_`.
#[rustfmt::skip] // words
static LANGUAGES: &[&str] = &[
    "C89", "C", "Ada83", "C_plus_plus", "Cobol74", "Cobol85", "Fortran77", "Fortran90",
    "Pascal83", "Modula2", "Java", "C99", "Ada95", "Fortran95", "PLI", "ObjC", "ObjC_plus_plus",
    "UPC", "D", "Python", "OpenCL", "Go", "Modula3", "Haskell", "C_plus_plus_03",
    "C_plus_plus_11", "OCaml", "Rust", "C11", "Swift", "Julia", "C_plus_plus_14", "Fortran03",
    "Fortran08", "RenderScript", "BLISS", "Kotlin", "Zig", "Crystal", "C_plus_plus_17",
    "C_plus_plus_20", "C17", "Fortran18", "Ada2005", "Ada2012", "HIP", "Assembly", "C_sharp",
    "Mojo", "GLSL", "GLSL_ES", "HLSL", "OpenCL_CPP", "CPP_for_OpenCL", "SYCL", "Ruby", "Move",
    "Hylo", "Metal", "Mips_Assembler", "GOOGLE_RenderScript", "BORLAND_Delphi", "lo_user",
    "hi_user",
];

/// The encodings of DWARF, without `DW_ATE_`.
#[rustfmt::skip] // words
static ENCODINGS: &[&str] = &[
    "address", "boolean", "complex_float", "float", "signed", "signed_char", "unsigned",
    "unsigned_char", "imaginary_float", "packed_decimal", "numeric_string", "edited",
    "signed_fixed", "unsigned_fixed", "decimal_float", "UTF", "UCS", "ASCII", "HP_complex_float",
    "HP_float128", "HP_complex_float128", "HP_floathpintel", "HP_imaginary_float80",
    "HP_imaginary_float128", "lo_user", "hi_user",
];

/// The calling conventions of DWARF, without `DW_CC_`.
#[rustfmt::skip] // words
static CONVENTIONS: &[&str] = &[
    "normal", "program", "nocall", "pass_by_reference", "pass_by_value", "GNU_renesas_sh",
    "GNU_borland_fastcall_i386", "BORLAND_safecall", "BORLAND_stdcall", "BORLAND_pascal",
    "BORLAND_msfastcall", "BORLAND_msreturn", "BORLAND_thiscall", "BORLAND_fastcall",
    "LLVM_vectorcall", "LLVM_Win64", "LLVM_X86_64SysV", "LLVM_AAPCS", "LLVM_AAPCS_VFP",
    "LLVM_IntelOclBicc", "LLVM_SpirFunction", "LLVM_OpenCLKernel", "LLVM_Swift",
    "LLVM_PreserveMost", "LLVM_PreserveAll", "LLVM_X86RegCall", "LLVM_M68kRTD",
    "LLVM_PreserveNone", "LLVM_RISCVVectorCall", "LLVM_SwiftTail", "LLVM_RISCVVLSCall",
    "GDB_IBM_OpenCL", "lo_user", "hi_user",
];

/// LLVM's flags of nodes, without `DIFlag`.
#[rustfmt::skip] // words
static FLAGS: &[&str] = &[
    "Zero", "Private", "Protected", "Public", "FwdDecl", "AppleBlock", "BlockByrefStruct",
    "ReservedBit4", "Virtual", "Artificial", "Explicit", "Prototyped", "ObjcClassComplete",
    "ObjectPointer", "Vector", "StaticMember", "LValueReference", "RValueReference",
    "ExportSymbols", "SingleInheritance", "MultipleInheritance", "VirtualInheritance",
    "IntroducedVirtual", "BitField", "NoReturn", "MainSubprogram", "ArgumentNotModified",
    "PassByValue", "TypePassByValue", "TypePassByReference", "EnumClass", "FixedEnum", "Thunk",
    "Trivial", "NonTrivial", "BigEndian", "LittleEndian", "AllCallsDescribed",
];

/// LLVM's flags of subprograms, without `DISPFlag`.
#[rustfmt::skip] // words
static SUBPROGRAM_FLAGS: &[&str] = &[
    "Zero", "Virtual", "PureVirtual", "LocalToUnit", "Definition", "Optimized", "Pure",
    "Elemental", "Recursive", "MainSubprogram", "Deleted", "ObjCDirect",
];

/// The numbers of the tags that the verifier takes for some kind of nodes.
static TAG_NUMBERS: [(u64, &str); 35] = [
    (0x01, "DW_TAG_array_type"),
    (0x02, "DW_TAG_class_type"),
    (0x04, "DW_TAG_enumeration_type"),
    (0x08, "DW_TAG_imported_declaration"),
    (0x0d, "DW_TAG_member"),
    (0x0f, "DW_TAG_pointer_type"),
    (0x10, "DW_TAG_reference_type"),
    (0x12, "DW_TAG_string_type"),
    (0x13, "DW_TAG_structure_type"),
    (0x15, "DW_TAG_subroutine_type"),
    (0x16, "DW_TAG_typedef"),
    (0x17, "DW_TAG_union_type"),
    (0x1c, "DW_TAG_inheritance"),
    (0x1f, "DW_TAG_ptr_to_member_type"),
    (0x20, "DW_TAG_set_type"),
    (0x24, "DW_TAG_base_type"),
    (0x26, "DW_TAG_const_type"),
    (0x2a, "DW_TAG_friend"),
    (0x2b, "DW_TAG_namelist"),
    (0x30, "DW_TAG_template_value_parameter"),
    (0x33, "DW_TAG_variant_part"),
    (0x34, "DW_TAG_variable"),
    (0x35, "DW_TAG_volatile_type"),
    (0x37, "DW_TAG_restrict_type"),
    (0x3a, "DW_TAG_imported_module"),
    (0x3b, "DW_TAG_unspecified_type"),
    (0x42, "DW_TAG_rvalue_reference_type"),
    (0x43, "DW_TAG_template_alias"),
    (0x45, "DW_TAG_generic_subrange"),
    (0x47, "DW_TAG_atomic_type"),
    (0x4b, "DW_TAG_immutable_type"),
    (0x4106, "DW_TAG_GNU_template_template_param"),
    (0x4107, "DW_TAG_GNU_template_parameter_pack"),
    (0x4200, "DW_TAG_APPLE_property"),
    (0x4300, "DW_TAG_LLVM_ptrauth_type"),
];

/// The tag of a node by its name, also where it is written as a number; empty where it has none.
pub(super) fn tag<'a>(node: &Node<'_, 'a>) -> &'a str {
    let word = node.word("tag");
    let Ok(number) = word.parse::<u64>() else { return word };
    TAG_NUMBERS.iter().find(|(of, _)| *of == number).map_or(word, |(_, name)| name)
}
