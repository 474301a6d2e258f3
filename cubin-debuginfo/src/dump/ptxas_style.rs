//! `.debug_abbrev` and `.debug_info` in the style of NVIDIA's dump tools: item by item and field by
//! field, without interpretation.
//!
//! Seed 001 states of ptxas' dump:
//!
//! ```text
//! Contents of the .debug_abbrev section:
//!   Number  TAG
//!  [has children], [has no children]
//! "unexpectedly too many dwarf attributes for any DW_TAG entry!"
//!  <%d><%x>:  Abbrev Number: %d   (0x%02x %s)
//! Null DIEs are printed as " (nill) "
//!  Compilation Unit @ offset 0x%zx:
//!   Length: %d
//!   Version: %d
//!   Abbrev Offset: %d
//!   Pointer Size: %d
//! ```
//!
//! `cuobjdump -elf` (13.0.88) has the same lines, and what is between them is its: blanks,
//! attributes, values. It prints no null entries, and fields as they lie in the file, stale ones
//! under RELA too; [`Model::Observed`] is that. Observed with it: offsets in angle brackets are
//! those in the unit; more than 256 attributes are too many; a name that it does not know is empty.

pub mod names;
mod operations;

use super::{DumpSource, RelocatedView};
use dwarf2_reader::abbrev::{self, AbbrevTable, Abbreviation, AttributeSpec};
use dwarf2_reader::info::{self, Attribute, FormEncoding, Node, Unit, Value};
use dwarf2_reader::{Cursor, WorkBudget, strings};
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::rc::Rc;

pub use operations::operations;

/// Most attributes of one abbreviation. Observed: cuobjdump 13.0.88 takes 256.
const MAX_ATTRIBUTES: usize = 256;

/// The listing whose style `dump --ptxas-style` follows: that in NVIDIA's documents, or that of
/// cuobjdump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// The listing in NVIDIA's documents: null entries, which end lists of children, are shown as `
    /// (nill) `. Fields show relocated values.
    Documented,
    /// The listing that cuobjdump prints: null entries are not shown, and fields show the values in
    /// the file.
    Observed,
}

/// An item of `.debug_abbrev` or `.debug_info`, in the style of NVIDIA's dump tools.
#[derive(Debug)]
pub enum Item<'i> {
    /// An abbreviation of `.debug_abbrev`, with its attributes.
    Abbreviation(&'i Abbreviation, &'i [AttributeSpec]),
    /// The header of a unit of `.debug_info`.
    Unit(UnitHeader),
    /// An entry of `.debug_info`.
    Entry(Entry<'i>),
    /// A null entry, which ends a list of children. The listing of [`Model::Observed`] has none.
    Null,
    /// The error for an item that cannot be read. Nothing of that item was shown before.
    Fault {
        /// Why the item cannot be read.
        error: Error,
        /// The byte offset of the item in the section.
        start: u64,
        /// The bytes up to what can be read again.
        bytes: &'i [u8],
    },
}

/// The header of a `.debug_info` unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitHeader {
    /// The byte offset of the unit header in the section.
    pub start: u64,
    /// The `unit_length` field: the number of bytes of the unit after this field.
    pub length: u32,
    /// The DWARF version in the header, which may be an unknown one.
    pub version: u16,
    /// Byte offset in `.debug_abbrev` of the unit's abbreviations.
    pub abbrev_offset: u32,
    /// The size in bytes of an address in the unit.
    pub address_size: u8,
}

/// An entry of `.debug_info` whose attributes could all be read.
#[derive(Debug)]
pub struct Entry<'i> {
    /// The number of entries that enclose this one.
    pub depth: usize,
    /// The byte offset of the entry in its unit.
    pub offset: u64,
    /// The code of the entry's abbreviation.
    pub code: u64,
    /// The number of the entry's tag, `DW_TAG_*`.
    pub tag: u16,
    /// The attributes of the entry. Offsets in `.debug_str` are replaced by the strings.
    pub attributes: Vec<Attribute<'i>>,
}

/// Whether a section of this name can be shown in the style of NVIDIA's dump tools: only
/// `.debug_abbrev` and `.debug_info` can.
pub fn is_shown(name: &str) -> bool {
    matches!(
        SectionName::parse(name).contents_kind(),
        Some(SectionKind::DebugAbbrev | SectionKind::DebugInfo)
    )
}

/// Calls `take` with each item of `.debug_abbrev` or `.debug_info`, in file order, until `take`
/// returns an error. [`is_shown`] must be true for the name of the section.
///
/// # Errors
///
/// The section, or one that it refers to, cannot be read at all. What cannot be read in it is an
/// item.
pub fn items<'c, E>(
    source: &DumpSource<'c, '_>,
    view: &RelocatedView<'c>,
    model: Model,
    take: &mut dyn FnMut(Item<'_>) -> std::result::Result<(), E>,
) -> Result<std::result::Result<(), E>> {
    let raw = source.cubin().bytes(view.index)?;
    let bytes = if model == Model::Observed { &raw } else { &view.data.bytes };
    if SectionName::parse(&view.name).contents_kind() == Some(SectionKind::DebugAbbrev) {
        return Ok(abbreviations(view, bytes, take));
    }
    let abbrev = source.sibling(&view.name, SectionKind::DebugAbbrev)?;
    let strings = source.sibling(&view.name, SectionKind::DebugStr)?;
    let strings_size = strings.as_ref().map_or(0, |view| view.data.bytes.len());
    let size = view.data.bytes.len() + abbrev.as_ref().map_or(0, |view| view.data.bytes.len());
    let mut info = Info {
        view,
        bytes,
        abbrev,
        tables: BTreeMap::new(),
        strings: strings.as_ref().map_or(&[], |view| &view.data.bytes),
        model,
        budget: WorkBudget::of_strings(view.data.bytes.len() as u64, strings_size as u64),
        abbreviations: WorkBudget::of_input(size as u64 / LEAST_ABBREVIATION, 1),
    };
    Ok(info.units(take))
}

/// What cannot be read from `start` to `end`.
fn fault(error: Error, bytes: &[u8], start: u64, end: u64) -> Item<'_> {
    let offset = |at| usize::try_from(at).unwrap_or(usize::MAX);
    Item::Fault { error, start, bytes: bytes.get(offset(start)..offset(end)).unwrap_or_default() }
}

/// `.debug_abbrev` (DWARF 2.0.0 §7.5.3).
fn abbreviations<E>(
    view: &RelocatedView<'_>,
    bytes: &[u8],
    take: &mut dyn FnMut(Item<'_>) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut cursor = Cursor::new(abbrev::SECTION, bytes);
    let mut table = AbbrevTable::default();
    while !cursor.is_empty() {
        let (start, known) = (cursor.offset(), table.all().len());
        match next(&mut table, &mut cursor) {
            Ok(true) => {
                if let Some(added) = table.all().get(known) {
                    take(Item::Abbreviation(added, table.attributes(added)))?;
                }
            }
            Ok(false) => table = AbbrevTable::default(),
            Err(error) => {
                return take(fault(error.rebased(&*view.name, 0), bytes, start, bytes.len() as u64));
            }
        }
    }
    Ok(())
}

/// Reads the abbreviation at the cursor into the table; whether there was one. What the tool shows
/// is not an error.
fn next(table: &mut AbbrevTable, cursor: &mut Cursor<'_>) -> Result<bool> {
    let is_read = table.read_next(cursor, &mut |error| match error.kind {
        dwarf2_reader::ErrorKind::LebOverflow(_) => Err(error),
        _ => Ok(()),
    })?;
    let last = table.all().last().map_or(0, |last| table.attributes(last).len());
    if is_read && last > MAX_ATTRIBUTES {
        let message = "unexpectedly too many dwarf attributes for any DW_TAG entry!";
        return Err(Error::new(abbrev::SECTION, cursor.offset(), ErrorKind::Limit(message.into())));
    }
    Ok(is_read)
}

/// Bytes of an abbreviation without attributes: code, tag, children, and two zeros.
const LEAST_ABBREVIATION: u64 = 5;

/// The units of `.debug_info`, and what their entries refer to.
struct Info<'v, 'c> {
    view: &'v RelocatedView<'c>,
    bytes: &'v [u8],
    abbrev: Option<Rc<RelocatedView<'c>>>,
    /// The tables that have been read, by their offsets.
    tables: BTreeMap<u64, Rc<AbbrevTable>>,
    strings: &'v [u8],
    model: Model,
    budget: WorkBudget,
    /// Abbreviations that may still be read: tables of units may overlap, and all are kept.
    abbreviations: WorkBudget,
}

impl<'v> Info<'v, '_> {
    fn units<E>(
        &mut self,
        take: &mut dyn FnMut(Item<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let bytes = self.bytes;
        let mut cursor = Cursor::new(info::SECTION, bytes);
        while !cursor.is_empty() {
            let start = cursor.offset();
            let (header, unit) = match header(&mut cursor) {
                Ok(header) => header,
                Err(error) => {
                    let error = Error::from(error).rebased(&*self.view.name, 0);
                    return take(fault(error, bytes, start, bytes.len() as u64));
                }
            };
            take(Item::Unit(header))?;
            let mut at = unit.entries;
            if let Err(error) = self.entries(&unit, &mut at, take)? {
                take(fault(error, bytes, at, unit.span.end))?;
            }
        }
        Ok(())
    }

    /// Hands out the entries of a unit; `at` is where the one begins that cannot be read.
    fn entries<E>(
        &mut self,
        unit: &Unit,
        at: &mut u64,
        take: &mut dyn FnMut(Item<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<Result<()>, E> {
        let table = match self.table(unit.abbrev_offset) {
            Ok(table) => table,
            Err(error) => return Ok(Err(error)),
        };
        let mut depth = 0_usize;
        while *at < unit.span.end {
            let (item, end) = match self.entry(unit, *at, &table, &mut depth) {
                Ok(read) => read,
                Err(error) => return Ok(Err(error)),
            };
            item.map_or(Ok(()), &mut *take)?;
            *at = end;
        }
        Ok(Ok(()))
    }

    /// The abbreviations at an offset of `.debug_abbrev`, by their codes. Of two with one code the
    /// first counts.
    fn table(&mut self, offset: u64) -> Result<Rc<AbbrevTable>> {
        let Some(view) = &self.abbrev else { return Ok(Rc::default()) };
        if let Some(known) = self.tables.get(&offset) {
            return Ok(Rc::clone(known));
        }
        let mut table = AbbrevTable::new(offset);
        let (bytes, what) = (&view.data.bytes, "the abbreviations of a unit");
        let mut cursor =
            Cursor::at(abbrev::SECTION, bytes, offset, what).map_err(|error| self.view.fault(error))?;
        while next(&mut table, &mut cursor).map_err(|error| error.rebased(&*view.name, 0))? {
            if !self.abbreviations.take(1) {
                let text = "too many units share a part of their abbreviations";
                return Err(Error::new(&*view.name, cursor.offset(), ErrorKind::Limit(text.into())));
            }
        }
        let table = Rc::new(table);
        self.tables.insert(offset, Rc::clone(&table));
        Ok(table)
    }

    /// The entry at a byte offset of the section, and where it ends.
    fn entry(
        &mut self,
        unit: &Unit,
        at: u64,
        table: &AbbrevTable,
        depth: &mut usize,
    ) -> Result<(Option<Item<'v>>, u64)> {
        let entry = match unit.node(table, self.bytes, at).map_err(|error| self.view.fault(error))? {
            Node::Entry(entry) => entry,
            Node::End(span) | Node::Padding(span) => {
                *depth = depth.saturating_sub(1);
                return Ok(((self.model == Model::Documented).then_some(Item::Null), span.end));
            }
        };
        let specs = table.attributes(entry.abbreviation());
        let attributes = self.attributes(specs, &entry)?;
        let end = attributes.last().map_or(entry.values(), |last| last.span.end);
        let (offset, code, tag) = (at - unit.span.start, entry.abbreviation().code, entry.tag());
        let item = Item::Entry(Entry { depth: *depth, offset, code, tag, attributes });
        *depth += usize::from(entry.abbreviation().has_children);
        Ok((Some(item), end))
    }

    /// The attributes of an entry, at most [`MAX_ATTRIBUTES`], each of a form and size that can be
    /// shown.
    fn attributes(
        &mut self,
        specs: &[AttributeSpec],
        entry: &info::Entry<'_, 'v>,
    ) -> Result<Vec<Attribute<'v>>> {
        let (mut read, mut end) = (entry.attributes(), entry.values());
        let mut attributes = Vec::with_capacity(specs.len());
        for AttributeSpec { form, .. } in specs {
            let fault = |kind| Error::new(&*self.view.name, end, kind);
            if matches!(FormEncoding::of_version_2((*form).into()), None | Some(FormEncoding::Indirect)) {
                let (found, expected) = ((*form).into(), "one of DWARF 2, other than DW_FORM_indirect");
                return Err(fault(ErrorKind::Value { field: "form", found, expected }));
            }
            let mut attribute =
                read.next().ok_or_else(|| fault(ErrorKind::Truncated("an attribute's value")))?;
            if let Value::StringOffset(offset) = attribute.value {
                let string = strings::string_at(self.strings, offset).unwrap_or_default();
                self.view.take_text(&mut self.budget, string.len(), attribute.span.start)?;
                attribute.value = Value::String(string);
            }
            end = attribute.span.end;
            attributes.push(attribute);
        }
        Ok(attributes)
    }
}

/// Reads a unit's header and moves the cursor to the end of the unit. The version may be any.
fn header(cursor: &mut Cursor<'_>) -> dwarf2_reader::Result<(UnitHeader, Unit)> {
    let start = cursor.offset();
    let length = cursor.u32("the length of a unit")?;
    let mut header = cursor.split(length.into(), "a unit")?;
    let version = header.u16("the version of a unit")?;
    let abbrev_offset = header.u32("the abbreviations' offset")?;
    let at = header.offset();
    let address_size = header.u8("the size of addresses")?;
    if !matches!(address_size, 1..=8) {
        let (field, found) = ("address size", address_size.into());
        let kind = dwarf2_reader::ErrorKind::Value { field, found, expected: "1 to 8" };
        return Err(header.error_at(at, kind));
    }
    let unit = Unit::of_version_2(start..cursor.offset(), abbrev_offset.into(), address_size);
    Ok((UnitHeader { start, length, version, abbrev_offset, address_size }, unit))
}
