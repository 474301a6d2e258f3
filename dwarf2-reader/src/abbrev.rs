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
use alloc::collections::btree_map::Entry;
use alloc::vec::Vec;
use core::ops::Range;

use crate::constants::{DW_CHILDREN_no, DW_CHILDREN_yes, DW_FORM_flag_present};
use crate::info::form::{FixedPlace, FormEncoding};
use crate::{Cursor, Error, ErrorKind, Result, Span};

/// The name of the section, `.debug_abbrev`.
pub const SECTION: &str = ".debug_abbrev";

/// The abbreviation table of a unit: the abbreviations in `.debug_abbrev` from one byte offset up
/// to the 0 that ends them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AbbrevTable {
    span: Span,
    all: Vec<Abbreviation>,
    /// The attributes of all abbreviations.
    attributes: Vec<AttributeSpec>,
    /// The position of each attribute's value, if all values before it in the entry have a fixed
    /// size.
    places: Vec<Option<FixedPlace>>,
    /// Number of an abbreviation by its code, where codes do not count up from 1.
    by_code: BTreeMap<u64, usize>,
}

/// One abbreviation: the tag, the children flag and the attribute forms of entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abbreviation {
    /// The byte range of the abbreviation in `.debug_abbrev`, from its code to the two zeros that
    /// end it, zeros included.
    pub span: Span,
    /// The code with which entries refer to the abbreviation.
    pub code: u64,
    /// The tag of the entries that have this abbreviation, `DW_TAG_*`.
    pub tag: u16,
    /// Whether entries with this abbreviation have children.
    pub has_children: bool,
    /// In [`AbbrevTable::attributes`].
    attributes: Range<usize>,
    /// Attributes that take no byte of an entry.
    pub(crate) empty: u32,
}

/// The name and the form of an attribute in an abbreviation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AttributeSpec {
    /// The name of the attribute, `DW_AT_*`.
    pub name: u16,
    /// The form of the attribute's value, `DW_FORM_*`.
    pub form: u16,
}

impl AbbrevTable {
    /// Creates an empty table for a byte offset of `.debug_abbrev`, to be filled by
    /// [`read_next`](Self::read_next).
    #[must_use]
    pub fn new(offset: u64) -> Self {
        Self { span: offset..offset, ..Self::default() }
    }

    /// Reads the table at a byte offset of `.debug_abbrev`, up to the 0 that ends it or the end of
    /// the section.
    ///
    /// # Errors
    ///
    /// The section ends in an abbreviation, a number is too large for what it is, or two have the
    /// same code.
    pub fn read(section: &[u8], offset: u64) -> Result<Self> {
        let mut cursor = Cursor::at(SECTION, section, offset, "a table of abbreviations")?;
        let mut table = Self::new(offset);
        let mut on_fault = |error: Error| match error.kind {
            // Of a later version, or of an abbreviation that no entry has.
            ErrorKind::UnknownForm { form } if form <= u16::MAX.into() => Ok(()),
            _ => Err(error),
        };
        while !cursor.is_empty() && table.read_next(&mut cursor, &mut on_fault)? {}
        Ok(table)
    }

    /// Reads the abbreviation at the cursor into the table, after those read before; returns
    /// `false` at the 0 that ends the table.
    ///
    /// Faults after which the reading can go on are given to `on_fault` in the order in which they
    /// stand, each with its place: what it returns ends the reading or lets it go on. A number that
    /// fits nowhere counts as 0 then, a flag other than 0 as `DW_CHILDREN_yes`, and of two
    /// abbreviations with the same code the first. [`ErrorKind::UnknownForm`] is given for all
    /// forms that DWARF 2 does not have.
    ///
    /// # Errors
    ///
    /// The section ends in the abbreviation; what `on_fault` returns.
    pub fn read_next(
        &mut self,
        cursor: &mut Cursor<'_>,
        on_fault: &mut impl FnMut(Error) -> Result<()>,
    ) -> Result<bool> {
        let start = cursor.offset();
        let code = cursor.uleb_or("the code of an abbreviation", on_fault)?;
        if code == 0 {
            self.span.end = cursor.offset();
            return Ok(false);
        }
        let at = cursor.offset();
        let found = cursor.uleb_or("a tag", on_fault)?;
        let tag = number_16(found, "a tag", |kind| on_fault(cursor.error_at(at, kind)))?;
        if found == 0 {
            let kind =
                ErrorKind::Value { field: "the tag of an abbreviation", found, expected: "another number" };
            on_fault(cursor.error_at(start, kind))?;
        }
        let at = cursor.offset();
        let children = cursor.u8("the children flag")?;
        if !matches!(children, DW_CHILDREN_no | DW_CHILDREN_yes) {
            on_fault(cursor.error_at(at, ErrorKind::ChildrenFlag(children)))?;
        }
        let has_children = children != DW_CHILDREN_no;
        let first = self.attributes.len();
        let mut empty = 0;
        let mut place = Some(FixedPlace::default());
        loop {
            let at = cursor.offset();
            let name = cursor.uleb_or("an attribute name", on_fault)?;
            let at_form = cursor.offset();
            let form = cursor.uleb_or("an attribute form", on_fault)?;
            match (name, form) {
                (0, 0) => break,
                (0, _) | (_, 0) => on_fault(cursor.error_at(at, ErrorKind::HalfAttribute { name, form }))?,
                _ if FormEncoding::of_version_2(form).is_none() => {
                    on_fault(cursor.error_at(at_form, ErrorKind::UnknownForm { form }))?;
                }
                _ => {}
            }
            let name = number_16(name, "an attribute name", |kind| on_fault(cursor.error_at(at, kind)))?;
            let form = u16::try_from(form).unwrap_or(0);
            empty += u32::from(form == DW_FORM_flag_present);
            self.attributes.push(AttributeSpec { name, form });
            self.places.push(place);
            place = place.and_then(|place| place.after(form));
        }
        self.span.end = cursor.offset();
        let number = self.all.len();
        let is_next = code == number as u64 + 1 && self.by_code.is_empty();
        if !is_next {
            if self.by_code.is_empty() {
                self.by_code = self.all.iter().zip(0..).map(|(known, number)| (known.code, number)).collect();
            }
            let Entry::Vacant(place) = self.by_code.entry(code) else {
                self.attributes.truncate(first);
                self.places.truncate(first);
                on_fault(cursor.error_at(start, ErrorKind::DuplicateCode { code }))?;
                return Ok(true);
            };
            place.insert(number);
        }
        let attributes = first..self.attributes.len();
        let span = start..cursor.offset();
        self.all.push(Abbreviation { span, code, tag, has_children, attributes, empty });
        Ok(true)
    }

    /// The byte range of the table in `.debug_abbrev`, including the 0 that ends the table.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// All abbreviations of the table, in the order in which they stand in `.debug_abbrev`.
    #[must_use]
    pub fn all(&self) -> &[Abbreviation] {
        &self.all
    }

    /// Returns the abbreviation with this code; `None` if the table has no such code.
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

    /// Returns the names and forms of an abbreviation's attributes, in the order in which an entry
    /// has their values.
    #[inline]
    #[must_use]
    pub fn attributes(&self, abbreviation: &Abbreviation) -> &[AttributeSpec] {
        self.attributes.get(abbreviation.attributes.clone()).unwrap_or_default()
    }

    /// Returns the position of an attribute's value in its entry, by the attribute's number in the
    /// abbreviation; `None` if that differs between entries.
    #[inline]
    pub(crate) fn place(&self, abbreviation: &Abbreviation, number: usize) -> Option<FixedPlace> {
        *self.places.get(abbreviation.attributes.start.checked_add(number)?)?
    }
}

/// Iterates over all abbreviation tables of `.debug_abbrev`, one after another. An error is the
/// last item.
pub fn tables(section: &[u8]) -> impl Iterator<Item = Result<AbbrevTable>> {
    let mut next = Some(0);
    core::iter::from_fn(move || {
        let offset = next.take().filter(|offset| *offset < section.len() as u64)?;
        let table = AbbrevTable::read(section, offset);
        next = table.as_ref().ok().map(|table| table.span.end);
        Some(table)
    })
}

/// A tag or an attribute's name: DWARF has none above 16 bits.
fn number_16(found: u64, field: &'static str, on_fault: impl FnOnce(ErrorKind) -> Result<()>) -> Result<u16> {
    if let Ok(number) = u16::try_from(found) {
        return Ok(number);
    }
    on_fault(ErrorKind::Value { field, found, expected: "a number of 16 bits" })?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::{DW_AT_name, DW_FORM_data1, DW_FORM_exprloc};

    /// An abbreviation with all faults after which the reading goes on, one of the same code, and a
    /// sound one.
    const FAULTS: &[u8] = &[
        7, 0x80, 0x80, 4, 2, // a tag of 17 bits, and a flag
        3, 0x18, 3, 0x80, 0x80, 4, 3, 0, 0, 11, 0, 0, // forms, and halves of attributes
        7, 0x24, 0, 0, 0, //
        0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0x34, 0, 3, 11, 0,
        0, // a long code
        0,
    ];

    #[test]
    fn faults_are_told_and_read_over() {
        let (mut cursor, mut table) = (Cursor::new(SECTION, FAULTS), AbbrevTable::new(0));
        let mut faults = Vec::new();
        let mut on_fault = |error: Error| {
            faults.push((error.offset, error.kind));
            Ok(())
        };
        while table.read_next(&mut cursor, &mut on_fault).unwrap() {}
        let (field, expected) = ("a tag", "a number of 16 bits");
        assert_eq!(
            faults,
            [
                (1, ErrorKind::Value { field, found: 0x1_0000, expected }),
                (4, ErrorKind::ChildrenFlag(2)),
                (6, ErrorKind::UnknownForm { form: 0x18 }),
                (8, ErrorKind::UnknownForm { form: 0x1_0000 }),
                (11, ErrorKind::HalfAttribute { name: 3, form: 0 }),
                (13, ErrorKind::HalfAttribute { name: 0, form: 11 }),
                (17, ErrorKind::DuplicateCode { code: 7 }),
                (22, ErrorKind::LebOverflow("the code of an abbreviation")),
            ]
        );
        assert_eq!((table.span(), table.all().len()), (0..40, 2));
        let first = table.get(7).unwrap();
        assert_eq!((first.tag, first.has_children, first.span.clone()), (0, true, 0..17));
        let spec = |name, form| AttributeSpec { name, form };
        let (name, half) = (DW_AT_name, spec(0, DW_FORM_data1));
        assert_eq!(
            table.attributes(first),
            [spec(name, DW_FORM_exprloc), spec(name, 0), spec(name, 0), half]
        );
        assert_eq!(table.get(2).map(|second| second.tag), Some(0x34));
        // The plain reader stops at the first fault that is one in every version.
        let error = AbbrevTable::read(FAULTS, 0).unwrap_err();
        assert_eq!((error.offset, error.kind), faults[0]);
        assert_eq!(AbbrevTable::read(&[1, 0x24, 0, 3, 0x18, 0, 0, 0], 0).unwrap().all().len(), 1);
    }
}
