//! DWARF's numbers under DWARF's own names, and tables to look them up by value or by name.
//!
//! ```
//! use dwarf2_writer::constants::{DW_CFA, DW_CFA_val_expression};
//!
//! assert_eq!(DW_CFA.name(DW_CFA_val_expression), Some("DW_CFA_val_expression"));
//! assert_eq!(DW_CFA.value("DW_CFA_advance_loc4"), Some(4));
//! assert_eq!(DW_CFA.name(0x3f), None);
//! ```
#![allow(non_upper_case_globals, reason = "the names of the specification, to be found by grep")]
#![allow(missing_docs, reason = "each constant is its name; the tables say where they are defined")]

/// Names of one family of numbers.
#[derive(Debug, Clone, Copy)]
pub struct NameTable {
    /// Ascending by value, without duplicates.
    entries: &'static [(u8, &'static str)],
}

impl NameTable {
    /// The name of `value`, as the specification spells it.
    pub fn name(&self, value: u8) -> Option<&'static str> {
        let found = self.entries.binary_search_by_key(&value, |entry| entry.0).ok()?;
        self.entries.get(found).map(|entry| entry.1)
    }

    /// The value of the full `name` (`DW_OP_addr`).
    pub fn value(&self, name: &str) -> Option<u8> {
        self.entries.iter().find(|entry| entry.1 == name).map(|entry| entry.0)
    }

    /// All entries, ascending by value.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u8, &'static str)> + use<> {
        self.entries.iter().copied()
    }
}

pub const DW_LNS_copy: u8 = 0x01;
pub const DW_LNS_advance_pc: u8 = 0x02;
pub const DW_LNS_advance_line: u8 = 0x03;
pub const DW_LNS_set_file: u8 = 0x04;
pub const DW_LNS_set_column: u8 = 0x05;
pub const DW_LNS_negate_stmt: u8 = 0x06;
pub const DW_LNS_set_basic_block: u8 = 0x07;
pub const DW_LNS_const_add_pc: u8 = 0x08;
pub const DW_LNS_fixed_advance_pc: u8 = 0x09;
pub const DW_LNS_set_prologue_end: u8 = 0x0a;
pub const DW_LNS_set_epilogue_begin: u8 = 0x0b;
pub const DW_LNS_set_isa: u8 = 0x0c;

/// Standard opcodes of line programs (DWARF 2.0.0 §6.2.5.2; from 10 on DWARF 3 §6.2.5.2).
pub static DW_LNS: NameTable = NameTable {
    entries: &[
        (DW_LNS_copy, "DW_LNS_copy"),
        (DW_LNS_advance_pc, "DW_LNS_advance_pc"),
        (DW_LNS_advance_line, "DW_LNS_advance_line"),
        (DW_LNS_set_file, "DW_LNS_set_file"),
        (DW_LNS_set_column, "DW_LNS_set_column"),
        (DW_LNS_negate_stmt, "DW_LNS_negate_stmt"),
        (DW_LNS_set_basic_block, "DW_LNS_set_basic_block"),
        (DW_LNS_const_add_pc, "DW_LNS_const_add_pc"),
        (DW_LNS_fixed_advance_pc, "DW_LNS_fixed_advance_pc"),
        (DW_LNS_set_prologue_end, "DW_LNS_set_prologue_end"),
        (DW_LNS_set_epilogue_begin, "DW_LNS_set_epilogue_begin"),
        (DW_LNS_set_isa, "DW_LNS_set_isa"),
    ],
};

pub const DW_LNE_end_sequence: u8 = 0x01;
pub const DW_LNE_set_address: u8 = 0x02;
pub const DW_LNE_define_file: u8 = 0x03;

/// Extended opcodes of line programs (DWARF 2.0.0 §6.2.5.3).
pub static DW_LNE: NameTable = NameTable {
    entries: &[
        (DW_LNE_end_sequence, "DW_LNE_end_sequence"),
        (DW_LNE_set_address, "DW_LNE_set_address"),
        (DW_LNE_define_file, "DW_LNE_define_file"),
    ],
};

pub const DW_CFA_nop: u8 = 0x00;
pub const DW_CFA_set_loc: u8 = 0x01;
pub const DW_CFA_advance_loc1: u8 = 0x02;
pub const DW_CFA_advance_loc2: u8 = 0x03;
pub const DW_CFA_advance_loc4: u8 = 0x04;
pub const DW_CFA_offset_extended: u8 = 0x05;
pub const DW_CFA_restore_extended: u8 = 0x06;
pub const DW_CFA_undefined: u8 = 0x07;
pub const DW_CFA_same_value: u8 = 0x08;
pub const DW_CFA_register: u8 = 0x09;
pub const DW_CFA_remember_state: u8 = 0x0a;
pub const DW_CFA_restore_state: u8 = 0x0b;
pub const DW_CFA_def_cfa: u8 = 0x0c;
pub const DW_CFA_def_cfa_register: u8 = 0x0d;
pub const DW_CFA_def_cfa_offset: u8 = 0x0e;
pub const DW_CFA_def_cfa_expression: u8 = 0x0f;
pub const DW_CFA_expression: u8 = 0x10;
pub const DW_CFA_offset_extended_sf: u8 = 0x11;
pub const DW_CFA_def_cfa_sf: u8 = 0x12;
pub const DW_CFA_def_cfa_offset_sf: u8 = 0x13;
pub const DW_CFA_val_offset: u8 = 0x14;
pub const DW_CFA_val_offset_sf: u8 = 0x15;
pub const DW_CFA_val_expression: u8 = 0x16;
pub const DW_CFA_advance_loc: u8 = 0x40;
pub const DW_CFA_offset: u8 = 0x80;
pub const DW_CFA_restore: u8 = 0xc0;

/// Call frame instructions (DWARF 2.0.0 §6.4.2, DWARF 3 §6.4.2). `advance_loc`, `offset` and `restore` carry an operand in their low 6 bits.
pub static DW_CFA: NameTable = NameTable {
    entries: &[
        (DW_CFA_nop, "DW_CFA_nop"),
        (DW_CFA_set_loc, "DW_CFA_set_loc"),
        (DW_CFA_advance_loc1, "DW_CFA_advance_loc1"),
        (DW_CFA_advance_loc2, "DW_CFA_advance_loc2"),
        (DW_CFA_advance_loc4, "DW_CFA_advance_loc4"),
        (DW_CFA_offset_extended, "DW_CFA_offset_extended"),
        (DW_CFA_restore_extended, "DW_CFA_restore_extended"),
        (DW_CFA_undefined, "DW_CFA_undefined"),
        (DW_CFA_same_value, "DW_CFA_same_value"),
        (DW_CFA_register, "DW_CFA_register"),
        (DW_CFA_remember_state, "DW_CFA_remember_state"),
        (DW_CFA_restore_state, "DW_CFA_restore_state"),
        (DW_CFA_def_cfa, "DW_CFA_def_cfa"),
        (DW_CFA_def_cfa_register, "DW_CFA_def_cfa_register"),
        (DW_CFA_def_cfa_offset, "DW_CFA_def_cfa_offset"),
        (DW_CFA_def_cfa_expression, "DW_CFA_def_cfa_expression"),
        (DW_CFA_expression, "DW_CFA_expression"),
        (DW_CFA_offset_extended_sf, "DW_CFA_offset_extended_sf"),
        (DW_CFA_def_cfa_sf, "DW_CFA_def_cfa_sf"),
        (DW_CFA_def_cfa_offset_sf, "DW_CFA_def_cfa_offset_sf"),
        (DW_CFA_val_offset, "DW_CFA_val_offset"),
        (DW_CFA_val_offset_sf, "DW_CFA_val_offset_sf"),
        (DW_CFA_val_expression, "DW_CFA_val_expression"),
        (DW_CFA_advance_loc, "DW_CFA_advance_loc"),
        (DW_CFA_offset, "DW_CFA_offset"),
        (DW_CFA_restore, "DW_CFA_restore"),
    ],
};

pub const DW_OP_addr: u8 = 0x03;
pub const DW_OP_plus: u8 = 0x22;
pub const DW_OP_regx: u8 = 0x90;
pub const DW_OP_fbreg: u8 = 0x91;
pub const DW_OP_bregx: u8 = 0x92;
pub const DW_OP_nop: u8 = 0x96;

/// Operations of location expressions (DWARF 2.0.0 §2.4.3, DWARF 3 §2.5, and `DW_OP_implicit_value`, `DW_OP_stack_value` of DWARF 4).
pub static DW_OP: NameTable = NameTable {
    entries: &[
        (DW_OP_addr, "DW_OP_addr"),
        (0x06, "DW_OP_deref"),
        (0x08, "DW_OP_const1u"),
        (0x09, "DW_OP_const1s"),
        (0x0a, "DW_OP_const2u"),
        (0x0b, "DW_OP_const2s"),
        (0x0c, "DW_OP_const4u"),
        (0x0d, "DW_OP_const4s"),
        (0x0e, "DW_OP_const8u"),
        (0x0f, "DW_OP_const8s"),
        (0x10, "DW_OP_constu"),
        (0x11, "DW_OP_consts"),
        (0x12, "DW_OP_dup"),
        (0x13, "DW_OP_drop"),
        (0x14, "DW_OP_over"),
        (0x15, "DW_OP_pick"),
        (0x16, "DW_OP_swap"),
        (0x17, "DW_OP_rot"),
        (0x18, "DW_OP_xderef"),
        (0x19, "DW_OP_abs"),
        (0x1a, "DW_OP_and"),
        (0x1b, "DW_OP_div"),
        (0x1c, "DW_OP_minus"),
        (0x1d, "DW_OP_mod"),
        (0x1e, "DW_OP_mul"),
        (0x1f, "DW_OP_neg"),
        (0x20, "DW_OP_not"),
        (0x21, "DW_OP_or"),
        (DW_OP_plus, "DW_OP_plus"),
        (0x23, "DW_OP_plus_uconst"),
        (0x24, "DW_OP_shl"),
        (0x25, "DW_OP_shr"),
        (0x26, "DW_OP_shra"),
        (0x27, "DW_OP_xor"),
        (0x28, "DW_OP_bra"),
        (0x29, "DW_OP_eq"),
        (0x2a, "DW_OP_ge"),
        (0x2b, "DW_OP_gt"),
        (0x2c, "DW_OP_le"),
        (0x2d, "DW_OP_lt"),
        (0x2e, "DW_OP_ne"),
        (0x2f, "DW_OP_skip"),
        (0x30, "DW_OP_lit0"),
        (0x31, "DW_OP_lit1"),
        (0x32, "DW_OP_lit2"),
        (0x33, "DW_OP_lit3"),
        (0x34, "DW_OP_lit4"),
        (0x35, "DW_OP_lit5"),
        (0x36, "DW_OP_lit6"),
        (0x37, "DW_OP_lit7"),
        (0x38, "DW_OP_lit8"),
        (0x39, "DW_OP_lit9"),
        (0x3a, "DW_OP_lit10"),
        (0x3b, "DW_OP_lit11"),
        (0x3c, "DW_OP_lit12"),
        (0x3d, "DW_OP_lit13"),
        (0x3e, "DW_OP_lit14"),
        (0x3f, "DW_OP_lit15"),
        (0x40, "DW_OP_lit16"),
        (0x41, "DW_OP_lit17"),
        (0x42, "DW_OP_lit18"),
        (0x43, "DW_OP_lit19"),
        (0x44, "DW_OP_lit20"),
        (0x45, "DW_OP_lit21"),
        (0x46, "DW_OP_lit22"),
        (0x47, "DW_OP_lit23"),
        (0x48, "DW_OP_lit24"),
        (0x49, "DW_OP_lit25"),
        (0x4a, "DW_OP_lit26"),
        (0x4b, "DW_OP_lit27"),
        (0x4c, "DW_OP_lit28"),
        (0x4d, "DW_OP_lit29"),
        (0x4e, "DW_OP_lit30"),
        (0x4f, "DW_OP_lit31"),
        (0x50, "DW_OP_reg0"),
        (0x51, "DW_OP_reg1"),
        (0x52, "DW_OP_reg2"),
        (0x53, "DW_OP_reg3"),
        (0x54, "DW_OP_reg4"),
        (0x55, "DW_OP_reg5"),
        (0x56, "DW_OP_reg6"),
        (0x57, "DW_OP_reg7"),
        (0x58, "DW_OP_reg8"),
        (0x59, "DW_OP_reg9"),
        (0x5a, "DW_OP_reg10"),
        (0x5b, "DW_OP_reg11"),
        (0x5c, "DW_OP_reg12"),
        (0x5d, "DW_OP_reg13"),
        (0x5e, "DW_OP_reg14"),
        (0x5f, "DW_OP_reg15"),
        (0x60, "DW_OP_reg16"),
        (0x61, "DW_OP_reg17"),
        (0x62, "DW_OP_reg18"),
        (0x63, "DW_OP_reg19"),
        (0x64, "DW_OP_reg20"),
        (0x65, "DW_OP_reg21"),
        (0x66, "DW_OP_reg22"),
        (0x67, "DW_OP_reg23"),
        (0x68, "DW_OP_reg24"),
        (0x69, "DW_OP_reg25"),
        (0x6a, "DW_OP_reg26"),
        (0x6b, "DW_OP_reg27"),
        (0x6c, "DW_OP_reg28"),
        (0x6d, "DW_OP_reg29"),
        (0x6e, "DW_OP_reg30"),
        (0x6f, "DW_OP_reg31"),
        (0x70, "DW_OP_breg0"),
        (0x71, "DW_OP_breg1"),
        (0x72, "DW_OP_breg2"),
        (0x73, "DW_OP_breg3"),
        (0x74, "DW_OP_breg4"),
        (0x75, "DW_OP_breg5"),
        (0x76, "DW_OP_breg6"),
        (0x77, "DW_OP_breg7"),
        (0x78, "DW_OP_breg8"),
        (0x79, "DW_OP_breg9"),
        (0x7a, "DW_OP_breg10"),
        (0x7b, "DW_OP_breg11"),
        (0x7c, "DW_OP_breg12"),
        (0x7d, "DW_OP_breg13"),
        (0x7e, "DW_OP_breg14"),
        (0x7f, "DW_OP_breg15"),
        (0x80, "DW_OP_breg16"),
        (0x81, "DW_OP_breg17"),
        (0x82, "DW_OP_breg18"),
        (0x83, "DW_OP_breg19"),
        (0x84, "DW_OP_breg20"),
        (0x85, "DW_OP_breg21"),
        (0x86, "DW_OP_breg22"),
        (0x87, "DW_OP_breg23"),
        (0x88, "DW_OP_breg24"),
        (0x89, "DW_OP_breg25"),
        (0x8a, "DW_OP_breg26"),
        (0x8b, "DW_OP_breg27"),
        (0x8c, "DW_OP_breg28"),
        (0x8d, "DW_OP_breg29"),
        (0x8e, "DW_OP_breg30"),
        (0x8f, "DW_OP_breg31"),
        (DW_OP_regx, "DW_OP_regx"),
        (DW_OP_fbreg, "DW_OP_fbreg"),
        (DW_OP_bregx, "DW_OP_bregx"),
        (0x93, "DW_OP_piece"),
        (0x94, "DW_OP_deref_size"),
        (0x95, "DW_OP_xderef_size"),
        (DW_OP_nop, "DW_OP_nop"),
        (0x97, "DW_OP_push_object_address"),
        (0x98, "DW_OP_call2"),
        (0x99, "DW_OP_call4"),
        (0x9a, "DW_OP_call_ref"),
        (0x9b, "DW_OP_form_tls_address"),
        (0x9c, "DW_OP_call_frame_cfa"),
        (0x9d, "DW_OP_bit_piece"),
        (0x9e, "DW_OP_implicit_value"),
        (0x9f, "DW_OP_stack_value"),
    ],
};

pub const DW_TAG_compile_unit: u8 = 0x11;

pub const DW_CHILDREN_no: u8 = 0;

pub const DW_AT_name: u8 = 0x03;
pub const DW_AT_stmt_list: u8 = 0x10;
pub const DW_AT_low_pc: u8 = 0x11;
pub const DW_AT_high_pc: u8 = 0x12;
pub const DW_AT_producer: u8 = 0x25;

pub const DW_FORM_addr: u8 = 0x01;
pub const DW_FORM_data4: u8 = 0x06;
pub const DW_FORM_string: u8 = 0x08;
