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

use super::section::{Source, View, kind, string_budget, take};
use super::text::hex;
use crate::cli::complain;
use crate::commands::read::{printable, text};
use dwarf2_reader::WorkBudget;
use dwarf2_reader::constants as dw;
use nv_debug_sections::bytes::Cursor;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Most attributes of one abbreviation. Observed: cuobjdump 13.0.88 takes 256.
const MAX_ATTRIBUTES: usize = 256;

/// Most attributes in all tables of a section's units together, read once for each unit: no file needs as many.
const MAX_SPECS: usize = 1 << 22;

/// Whose text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Model {
    /// What seed 001 states: null entries, the ends of lists of children, are ` (nill) `. Fields are relocated.
    Documented,
    /// What cuobjdump prints: null entries are not shown, fields are those of the file.
    Observed,
}

/// How the values of a form are encoded and shown. Numbers are sizes in bytes.
#[derive(Clone, Copy)]
enum Form {
    /// `%llx`, as wide as the unit's addresses.
    Address,
    /// `0x%llx`
    Hex(u8),
    /// `<%llx>`
    Reference(u8),
    /// `%d` of a byte.
    Flag,
    /// `%llu`, ULEB128.
    Unsigned,
    /// `%lld`, SLEB128.
    Signed,
    /// Characters.
    String,
    /// Offset of 4 bytes into `.debug_str`.
    Offset,
    /// Length of that size, 0 for ULEB128, shown in as many columns as its longest number has.
    Block(u8, usize),
}

const FORMS: &[(u16, Form)] = &[
    (dw::DW_FORM_addr, Form::Address),
    (dw::DW_FORM_block2, Form::Block(2, 5)),
    (dw::DW_FORM_block4, Form::Block(4, 10)),
    (dw::DW_FORM_data2, Form::Hex(2)),
    (dw::DW_FORM_data4, Form::Hex(4)),
    (dw::DW_FORM_data8, Form::Hex(8)),
    (dw::DW_FORM_string, Form::String),
    (dw::DW_FORM_block, Form::Block(0, 20)),
    (dw::DW_FORM_block1, Form::Block(1, 3)),
    (dw::DW_FORM_data1, Form::Hex(1)),
    (dw::DW_FORM_flag, Form::Flag),
    (dw::DW_FORM_sdata, Form::Signed),
    (dw::DW_FORM_strp, Form::Offset),
    (dw::DW_FORM_udata, Form::Unsigned),
    (dw::DW_FORM_ref_addr, Form::Address),
    (dw::DW_FORM_ref1, Form::Reference(1)),
    (dw::DW_FORM_ref2, Form::Reference(2)),
    (dw::DW_FORM_ref4, Form::Reference(4)),
    (dw::DW_FORM_ref8, Form::Reference(8)),
    (dw::DW_FORM_ref_udata, Form::Unsigned),
];

/// An abbreviation. Names and forms are numbers of any size.
struct Abbreviation {
    code: u64,
    tag: u64,
    has_children: bool,
    attributes: Vec<(u64, u64)>,
}

/// Whether there is such a text of a section.
pub(super) fn is_shown(name: &str) -> bool {
    matches!(kind(name), Some(SectionKind::DebugAbbrev | SectionKind::DebugInfo))
}

/// Writes a section of [`is_shown`]; whether it is sound. What cannot be read is said, and follows as bytes.
///
/// # Errors
///
/// The section, or one that it refers to, cannot be read at all; inside, `out` cannot be written.
pub(super) fn section(
    out: &mut dyn Write,
    file: &str,
    source: &Source<'_, '_>,
    view: &View<'_>,
    model: Model,
) -> Result<io::Result<bool>> {
    let raw = source.cubin().bytes(view.index)?;
    let bytes = if model == Model::Observed { &raw } else { &view.data.bytes };
    let shown = Shown { file, name: &view.name, bytes };
    if kind(&view.name) == Some(SectionKind::DebugAbbrev) {
        return Ok(abbreviations(out, shown));
    }
    let mut info = Info::new(source, view, shown, model)?;
    Ok(info.write(out))
}

/// `.debug_abbrev` (DWARF 2.0.0 §7.5.3).
fn abbreviations(out: &mut dyn Write, shown: Shown<'_>) -> io::Result<bool> {
    let name = printable(shown.name);
    write!(out, ".section {name}\n\nContents of the {name} section:\n\n  Number  TAG\n")?;
    let mut cursor = Cursor::new(shown.name, shown.bytes);
    while !cursor.is_empty() {
        let start = cursor.offset();
        match abbreviation(&mut cursor) {
            Ok(Some(abbreviation)) => out.write_all(abbreviation.text().as_bytes())?,
            Ok(None) => {}
            Err(error) => return shown.fault(out, &error, start, shown.bytes.len() as u64),
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

/// DWARF 2.0.0 §7.5.3; `None` at the end of a table.
fn abbreviation(cursor: &mut Cursor<'_>) -> Result<Option<Abbreviation>> {
    let code = cursor.uleb("an abbreviation code")?;
    if code == 0 {
        return Ok(None);
    }
    let tag = cursor.uleb("a tag")?;
    let has_children = cursor.u8("the children flag")? != 0;
    let mut attributes = Vec::new();
    loop {
        let attribute = (cursor.uleb("an attribute name")?, cursor.uleb("an attribute form")?);
        if attribute == (0, 0) {
            return Ok(Some(Abbreviation { code, tag, has_children, attributes }));
        }
        if attributes.len() == MAX_ATTRIBUTES {
            let message = "unexpectedly too many dwarf attributes for any DW_TAG entry!";
            return Err(cursor.error(ErrorKind::Limit(message.into())));
        }
        attributes.push(attribute);
    }
}

impl Abbreviation {
    fn text(&self) -> String {
        let Self { code, tag, has_children, attributes } = self;
        let children = if *has_children { "has children" } else { "has no children" };
        let mut text = format!("   {code}      {tag:#04x} {}      [{children}]\n", names::tag(*tag));
        for (name, form) in attributes {
            let (known, encoded) = (names::attribute(*name), names::form(*form));
            let _ = writeln!(text, "   {known}({name:#x})          {encoded}({form:#x})");
        }
        text.push('\n');
        text
    }
}

/// The units of `.debug_info`, and what their entries refer to.
struct Info<'v, 'c> {
    view: &'v View<'c>,
    shown: Shown<'v>,
    abbrev: Option<View<'c>>,
    strings: Option<View<'c>>,
    model: Model,
    budget: WorkBudget,
    specs_left: usize,
}

/// The header of a unit (DWARF 2.0.0 §7.5.1).
struct Unit {
    start: u64,
    end: u64,
    address_size: u8,
    abbrev_offset: u64,
}

impl<'v, 'c> Info<'v, 'c> {
    fn new(source: &Source<'c, '_>, view: &'v View<'c>, shown: Shown<'v>, model: Model) -> Result<Self> {
        let abbrev = source.sibling(&view.name, SectionKind::DebugAbbrev)?;
        let strings = source.sibling(&view.name, SectionKind::DebugStr)?;
        let budget = string_budget(&view.data.bytes, strings.as_ref().map_or(&[], |view| &view.data.bytes));
        Ok(Self { view, shown, abbrev, strings, model, budget, specs_left: MAX_SPECS })
    }

    fn write(&mut self, out: &mut dyn Write) -> io::Result<bool> {
        let shown = self.shown;
        writeln!(out, ".section {}", printable(shown.name))?;
        let mut cursor = Cursor::new(shown.name, shown.bytes);
        let mut is_sound = true;
        while !cursor.is_empty() {
            let start = cursor.offset();
            let (unit, mut entries) = match header(&mut cursor) {
                Ok((text, unit, entries)) => {
                    out.write_all(text.as_bytes())?;
                    (unit, entries)
                }
                Err(error) => return shown.fault(out, &error, start, shown.bytes.len() as u64),
            };
            let mut at = entries.offset();
            let done = self.entries(&unit, &mut entries, &mut at, out)?;
            if let Err(error) = done {
                is_sound = shown.fault(out, &error, at, unit.end)?;
            }
        }
        Ok(is_sound)
    }

    /// Writes the entries of a unit; `at` is where the one begins that cannot be read.
    fn entries(
        &mut self,
        unit: &Unit,
        cursor: &mut Cursor<'v>,
        at: &mut u64,
        out: &mut dyn Write,
    ) -> io::Result<Result<()>> {
        let table = match self.table(unit.abbrev_offset) {
            Ok(table) => table,
            Err(error) => return Ok(Err(error)),
        };
        let mut depth = 0_usize;
        while !cursor.is_empty() {
            *at = cursor.offset();
            match self.entry(unit, cursor, &table, &mut depth) {
                Ok(text) => out.write_all(text.as_bytes())?,
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(()))
    }

    /// The abbreviations at an offset of `.debug_abbrev`, by their codes. Of two with one code the first counts.
    fn table(&mut self, offset: u64) -> Result<HashMap<u64, Abbreviation>> {
        let mut table = HashMap::new();
        let Some(view) = &self.abbrev else { return Ok(table) };
        let mut cursor = Cursor::new(&view.name, &view.data.bytes);
        cursor.take(offset, "the abbreviations of a unit")?;
        while let Some(abbreviation) = abbreviation(&mut cursor)? {
            let specs = abbreviation.attributes.len() + 1;
            self.specs_left = self.specs_left.checked_sub(specs).ok_or_else(|| {
                cursor.error(ErrorKind::Limit("too many units with long tables to show them all".into()))
            })?;
            table.entry(abbreviation.code).or_insert(abbreviation);
        }
        Ok(table)
    }

    fn entry(
        &mut self,
        unit: &Unit,
        cursor: &mut Cursor<'v>,
        table: &HashMap<u64, Abbreviation>,
        depth: &mut usize,
    ) -> Result<String> {
        let offset = cursor.offset();
        let code = cursor.uleb("an abbreviation code")?;
        if code == 0 {
            *depth = depth.saturating_sub(1);
            return Ok(if self.model == Model::Documented { " (nill) \n".to_owned() } else { String::new() });
        }
        let found = table.get(&code).ok_or_else(|| {
            let kind = ErrorKind::Value {
                field: "abbreviation code",
                found: code,
                expected: "one of the unit's table",
            };
            cursor.error_at(offset, kind)
        })?;
        let (tag, number) = (names::tag(found.tag), found.tag);
        let mut text = format!(
            " <{depth}><{:x}>:  Abbrev Number: {code}   ({number:#04x} {tag})\n",
            offset - unit.start
        );
        *depth += usize::from(found.has_children);
        for (name, form) in &found.attributes {
            let _ = write!(text, "      {}   \t", names::attribute(*name));
            self.value(unit, cursor, (*name, *form), &mut text)?;
            text.push('\n');
        }
        Ok(text)
    }

    /// Writes an attribute's value by its form, whatever it means.
    fn value(
        &mut self,
        unit: &Unit,
        cursor: &mut Cursor<'v>,
        (name, form): (u64, u64),
        out: &mut String,
    ) -> Result<()> {
        let what = "an attribute's value";
        let encoding = FORMS.iter().find(|(known, _)| u64::from(*known) == form).map(|(_, form)| *form);
        let number = |cursor: &mut Cursor<'_>, size| cursor.number(size, what);
        let _ = match encoding {
            Some(Form::Address) => write!(out, "{:x}", number(cursor, unit.address_size)?),
            Some(Form::Hex(size)) => write!(out, "{:#x}", number(cursor, size)?),
            Some(Form::Reference(size)) => write!(out, "<{:x}>", number(cursor, size)?),
            Some(Form::Flag) => write!(out, "{}", number(cursor, 1)?),
            Some(Form::Unsigned) => write!(out, "{}", cursor.uleb(what)?),
            Some(Form::Signed) => write!(out, "{}", cursor.sleb(what)?),
            Some(Form::String) => write!(out, "{}", printable(&text(cursor.cstr(what)?))),
            Some(Form::Offset) => {
                let (field, offset) = (cursor.offset(), number(cursor, 4)?);
                let string = self.string(offset);
                take(&mut self.budget, string.len(), self.view, field)?;
                write!(out, "{string}")
            }
            Some(Form::Block(size, width)) => {
                let len = if size == 0 { cursor.uleb(what)? } else { number(cursor, size)? };
                return block(cursor, name, len, width, out);
            }
            None => {
                let expected = "one of DWARF 2, other than DW_FORM_indirect";
                return Err(cursor.error(ErrorKind::Value { field: "form", found: form, expected }));
            }
        };
        Ok(())
    }

    /// The string at an offset of `.debug_str`; empty where there is none.
    fn string(&self, offset: u64) -> String {
        let strings: &[u8] = self.strings.as_ref().map_or(&[], |view| &view.data.bytes);
        let mut cursor = Cursor::new(".debug_str", strings);
        let string = cursor.take(offset, "a string").and_then(|_| cursor.cstr("a string"));
        printable(&text(string.unwrap_or_default())).into_owned()
    }
}

/// Text of a unit's header, what it says, and a cursor at the unit's entries; `cursor` is moved behind the unit.
fn header<'d>(cursor: &mut Cursor<'d>) -> Result<(String, Unit, Cursor<'d>)> {
    let start = cursor.offset();
    let length = cursor.u32("the length of a unit")?;
    let mut entries = cursor.split(length.into(), "a unit")?;
    let version = entries.u16("the version of a unit")?;
    let abbrev_offset = entries.u32("the abbreviations' offset")?;
    let address_size = entries.u8("the size of addresses")?;
    if !matches!(address_size, 1..=8) {
        let found = address_size.into();
        let kind = ErrorKind::Value { field: "address size", found, expected: "1 to 8" };
        return Err(entries.error_at(start, kind));
    }
    let text = format!(
        " Compilation Unit @ offset {start:#x}:\n  Length:           {length}\n  Version:          {version}\n  \
         Abbrev Offset:    {abbrev_offset}\n  Pointer Size:     {address_size}\n"
    );
    let unit = Unit { start, end: cursor.offset(), address_size, abbrev_offset: abbrev_offset.into() };
    Ok((text, unit, entries))
}

/// A block of `len` bytes, `width` columns for that number, and behind it the operations of a location.
fn block(cursor: &mut Cursor<'_>, name: u64, len: u64, width: usize, out: &mut String) -> Result<()> {
    let bytes = cursor.take(len, "a block")?;
    let _ = write!(out, "{len:width$} byte block:");
    for byte in bytes {
        let _ = write!(out, " {byte:2x}");
    }
    out.push(' ');
    if names::is_location(name) && !bytes.is_empty() {
        let _ = write!(out, "({})", operations::text(bytes));
    }
    Ok(())
}
