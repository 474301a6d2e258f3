//! Builds `.debug_line`, `.nv_debug_line_sass` and `.nv.tileir.debug_line` from the code image and
//! the `.loc` and `.loc_intermediate` directives.

use super::carried_lines::carry_into_blocks;
use super::{Context, LoweredSection};
use crate::code_facts::CodeSection;
use crate::error::Result;
use crate::line_table_style::LineTableStyle;
use crate::lower::ptx_facts::PtxFacts;
use crate::parallel;
use dwarf2_writer::line::{Header, Policy};
use dwarf2_writer::{Address, Section, SymbolId};
use merc_capsule::AddressMap;
use merc_capsule::finalise::native_header;
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::SymbolIndex;
use nv_debug_sections::file_table::{self, FileTable, SourceFile};
use nv_debug_sections::line::{self, EncodedSequence, LineFile, LineOp, LineTable, Sequence};
use nv_debug_sections::line_table::{
    AddressPair, EntryRow, FunctionStart, Loc, LocatedInstruction, entry_rows, full_line_program,
    hidden_mercury_address, hidden_mercury_to_native, last_inlined_name, line_program_from_locs, ptx_lines,
};
use nv_debug_sections::release::Release;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The tables of source locations and, where code has any, of lines of an intermediate language.
pub(super) struct LocTables {
    pub(super) debug_line: LoweredSection,
    /// How many rows it has.
    pub(super) rows: usize,
    pub(super) intermediate: Option<LoweredSection>,
}

/// The tables that are made of the directives in bodies. The table of an intermediate language is
/// only there if it has rows, and gives both the names of its text sections in place of its files'.
pub(super) fn loc_tables(context: &Context<'_>, files: &[SourceFile<'_>]) -> Result<LocTables> {
    let kind = SectionKind::TileirDebugLine;
    let has_intermediate = !context.facts.intermediate.locs.is_empty() && !context.debug_only;
    let intermediate = if has_intermediate {
        sequences(context, kind, |section: &CodeSection| Some(intermediate_lines(context.facts, section)))?
    } else {
        Sequences::default()
    };
    let texts = &intermediate.files;
    let (debug_line, rows) = debug_line(context, files, texts)?;
    let intermediate = if intermediate.list.is_empty() {
        None
    } else {
        let FileTable { directories, files } = file_table(files, texts, intermediate.sets_file_0);
        let unit = LineTable {
            params: line::params(context.target.release),
            directories,
            files,
            debug_str_base: None,
            has_lone_end: false,
            sequences: Vec::new(),
        };
        let unit = if context.is_from_mercury() { native_header(&unit) } else { unit };
        Some(join(kind, &unit, intermediate.list, None)?)
    };
    Ok(LocTables { debug_line, rows, intermediate })
}

/// The file table with the names of the text sections of `texts`, which are numbers in PTX.
fn file_table<'f>(files: &[SourceFile<'f>], texts: &HashSet<u64>, rows_use_file_0: bool) -> FileTable<'f> {
    let mut table = file_table::build(files.iter().copied(), rows_use_file_0);
    let mut numbers: Vec<u64> = files.iter().map(|file| file.index).collect();
    numbers.sort_unstable();
    for (file, number) in table.files.iter_mut().zip(numbers) {
        if texts.contains(&number) {
            file.name = [SectionKind::TileirDebugTxt.name().as_bytes(), b".", &file.name].concat().into();
        }
    }
    table
}

fn debug_line(
    context: &Context<'_>,
    files: &[SourceFile<'_>],
    texts: &HashSet<u64>,
) -> Result<(LoweredSection, usize)> {
    let carries = context.is_from_mercury() && context.target.release.carries_lines_into_blocks();
    let lines = |section: &CodeSection| {
        let mut lines = source_lines(context.facts, section);
        if carries {
            carry_into_blocks(context.facts, section, &mut lines.located);
        }
        Some(lines)
    };
    let Sequences { list, inlined, sets_file_0, rows, .. } =
        sequences(context, SectionKind::DebugLine, lines)?;
    let FileTable { directories, files } = file_table(files, texts, sets_file_0);
    let unit = LineTable {
        params: line::params(context.target.release),
        directories,
        files,
        debug_str_base: inlined.then_some(0),
        has_lone_end: list.is_empty() && context.has_lone_end(),
        sequences: Vec::new(),
    };
    let unit = if context.is_from_mercury() { native_header(&unit) } else { unit };
    let relocate_base = context.relocatable && !context.is_from_mercury();
    let debug_str = context.image.section_symbols.get(SectionKind::DebugStr.name()).filter(|_| relocate_base);
    let debug_str = debug_str.map(|symbol| SymbolId(symbol.0));
    let lowered = join(SectionKind::DebugLine, &unit, list, debug_str)?;
    let is_compact = context.line_table == LineTableStyle::Compact;
    Ok((if is_compact { compact(&lowered, debug_str)? } else { lowered }, rows))
}

/// The PTX line table. Its one file is the section with the PTX text: number 1 by name in
/// relocatable files, whose section names differ, else number 0 without a name. Without any code
/// ptxas leaves the source files there.
pub(super) fn line_sass(
    context: &Context<'_>,
    ptx_txt_name: &str,
    files: &[SourceFile<'_>],
) -> Result<LoweredSection> {
    let file = u32::from(context.relocatable);
    let lines = |section: &CodeSection| {
        let lines = section.ptx_lines.as_ref()?;
        let (locs, located, entries) = ptx_lines(file, lines, &function_starts(context.facts, section));
        Some(SectionLines { of_source: false, locs: locs.into(), located, entries })
    };
    let Sequences { list, .. } = sequences(context, SectionKind::NvDebugLineSass, lines)?;
    let table = if list.is_empty() {
        file_table::build(files.iter().copied(), false)
    } else if context.relocatable {
        let name = ptx_txt_name.as_bytes().into();
        FileTable { files: vec![LineFile { name, directory: 0, mtime: 0, size: 0 }], ..FileTable::default() }
    } else {
        FileTable::default()
    };
    let unit = LineTable {
        params: line::params(context.target.release),
        directories: table.directories,
        files: table.files,
        debug_str_base: None,
        has_lone_end: list.is_empty() && context.has_lone_end(),
        sequences: Vec::new(),
    };
    join(SectionKind::NvDebugLineSass, &unit, list, None)
}

/// The programs of all code sections.
#[derive(Default)]
struct Sequences {
    list: Vec<(SymbolIndex, EncodedSequence)>,
    /// Whether inlined code occurs, if only in the hidden tables that these are transcoded from: it
    /// decides on the `.debug_str` base.
    inlined: bool,
    /// Whether file 0 occurs in them or those hidden tables: it decides on the file table.
    sets_file_0: bool,
    /// The numbers of the files that rows of `.nv.tileir.debug_line` name; empty for other tables.
    files: HashSet<u64>,
    rows: usize,
}

/// What the program of one code section is made of.
struct SectionLines<'l> {
    /// Whether they are source locations, which code that comes from no PTX instruction has none
    /// of.
    of_source: bool,
    locs: Cow<'l, [Loc]>,
    located: Vec<LocatedInstruction>,
    entries: Vec<EntryRow>,
}

/// Changes of PTX line that are lowered at a time, by one thread.
const CHUNK: usize = 1 << 14;

/// Neighbouring code sections.
struct SectionChunk {
    sections: Range<usize>,
    /// Gives the `last_inlined_name` of the sections before.
    name_before: Receiver<u32>,
    /// Takes the name for the sections after.
    name_after: Sender<u32>,
}

fn chunks(sections: &[CodeSection]) -> Vec<SectionChunk> {
    let mut chunks = Vec::new();
    let (first, mut name_before) = channel();
    let _ = first.send(0); // its receiver is at hand
    let (mut start, mut lines) = (0, 0);
    for (number, section) in (1..).zip(sections) {
        lines += section.ptx_lines.as_ref().map_or(0, Vec::len);
        if lines >= CHUNK || number == sections.len() {
            let (name_after, next) = channel();
            let name_before = std::mem::replace(&mut name_before, next);
            chunks.push(SectionChunk { sections: start..number, name_before, name_after });
            (start, lines) = (number, 0);
        }
    }
    chunks
}

/// Programs of all code sections that have rows, in ptxas' order: by section, native ones from
/// sm_90 on by function symbol. `lines` gives the locations of a section's instructions, if there
/// are any.
fn sequences<'l>(
    context: &Context<'_>,
    kind: SectionKind,
    lines: impl Fn(&CodeSection) -> Option<SectionLines<'l>> + Sync,
) -> Result<Sequences> {
    let mut all = Sequences::default();
    let parts = parallel::map(chunks(&context.image.sections), |chunk| lower(context, kind, chunk, &lines));
    for part in parts {
        let Sequences { list, inlined, sets_file_0, files, rows } = part?;
        all.list.extend(list);
        all.inlined |= inlined;
        all.sets_file_0 |= sets_file_0;
        all.files.extend(files);
        all.rows += rows;
    }
    if context.is_from_mercury() {
        all.list.sort_by_key(|(symbol, _)| *symbol);
    }
    Ok(all)
}

/// The programs of some sections. What does not depend on the sections before comes first.
fn lower<'l>(
    context: &Context<'_>,
    kind: SectionKind,
    chunk: SectionChunk,
    lines: impl Fn(&CodeSection) -> Option<SectionLines<'l>>,
) -> Result<Sequences> {
    let sections = context.image.sections.get(chunk.sections.clone()).unwrap_or_default();
    let built = chunk.sections.zip(sections);
    let built: Vec<_> = built
        .filter_map(|(index, section)| {
            Some((index, section, section_program(context, index, section, &lines)?))
        })
        .collect();
    // The sender is gone only if an earlier chunk failed; that error is reported there.
    let mut name = chunk.name_before.recv().unwrap_or_default();
    let before = name;
    for (_, _, table) in &built {
        name = last_inlined_name(&table.ops, name);
    }
    let _ = chunk.name_after.send(name); // the last chunk has no receiver
    let mut all = Sequences { list: Vec::with_capacity(built.len()), ..Sequences::default() };
    name = before;
    for (index, section, table) in built {
        all.inlined |= table.ops.iter().any(|op| matches!(op, LineOp::InlinedCall { .. }));
        all.sets_file_0 |= table.ops.contains(&LineOp::SetFile(0));
        if kind == SectionKind::TileirDebugLine {
            all.files.extend(table.ops.iter().filter_map(|op| match op {
                LineOp::SetFile(file) => Some(*file),
                _ => None,
            }));
        }
        let after = last_inlined_name(&table.ops, name);
        let ops =
            table.into_program(std::mem::replace(&mut name, after), section.size, context.target.release);
        let rows = ops.iter().filter(|op| matches!(op, LineOp::Row { .. })).count();
        if rows > 0 {
            all.rows += rows;
            let start = Address::Symbol { symbol: SymbolId(section.symbol.0), addend: 0 };
            let sequence = Sequence { base: 0, base_offset: 0, ops, end: section.size };
            let encoded = EncodedSequence::new(
                kind.name(),
                line::params(context.target.release),
                index,
                &sequence,
                start,
            )?;
            all.list.push((section.symbol, encoded));
        }
    }
    Ok(all)
}

/// Source locations of a section's instructions.
fn source_lines<'l>(facts: &'l PtxFacts<'_>, section: &CodeSection) -> SectionLines<'l> {
    let lines = section.ptx_lines.iter().flatten();
    let located =
        lines.map(|&(address, line)| LocatedInstruction { address, loc: facts.loc_at_line(line) }).collect();
    let entries = entry_rows(&function_starts(facts, section));
    SectionLines { of_source: true, locs: Cow::Borrowed(&facts.locs), located, entries }
}

/// Places in the texts of an intermediate language. No rows open functions.
fn intermediate_lines<'l>(facts: &'l PtxFacts<'_>, section: &CodeSection) -> SectionLines<'l> {
    let located = section
        .ptx_lines
        .iter()
        .flatten()
        .map(|&(address, line)| LocatedInstruction { address, loc: facts.intermediate_loc_at_line(line) });
    SectionLines {
        of_source: true,
        locs: Cow::Borrowed(&facts.intermediate.locs),
        located: located.collect(),
        entries: Vec::new(),
    }
}

/// The line program of one code section, made from the `.loc` directives.
struct SectionProgram {
    ops: Vec<LineOp>,
    /// If `ops` are for Mercury space and the native program is to be made from them: the address
    /// pairs and the starts of functions.
    from_mercury: Option<(Vec<AddressPair>, Vec<u64>)>,
}

/// Builds the table of the section at `index`; `None` if no lines of it are known.
fn section_program<'l>(
    context: &Context<'_>,
    index: usize,
    section: &CodeSection,
    lines: impl Fn(&CodeSection) -> Option<SectionLines<'l>>,
) -> Option<SectionProgram> {
    let built = |lines: &SectionLines<'_>, space| {
        line_program_from_locs(&lines.locs, &lines.located, &lines.entries, space, context.target.release)
    };
    if context.line_table == LineTableStyle::Full
        && let Some(ops) = full_table(context, &lines(section)?)
    {
        return Some(SectionProgram { ops, from_mercury: None });
    }
    if !context.is_from_mercury() {
        return Some(SectionProgram { ops: built(&lines(section)?, context.space), from_mercury: None });
    }
    let (lines, pairs, starts) = match mercury(context, index) {
        Some((mercury, addresses)) => {
            let lines = lines(mercury)?;
            let pairs =
                if lines.of_source { addresses.of_instructions() } else { addresses.pairs().to_vec() };
            (lines, pairs, section.parts.iter().map(|part| part.address).collect())
        }
        None => to_hidden_mercury(lines(section)?, section),
    };
    Some(SectionProgram { ops: built(&lines, Space::Mercury), from_mercury: Some((pairs, starts)) })
}

/// The Mercury code of the native code section at `index`.
fn mercury<'c>(context: &Context<'c>, index: usize) -> Option<(&'c CodeSection, &'c AddressMap)> {
    context.mercury.and_then(|mercury| mercury.image.section(index))
}

impl SectionProgram {
    /// The program by the rules of the space and the SM. `name` is the [`last_inlined_name`] of the
    /// section before, `end` the size of the section.
    fn into_program(self, name: u32, end: u64, release: Release) -> Vec<LineOp> {
        match self.from_mercury {
            Some((pairs, starts)) => hidden_mercury_to_native(&self.ops, name, &pairs, &starts, end, release),
            None => self.ops,
        }
    }
}

/// `--line-table full`: the table of source lines; `None` for PTX lines, which have nothing more to
/// say.
fn full_table(context: &Context<'_>, lines: &SectionLines<'_>) -> Option<Vec<LineOp>> {
    let SectionLines { of_source, locs, located, entries } = lines;
    of_source.then(|| full_line_program(locs, &context.facts.columns, located, entries, context.space))
}

/// Moves native lines to the Mercury space that stands in for the hidden one, on sm_90 and without
/// a code generator. With them come the address pairs and the native starts.
fn to_hidden_mercury<'l>(
    mut lines: SectionLines<'l>,
    section: &CodeSection,
) -> (SectionLines<'l>, Vec<AddressPair>, Vec<u64>) {
    let mut starts: Vec<u64> = section.parts.iter().map(|part| part.address).collect();
    starts.dedup();
    let hidden = |native| hidden_mercury_address(&starts, native);
    let mut pairs = Vec::with_capacity(starts.len() + lines.located.len());
    let mut pair = |native| {
        let pair = AddressPair { native, mercury: hidden(native) };
        if pairs.last() != Some(&pair) {
            pairs.push(pair);
        }
        pair.mercury
    };
    // Both are in address order, and an instruction may be where a function starts.
    let mut starts_left = starts.iter().copied().peekable();
    for located in &mut lines.located {
        while let Some(start) = starts_left.next_if(|start| *start < located.address) {
            pair(start);
        }
        located.address = pair(located.address);
    }
    for start in starts_left {
        pair(start);
    }
    for entry in &mut lines.entries {
        entry.address = hidden(entry.address);
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

fn join(
    kind: SectionKind,
    unit: &LineTable<'_>,
    sequences: Vec<(SymbolIndex, EncodedSequence)>,
    debug_str: Option<SymbolId>,
) -> Result<LoweredSection> {
    let sequences = sequences.into_iter().map(|(_, sequence)| sequence);
    let Section { bytes, relocs } = line::join_sequences(kind.name(), unit, debug_str, sequences)?;
    Ok(LoweredSection::of(kind, bytes, relocs))
}

/// `--line-table compact`: the same rows in fewer bytes.
fn compact(lowered: &LoweredSection, debug_str: Option<SymbolId>) -> Result<LoweredSection> {
    let kind = SectionKind::DebugLine;
    let tables = line::decode(kind.name(), &lowered.bytes)?;
    let Some(table) = tables.first() else { return Ok(LoweredSection::of(kind, Vec::new(), Vec::new())) };
    let symbols: HashMap<u64, SymbolId> =
        lowered.relocs.iter().map(|reloc| (reloc.offset, reloc.symbol)).collect();
    let symbol_of = |sequence: &Sequence| symbols.get(&sequence.base_offset).copied();
    let symbols: Vec<_> = table.sequences.iter().map(symbol_of).collect();
    let base = |index: usize, sequence: &Sequence| match symbols.get(index).copied().flatten() {
        Some(symbol) => Address::Symbol { symbol: SymbolId(symbol.0), addend: 0 },
        None => Address::Constant(sequence.base),
    };
    let policy = Policy::Compact(Header::Choose);
    let Section { bytes, relocs } = line::encode_as(policy, kind.name(), table, debug_str, base)?;
    Ok(LoweredSection::of(kind, bytes, relocs))
}
