//! DWARF's numbers under DWARF's own names, and tables to look them up by value or by name.
//!
//! ```
//! use dwarf2_writer::constants::{DW_CFA, DW_CFA_val_expression, DW_TAG};
//!
//! assert_eq!(DW_CFA.name(DW_CFA_val_expression), Some("DW_CFA_val_expression"));
//! assert_eq!(DW_CFA.value("DW_CFA_advance_loc4"), Some(4));
//! assert_eq!(DW_CFA.name(0x3f), None);
//! assert_eq!(DW_CFA.name_or_number(0x3f), "DW_CFA_0x3f");
//! assert_eq!(DW_TAG.value("DW_TAG_hi_user"), Some(0xffff));
//! ```
#![allow(non_upper_case_globals, reason = "the names of the specification, to be found by grep")]
#![allow(missing_docs, reason = "each constant is its name; the tables say where they are defined")]

mod attributes;
mod forms;
mod operations;
mod tags;
mod values;

use alloc::borrow::Cow;
use alloc::format;
use core::fmt::LowerHex;

pub use attributes::*;
pub use forms::*;
pub use operations::*;
pub use tags::*;
pub use values::*;

/// The names of one family of numbers, such as `DW_TAG`. Numbers are `u8`, or `u16` where vendors
/// have a larger range.
#[derive(Debug, Clone, Copy)]
pub struct NameTable<T: 'static = u8> {
    /// The prefix of all names of the family: `DW_TAG_`.
    prefix: &'static str,
    /// Ascending by value, without duplicates.
    entries: &'static [(T, &'static str)],
    /// Names that are understood but not given: other versions' spellings, and the ends of the
    /// vendors' range, whose numbers are for each vendor to name.
    aliases: &'static [(T, &'static str)],
}

impl<T: Copy + Ord> NameTable<T> {
    /// Returns the name of `value`, as the specification spells it.
    pub fn name(&self, value: T) -> Option<&'static str> {
        let found = self.entries.binary_search_by_key(&value, |entry| entry.0).ok()?;
        self.entries.get(found).map(|entry| entry.1)
    }

    /// Returns the name of `value`, or the number after the family's prefix if it has no name:
    /// `DW_TAG_0x4107`.
    pub fn name_or_number(&self, value: T) -> Cow<'static, str>
    where
        T: LowerHex,
    {
        self.name(value).map_or_else(|| format!("{}{value:#x}", self.prefix).into(), Cow::Borrowed)
    }

    /// Returns the value of the full `name` (`DW_OP_addr`), or of another version's name for it
    /// (`DW_AT_bit_stride`).
    pub fn value(&self, name: &str) -> Option<T> {
        let mut all = self.entries.iter().chain(self.aliases);
        all.find(|entry| entry.1 == name).map(|entry| entry.0)
    }

    /// Iterates over all values with their names, ascending by value.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (T, &'static str)> + use<T> {
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
    prefix: "DW_LNS_",
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
    aliases: &[],
};

pub const DW_LNE_end_sequence: u8 = 0x01;
pub const DW_LNE_set_address: u8 = 0x02;
pub const DW_LNE_define_file: u8 = 0x03;

/// Extended opcodes of line programs (DWARF 2.0.0 §6.2.5.3).
pub static DW_LNE: NameTable = NameTable {
    prefix: "DW_LNE_",
    entries: &[
        (DW_LNE_end_sequence, "DW_LNE_end_sequence"),
        (DW_LNE_set_address, "DW_LNE_set_address"),
        (DW_LNE_define_file, "DW_LNE_define_file"),
    ],
    aliases: &[],
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
pub const DW_CFA_lo_user: u8 = 0x1c;
pub const DW_CFA_hi_user: u8 = 0x3f;
pub const DW_CFA_advance_loc: u8 = 0x40;
pub const DW_CFA_offset: u8 = 0x80;
pub const DW_CFA_restore: u8 = 0xc0;

/// Call frame instructions (DWARF 2.0.0 §6.4.2, DWARF 3 §6.4.2). `advance_loc`, `offset` and
/// `restore` carry an operand in their low 6 bits.
pub static DW_CFA: NameTable = NameTable {
    prefix: "DW_CFA_",
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
    aliases: &[(DW_CFA_lo_user, "DW_CFA_lo_user"), (DW_CFA_hi_user, "DW_CFA_hi_user")],
};
