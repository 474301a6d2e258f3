//! Decoded sections as text.

use super::model::{
    Contents, FrameEntry, FunctionFacts, Header, InfoUnit, LineRow, LineSequence, LineUnit, Location,
    Register, Section, SharedVariables,
};
use crate::commands::read::{demangle, printable};
use nv_debug_sections::{cubin, nv_info};
use std::io::{self, Write};

/// Bytes shown on one line.
const HEX_WIDTH: usize = 16;

type Out<'o> = &'o mut dyn Write;

pub(super) fn table(out: Out<'_>, file: &str, header: &cubin::Header, rows: &[Header]) -> io::Result<()> {
    let kind = match header.e_type {
        1 => "relocatable",
        2 => "executable",
        cubin::ET_EWP => "extensible whole program",
        _ => "unknown type",
    };
    writeln!(out, "{}: cubin for sm_{}, {kind}", printable(file), header.sm())?;
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(4).clamp(4, 60);
    let type_width = rows.iter().map(|row| row.r#type.len()).max().unwrap_or(4).max(4);
    writeln!(
        out,
        "  Index  {:width$}  {:type_width$}  {:>10}  {:>10}  {:>10}  Relocations  Content",
        "Name", "Type", "Flags", "Address", "Size"
    )?;
    for row in rows {
        let relocations = if row.relocations == 0 { String::new() } else { row.relocations.to_string() };
        let content = match (row.content, row.origin) {
            (Some(content), Some("ptx")) => format!("{content} (from the PTX)"),
            (content, _) => content.unwrap_or("").to_owned(),
        };
        let line = format!(
            "  {:5}  {:width$}  {:type_width$}  {:#10x}  {:#10x}  {:#10x}  {relocations:11}  {content}",
            row.index,
            printable(&row.name),
            row.r#type,
            row.flags,
            row.address,
            row.size
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

pub(super) fn section(out: Out<'_>, section: &Section) -> io::Result<()> {
    writeln!(out, "{} (section {}, {:#x} bytes)", printable(&section.name), section.index, section.size)?;
    if let Some(error) = &section.error {
        writeln!(out, "  error: {}", printable(error))?;
    }
    match &section.contents {
        Contents::Lines(units) => {
            units.iter().enumerate().try_for_each(|(number, unit)| line_unit(out, number, unit))
        }
        Contents::PtxText(lines) => {
            lines.iter().try_for_each(|line| writeln!(out, "  {:5}  {}", line.line, printable(&line.text)))
        }
        Contents::Strings(entries) | Contents::Macros(entries) => entries
            .iter()
            .try_for_each(|entry| writeln!(out, "  {:#06x}  {}", entry.offset, printable(&entry.value))),
        Contents::Registers(functions) => functions.iter().try_for_each(|function| {
            writeln!(out, "  {}:", name(&function.function))?;
            function.ranges.iter().try_for_each(|range| register(out, range))
        }),
        Contents::RegisterTypes(functions) => functions.iter().try_for_each(|function| {
            writeln!(out, "  {}: {}", name(&function.function), function.types.join(" "))
        }),
        Contents::Frames(entries) => entries.iter().try_for_each(|entry| frame(out, entry)),
        Contents::Abbreviations(all) => all.iter().try_for_each(|abbreviation| {
            let children = if abbreviation.children { "has children" } else { "no children" };
            writeln!(
                out,
                "  {:#06x}  {} {} ({children})",
                abbreviation.offset, abbreviation.code, abbreviation.tag
            )?;
            abbreviation
                .attributes
                .iter()
                .try_for_each(|(name, form)| writeln!(out, "            {name:<24} {form}"))
        }),
        Contents::Info(units) => units.iter().try_for_each(|unit| info_unit(out, unit)),
        Contents::Locations(entries) => entries.iter().try_for_each(|entry| location(out, entry)),
        Contents::Lookup(entries) => entries
            .iter()
            .try_for_each(|entry| writeln!(out, "  <{:#x}>  {}", entry.die, printable(&entry.name))),
        Contents::Attributes(records) => records.iter().try_for_each(|record| {
            let line = format!("  {:36}  {}", record.attribute, printable(&record.value));
            writeln!(out, "{}", line.trim_end())
        }),
        Contents::Shared(shared) => shared_variables(out, shared),
        Contents::Bytes(bytes) => hex(out, bytes, 0),
    }?;
    section.functions.iter().try_for_each(|function| facts(out, function))
}

/// `saxpy: 24 registers, frame of 0 bytes, stack of 0 bytes`, `saxpy: exits at 0x90 0x360`.
fn facts(out: Out<'_>, facts: &FunctionFacts) -> io::Result<()> {
    let bytes = |what: &'static str, size: Option<u32>| {
        size.map(|size| match size {
            nv_info::UNKNOWN_STACK => format!("{what} of unknown size"),
            size => format!("{what} of {size} bytes"),
        })
    };
    let exits: Vec<_> = facts.exits.iter().map(|offset| format!("{offset:#x}")).collect();
    let all = [
        facts.registers.map(|count| format!("{count} registers")),
        bytes("frame", facts.frame_size),
        bytes("stack", facts.min_stack_size),
        bytes("largest stack", facts.max_stack_size),
        (!exits.is_empty()).then(|| format!("exits at {}", exits.join(" "))),
    ];
    let all: Vec<_> = all.into_iter().flatten().collect();
    writeln!(out, "  {}: {}", name(&facts.function), all.join(", "))
}

fn shared_variables(out: Out<'_>, shared: &SharedVariables) -> io::Result<()> {
    let state = if shared.linked { "linked" } else { "to be linked" };
    writeln!(out, "  {state}, alignment {}", shared.align)?;
    shared.variables.iter().try_for_each(|variable| {
        let (what, number) = match (variable.offset, variable.align) {
            (Some(offset), _) => ("offset", offset),
            (None, align) => ("alignment", align.unwrap_or_default()),
        };
        writeln!(out, "  {}: {what} {number:#x}, {} bytes", name(&variable.name), variable.size)
    })
}

fn line_unit(out: Out<'_>, number: usize, unit: &LineUnit) -> io::Result<()> {
    write!(out, "  unit {number}")?;
    if let Some(base) = unit.debug_str_base {
        write!(out, ", names at .debug_str+{base:#x}")?;
    }
    writeln!(out)?;
    for file in &unit.files {
        write!(out, "    file {}  {}", file.number, printable(&file.path))?;
        if file.mtime != 0 || file.size != 0 {
            write!(out, "  (mtime {}, {} bytes)", file.mtime, file.size)?;
        }
        writeln!(out)?;
    }
    unit.sequences.iter().try_for_each(|sequence| line_sequence(out, unit, sequence))
}

fn line_sequence(out: Out<'_>, unit: &LineUnit, sequence: &LineSequence) -> io::Result<()> {
    let start = sequence.start.as_deref().unwrap_or("nowhere (dropped by the linker)");
    writeln!(out, "    sequence at {}, {:#x} bytes", printable(start), sequence.end)?;
    writeln!(out, "      Row  Address  Line")?;
    sequence.rows.iter().try_for_each(|row| line_row(out, unit, row))
}

fn line_row(out: Out<'_>, unit: &LineUnit, row: &LineRow) -> io::Result<()> {
    let number = row.number.map_or("-".to_owned(), |number| number.to_string());
    let file = unit.files.iter().find(|file| file.number == row.file).map(|file| printable(&file.path));
    let file = match (file, row.file) {
        (Some(path), _) => path,
        (None, 0) => "line ".into(),
        (None, number) => format!("file {number} (not declared)").into(),
    };
    let colon = if file == "line " { "" } else { ":" };
    write!(out, "    {number:>5}  {:#07x}  {file}{colon}{}", row.address, row.line)?;
    if row.context != 0 {
        write!(
            out,
            "  {} inlined at row {}",
            row.callee.as_deref().map_or("??".to_owned(), name),
            row.context
        )?;
    }
    if let Some(doubt) = row.callee_doubt {
        write!(out, " [name unsure: {doubt}]")?;
    }
    if row.entry {
        write!(out, "  entry")?;
    }
    writeln!(out)
}

fn register(out: Out<'_>, range: &Register) -> io::Result<()> {
    let part = if range.part == 0 { String::new() } else { format!(".{}", range.part) };
    let ptx = format!("{}{part}", printable(&range.ptx));
    writeln!(
        out,
        "    {:#06x}-{:#06x}  {:8} {ptx:16} .{}",
        range.start,
        range.end,
        range.sass,
        range.r#type.unwrap_or("?")
    )
}

fn frame(out: Out<'_>, entry: &FrameEntry) -> io::Result<()> {
    writeln!(out, "  {} {}", entry.entry, printable(&entry.header))?;
    entry.rules.iter().try_for_each(|rule| writeln!(out, "    {}", printable(rule)))
}

fn info_unit(out: Out<'_>, unit: &InfoUnit) -> io::Result<()> {
    let InfoUnit { offset, version, address_size, abbrev_offset, .. } = unit;
    writeln!(
        out,
        "  unit at {offset:#x}: DWARF {version}, {address_size}-byte addresses, .debug_abbrev+{abbrev_offset:#x}"
    )?;
    for die in &unit.entries {
        // Deep nesting shows in the text only so far.
        let indent = 2 * die.depth.min(40);
        writeln!(out, "  {:#06x} {:indent$}{}", die.offset, "", die.tag)?;
        for attribute in &die.attributes {
            writeln!(out, "         {:indent$}  {}: {}", "", attribute.name, printable(&attribute.value))?;
        }
    }
    Ok(())
}

fn location(out: Out<'_>, entry: &Location) -> io::Result<()> {
    writeln!(
        out,
        "  {:#06x}  {} to {}: {}",
        entry.offset,
        entry.start,
        entry.end,
        printable(&entry.expression)
    )?;
    if entry.last { writeln!(out, "          end of list") } else { Ok(()) }
}

/// Bytes, of which the first is at offset `start`.
pub(super) fn hex(out: Out<'_>, bytes: &[u8], start: u64) -> io::Result<()> {
    for (offset, chunk) in (start..).step_by(HEX_WIDTH).zip(bytes.chunks(HEX_WIDTH)) {
        write!(out, "  {offset:#06x} ")?;
        for byte in chunk {
            write!(out, " {byte:02x}")?;
        }
        let shown =
            |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' };
        writeln!(
            out,
            "{:pad$}  {}",
            "",
            chunk.iter().map(shown).collect::<String>(),
            pad = 3 * (HEX_WIDTH - chunk.len())
        )?;
    }
    Ok(())
}

/// A function's name, demangled where it was mangled.
fn name(symbol: &str) -> String {
    printable(&demangle(symbol).unwrap_or_else(|| symbol.to_owned())).into_owned()
}
