use super::NameTable;

pub const DW_ATE_address: u8 = 0x01;
pub const DW_ATE_boolean: u8 = 0x02;
pub const DW_ATE_complex_float: u8 = 0x03;
pub const DW_ATE_float: u8 = 0x04;
pub const DW_ATE_signed: u8 = 0x05;
pub const DW_ATE_signed_char: u8 = 0x06;
pub const DW_ATE_unsigned: u8 = 0x07;
pub const DW_ATE_unsigned_char: u8 = 0x08;
pub const DW_ATE_imaginary_float: u8 = 0x09;
pub const DW_ATE_packed_decimal: u8 = 0x0a;
pub const DW_ATE_numeric_string: u8 = 0x0b;
pub const DW_ATE_edited: u8 = 0x0c;
pub const DW_ATE_signed_fixed: u8 = 0x0d;
pub const DW_ATE_unsigned_fixed: u8 = 0x0e;
pub const DW_ATE_decimal_float: u8 = 0x0f;
pub const DW_ATE_UTF: u8 = 0x10;
pub const DW_ATE_lo_user: u8 = 0x80;
pub const DW_ATE_hi_user: u8 = 0xff;

/// Values of `DW_AT_encoding` (DWARF 2.0.0 §7.8, figure 23; from 9 on DWARF 3, 16 is DWARF 4).
pub static DW_ATE: NameTable = NameTable {
    prefix: "DW_ATE_",
    entries: &[
        (DW_ATE_address, "DW_ATE_address"),
        (DW_ATE_boolean, "DW_ATE_boolean"),
        (DW_ATE_complex_float, "DW_ATE_complex_float"),
        (DW_ATE_float, "DW_ATE_float"),
        (DW_ATE_signed, "DW_ATE_signed"),
        (DW_ATE_signed_char, "DW_ATE_signed_char"),
        (DW_ATE_unsigned, "DW_ATE_unsigned"),
        (DW_ATE_unsigned_char, "DW_ATE_unsigned_char"),
        (DW_ATE_imaginary_float, "DW_ATE_imaginary_float"),
        (DW_ATE_packed_decimal, "DW_ATE_packed_decimal"),
        (DW_ATE_numeric_string, "DW_ATE_numeric_string"),
        (DW_ATE_edited, "DW_ATE_edited"),
        (DW_ATE_signed_fixed, "DW_ATE_signed_fixed"),
        (DW_ATE_unsigned_fixed, "DW_ATE_unsigned_fixed"),
        (DW_ATE_decimal_float, "DW_ATE_decimal_float"),
        (DW_ATE_UTF, "DW_ATE_UTF"),
    ],
    aliases: &[(DW_ATE_lo_user, "DW_ATE_lo_user"), (DW_ATE_hi_user, "DW_ATE_hi_user")],
};

pub const DW_ACCESS_public: u8 = 0x01;
pub const DW_ACCESS_protected: u8 = 0x02;
pub const DW_ACCESS_private: u8 = 0x03;

/// Values of `DW_AT_accessibility` (DWARF 2.0.0 §7.9, figure 24).
pub static DW_ACCESS: NameTable = NameTable {
    prefix: "DW_ACCESS_",
    entries: &[
        (DW_ACCESS_public, "DW_ACCESS_public"),
        (DW_ACCESS_protected, "DW_ACCESS_protected"),
        (DW_ACCESS_private, "DW_ACCESS_private"),
    ],
    aliases: &[],
};

pub const DW_VIS_local: u8 = 0x01;
pub const DW_VIS_exported: u8 = 0x02;
pub const DW_VIS_qualified: u8 = 0x03;

/// Values of `DW_AT_visibility` (DWARF 2.0.0 §7.10, figure 25).
pub static DW_VIS: NameTable = NameTable {
    prefix: "DW_VIS_",
    entries: &[
        (DW_VIS_local, "DW_VIS_local"),
        (DW_VIS_exported, "DW_VIS_exported"),
        (DW_VIS_qualified, "DW_VIS_qualified"),
    ],
    aliases: &[],
};

pub const DW_VIRTUALITY_none: u8 = 0x00;
pub const DW_VIRTUALITY_virtual: u8 = 0x01;
pub const DW_VIRTUALITY_pure_virtual: u8 = 0x02;

/// Values of `DW_AT_virtuality` (DWARF 2.0.0 §7.11, figure 26).
pub static DW_VIRTUALITY: NameTable = NameTable {
    prefix: "DW_VIRTUALITY_",
    entries: &[
        (DW_VIRTUALITY_none, "DW_VIRTUALITY_none"),
        (DW_VIRTUALITY_virtual, "DW_VIRTUALITY_virtual"),
        (DW_VIRTUALITY_pure_virtual, "DW_VIRTUALITY_pure_virtual"),
    ],
    aliases: &[],
};

pub const DW_LANG_C89: u16 = 0x0001;
pub const DW_LANG_C: u16 = 0x0002;
pub const DW_LANG_Ada83: u16 = 0x0003;
pub const DW_LANG_C_plus_plus: u16 = 0x0004;
pub const DW_LANG_Cobol74: u16 = 0x0005;
pub const DW_LANG_Cobol85: u16 = 0x0006;
pub const DW_LANG_Fortran77: u16 = 0x0007;
pub const DW_LANG_Fortran90: u16 = 0x0008;
pub const DW_LANG_Pascal83: u16 = 0x0009;
pub const DW_LANG_Modula2: u16 = 0x000a;
pub const DW_LANG_Java: u16 = 0x000b;
pub const DW_LANG_C99: u16 = 0x000c;
pub const DW_LANG_Ada95: u16 = 0x000d;
pub const DW_LANG_Fortran95: u16 = 0x000e;
pub const DW_LANG_PLI: u16 = 0x000f;
pub const DW_LANG_ObjC: u16 = 0x0010;
pub const DW_LANG_ObjC_plus_plus: u16 = 0x0011;
pub const DW_LANG_UPC: u16 = 0x0012;
pub const DW_LANG_D: u16 = 0x0013;
pub const DW_LANG_Python: u16 = 0x0014;
pub const DW_LANG_OpenCL: u16 = 0x0015;
pub const DW_LANG_Go: u16 = 0x0016;
pub const DW_LANG_Modula3: u16 = 0x0017;
pub const DW_LANG_Haskell: u16 = 0x0018;
pub const DW_LANG_C_plus_plus_03: u16 = 0x0019;
pub const DW_LANG_C_plus_plus_11: u16 = 0x001a;
pub const DW_LANG_OCaml: u16 = 0x001b;
pub const DW_LANG_Rust: u16 = 0x001c;
pub const DW_LANG_C11: u16 = 0x001d;
pub const DW_LANG_Swift: u16 = 0x001e;
pub const DW_LANG_Julia: u16 = 0x001f;
pub const DW_LANG_Dylan: u16 = 0x0020;
pub const DW_LANG_C_plus_plus_14: u16 = 0x0021;
pub const DW_LANG_Fortran03: u16 = 0x0022;
pub const DW_LANG_Fortran08: u16 = 0x0023;
pub const DW_LANG_RenderScript: u16 = 0x0024;
pub const DW_LANG_BLISS: u16 = 0x0025;
pub const DW_LANG_Kotlin: u16 = 0x0026;
pub const DW_LANG_Zig: u16 = 0x0027;
pub const DW_LANG_Crystal: u16 = 0x0028;
pub const DW_LANG_C_plus_plus_17: u16 = 0x002a;
pub const DW_LANG_C_plus_plus_20: u16 = 0x002b;
pub const DW_LANG_C17: u16 = 0x002c;
pub const DW_LANG_Fortran18: u16 = 0x002d;
pub const DW_LANG_Ada2005: u16 = 0x002e;
pub const DW_LANG_Ada2012: u16 = 0x002f;
pub const DW_LANG_lo_user: u16 = 0x8000;
pub const DW_LANG_hi_user: u16 = 0xffff;

/// Values of `DW_AT_language` (DWARF 2.0.0 §7.12, figure 27; from 11 on DWARF 3, from 20 on DWARF 4
/// and the list on dwarfstd.org).
pub static DW_LANG: NameTable<u16> = NameTable {
    prefix: "DW_LANG_",
    entries: &[
        (DW_LANG_C89, "DW_LANG_C89"),
        (DW_LANG_C, "DW_LANG_C"),
        (DW_LANG_Ada83, "DW_LANG_Ada83"),
        (DW_LANG_C_plus_plus, "DW_LANG_C_plus_plus"),
        (DW_LANG_Cobol74, "DW_LANG_Cobol74"),
        (DW_LANG_Cobol85, "DW_LANG_Cobol85"),
        (DW_LANG_Fortran77, "DW_LANG_Fortran77"),
        (DW_LANG_Fortran90, "DW_LANG_Fortran90"),
        (DW_LANG_Pascal83, "DW_LANG_Pascal83"),
        (DW_LANG_Modula2, "DW_LANG_Modula2"),
        (DW_LANG_Java, "DW_LANG_Java"),
        (DW_LANG_C99, "DW_LANG_C99"),
        (DW_LANG_Ada95, "DW_LANG_Ada95"),
        (DW_LANG_Fortran95, "DW_LANG_Fortran95"),
        (DW_LANG_PLI, "DW_LANG_PLI"),
        (DW_LANG_ObjC, "DW_LANG_ObjC"),
        (DW_LANG_ObjC_plus_plus, "DW_LANG_ObjC_plus_plus"),
        (DW_LANG_UPC, "DW_LANG_UPC"),
        (DW_LANG_D, "DW_LANG_D"),
        (DW_LANG_Python, "DW_LANG_Python"),
        (DW_LANG_OpenCL, "DW_LANG_OpenCL"),
        (DW_LANG_Go, "DW_LANG_Go"),
        (DW_LANG_Modula3, "DW_LANG_Modula3"),
        (DW_LANG_Haskell, "DW_LANG_Haskell"),
        (DW_LANG_C_plus_plus_03, "DW_LANG_C_plus_plus_03"),
        (DW_LANG_C_plus_plus_11, "DW_LANG_C_plus_plus_11"),
        (DW_LANG_OCaml, "DW_LANG_OCaml"),
        (DW_LANG_Rust, "DW_LANG_Rust"),
        (DW_LANG_C11, "DW_LANG_C11"),
        (DW_LANG_Swift, "DW_LANG_Swift"),
        (DW_LANG_Julia, "DW_LANG_Julia"),
        (DW_LANG_Dylan, "DW_LANG_Dylan"),
        (DW_LANG_C_plus_plus_14, "DW_LANG_C_plus_plus_14"),
        (DW_LANG_Fortran03, "DW_LANG_Fortran03"),
        (DW_LANG_Fortran08, "DW_LANG_Fortran08"),
        (DW_LANG_RenderScript, "DW_LANG_RenderScript"),
        (DW_LANG_BLISS, "DW_LANG_BLISS"),
        (DW_LANG_Kotlin, "DW_LANG_Kotlin"),
        (DW_LANG_Zig, "DW_LANG_Zig"),
        (DW_LANG_Crystal, "DW_LANG_Crystal"),
        (DW_LANG_C_plus_plus_17, "DW_LANG_C_plus_plus_17"),
        (DW_LANG_C_plus_plus_20, "DW_LANG_C_plus_plus_20"),
        (DW_LANG_C17, "DW_LANG_C17"),
        (DW_LANG_Fortran18, "DW_LANG_Fortran18"),
        (DW_LANG_Ada2005, "DW_LANG_Ada2005"),
        (DW_LANG_Ada2012, "DW_LANG_Ada2012"),
    ],
    aliases: &[(DW_LANG_lo_user, "DW_LANG_lo_user"), (DW_LANG_hi_user, "DW_LANG_hi_user")],
};

pub const DW_ADDR_none: u8 = 0x00;

/// Values of `DW_AT_address_class` (DWARF 2.0.0 §7.13). Those that DWARF does not name are defined
/// by each architecture.
pub static DW_ADDR: NameTable =
    NameTable { prefix: "DW_ADDR_", entries: &[(DW_ADDR_none, "DW_ADDR_none")], aliases: &[] };

pub const DW_ID_case_sensitive: u8 = 0x00;
pub const DW_ID_up_case: u8 = 0x01;
pub const DW_ID_down_case: u8 = 0x02;
pub const DW_ID_case_insensitive: u8 = 0x03;

/// Values of `DW_AT_identifier_case` (DWARF 2.0.0 §7.14, figure 28).
pub static DW_ID: NameTable = NameTable {
    prefix: "DW_ID_",
    entries: &[
        (DW_ID_case_sensitive, "DW_ID_case_sensitive"),
        (DW_ID_up_case, "DW_ID_up_case"),
        (DW_ID_down_case, "DW_ID_down_case"),
        (DW_ID_case_insensitive, "DW_ID_case_insensitive"),
    ],
    aliases: &[],
};

pub const DW_CC_normal: u8 = 0x01;
pub const DW_CC_program: u8 = 0x02;
pub const DW_CC_nocall: u8 = 0x03;
pub const DW_CC_lo_user: u8 = 0x40;
pub const DW_CC_hi_user: u8 = 0xff;

/// Values of `DW_AT_calling_convention` (DWARF 2.0.0 §7.15, figure 29; from 4 on DWARF 5).
pub static DW_CC: NameTable = NameTable {
    prefix: "DW_CC_",
    entries: &[
        (DW_CC_normal, "DW_CC_normal"),
        (DW_CC_program, "DW_CC_program"),
        (DW_CC_nocall, "DW_CC_nocall"),
        (0x04, "DW_CC_pass_by_reference"),
        (0x05, "DW_CC_pass_by_value"),
    ],
    aliases: &[(DW_CC_lo_user, "DW_CC_lo_user"), (DW_CC_hi_user, "DW_CC_hi_user")],
};

pub const DW_INL_not_inlined: u8 = 0x00;
pub const DW_INL_inlined: u8 = 0x01;
pub const DW_INL_declared_not_inlined: u8 = 0x02;
pub const DW_INL_declared_inlined: u8 = 0x03;

/// Values of `DW_AT_inline` (DWARF 2.0.0 §7.16, figure 30).
pub static DW_INL: NameTable = NameTable {
    prefix: "DW_INL_",
    entries: &[
        (DW_INL_not_inlined, "DW_INL_not_inlined"),
        (DW_INL_inlined, "DW_INL_inlined"),
        (DW_INL_declared_not_inlined, "DW_INL_declared_not_inlined"),
        (DW_INL_declared_inlined, "DW_INL_declared_inlined"),
    ],
    aliases: &[],
};

pub const DW_ORD_row_major: u8 = 0x00;
pub const DW_ORD_col_major: u8 = 0x01;

/// Values of `DW_AT_ordering` (DWARF 2.0.0 §7.17, figure 31).
pub static DW_ORD: NameTable = NameTable {
    prefix: "DW_ORD_",
    entries: &[(DW_ORD_row_major, "DW_ORD_row_major"), (DW_ORD_col_major, "DW_ORD_col_major")],
    aliases: &[],
};

pub const DW_DSC_label: u8 = 0x00;
pub const DW_DSC_range: u8 = 0x01;

/// Values of the descriptors in `DW_AT_discr_list` (DWARF 2.0.0 §7.18, figure 32).
pub static DW_DSC: NameTable = NameTable {
    prefix: "DW_DSC_",
    entries: &[(DW_DSC_label, "DW_DSC_label"), (DW_DSC_range, "DW_DSC_range")],
    aliases: &[],
};

pub const DW_MACINFO_define: u8 = 0x01;
pub const DW_MACINFO_undef: u8 = 0x02;
pub const DW_MACINFO_start_file: u8 = 0x03;
pub const DW_MACINFO_end_file: u8 = 0x04;
pub const DW_MACINFO_vendor_ext: u8 = 0xff;

/// Types of the entries of `.debug_macinfo` (DWARF 2.0.0 §7.22, figure 39).
pub static DW_MACINFO: NameTable = NameTable {
    prefix: "DW_MACINFO_",
    entries: &[
        (DW_MACINFO_define, "DW_MACINFO_define"),
        (DW_MACINFO_undef, "DW_MACINFO_undef"),
        (DW_MACINFO_start_file, "DW_MACINFO_start_file"),
        (DW_MACINFO_end_file, "DW_MACINFO_end_file"),
        (DW_MACINFO_vendor_ext, "DW_MACINFO_vendor_ext"),
    ],
    aliases: &[],
};
