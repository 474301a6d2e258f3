//! `.debug_line` and `.nv_debug_line_sass` from the code image and the `.loc` directives.

use super::{Context, Lowered, debug_relocs};
use crate::code_image::CodeSection;
use anyhow::Result;
use dwarf2_writer::line::Params;
use dwarf2_writer::{Address, Section, SymbolId};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SymbolIndex;
use nv_debug_sections::file_table::{self, FileTable, SourceFile};
use nv_debug_sections::line::{self, LineFile, LineOp, LineTable, Sequence};
use nv_debug_sections::line_table::{
    AddressPair, EntryRow, FIRST_TRANSCODED_SM, FunctionStart, Loc, Located, Table, entry_rows, locations,
    ptx_lines, transcode,
};

/// The source location table, and how many rows it has.
pub(super) fn debug_line(context: &Context<'_>, files: &[SourceFile<'_>]) -> Result<(Lowered, usize)> {
    let FileTable { directories, files } =
        file_table::build(files.iter().copied(), context.facts.uses_file_0);
    let sequences = sequences(context, |section| source_program(context, section));
    let ops = || sequences.iter().flat_map(|(_, sequence)| &sequence.ops);
    let inlined = ops().any(|op| matches!(op, LineOp::InlinedCall { .. }));
    let rows = ops().filter(|op| matches!(op, LineOp::Row { .. })).count();
    let unit = LineTable {
        params: Params::default(),
        directories,
        files,
        debug_str_base: inlined.then_some(0),
        sequences: Vec::new(),
    };
    // Native tables of sm_90 and later keep the base unrelocated.
    let relocate_base = context.relocatable && context.sm < FIRST_TRANSCODED_SM;
    let debug_str = context.image.section_symbols.get(SectionKind::DebugStr.name()).filter(|_| relocate_base);
    let lowered =
        encode(SectionKind::DebugLine, unit, sequences, debug_str.map(|symbol| SymbolId(symbol.0)))?;
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
    let sequences = sequences(context, |section| {
        if section.ptx_lines.is_empty() {
            return Vec::new();
        }
        let starts = function_starts(context, section);
        let (locs, located, entries) = ptx_lines(file, &section.ptx_lines, &starts);
        program(context, &locs, &located, &entries)
    });
    let table = if sequences.is_empty() {
        file_table::build(files.iter().copied(), context.facts.uses_file_0)
    } else if context.relocatable {
        let name = ptx_txt_name.as_bytes().into();
        FileTable { files: vec![LineFile { name, directory: 0, mtime: 0, size: 0 }], ..FileTable::default() }
    } else {
        FileTable::default()
    };
    let unit = LineTable {
        params: Params::default(),
        directories: table.directories,
        files: table.files,
        debug_str_base: None,
        sequences: Vec::new(),
    };
    encode(SectionKind::NvDebugLineSass, unit, sequences, None)
}

/// Programs of all code sections that have rows, in ptxas' order: by section, from sm_90 on by function symbol.
fn sequences(
    context: &Context<'_>,
    program: impl Fn(&CodeSection) -> Vec<LineOp>,
) -> Vec<(SymbolIndex, Sequence)> {
    let mut sequences: Vec<_> = context
        .image
        .sections
        .iter()
        .map(|section| {
            (section.symbol, Sequence { base: 0, base_offset: 0, ops: program(section), end: section.size })
        })
        .filter(|(_, sequence)| sequence.ops.iter().any(|op| matches!(op, LineOp::Row { .. })))
        .collect();
    if context.sm >= FIRST_TRANSCODED_SM {
        sequences.sort_by_key(|(symbol, _)| *symbol);
    }
    sequences
}

fn source_program(context: &Context<'_>, section: &CodeSection) -> Vec<LineOp> {
    let facts = context.facts;
    let entries = entry_rows(&function_starts(context, section));
    let located: Vec<Located> = section
        .ptx_lines
        .iter()
        .map(|&(address, line)| Located { address, loc: facts.loc_at_line(line) })
        .collect();
    program(context, &facts.locs, &located, &entries)
}

/// The program of one section, by the rules of the SM.
fn program(context: &Context<'_>, locs: &[Loc], located: &[Located], entries: &[EntryRow]) -> Vec<LineOp> {
    if context.sm < FIRST_TRANSCODED_SM {
        return locations(locs, located, entries, Table::Native);
    }
    // The Mercury order of sm_90 is hidden: the native one stands in for it.
    let mercury = locations(locs, located, entries, Table::Mercury);
    let starts: Vec<u64> = entries.iter().map(|entry| entry.address).collect();
    let mut addresses: Vec<u64> = starts.iter().copied().chain(located.iter().map(|l| l.address)).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let pairs: Vec<_> = addresses.into_iter().map(|at| AddressPair { native: at, mercury: at }).collect();
    transcode(&mercury, &pairs, &starts)
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
    Ok(Lowered { name: kind.name().to_owned(), bytes, relocs: debug_relocs(&relocs) })
}
