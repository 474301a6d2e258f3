//! `.debug_info`: units, each a tree of entries (DWARF 2.0.0 §2, §3 and §7.5; headers and forms of
//! versions 3 and 4 too).
//!
//! Nothing of an entry is stored: its attributes are read when they are asked for.
//!
//! ```
//! use dwarf2_reader::constants::*;
//! use dwarf2_reader::info::{Node, Units, Value};
//!
//! // A unit whose one entry is `int`, of 4 bytes.
//! let abbrev = [1, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0, 0, 0];
//! let info = [13, 0, 0, 0, 2, 0, 0, 0, 0, 0, 8, 1, b'i', b'n', b't', 0, 4];
//! let units = Units::read(&info, &abbrev)?;
//! let unit = &units.all()[0];
//! let Some(Node::Entry(entry)) = units.nodes(unit, &info).next().transpose()? else { panic!() };
//! assert_eq!((entry.tag(), entry.span()), (DW_TAG_base_type, 11..17));
//! let name = entry.attributes().next().unwrap();
//! assert_eq!((name.name, name.value, name.span), (DW_AT_name, Value::String(b"int"), 12..16));
//! # Ok::<(), dwarf2_reader::Error>(())
//! ```

mod entry;
pub(crate) mod form;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::abbrev::{self, AbbrevTable};
use crate::limits::ABBREV_TABLE_BYTES;
use crate::{Cursor, Error, ErrorKind, Format, Result, Span, WorkBudget};
pub use entry::{Attribute, Attributes, Entry, Node, Nodes};
pub use form::{FormEncoding, Value};

/// The name of the section, `.debug_info`.
pub const SECTION: &str = ".debug_info";

/// The headers of all units of `.debug_info`, and their abbreviation tables, each read once. The
/// caller keeps the section, and passes it again to read entries.
#[derive(Debug, Clone, Default)]
pub struct Units {
    all: Vec<Unit>,
    tables: Vec<AbbrevTable>,
}

/// The header of one unit of `.debug_info`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The byte range of the unit in `.debug_info`: its header and its entries.
    pub span: Span,
    /// The byte offset in `.debug_info` of the unit's first entry.
    pub entries: u64,
    /// The DWARF format of the unit, 32-bit or 64-bit, which is the width of its offsets.
    pub format: Format,
    /// DWARF version: 2 to 4.
    pub version: u16,
    /// Byte offset in `.debug_abbrev` of the unit's abbreviation table.
    pub abbrev_offset: u64,
    /// The byte range in `.debug_info` of the header field `debug_abbrev_offset`.
    pub abbrev_field: Span,
    /// Size of an address in bytes: 1, 2, 4 or 8.
    pub address_size: u8,
    /// Number of its table in [`Units::tables`].
    table: usize,
    /// See [`Cursor::with_long_numbers`].
    has_long_numbers: bool,
}

/// The size in bytes of a unit header in 32-bit DWARF, versions 2 to 4.
pub const HEADER_SIZE: u64 = 11;

impl Units {
    /// Reads the headers of all units and their abbreviations. The sections are little-endian.
    /// Zeros between and after units are skipped.
    ///
    /// # Errors
    ///
    /// The header of a unit or a table of abbreviations is not as DWARF has it.
    pub fn read(info: &[u8], abbrev: &[u8]) -> Result<Self> {
        let mut cursor = Cursor::new(SECTION, info);
        let (mut units, mut tables) = (Vec::new(), Vec::new());
        let mut known = BTreeMap::new();
        let mut budget = WorkBudget::of_input(info.len() as u64 + abbrev.len() as u64, ABBREV_TABLE_BYTES);
        while skip_padding(&mut cursor) {
            let mut unit = header(&mut cursor)?;
            unit.table = if let Some(number) = known.get(&unit.abbrev_offset) {
                *number
            } else {
                let offset = unit.abbrev_offset;
                let table = AbbrevTable::read(abbrev, offset)?;
                if !budget.take(table.span().end - offset) {
                    let kind = ErrorKind::Budget("bytes of tables that units share in part");
                    return Err(Error { section: abbrev::SECTION, offset, kind });
                }
                known.insert(offset, tables.len());
                tables.push(table);
                tables.len() - 1
            };
            units.push(unit);
        }
        Ok(Self { all: units, tables })
    }

    /// All units, in the order of `.debug_info`.
    #[must_use]
    pub fn all(&self) -> &[Unit] {
        &self.all
    }

    /// Returns the unit that contains the byte at this offset of `.debug_info`.
    #[must_use]
    pub fn at(&self, offset: u64) -> Option<&Unit> {
        let number = self.all.partition_point(|unit| unit.span.end <= offset);
        self.all.get(number).filter(|unit| unit.span.contains(&offset))
    }

    /// The abbreviation tables of the units. A table that units share is listed once.
    #[must_use]
    pub fn tables(&self) -> &[AbbrevTable] {
        &self.tables
    }

    /// Returns the abbreviation table of `unit`.
    #[must_use]
    pub fn table(&self, unit: &Unit) -> Option<&AbbrevTable> {
        self.tables.get(unit.table)
    }

    /// Iterates over the entries of `unit` in the order of `.debug_info`, and over the zeros that
    /// end lists of children. `section` must be the section that the units were read from.
    #[must_use]
    pub fn nodes<'i, 'd>(&'i self, unit: &Unit, section: &'d [u8]) -> Nodes<'i, 'd> {
        Nodes::new(self, unit, section)
    }

    /// Returns the entry of `unit` at a byte offset of `.debug_info`; `None` if no entry is there.
    /// The values of the entry need not be readable. Its depth is unknown, and is given as 0.
    #[must_use]
    pub fn entry<'i, 'd>(&'i self, unit: &Unit, section: &'d [u8], offset: u64) -> Option<Entry<'i, 'd>> {
        match Entry::at(self.table(unit), unit, section, offset) {
            Ok(Node::Entry(entry)) => Some(entry),
            _ => None,
        }
    }
}

impl Unit {
    /// Creates a unit of DWARF 2 from header fields that the caller has read, for a `.debug_info`
    /// section in which [`Units::read`] stops at a fault. `span` is the byte range of the unit.
    /// LEB128 numbers may be [long](Cursor::with_long_numbers).
    #[must_use]
    pub fn of_version_2(span: Span, abbrev_offset: u64, address_size: u8) -> Self {
        let start = span.start;
        Self {
            span,
            entries: start.saturating_add(HEADER_SIZE),
            format: Format::Dwarf32,
            version: 2,
            abbrev_offset,
            abbrev_field: start.saturating_add(6)..start.saturating_add(10),
            address_size,
            table: 0,
            has_long_numbers: true,
        }
    }

    /// Reads the entry of this unit at a byte offset of `.debug_info`, or the 0 that ends a list of
    /// children there. The values of the entry need not be readable. Its depth is unknown, and is
    /// given as 0.
    ///
    /// # Errors
    ///
    /// The code is cut short, or is not in the table.
    pub fn node<'i, 'd>(&self, table: &'i AbbrevTable, section: &'d [u8], at: u64) -> Result<Node<'i, 'd>> {
        Entry::at(Some(table), self, section, at)
    }
}

/// Skips zeros, and returns whether something follows them.
fn skip_padding(cursor: &mut Cursor<'_>) -> bool {
    // A unit begins with its length, which is not 0.
    while let Some([0, 0, 0, 0]) = cursor.rest().first_chunk() {
        if cursor.take(4, "padding").is_err() {
            return false;
        }
    }
    !cursor.rest().iter().all(|byte| *byte == 0)
}

/// DWARF 2.0.0 §7.5.1, DWARF 3 §7.4.
fn header(cursor: &mut Cursor<'_>) -> Result<Unit> {
    let start = cursor.offset();
    let (length, format) = cursor.unit_length()?;
    let mut unit = cursor.split(length, "a unit (unit_length goes past the end)")?;
    let end = cursor.offset();
    let at = unit.offset();
    let version = unit.u16("version")?;
    if !(2..=4).contains(&version) {
        let kind = ErrorKind::Value { field: "version", found: version.into(), expected: "2 to 4" };
        return Err(unit.error_at(at, kind));
    }
    let field = unit.offset();
    let abbrev_offset = unit.section_offset(format, "debug_abbrev_offset")?;
    let abbrev_field = field..unit.offset();
    let at = unit.offset();
    let address_size = unit.u8("address_size")?;
    if !matches!(address_size, 1 | 2 | 4 | 8) {
        let kind =
            ErrorKind::Value { field: "address_size", found: address_size.into(), expected: "1, 2, 4 or 8" };
        return Err(unit.error_at(at, kind));
    }
    let (span, entries) = (start..end, unit.offset());
    let unit = Unit::of_version_2(span, abbrev_offset, address_size);
    Ok(Unit { entries, format, version, abbrev_field, has_long_numbers: false, ..unit })
}
