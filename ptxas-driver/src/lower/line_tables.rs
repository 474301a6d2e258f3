//! `.debug_line` and `.nv_debug_line_sass` from the code image and the `.loc` directives.

use super::{Context, Lowered, debug_relocs};
use crate::code_image::CodeSection;
use anyhow::Result;
use dwarf2_writer::{Address, Section, SymbolId};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SymbolIndex;
use nv_debug_sections::file_table::{self, FileTable, SourceFile};
use nv_debug_sections::generation::Generation;
use nv_debug_sections::line::{self, LineFile, LineOp, LineTable, PTXAS_PARAMS, Sequence};
use nv_debug_sections::line_table::{
    AddressPair, EntryRow, FunctionStart, Loc, Located, Table, entry_rows, locations, ptx_lines, transcode,
};

/// The source location table, and how many rows it has.
pub(super) fn debug_line(context: &Context<'_>, files: &[SourceFile<'_>]) -> Result<(Lowered, usize)> {
    let FileTable { directories, files } =
        file_table::build(files.iter().copied(), context.facts.uses_file_0);
    let Sequences { list, inlined } = sequences(context, |section| source_program(context, section));
    let ops = list.iter().flat_map(|(_, sequence)| &sequence.ops);
    let rows = ops.filter(|op| matches!(op, LineOp::Row { .. })).count();
    let unit = LineTable {
        params: PTXAS_PARAMS,
        directories,
        files,
        debug_str_base: inlined.then_some(0),
        sequences: Vec::new(),
    };
    // Native tables of sm_90 and later keep the base unrelocated.
    let relocate_base = context.relocatable && Generation::of(context.sm) == Generation::Legacy;
    let debug_str = context.image.section_symbols.get(SectionKind::DebugStr.name()).filter(|_| relocate_base);
    let lowered = encode(SectionKind::DebugLine, unit, list, debug_str.map(|symbol| SymbolId(symbol.0)))?;
    Ok((lowered, rows))
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
        let Some(lines) = &section.ptx_lines else { return Program::default() };
        let (locs, located, entries) = ptx_lines(file, lines, &function_starts(context, section));
        program(context, &locs, &located, &entries)
    });
    let table = if list.is_empty() {
        file_table::build(files.iter().copied(), context.facts.uses_file_0)
    } else if context.relocatable {
        let name = ptx_txt_name.as_bytes().into();
        FileTable { files: vec![LineFile { name, directory: 0, mtime: 0, size: 0 }], ..FileTable::default() }
    } else {
        FileTable::default()
    };
    let unit = LineTable {
        params: PTXAS_PARAMS,
        directories: table.directories,
        files: table.files,
        debug_str_base: None,
        sequences: Vec::new(),
    };
    encode(SectionKind::NvDebugLineSass, unit, list, None)
}

/// The line program of one code section.
#[derive(Debug, Default)]
struct Program {
    ops: Vec<LineOp>,
    /// Whether inlined code occurs, if only in the hidden table that this one is transcoded from: it decides on the `.debug_str` base.
    inlined: bool,
}

/// The programs of all code sections.
struct Sequences {
    list: Vec<(SymbolIndex, Sequence)>,
    inlined: bool,
}

/// Programs of all code sections that have rows, in ptxas' order: by section, from sm_90 on by function symbol.
fn sequences(context: &Context<'_>, program: impl Fn(&CodeSection) -> Program) -> Sequences {
    let mut sequences = Sequences { list: Vec::new(), inlined: false };
    for section in &context.image.sections {
        let Program { ops, inlined } = program(section);
        sequences.inlined |= inlined;
        if ops.iter().any(|op| matches!(op, LineOp::Row { .. })) {
            sequences
                .list
                .push((section.symbol, Sequence { base: 0, base_offset: 0, ops, end: section.size }));
        }
    }
    if Generation::of(context.sm) >= Generation::Transcoded {
        sequences.list.sort_by_key(|(symbol, _)| *symbol);
    }
    sequences
}

fn source_program(context: &Context<'_>, section: &CodeSection) -> Program {
    let facts = context.facts;
    let entries = entry_rows(&function_starts(context, section));
    let lines = section.ptx_lines.iter().flatten();
    let located: Vec<Located> =
        lines.map(|&(address, line)| Located { address, loc: facts.loc_at_line(line) }).collect();
    program(context, &facts.locs, &located, &entries)
}

/// The program of one section, by the rules of the SM.
fn program(context: &Context<'_>, locs: &[Loc], located: &[Located], entries: &[EntryRow]) -> Program {
    let has_calls = |ops: &[LineOp]| ops.iter().any(|op| matches!(op, LineOp::InlinedCall { .. }));
    if Generation::of(context.sm) == Generation::Legacy {
        let ops = locations(locs, located, entries, Table::Native);
        return Program { inlined: has_calls(&ops), ops };
    }
    // The Mercury order of sm_90 is hidden: the native one stands in for it.
    let mercury = locations(locs, located, entries, Table::Mercury);
    let starts: Vec<u64> = entries.iter().map(|entry| entry.address).collect();
    let mut addresses: Vec<u64> = starts.iter().copied().chain(located.iter().map(|l| l.address)).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let pairs: Vec<_> = addresses.into_iter().map(|at| AddressPair { native: at, mercury: at }).collect();
    Program { inlined: has_calls(&mercury), ops: transcode(&mercury, &pairs, &starts) }
}

fn function_starts(context: &Context<'_>, section: &CodeSection) -> Vec<FunctionStart> {
    let start = |(name, address): (&str, u64)| {
        let function = context.facts.functions.get(name);
        FunctionStart {
            address,
            first_loc: function.and_then(|function| function.first_loc),
            ptx_line: function.map(|function| function.open_line),
        }
    };
    section.parts.iter().map(|part| start((&part.name, part.address))).collect()
}

fn encode(
    kind: SectionKind,
    mut unit: LineTable<'_>,
    sequences: Vec<(SymbolIndex, Sequence)>,
    debug_str: Option<SymbolId>,
) -> Result<Lowered> {
    let (symbols, sequences): (Vec<_>, Vec<_>) = sequences.into_iter().unzip();
    unit.sequences = sequences;
    let base = |index: usize, _: &Sequence| Address::Symbol { symbol: SymbolId(symbols[index].0), addend: 0 };
    let Section { bytes, relocs } = line::encode(kind.name(), &unit, debug_str, base)?;
    Ok(Lowered::of(kind, bytes, debug_relocs(&relocs)))
}
