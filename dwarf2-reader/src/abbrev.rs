//! `.debug_abbrev`: the shapes of entries (DWARF 2.0.0 §7.5.3).
//!
//! ```
//! use dwarf2_reader::abbrev::AbbrevTable;
//! use dwarf2_reader::constants::*;
//!
//! let table = AbbrevTable::read(&[1, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0, 0, 0], 0)?;
//! let base_type = table.get(1).unwrap();
//! assert_eq!((base_type.tag, base_type.has_children, base_type.span.clone()), (DW_TAG_base_type, false, 0..9));
//! let byte_size = table.attributes(base_type)[1];
//! assert_eq!((byte_size.name, byte_size.form), (DW_AT_byte_size, DW_FORM_data1));
//! # Ok::<(), dwarf2_reader::Error>(())
//! ```
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use crate::constants::{DW_CHILDREN_no, DW_CHILDREN_yes, DW_FORM_flag_present};
use crate::{Cursor, ErrorKind, Result, Span};

/// Name of the section.
pub const SECTION: &str = ".debug_abbrev";

/// The abbreviations that stand one behind another from one offset on: what a unit refers to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AbbrevTable {
    span: Span,
    all: Vec<Abbreviation>,
    /// Of all abbreviations.
    attributes: Vec<AttributeSpec>,
    /// Number of an abbreviation by its code, where codes do not count up from 1.
    by_code: BTreeMap<u64, usize>,
}

/// One abbreviation: the shape of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abbreviation {
    /// In the section, from the code up to the two zeros, which are in it.
    pub span: Span,
    /// What entries name it by.
    pub code: u64,
    /// `DW_TAG_*`.
    pub tag: u16,
    /// Whether entries of this shape have children.
    pub has_children: bool,
    /// In [`AbbrevTable::attributes`].
    attributes: Range<usize>,
    /// Attributes that take no byte of an entry.
    pub(crate) empty: u32,
}

/// Name and form of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AttributeSpec {
    /// `DW_AT_*`.
    pub name: u16,
    /// `DW_FORM_*`.
    pub form: u16,
}

impl AbbrevTable {
    /// Reads the table at a byte offset of `.debug_abbrev`, up to the 0 that ends it or the end of the section.
    ///
    /// # Errors
    ///
    /// The section ends in an abbreviation, a number is too large for what it is, or two have the same code.
    pub fn read(section: &[u8], offset: u64) -> Result<Self> {
        let mut cursor = Cursor::at(SECTION, section, offset, "a table of abbreviations")?;
        let mut table = Self::default();
        while !cursor.is_empty() {
            let start = cursor.offset();
            let code = cursor.uleb("the code of an abbreviation")?;
            if code == 0 {
                break;
            }
            table.abbreviation(&mut cursor, start, code)?;
        }
        table.span = offset..cursor.offset();
        Ok(table)
    }

    /// The abbreviation at the cursor, whose code is read.
    fn abbreviation(&mut self, cursor: &mut Cursor<'_>, start: u64, code: u64) -> Result<()> {
        let tag = number_16(cursor, "a tag")?;
        if tag == 0 {
            return Err(cursor.error_at(start, not_zero("the tag of an abbreviation")));
        }
        let at = cursor.offset();
        let children = cursor.u8("the children flag")?;
        if !matches!(children, DW_CHILDREN_no | DW_CHILDREN_yes) {
            let kind =
                ErrorKind::Value { field: "the children flag", found: children.into(), expected: "0 or 1" };
            return Err(cursor.error_at(at, kind));
        }
        let has_children = children == DW_CHILDREN_yes;
        let first = self.attributes.len();
        let mut empty = 0;
        loop {
            let at = cursor.offset();
            let name = number_16(cursor, "an attribute name")?;
            let form = number_16(cursor, "an attribute form")?;
            match (name, form) {
                (0, 0) => break,
                (0, _) => return Err(cursor.error_at(at, not_zero("an attribute name"))),
                (_, 0) => return Err(cursor.error_at(at, not_zero("an attribute form"))),
                _ => {}
            }
            empty += u32::from(form == DW_FORM_flag_present);
            self.attributes.push(AttributeSpec { name, form });
        }
        let number = self.all.len();
        let is_next = code == number as u64 + 1 && self.by_code.is_empty();
        if !is_next {
            if self.by_code.is_empty() {
                self.by_code = self.all.iter().zip(0..).map(|(known, number)| (known.code, number)).collect();
            }
            if self.by_code.insert(code, number).is_some() {
                return Err(cursor.error_at(start, ErrorKind::DuplicateCode { code }));
            }
        }
        let attributes = first..self.attributes.len();
        let span = start..cursor.offset();
        self.all.push(Abbreviation { span, code, tag, has_children, attributes, empty });
        Ok(())
    }

    /// Where the table stands, with the 0 that ends it.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// All abbreviations, in the order in which they stand.
    #[must_use]
    pub fn all(&self) -> &[Abbreviation] {
        &self.all
    }

    /// The abbreviation of a code.
    #[inline]
    #[must_use]
    pub fn get(&self, code: u64) -> Option<&Abbreviation> {
        let number = if self.by_code.is_empty() {
            usize::try_from(code).ok()?.checked_sub(1)?
        } else {
            *self.by_code.get(&code)?
        };
        self.all.get(number)
    }

    /// The attributes of an abbreviation of this table, in the order of their values.
    #[inline]
    #[must_use]
    pub fn attributes(&self, abbreviation: &Abbreviation) -> &[AttributeSpec] {
        self.attributes.get(abbreviation.attributes.clone()).unwrap_or_default()
    }
}

/// A field is 0, which would end what it is in.
fn not_zero(field: &'static str) -> ErrorKind {
    ErrorKind::Value { field, found: 0, expected: "another number" }
}

/// A tag, an attribute's name or a form: DWARF has none above 16 bits.
fn number_16(cursor: &mut Cursor<'_>, field: &'static str) -> Result<u16> {
    let at = cursor.offset();
    let found = cursor.uleb(field)?;
    let kind = ErrorKind::Value { field, found, expected: "a number of 16 bits" };
    u16::try_from(found).map_err(|_| cursor.error_at(at, kind))
}
