//! `--style ptxas`, `--style cuobjdump`: the text of [`cubin_debuginfo::dump::ptxas_style`].

use super::text::hex;
use crate::commands::read::{printable, text};
use crate::stderr::complain;
use cubin_debuginfo::dump::ptxas_style::{Entry, Item, Model, UnitHeader, items, names, operations};
use cubin_debuginfo::dump::{DumpSource, RelocatedView};
use dwarf2_reader::abbrev::{Abbreviation, AttributeSpec};
use dwarf2_reader::constants as dw;
use dwarf2_reader::info::{Attribute, Value};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::{SectionKind, SectionName};
use std::io::{self, Write};

/// Writes a section; whether it is sound. What cannot be read is said, and follows as bytes.
///
/// # Errors
///
/// The section, or one that it refers to, cannot be read at all; inside, `out` cannot be written.
pub(super) fn section<'c>(
    out: &mut dyn Write,
    file: &str,
    source: &DumpSource<'c, '_>,
    view: &RelocatedView<'c>,
    model: Model,
) -> Result<io::Result<bool>> {
    let name = printable(&view.name);
    let mut is_sound = true;
    let is_abbrev = SectionName::parse(&view.name).contents_kind() == Some(SectionKind::DebugAbbrev);
    let title = if is_abbrev {
        format!(".section {name}\n\nContents of the {name} section:\n\n  Number  TAG\n")
    } else {
        format!(".section {name}\n")
    };
    // Where the section cannot be read at all, nothing is written.
    let mut title = Some(title);
    let mut begin =
        |out: &mut dyn Write| title.take().map_or(Ok(()), |title| out.write_all(title.as_bytes()));
    let written = items(source, view, model, &mut |item| {
        begin(out)?;
        match item {
            Item::Abbreviation(abbreviation, attributes) => write_abbreviation(out, abbreviation, attributes),
            Item::Unit(unit) => write_unit(out, unit),
            Item::Entry(entry) => write_entry(out, &entry),
            Item::Null => writeln!(out, " (nill) "),
            Item::Fault { error, start, bytes } => {
                is_sound = false;
                out.flush()?;
                complain(format_args!("{file}: {error}"));
                hex(out, bytes, start)
            }
        }
    })?;
    Ok(written.and_then(|()| begin(out)).map(|()| is_sound))
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

fn write_unit(out: &mut dyn Write, unit: UnitHeader) -> io::Result<()> {
    let UnitHeader { start, length, version, abbrev_offset, address_size } = unit;
    writeln!(out, " Compilation Unit @ offset {start:#x}:")?;
    writeln!(out, "  Length:           {length}")?;
    writeln!(out, "  Version:          {version}")?;
    writeln!(out, "  Abbrev Offset:    {abbrev_offset}")?;
    writeln!(out, "  Pointer Size:     {address_size}")
}

fn write_entry(out: &mut dyn Write, entry: &Entry<'_>) -> io::Result<()> {
    let Entry { depth, offset, code, tag, attributes } = entry;
    writeln!(out, " <{depth}><{offset:x}>:  Abbrev Number: {code}   ({tag:#04x} {})", names::tag(*tag))?;
    for attribute in attributes {
        write!(out, "      {}   \t", names::attribute(attribute.name))?;
        write_value(out, attribute)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Writes an attribute's value by its form, whatever it means.
fn write_value(out: &mut dyn Write, attribute: &Attribute<'_>) -> io::Result<()> {
    match attribute.value {
        Value::Address(number) | Value::InfoReference(number) => write!(out, "{number:x}"),
        Value::UnitReference(number) if attribute.form == dw::DW_FORM_ref_udata => write!(out, "{number}"),
        Value::UnitReference(number) => write!(out, "<{number:x}>"),
        Value::Flag(flag) => write!(out, "{flag}"),
        Value::Unsigned(number) => write!(out, "{number}"),
        Value::Signed(number) => write!(out, "{number}"),
        Value::String(string) => write!(out, "{}", printable(&text(string))),
        Value::Block(bytes) => block(attribute, bytes, out),
        Value::Data(number)
        | Value::SectionOffset(number)
        | Value::Signature(number)
        | Value::StringOffset(number) => write!(out, "{number:#x}"),
    }
}

/// A block: its length in as many columns as the longest of its form has, its bytes, and the
/// operations of a location.
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
    operations(attribute, bytes).map_or(Ok(()), |operations| write!(out, "({operations})"))
}
