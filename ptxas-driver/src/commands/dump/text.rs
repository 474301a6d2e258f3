//! `dump` as text.

use crate::commands::read::{demangle, printable};
use crate::text_table::{Column, Row, write_table};
use cubin_debuginfo::dump::{
    Abbreviation, Contents, FrameEntry, FunctionFacts, Header, InfoUnit, ItemStream, LineParams, LineRow,
    LineSequence, LineUnit, Location, Register, Registers, Section, SharedVariables, ShownUnclaimed, Span,
    StreamPart, UnclaimedBytes,
};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line::{DWARF2_PARAMS, DWARF3_PARAMS};
use nv_debug_sections::nv_info;
use std::io::{self, Write};

/// Bytes shown on one line.
pub(super) const HEX_WIDTH: usize = 16;

type Out<'o> = &'o mut dyn Write;

pub(super) fn table(out: Out<'_>, file: &str, cubin: &Cubin<'_>, rows: &[Header]) -> io::Result<()> {
    let kind = cubin.header.type_words();
    let no_code =
        cubin.debug_only_text().map_or(String::new(), |what| format!(", no code: {}", printable(&what)));
    let (origin, writer) = (cubin.origin(), cubin.origin_text());
    let (arch, abi, writer) = (&origin.arch, origin.abi_version, printable(&writer));
    writeln!(out, "{}: cubin for {arch}, {kind}, ABI {abi}, {writer}{no_code}", printable(file))?;
    let columns = [
        Column::Right("Index"),
        Column::Left("Name"),
        Column::Left("Type"),
        Column::Right("Flags"),
        Column::Right("Address"),
        Column::Right("Size"),
        Column::Right("Relocations"),
        Column::Left("Content"),
    ];
    let rows = rows.iter().map(|row| -> Row<'_, 8> {
        let content = match (row.content, row.origin) {
            (Some(content), Some("ptx")) => format!("{content} (from the PTX)").into(),
            (content, _) => content.unwrap_or_default().into(),
        };
        let hex = |number: u64| format!("{number:#x}").into();
        let relocations = if row.relocations == 0 { String::new() } else { row.relocations.to_string() };
        [
            row.index.to_string().into(),
            (&*row.name).into(),
            (&*row.r#type).into(),
            hex(row.flags),
            hex(row.address),
            hex(row.size),
            relocations.into(),
            content,
        ]
    });
    write_table(out, columns, &rows.collect::<Vec<_>>())
}

/// Writes items and, in between, what is between them.
struct Writer<'o, 's> {
    out: Out<'o>,
    rest: &'s ShownUnclaimed,
    /// The last file of a row, and its path.
    path: Option<(u64, Option<String>)>,
}

/// Writes the text of one section: its headline, the error if it cannot be decoded, its contents.
pub(super) fn section(out: Out<'_>, section: &Section<'_>) -> io::Result<()> {
    writeln!(out, "{} (section {}, {:#x} bytes)", printable(&section.name), section.index, section.size)?;
    if let Some(error) = &section.error {
        writeln!(out, "  error: {}", printable(&error.to_string()))?;
    }
    let mut writer = Writer { out, rest: &section.rest, path: None };
    writer.contents(&section.contents)?;
    if let ShownUnclaimed::Bytes(rest) = &section.rest {
        writer.rest(rest)?;
    }
    section.functions.iter().try_for_each(|function| facts(writer.out, function))
}

impl Writer<'_, '_> {
    /// What is between items.
    fn rest(&mut self, rest: &UnclaimedBytes) -> io::Result<()> {
        if !rest.bytes.is_empty() {
            return hex(self.out, &rest.bytes, rest.at.offset);
        }
        let plural = if rest.at.size == 1 { "" } else { "s" };
        let what = printable(&rest.what);
        writeln!(self.out, "  {:#06x}  {what} ({} byte{plural})", rest.at.offset, rest.at.size)
    }

    /// The beginning of an item's line.
    fn start(&mut self, at: Span) -> io::Result<()> {
        write!(self.out, "  {:#06x}", at.offset)
    }

    /// Writes the items of a section, and the headers, ends of lists and padding between them.
    fn all<'i, T: 'i>(
        &mut self,
        items: &ItemStream<'i, T>,
        mut item: impl FnMut(&mut Self, T) -> io::Result<()>,
    ) -> io::Result<()> {
        items.try_parts(|part| match part {
            StreamPart::Item(one) => item(self, one),
            StreamPart::Rest(rest) if self.rest.shows(&rest) => self.rest(&rest),
            StreamPart::Rest(_) => Ok(()),
        })
    }

    fn contents(&mut self, contents: &Contents<'_>) -> io::Result<()> {
        match contents {
            Contents::Lines(units) => self.all(units, |this, unit| this.line_unit(&unit)),
            Contents::PtxText(lines) => self.all(lines, |this, line| {
                this.start(line.at)?;
                writeln!(this.out, "  {:5}  {}", line.line, printable(&line.text))
            }),
            Contents::Strings(entries) | Contents::Macros(entries) => self.all(entries, |this, entry| {
                writeln!(this.out, "  {:#06x}  {}", entry.at.offset, printable(&entry.value))
            }),
            Contents::Registers(functions) => self.all(functions, |this, function| this.registers(&function)),
            Contents::RegisterTypes(functions) => self.all(functions, |this, function| {
                this.start(function.at)?;
                write!(this.out, "  {}:", name(&function.function))?;
                let mut is_empty = true;
                this.all(&function.types, |this, name| {
                    is_empty = false;
                    write!(this.out, " {name}")
                })?;
                writeln!(this.out, "{}", if is_empty { " " } else { "" })
            }),
            Contents::Frames(entries) => self.all(entries, |this, entry| this.frame(&entry)),
            Contents::Abbreviations(all) => self.all(all, |this, entry| this.abbreviation(&entry)),
            Contents::Info(units) => self.all(units, |this, unit| this.info_unit(&unit)),
            Contents::Locations(entries) | Contents::Ranges(entries) => {
                self.all(entries, |this, entry| this.location(&entry))
            }
            Contents::Addresses(entries) => self.all(entries, |this, entry| {
                this.start(entry.at)?;
                let (start, unit) = (printable(&entry.start), entry.unit);
                writeln!(this.out, "  {start}, {:#x} bytes: unit at {unit:#x}", entry.length)
            }),
            Contents::Lookup(entries) => self.all(entries, |this, entry| {
                this.start(entry.at)?;
                writeln!(this.out, "  <{:#x}>  {}", entry.die, printable(&entry.name))
            }),
            Contents::Attributes(records) => self.all(records, |this, record| {
                this.start(record.at)?;
                let line = format!("  {:36}  {}", record.attribute, printable(&record.value));
                writeln!(this.out, "{}", line.trim_end())
            }),
            Contents::Shared(shared) => shared_variables(self.out, shared),
            Contents::Bytes(bytes) => hex(self.out, bytes, 0),
        }
    }

    fn line_unit(&mut self, unit: &LineUnit<'_>) -> io::Result<()> {
        self.start(unit.at)?;
        write!(self.out, "  unit {}", unit.number)?;
        if let Some(base) = unit.debug_str_base {
            write!(self.out, ", names at .debug_str+{base:#x}")?;
        }
        let params = &unit.params;
        if params.version != DWARF2_PARAMS.version {
            write!(self.out, ", version {}", params.version)?;
        }
        if ![DWARF2_PARAMS.into(), DWARF3_PARAMS.into()].contains(params) {
            let LineParams {
                version: _,
                minimum_instruction_length,
                default_is_stmt,
                line_base,
                line_range,
                opcode_base,
            } = params;
            write!(self.out, ", minimum_instruction_length {minimum_instruction_length}, ")?;
            write!(self.out, "default_is_stmt {default_is_stmt}, line_base {line_base}, ")?;
            write!(self.out, "line_range {line_range}, opcode_base {opcode_base}")?;
        }
        writeln!(self.out)?;
        let mut number = 0;
        self.all(&unit.directories, |this, directory| {
            number += 1;
            writeln!(this.out, "    directory {number}  {}", printable(&directory))
        })?;
        self.all(&unit.files, |this, file| {
            write!(this.out, "    file {}  {}", file.number, printable(&file.path))?;
            if file.mtime != 0 || file.size != 0 {
                write!(this.out, "  (mtime {}, {} bytes)", file.mtime, file.size)?;
            }
            writeln!(this.out)
        })?;
        self.path = None;
        self.all(&unit.sequences, |this, sequence| this.line_sequence(unit, &sequence))
    }

    fn line_sequence(&mut self, unit: &LineUnit<'_>, sequence: &LineSequence<'_>) -> io::Result<()> {
        self.start(sequence.at)?;
        let start = sequence.start.as_deref().unwrap_or("nowhere (dropped by the linker)");
        writeln!(self.out, "    sequence at {}, {:#x} bytes", printable(start), sequence.end)?;
        writeln!(self.out, "  Offset      Row  Address  Line")?;
        self.all(&sequence.rows, |this, row| this.line_row(unit, &row))
    }

    fn line_row(&mut self, unit: &LineUnit<'_>, row: &LineRow) -> io::Result<()> {
        self.start(row.at)?;
        if self.path.as_ref().is_none_or(|(file, _)| *file != row.file) {
            self.path = Some((row.file, unit.path(row.file)));
        }
        let path = self.path.as_ref().and_then(|(_, path)| path.as_deref());
        line_row(self.out, path, row)?;
        row.operations.iter().try_for_each(|operation| {
            self.start(operation.at)?;
            writeln!(self.out, "                    {}", printable(&operation.value))
        })
    }

    fn registers(&mut self, function: &Registers<'_>) -> io::Result<()> {
        self.start(function.at)?;
        writeln!(self.out, "  {}:", name(&function.function))?;
        self.all(&function.ranges, |this, range| {
            this.start(range.at)?;
            register(this.out, &range)
        })
    }

    fn frame(&mut self, entry: &FrameEntry) -> io::Result<()> {
        self.start(entry.at)?;
        writeln!(self.out, "  {} {}", entry.entry, printable(&entry.header))?;
        entry.rules.iter().zip(&entry.rule_offsets).try_for_each(|(rule, offset)| {
            self.start(Span { offset: *offset, size: 0 })?;
            writeln!(self.out, "    {}", printable(rule))
        })
    }

    fn abbreviation(&mut self, entry: &Abbreviation<'_>) -> io::Result<()> {
        let children = if entry.children { "has children" } else { "no children" };
        writeln!(self.out, "  {:#06x}  {} {} ({children})", entry.at.offset, entry.code, entry.tag)?;
        self.all(&entry.attributes, |this, (name, form)| writeln!(this.out, "            {name:<24} {form}"))
    }

    fn info_unit(&mut self, unit: &InfoUnit<'_>) -> io::Result<()> {
        let InfoUnit { at: Span { offset, .. }, version, address_size, abbrev_offset, .. } = unit;
        writeln!(
            self.out,
            "  unit at {offset:#x}: DWARF {version}, {address_size}-byte addresses, .debug_abbrev+{abbrev_offset:#x}"
        )?;
        self.all(&unit.entries, |this, die| {
            // Deep nesting shows in the text only so far.
            let indent = 2 * die.depth.min(crate::limits::MAX_INDENTED_DEPTH);
            writeln!(this.out, "  {:#06x} {:indent$}{}", die.at.offset, "", die.tag)?;
            this.all(&die.attributes, |this, attribute| {
                let value = printable(&attribute.value);
                writeln!(this.out, "         {:indent$}  {}: {value}", "", attribute.name)
            })
        })
    }

    fn location(&mut self, entry: &Location) -> io::Result<()> {
        write!(self.out, "  {:#06x}  {} to {}", entry.at.offset, entry.start, entry.end)?;
        match &entry.expression {
            Some(expression) => writeln!(self.out, ": {}", printable(expression)),
            None => writeln!(self.out),
        }
    }
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

fn line_row(out: Out<'_>, path: Option<&str>, row: &LineRow) -> io::Result<()> {
    let number = row.number.map_or("-".to_owned(), |number| number.to_string());
    let file = path.map(printable);
    let file = match (file, row.file) {
        (Some(path), _) => path,
        (None, 0) => "line ".into(),
        (None, number) => format!("file {number} (not declared)").into(),
    };
    let colon = if file == "line " { "" } else { ":" };
    write!(out, "    {number:>5}  {:#07x}  {file}{colon}{}", row.address, row.line)?;
    if let Some(column) = row.column {
        write!(out, ":{column}")?;
    }
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
    if !row.is_stmt {
        write!(out, "  no statement")?;
    }
    writeln!(out)
}

fn register(out: Out<'_>, range: &Register<'_>) -> io::Result<()> {
    let part = if range.part == 0 { String::new() } else { format!(".{}", range.part) };
    let ptx = format!("{}{part}", printable(&range.ptx));
    writeln!(
        out,
        "    {:#06x}-{:#06x}  {:8} {ptx:16} .{}",
        range.start,
        range.end,
        range.sass,
        range.r#type.as_deref().unwrap_or("?")
    )
}

/// Bytes; the first is at offset `start`.
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
