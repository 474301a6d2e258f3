//! `--style ptxas`: `.debug_abbrev` and `.debug_info` as the dump of NVIDIA's tools has them.
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
//! `cuobjdump -elf` (13.0.88) has the same lines, and what is between them is its: blanks, attributes, values. It prints no
//! null entries, and fields as they lie in the file, stale ones under RELA too; `--style cuobjdump` is that, byte for byte.
//! Observed with it: offsets in angle brackets are those in the unit; more than 256 attributes are too many; a name that it
//! does not know is empty.

mod names;
mod operations;

use super::text::hex;
use crate::commands::read::{printable, text};
use crate::stderr::complain;
use cubin_debuginfo::dump::{Source, View};
use dwarf2_reader::abbrev::{self, AbbrevTable, Abbreviation, AttributeSpec};
use dwarf2_reader::constants as dw;
use dwarf2_reader::info::{self, Attribute, Entry, Layout, Node, Unit, Value};
use dwarf2_reader::{Cursor, WorkBudget, strings};
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

/// Most attributes of one abbreviation. Observed: cuobjdump 13.0.88 takes 256.
const MAX_ATTRIBUTES: usize = 256;

/// Whose text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Model {
    /// What seed 001 states: null entries, the ends of lists of children, are ` (nill) `. Fields are relocated.
    Documented,
    /// What cuobjdump prints: null entries are not shown, fields are those of the file.
    Observed,
}

/// Whether there is such a text of a section.
pub(super) fn is_shown(name: &str) -> bool {
    matches!(
        SectionName::parse(name).contents_kind(),
        Some(SectionKind::DebugAbbrev | SectionKind::DebugInfo)
    )
}

/// Writes a section of [`is_shown`]; whether it is sound. What cannot be read is said, and follows as bytes.
///
/// # Errors
///
/// The section, or one that it refers to, cannot be read at all; inside, `out` cannot be written.
pub(super) fn section<'c>(
    out: &mut dyn Write,
    file: &str,
    source: &Source<'c, '_>,
    view: &View<'c>,
    model: Model,
) -> Result<io::Result<bool>> {
    let raw = source.cubin().bytes(view.index)?;
    let bytes = if model == Model::Observed { &raw } else { &view.data.bytes };
    let shown = Shown { file, name: &view.name, bytes };
    if SectionName::parse(&view.name).contents_kind() == Some(SectionKind::DebugAbbrev) {
        return Ok(abbreviations(out, shown));
    }
    let mut info = Info::new(source, view, shown, model)?;
    Ok(info.write(out))
}

/// `.debug_abbrev` (DWARF 2.0.0 §7.5.3).
fn abbreviations(out: &mut dyn Write, shown: Shown<'_>) -> io::Result<bool> {
    let name = printable(shown.name);
    write!(out, ".section {name}\n\nContents of the {name} section:\n\n  Number  TAG\n")?;
    let mut cursor = Cursor::new(abbrev::SECTION, shown.bytes);
    let mut table = AbbrevTable::default();
    while !cursor.is_empty() {
        let (start, known) = (cursor.offset(), table.all().len());
        match next(&mut table, &mut cursor) {
            Ok(true) => {
                if let Some(added) = table.all().get(known) {
                    write_abbreviation(out, added, table.attributes(added))?;
                }
            }
            Ok(false) => table = AbbrevTable::default(),
            Err(error) => {
                return shown.fault(out, &error.moved(shown.name, 0), start, shown.bytes.len() as u64);
            }
        }
    }
    Ok(true)
}

/// A section's name, file and the bytes that are shown.
#[derive(Clone, Copy)]
struct Shown<'v> {
    /// The file's name, for messages.
    file: &'v str,
    name: &'v str,
    bytes: &'v [u8],
}

impl Shown<'_> {
    /// Says what is wrong, and shows the bytes from `start` to `end`. Nothing is sound then.
    fn fault(self, out: &mut dyn Write, error: &Error, start: u64, end: u64) -> io::Result<bool> {
        out.flush()?;
        complain(format_args!("{}: {error}", self.file));
        let offset = |at| usize::try_from(at).unwrap_or(usize::MAX);
        hex(out, self.bytes.get(offset(start)..offset(end)).unwrap_or_default(), start)?;
        Ok(false)
    }
}

/// Reads the abbreviation at the cursor into the table; whether there was one. What the tool shows is no fault.
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

fn write_abbreviation(
    out: &mut dyn Write,
    abbreviation: &Abbreviation,
    attributes: &[AttributeSpec],
) -> io::Result<()> {
    let Abbreviation { code, tag, has_children, .. } = abbreviation;
    let children = if *has_children { "has children" } else { "has no children" };
    writeln!(out, "   {code}      {tag:#04x} {}      [{children}]", names::tag(*tag))?;
    for AttributeSpec { name, form } in attributes {
        let (known, encoded) = (names::attribute(*name), names::form(*form));
        writeln!(out, "   {known}({name:#x})          {encoded}({form:#x})")?;
    }
    writeln!(out)
}

/// Bytes of an abbreviation without attributes: code, tag, children, and two zeros.
const LEAST_ABBREVIATION: u64 = 5;

/// The units of `.debug_info`, and what their entries refer to.
struct Info<'v, 'c> {
    view: &'v View<'c>,
    shown: Shown<'v>,
    abbrev: Option<Rc<View<'c>>>,
    /// The tables that have been read, by their offsets.
    tables: BTreeMap<u64, Rc<AbbrevTable>>,
    strings: Option<Rc<View<'c>>>,
    model: Model,
    budget: WorkBudget,
    /// Abbreviations that may still be read: tables of units may overlap, and all are kept.
    abbreviations: WorkBudget,
}

impl<'v, 'c> Info<'v, 'c> {
    fn new(source: &Source<'c, '_>, view: &'v View<'c>, shown: Shown<'v>, model: Model) -> Result<Self> {
        let abbrev = source.sibling(&view.name, SectionKind::DebugAbbrev)?;
        let strings = source.sibling(&view.name, SectionKind::DebugStr)?;
        let strings_size = strings.as_ref().map_or(0, |view| view.data.bytes.len());
        let budget = WorkBudget::of_strings(view.data.bytes.len() as u64, strings_size as u64);
        let size = view.data.bytes.len() + abbrev.as_ref().map_or(0, |view| view.data.bytes.len());
        let abbreviations = WorkBudget::of_input(size as u64 / LEAST_ABBREVIATION, 1);
        let tables = BTreeMap::new();
        Ok(Self { view, shown, abbrev, tables, strings, model, budget, abbreviations })
    }

    fn write(&mut self, out: &mut dyn Write) -> io::Result<bool> {
        let shown = self.shown;
        writeln!(out, ".section {}", printable(shown.name))?;
        let mut cursor = Cursor::new(info::SECTION, shown.bytes);
        let mut is_sound = true;
        while !cursor.is_empty() {
            let start = cursor.offset();
            let (text, unit) = match header(&mut cursor) {
                Ok(header) => header,
                Err(error) => {
                    let error = Error::from(error).moved(shown.name, 0);
                    return shown.fault(out, &error, start, shown.bytes.len() as u64);
                }
            };
            out.write_all(text.as_bytes())?;
            let mut at = unit.entries;
            let done = self.entries(&unit, &mut at, out)?;
            if let Err(error) = done {
                is_sound = shown.fault(out, &error, at, unit.span.end)?;
            }
        }
        Ok(is_sound)
    }

    /// Writes the entries of a unit; `at` is where the one begins that cannot be read.
    fn entries(&mut self, unit: &Unit, at: &mut u64, out: &mut dyn Write) -> io::Result<Result<()>> {
        let table = match self.table(unit.abbrev_offset) {
            Ok(table) => table,
            Err(error) => return Ok(Err(error)),
        };
        let mut depth = 0_usize;
        while *at < unit.span.end {
            match self.entry(unit, *at, &table, &mut depth, out)? {
                Ok(end) => *at = end,
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(()))
    }

    /// The abbreviations at an offset of `.debug_abbrev`, by their codes. Of two with one code the first counts.
    fn table(&mut self, offset: u64) -> Result<Rc<AbbrevTable>> {
        let Some(view) = &self.abbrev else { return Ok(Rc::default()) };
        if let Some(known) = self.tables.get(&offset) {
            return Ok(Rc::clone(known));
        }
        let mut table = AbbrevTable::new(offset);
        let (bytes, what) = (&view.data.bytes, "the abbreviations of a unit");
        let mut cursor =
            Cursor::at(abbrev::SECTION, bytes, offset, what).map_err(|error| self.view.fault(error))?;
        while next(&mut table, &mut cursor).map_err(|error| error.moved(&*view.name, 0))? {
            if !self.abbreviations.take(1) {
                let text = "too many units share a part of their abbreviations";
                return Err(Error::new(&*view.name, cursor.offset(), ErrorKind::Limit(text.into())));
            }
        }
        let table = Rc::new(table);
        self.tables.insert(offset, Rc::clone(&table));
        Ok(table)
    }

    /// Writes the entry at a byte offset of the section; where it ends. Of one that cannot be read whole nothing is written.
    fn entry(
        &mut self,
        unit: &Unit,
        at: u64,
        table: &AbbrevTable,
        depth: &mut usize,
        out: &mut dyn Write,
    ) -> io::Result<Result<u64>> {
        let node = unit.node(table, self.shown.bytes, at).map_err(|error| self.view.fault(error));
        let entry = match node {
            Ok(Node::Entry(entry)) => entry,
            Ok(Node::End(span) | Node::Padding(span)) => {
                *depth = depth.saturating_sub(1);
                if self.model == Model::Documented {
                    writeln!(out, " (nill) ")?;
                }
                return Ok(Ok(span.end));
            }
            Err(error) => return Ok(Err(error)),
        };
        let specs = table.attributes(entry.abbreviation());
        let attributes = match self.attributes(specs, &entry) {
            Ok(attributes) => attributes,
            Err(error) => return Ok(Err(error)),
        };
        let (tag, number, code) = (names::tag(entry.tag()), entry.tag(), entry.abbreviation().code);
        let offset = at - unit.span.start;
        writeln!(out, " <{depth}><{offset:x}>:  Abbrev Number: {code}   ({number:#04x} {tag})")?;
        *depth += usize::from(entry.abbreviation().has_children);
        let mut end = entry.values();
        for attribute in attributes {
            end = attribute.span.end;
            write!(out, "      {}   \t", names::attribute(attribute.name))?;
            self.value(&attribute, out)?;
            writeln!(out)?;
        }
        Ok(Ok(end))
    }

    /// The attributes of an entry, at most [`MAX_ATTRIBUTES`], each of a form and size that can be shown.
    fn attributes(&mut self, specs: &[AttributeSpec], entry: &Entry<'_, 'v>) -> Result<Vec<Attribute<'v>>> {
        let (mut read, mut end) = (entry.attributes(), entry.values());
        let mut attributes = Vec::with_capacity(specs.len());
        for AttributeSpec { form, .. } in specs {
            let fault = |kind| Error::new(&*self.view.name, end, kind);
            if matches!(Layout::of_version_2((*form).into()), None | Some(Layout::Indirect)) {
                let (found, expected) = ((*form).into(), "one of DWARF 2, other than DW_FORM_indirect");
                return Err(fault(ErrorKind::Value { field: "form", found, expected }));
            }
            let attribute = read.next().ok_or_else(|| fault(ErrorKind::Truncated("an attribute's value")))?;
            if let Value::StringOffset(offset) = attribute.value {
                let len = self.string(offset).len();
                self.view.take_text(&mut self.budget, len, attribute.span.start)?;
            }
            end = attribute.span.end;
            attributes.push(attribute);
        }
        Ok(attributes)
    }

    /// Writes an attribute's value by its form, whatever it means.
    fn value(&self, attribute: &Attribute<'_>, out: &mut dyn Write) -> io::Result<()> {
        match attribute.value {
            Value::Address(number) | Value::InfoReference(number) => write!(out, "{number:x}"),
            Value::Data(number) | Value::SectionOffset(number) | Value::Signature(number) => {
                write!(out, "{number:#x}")
            }
            Value::UnitReference(number) if attribute.form == dw::DW_FORM_ref_udata => {
                write!(out, "{number}")
            }
            Value::UnitReference(number) => write!(out, "<{number:x}>"),
            Value::Flag(flag) => write!(out, "{flag}"),
            Value::Unsigned(number) => write!(out, "{number}"),
            Value::Signed(number) => write!(out, "{number}"),
            Value::String(string) => write!(out, "{}", printable(&text(string))),
            Value::StringOffset(offset) => write!(out, "{}", self.string(offset)),
            Value::Block(bytes) => block(attribute, bytes, out),
        }
    }

    /// The string at an offset of `.debug_str`; empty where there is none.
    fn string(&self, offset: u64) -> Cow<'_, str> {
        let section: &[u8] = self.strings.as_ref().map_or(&[], |view| &view.data.bytes);
        match String::from_utf8_lossy(strings::string_at(section, offset).unwrap_or_default()) {
            Cow::Borrowed(string) => printable(string),
            Cow::Owned(string) => printable(&string).into_owned().into(),
        }
    }
}

/// Text of a unit's header, and what it says; the cursor is moved behind the unit. The version may be any.
fn header(cursor: &mut Cursor<'_>) -> dwarf2_reader::Result<(String, Unit)> {
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
    let text = format!(
        " Compilation Unit @ offset {start:#x}:\n  Length:           {length}\n  Version:          {version}\n  \
         Abbrev Offset:    {abbrev_offset}\n  Pointer Size:     {address_size}\n"
    );
    let unit = Unit::of_version_2(start..cursor.offset(), abbrev_offset.into(), address_size);
    Ok((text, unit))
}

/// A block: its length in as many columns as the longest of its form has, its bytes, and the operations of a location.
fn block(attribute: &Attribute<'_>, bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let width = match attribute.form {
        dw::DW_FORM_block1 => 3,
        dw::DW_FORM_block2 => 5,
        dw::DW_FORM_block4 => 10,
        _ => 20,
    };
    write!(out, "{:width$} byte block:", bytes.len())?;
    for byte in bytes {
        write!(out, " {byte:2x}")?;
    }
    write!(out, " ")?;
    if names::is_location(attribute.name) && !bytes.is_empty() {
        write!(out, "(")?;
        operations::write(out, bytes)?;
        write!(out, ")")?;
    }
    Ok(())
}
