//! `.debug_line` and `.nv_debug_line_sass` from the code image and the `.loc` directives.

use super::{Context, Lowered, debug_relocs};
use crate::code_image::CodeSection;
use crate::lower::ptx_facts::PtxFacts;
use crate::options::LineTableStyle;
use anyhow::Result;
use dwarf2_writer::line::{Header, Policy};
use dwarf2_writer::{Address, Section, SymbolId};
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::SymbolIndex;
use nv_debug_sections::file_table::{self, FileTable, SourceFile};
use nv_debug_sections::generation::Generation;
use nv_debug_sections::line::{self, LineFile, LineOp, LineTable, PTXAS_PARAMS, Sequence};
use nv_debug_sections::line_table::{
    AddressPair, EntryRow, FunctionStart, Loc, Located, Table, entry_rows, full, hidden_address, last_name,
    locations, ptx_lines, transcode,
};
use std::borrow::Cow;

/// A line table, and the symbol of each sequence's code section.
#[derive(Debug)]
pub(super) struct Lines<'f> {
    pub(super) table: LineTable<'f>,
    pub(super) symbols: Vec<SymbolIndex>,
}

/// The source location table as a section and as values, and how many rows it has.
pub(super) fn debug_line<'f>(
    context: &Context<'_>,
    files: &[SourceFile<'f>],
) -> Result<(Lowered, usize, Lines<'f>)> {
    let FileTable { directories, files } =
        file_table::build(files.iter().copied(), context.facts.uses_file_0);
    let Sequences { list, inlined } =
        sequences(context, |section| Some(source_lines(context.facts, section)));
    let ops = list.iter().flat_map(|(_, sequence)| &sequence.ops);
    let rows = ops.filter(|op| matches!(op, LineOp::Row { .. })).count();
    let (symbols, sequences) = list.into_iter().unzip();
    let table = LineTable {
        params: PTXAS_PARAMS,
        directories,
        files,
        debug_str_base: inlined.then_some(0),
        sequences,
    };
    let lines = Lines { table, symbols };
    // Native tables of sm_90 and later keep the base unrelocated.
    let relocates = Generation::of(context.sm) == Generation::Legacy || context.space == Space::Mercury;
    let relocate_base = context.relocatable && relocates;
    let debug_str = context.image.section_symbols.get(SectionKind::DebugStr.name()).filter(|_| relocate_base);
    let policy = match context.line_table {
        LineTableStyle::Compact => Policy::Compact(Header::Choose),
        LineTableStyle::Ptxas | LineTableStyle::Full => Policy::Plain,
    };
    let debug_str = debug_str.map(|symbol| SymbolId(symbol.0));
    let lowered = encode(policy, SectionKind::DebugLine, &lines, debug_str)?;
    Ok((lowered, rows, lines))
}

/// The PTX line table. Its one file is the section with the PTX text: number 1 by name in relocatable files, whose section names
/// differ, else number 0 without a name. Without any code ptxas leaves the source files there.
pub(super) fn line_sass(
    context: &Context<'_>,
    ptx_txt_name: &str,
    files: &[SourceFile<'_>],
) -> Result<Lowered> {
    let file = u32::from(context.relocatable);
    let Sequences { list, .. } = sequences(context, |section| {
        let lines = section.ptx_lines.as_ref()?;
        let (locs, located, entries) = ptx_lines(file, lines, &function_starts(context.facts, section));
        Some(SectionLines { of_source: false, locs: locs.into(), located, entries })
    });
    let table = if list.is_empty() {
        file_table::build(files.iter().copied(), context.facts.uses_file_0)
    } else if context.relocatable {
        let name = ptx_txt_name.as_bytes().into();
        FileTable { files: vec![LineFile { name, directory: 0, mtime: 0, size: 0 }], ..FileTable::default() }
    } else {
        FileTable::default()
    };
    let (symbols, sequences) = list.into_iter().unzip();
    let table = LineTable {
        params: PTXAS_PARAMS,
        directories: table.directories,
        files: table.files,
        debug_str_base: None,
        sequences,
    };
    encode(Policy::Plain, SectionKind::NvDebugLineSass, &Lines { table, symbols }, None)
}

/// The line program of one code section.
#[derive(Debug)]
struct Program {
    ops: Vec<LineOp>,
    /// Whether inlined code occurs, if only in the hidden table that this one is transcoded from: it decides on the `.debug_str` base.
    inlined: bool,
    /// The name in force behind the table that this one is transcoded from, which the next one begins with.
    last_name: u32,
}

/// The programs of all code sections.
struct Sequences {
    list: Vec<(SymbolIndex, Sequence)>,
    inlined: bool,
}

/// What the program of one code section is made of.
struct SectionLines<'l> {
    /// Whether they are source locations, which code that comes from no PTX instruction has none of.
    of_source: bool,
    locs: Cow<'l, [Loc]>,
    located: Vec<Located>,
    entries: Vec<EntryRow>,
}

/// Programs of all code sections that have rows, in ptxas' order: by section, native ones from sm_90 on by function symbol.
/// `lines` gives the locations of a section's instructions, if there are any.
fn sequences<'l>(
    context: &Context<'_>,
    lines: impl Fn(&CodeSection) -> Option<SectionLines<'l>>,
) -> Sequences {
    let mut sequences = Sequences { list: Vec::new(), inlined: false };
    let mut name = 0;
    for (index, section) in context.image.sections.iter().enumerate() {
        let Some(Program { ops, inlined, last_name }) = program(context, index, section, name, &lines) else {
            continue;
        };
        sequences.inlined |= inlined;
        name = last_name;
        if ops.iter().any(|op| matches!(op, LineOp::Row { .. })) {
            sequences
                .list
                .push((section.symbol, Sequence { base: 0, base_offset: 0, ops, end: section.size }));
        }
    }
    if context.space == Space::Native && Generation::of(context.sm) >= Generation::Transcoded {
        sequences.list.sort_by_key(|(symbol, _)| *symbol);
    }
    sequences
}

/// Source locations of a section's instructions.
fn source_lines<'l>(facts: &'l PtxFacts<'_>, section: &CodeSection) -> SectionLines<'l> {
    let lines = section.ptx_lines.iter().flatten();
    let located = lines.map(|&(address, line)| Located { address, loc: facts.loc_at_line(line) }).collect();
    let entries = entry_rows(&function_starts(facts, section));
    SectionLines { of_source: true, locs: Cow::Borrowed(&facts.locs), located, entries }
}

/// The program of the section at `index`, by the rules of the space and the SM; `None` if no lines of it are known. `name` is the
/// [`last_name`](Program::last_name) of the section before.
fn program<'l>(
    context: &Context<'_>,
    index: usize,
    section: &CodeSection,
    name: u32,
    lines: impl Fn(&CodeSection) -> Option<SectionLines<'l>>,
) -> Option<Program> {
    if context.line_table == LineTableStyle::Full
        && let Some(program) = full_program(context, lines(section)?)
    {
        return Some(program);
    }
    let built =
        |lines: &SectionLines<'_>, table| locations(&lines.locs, &lines.located, &lines.entries, table);
    let has_calls = |ops: &[LineOp]| ops.iter().any(|op| matches!(op, LineOp::InlinedCall { .. }));
    let table = match (context.space, Generation::of(context.sm)) {
        (Space::Native, Generation::Legacy) => Some(Table::Native),
        (Space::Native, Generation::Transcoded | Generation::Mercury) => None,
        (Space::Mercury, _) => Some(Table::Mercury),
    };
    if let Some(table) = table {
        let ops = built(&lines(section)?, table);
        return Some(Program { inlined: has_calls(&ops), ops, last_name: name });
    }
    let (hidden, pairs, starts) = match context.mercury.and_then(|mercury| mercury.image.section(index)) {
        Some((mercury, addresses)) => {
            let lines = lines(mercury)?;
            let pairs =
                if lines.of_source { addresses.of_instructions() } else { addresses.pairs().to_vec() };
            (lines, pairs, section.parts.iter().map(|part| part.address).collect())
        }
        None => hide(lines(section)?, section),
    };
    let hidden = built(&hidden, Table::Mercury);
    let ops = transcode(&hidden, name, &pairs, &starts);
    Some(Program { inlined: has_calls(&hidden), ops, last_name: last_name(&hidden, name) })
}

/// `--line-table full`: the program of source lines; `None` for PTX lines, which have nothing more to say.
fn full_program(context: &Context<'_>, lines: SectionLines<'_>) -> Option<Program> {
    let SectionLines { of_source, locs, located, entries } = lines;
    let table = if context.space == Space::Mercury { Table::Mercury } else { Table::Native };
    let ops = of_source.then(|| full(&locs, &context.facts.columns, &located, &entries, table))?;
    let inlined = ops.iter().any(|op| matches!(op, LineOp::InlinedCall { .. }));
    Some(Program { ops, inlined, last_name: 0 })
}

/// Moves native lines to the Mercury space that stands in for the hidden one, on sm_90 and without a code generator. With them come
/// the address pairs and the native starts.
fn hide<'l>(
    mut lines: SectionLines<'l>,
    section: &CodeSection,
) -> (SectionLines<'l>, Vec<AddressPair>, Vec<u64>) {
    let mut starts: Vec<u64> = section.parts.iter().map(|part| part.address).collect();
    starts.dedup();
    let instructions = lines.located.iter().map(|located| located.address);
    let mut addresses: Vec<u64> = starts.iter().copied().chain(instructions).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let hidden = |native| hidden_address(&starts, native);
    let pairs = addresses.into_iter().map(|native| AddressPair { native, mercury: hidden(native) }).collect();
    for entry in &mut lines.entries {
        entry.address = hidden(entry.address);
    }
    for located in &mut lines.located {
        located.address = hidden(located.address);
    }
    (lines, pairs, starts)
}

fn function_starts(facts: &PtxFacts<'_>, section: &CodeSection) -> Vec<FunctionStart> {
    let start = |(name, address): (&str, u64)| {
        let function = facts.functions.get(name);
        FunctionStart {
            address,
            first_loc: function.and_then(|function| function.first_loc),
            ptx_line: function.map(|function| function.open_line),
        }
    };
    section.parts.iter().map(|part| start((&part.name, part.address))).collect()
}

fn encode(
    policy: Policy,
    kind: SectionKind,
    lines: &Lines<'_>,
    debug_str: Option<SymbolId>,
) -> Result<Lowered> {
    let Lines { table, symbols } = lines;
    let base = |index: usize, _: &Sequence| Address::Symbol { symbol: SymbolId(symbols[index].0), addend: 0 };
    let Section { bytes, relocs } = line::encode_as(policy, kind.name(), table, debug_str, base)?;
    Ok(Lowered::of(kind, bytes, debug_relocs(&relocs)))
}
