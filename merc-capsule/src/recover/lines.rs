//! What the PTX line tables of both spaces say of where native instructions come from.

use crate::address_map::AddressMap;
use crate::imnmx::Imnmx;
use crate::line_changes::LineChanges;
use crate::policy::merc_name;
use foldhash::{HashMap, HashMapExt as _};
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::line::{self, LineOp, Sequence};
use nv_debug_sections::line_table::AddressPair;
use nv_debug_sections::relocated::RelocatedCubin;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::{BTreeMap, BTreeSet};

/// A line table of one space.
pub(super) struct Table {
    name: String,
    /// In section order. nvlink leads the sequence of a function that it drops as a copy to the one that it keeps: these have several.
    by_section: HashMap<SectionIndex, Vec<SectionLines>>,
}

struct SectionLines {
    offset: u64,
    /// Number of the unit: the same in both spaces.
    unit: usize,
    /// Byte offset behind the code.
    end: u64,
    lines: Vec<(u64, u32)>,
    /// Address and line of the rows that are flagged as those of a function's entry: of its `{`, where it has PTX. Mercury only.
    entries: BTreeMap<u64, u32>,
}

impl Table {
    /// The table of `kind` in `space`; empty in files without one.
    ///
    /// # Errors
    ///
    /// It cannot be read, or a sequence is of no code section or, in files that are not linked, the second of one.
    pub(super) fn read(cubin: &Cubin<'_>, kind: SectionKind, space: Space) -> Result<Self> {
        let native = kind.name();
        let name = match space {
            Space::Native => native.to_owned(),
            Space::Mercury => merc_name(native).unwrap_or_default(),
        };
        let mut all = Self { name, by_section: HashMap::new() };
        let Some(index) = cubin.section_by_name(&all.name) else { return Ok(all) };
        let view = RelocatedCubin::new(cubin);
        let section = view.section(index)?;
        let is_linked = cubin.is_linked();
        for (unit, table) in line::decode(&all.name, &section.bytes)?.iter().enumerate() {
            for sequence in &table.sequences {
                let offset = sequence.base_offset;
                // nvlink keeps the programs of functions it drops, without relocation.
                let Some(target) = section.target(offset) else { continue };
                let code = target.section.ok_or_else(|| {
                    let text = "the sequence's address leads to no code section";
                    Error::new(&*all.name, offset, ErrorKind::Relocation(text))
                })?;
                let (lines, entries) = (sequence.line_changes().collect(), entries(sequence));
                let known = all.by_section.entry(code).or_default();
                known.push(SectionLines { offset, unit, end: sequence.end, lines, entries });
                if known.len() > 1 && !is_linked {
                    let second = ErrorKind::Second("sequence for the same code section");
                    return Err(Error::new(&*all.name, offset, second));
                }
            }
        }
        Ok(all)
    }

    /// Where the line changes in a code section, ascending.
    fn changes(&self, section: SectionIndex) -> BTreeSet<u64> {
        let lines = self.by_section.get(&section).into_iter().flatten().flat_map(|lines| &lines.lines);
        lines.map(|(address, _)| *address).collect()
    }
}

/// Address and line of the rows that are flagged.
fn entries(sequence: &Sequence) -> BTreeMap<u64, u32> {
    let mut is_entry = false;
    let mut entries = BTreeMap::new();
    for op in &sequence.ops {
        match *op {
            LineOp::EntryRow(flag) => is_entry = flag != 0,
            LineOp::Row { address, line } if is_entry => {
                entries.entry(address).or_insert(line);
            }
            _ => {}
        }
    }
    entries
}

/// The map of a code section with its capsule, by the PTX lines of both; `starts` are those of its functions, by native address. Without
/// lines it has these only. `imnmx` are its instructions of that name. `sources` is the table of source lines in Mercury code. `kept_size` is
/// that of its function in Mercury code if nvlink has dropped copies of it.
///
/// # Errors
///
/// The capsule has no lines, but the native code does.
pub(super) fn map(
    (native, here, imnmx): (SectionIndex, &Table, &[Imnmx]),
    (mercury, there, sources): (SectionIndex, &Table, &Table),
    starts: &[AddressPair],
    kept_size: Option<u64>,
) -> Result<AddressMap> {
    let none = || {
        AddressMap::recover(LineChanges { native: &[], mercury: &[], starts, opening_lines: &[], imnmx: &[] })
    };
    let Some(all_here) = here.by_section.get(&native) else { return Ok(none()) };
    let offset = all_here.first().map_or(0, |lines| lines.offset);
    let all_there = there.by_section.get(&mercury).ok_or_else(|| {
        Error::new(&*here.name, offset, ErrorKind::Missing("the capsule has no PTX lines".into()))
    })?;
    // Of copies, Mercury sequences end where the code ended that they were of, native ones where the code that is kept does.
    let kept = all_there.iter().filter(|lines| kept_size.is_none_or(|size| lines.end == size));
    let mut kept = kept.filter_map(|there| {
        let mut of_unit = all_here.iter().filter(|here| all_here.len() == 1 || here.unit == there.unit);
        Some((of_unit.next()?, there))
    });
    let Some((lines_here, lines_there)) = kept.next() else { return Ok(none()) };
    // Without a source location no row is flagged: functions then open with the first row at their start.
    let unflagged = || {
        let at_start = |start: &AddressPair| {
            let first = lines_there.lines.partition_point(|(address, _)| *address < start.mercury);
            lines_there.lines.get(first).copied().filter(|(address, _)| *address == start.mercury)
        };
        starts.iter().filter_map(at_start).collect()
    };
    let opening = if lines_there.entries.is_empty() { &unflagged() } else { &lines_there.entries };
    let by_native: BTreeMap<u64, u32> =
        starts.iter().filter_map(|start| Some((start.native, *opening.get(&start.mercury)?))).collect();
    let native = without_opening_rows(&lines_here.lines, &by_native);
    let mercury_lines = without_opening_rows(&lines_there.lines, opening);
    // Code of a PTX instruction on the line of the `{` has a source location, which is seen where that begins with it.
    let sources = sources.changes(mercury);
    let located = mercury_lines.iter().filter(|(address, _)| sources.contains(address));
    let located: BTreeSet<u32> = located.map(|(_, line)| *line).collect();
    let opening_lines: Vec<u32> = opening.values().copied().filter(|line| !located.contains(line)).collect();
    Ok(AddressMap::recover(LineChanges {
        native: &native,
        mercury: &mercury_lines,
        starts,
        opening_lines: &opening_lines,
        imnmx,
    }))
}

/// The changes without the first at each of `opening`, addresses and lines, if it is on that line.
fn without_opening_rows(lines: &[(u64, u32)], opening: &BTreeMap<u64, u32>) -> Vec<(u64, u32)> {
    let mut kept = Vec::with_capacity(lines.len());
    let mut before = None;
    for &(address, line) in lines {
        let is_first = before != Some(address);
        before = Some(address);
        if !(is_first && opening.get(&address) == Some(&line)) {
            kept.push((address, line));
        }
    }
    // An opening row that is on the line of the function's first code.
    kept.dedup();
    kept
}
