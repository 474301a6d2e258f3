//! The fields of `.debug_info` and of the tables beside it that hold offsets, and the paths of
//! units: what must be written anew when bytes of `.debug_info` or `.debug_str` come or go.

#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

use crate::constants::{DW_AT_comp_dir, DW_AT_name, DW_TAG_compile_unit, DW_TAG_partial_unit};
use crate::info::{Node, Unit, Units, Value};
use crate::{Cursor, Error, ErrorKind, Format, Result, Span};
use alloc::vec::Vec;

/// The section into which an [`OffsetField`] leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffsetTarget {
    /// The field leads into `.debug_info`.
    Info,
    /// The field leads into `.debug_str`.
    Strings,
    /// The field leads into `.debug_line`, or is a length there.
    Lines,
}

/// A field that holds a byte offset in `.debug_info` or `.debug_str`, or a length of bytes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OffsetField {
    /// The byte range of the field in its own section.
    pub span: Span,
    /// The section into which the field leads.
    pub target: OffsetTarget,
    /// The offset in the target section from which the number in the field counts.
    pub base: u64,
    /// The offset in the target section to which the field leads: base and number together.
    pub offset: u64,
    /// Whether the number is a LEB128 number, whose size may change with it.
    pub is_leb: bool,
}

/// `DW_AT_name` or `DW_AT_comp_dir` of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitPath {
    /// The name of the attribute: `DW_AT_name` or `DW_AT_comp_dir`.
    pub attribute: u16,
    /// The byte range of the value in `.debug_info`: of the string without its NUL, or of the
    /// offset in `.debug_str`.
    pub span: Span,
    /// The byte offset of the string in `.debug_str`; `None` where the string is in the entry.
    pub string: Option<u64>,
}

/// What must change in `.debug_info` when bytes are inserted or removed: the fields that hold a
/// section offset or a length, and the names and folders of the units.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InfoFields {
    /// The fields that hold an offset or the length of a unit, ascending.
    pub offsets: Vec<OffsetField>,
    /// Names and folders of all units, ascending.
    pub paths: Vec<UnitPath>,
}

impl InfoFields {
    /// Reads all units of `.debug_info`. Relocations must have been applied.
    ///
    /// # Errors
    ///
    /// An entry cannot be read, or a unit is 64-bit DWARF.
    pub fn read(info: &[u8], abbrev: &[u8]) -> Result<Self> {
        let mut fields = Self::default();
        let units = Units::read(info, abbrev)?;
        for unit in units.all() {
            fields.unit(&units, unit, info)?;
        }
        Ok(fields)
    }

    fn unit(&mut self, units: &Units, unit: &Unit, info: &[u8]) -> Result<()> {
        let start = unit.span.start;
        if unit.format != Format::Dwarf32 {
            let kind = ErrorKind::Value {
                field: "unit_length",
                found: unit.span.end - start,
                expected: "32-bit DWARF",
            };
            return Err(Error { section: crate::info::SECTION, offset: start, kind });
        }
        self.offsets.push(OffsetField {
            span: start..start + 4,
            target: OffsetTarget::Info,
            base: start + 4,
            offset: unit.span.end,
            is_leb: false,
        });
        for node in units.nodes(unit, info) {
            let Node::Entry(entry) = node? else { continue };
            let is_unit = matches!(entry.tag(), DW_TAG_compile_unit | DW_TAG_partial_unit);
            for attribute in entry.attributes() {
                let is_path = is_unit && matches!(attribute.name, DW_AT_name | DW_AT_comp_dir);
                let (target, base, offset) = match attribute.value {
                    Value::String(_) if is_path => {
                        let (attribute, span) = (attribute.name, attribute.content());
                        self.paths.push(UnitPath { attribute, span, string: None });
                        continue;
                    }
                    Value::StringOffset(offset) => (OffsetTarget::Strings, 0, offset),
                    Value::UnitReference(offset) => (OffsetTarget::Info, start, start.saturating_add(offset)),
                    Value::InfoReference(offset) => (OffsetTarget::Info, 0, offset),
                    _ => match attribute.section_offset() {
                        Some((crate::line::SECTION, offset)) => (OffsetTarget::Lines, 0, offset),
                        _ => continue,
                    },
                };
                let span = attribute.span.clone();
                if is_path && target == OffsetTarget::Strings {
                    let (attribute, span) = (attribute.name, span.clone());
                    self.paths.push(UnitPath { attribute, span, string: Some(offset) });
                }
                let is_leb = attribute.form == crate::constants::DW_FORM_ref_udata;
                self.offsets.push(OffsetField { span, target, base, offset, is_leb });
            }
        }
        Ok(())
    }
}

/// The fields of a table of names (`.debug_pubnames`, `.debug_pubtypes`) or of addresses
/// (`.debug_aranges`) that lead into `.debug_info`, ascending. Relocations must have been applied.
///
/// # Errors
///
/// A set is cut short, or is 64-bit DWARF.
pub fn table_fields(name: &'static str, section: &[u8]) -> Result<Vec<OffsetField>> {
    let has_names = name != crate::aranges::SECTION;
    let mut cursor = Cursor::new(name, section);
    let mut fields = Vec::new();
    while !cursor.is_empty() {
        let start = cursor.offset();
        let length = cursor.u32("a set")?;
        if length >= 0xffff_fff0 {
            let kind =
                ErrorKind::Value { field: "unit_length", found: length.into(), expected: "32-bit DWARF" };
            return Err(Error { section: name, offset: start, kind });
        }
        let end = cursor.offset() + u64::from(length);
        cursor.take(2, "a version")?;
        let field = |at: u64, base: u64, number: u32| OffsetField {
            span: at..at + 4,
            target: OffsetTarget::Info,
            base,
            offset: base + u64::from(number),
            is_leb: false,
        };
        let at = cursor.offset();
        let unit = cursor.u32("a set")?;
        fields.push(field(at, 0, unit));
        if has_names {
            let at = cursor.offset();
            let size = cursor.u32("a set")?;
            fields.push(field(at, unit.into(), size));
            while cursor.offset() < end {
                let at = cursor.offset();
                let entry = cursor.u32("a set")?;
                if entry == 0 {
                    break;
                }
                fields.push(field(at, unit.into(), entry));
                cursor.string("a name")?;
            }
        }
        let left = end.saturating_sub(cursor.offset());
        cursor.take(left, "a set")?;
    }
    Ok(fields)
}
