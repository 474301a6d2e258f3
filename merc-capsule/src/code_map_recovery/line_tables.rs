//! Recovers the address map of a code section from the native and the Mercury PTX line table.

use crate::address_map::AddressMap;
use crate::clone_policy::merc_name;
use crate::imnmx::Imnmx;
use crate::line_changes::LineChanges;
use foldhash::{HashMap, HashMapExt as _};
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::line::{self, LineOp, Sequence};
use nv_debug_sections::line_table::AddressPair;
use nv_debug_sections::relocated::RelocatedCubin;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::{BTreeMap, BTreeSet};

/// A line table of one space.
pub(super) struct LineTable {
    name: String,
    /// In section order. nvlink leads the sequence of a function that it drops as a copy to the one
    /// that it keeps: these have several.
    by_section: HashMap<SectionIndex, Vec<SectionLines>>,
}

struct SectionLines {
    offset: u64,
    /// Number of the unit: the same in both spaces.
    unit: usize,
    /// The byte offset after the code.
    end: u64,
    lines: Vec<(u64, u32)>,
    /// Address and line of the rows that are flagged as those of a function's entry: of its `{`,
    /// where it has PTX. Mercury only.
    entries: BTreeMap<u64, u32>,
}

impl LineTable {
    /// The table of `kind` in `space`; empty in files without one.
    ///
    /// # Errors
    ///
    /// It cannot be read, or a sequence is of no code section or, in files that are not linked, the
    /// second of one.
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

/// A code section in native space, with what tells where the PTX line changes in it.
#[derive(Clone, Copy)]
pub(super) struct NativeLines<'l> {
    pub(super) section: SectionIndex,
    pub(super) ptx_lines: &'l LineTable,
    /// The `IMNMX` instructions of the section.
    pub(super) imnmx: &'l [Imnmx],
}

/// The same code section in Mercury space.
#[derive(Clone, Copy)]
pub(super) struct MercuryLines<'l> {
    pub(super) section: SectionIndex,
    pub(super) ptx_lines: &'l LineTable,
    pub(super) source_lines: &'l LineTable,
}

/// Recovers the address map of a code section from the PTX lines of both spaces. `starts` are its
/// functions, by native address; without lines the map has these only. `kept_size` is the size of
/// its function in Mercury code if nvlink has dropped copies of it.
///
/// # Errors
///
/// The capsule has no lines, but the native code does.
pub(super) fn map(
    native: NativeLines<'_>,
    mercury: MercuryLines<'_>,
    starts: &[AddressPair],
    kept_size: Option<u64>,
) -> Result<AddressMap> {
    let NativeLines { section: native, ptx_lines: native_table, imnmx } = native;
    let MercuryLines { section: mercury, ptx_lines: mercury_table, source_lines } = mercury;
    let none = || {
        AddressMap::recover(LineChanges { native: &[], mercury: &[], starts, opening_lines: &[], imnmx: &[] })
    };
    let Some(all_native) = native_table.by_section.get(&native) else { return Ok(none()) };
    let offset = all_native.first().map_or(0, |lines| lines.offset);
    let all_mercury = mercury_table.by_section.get(&mercury).ok_or_else(|| {
        Error::new(&*native_table.name, offset, ErrorKind::Missing("the capsule has no PTX lines".into()))
    })?;
    // Of copies, Mercury sequences end where the code ended that they were of, native ones where
    // the code that is kept does.
    let kept = all_mercury.iter().filter(|lines| kept_size.is_none_or(|size| lines.end == size));
    let mut kept = kept.filter_map(|mercury| {
        let mut of_unit =
            all_native.iter().filter(|native| all_native.len() == 1 || native.unit == mercury.unit);
        Some((of_unit.next()?, mercury))
    });
    let Some((native_lines, mercury_lines)) = kept.next() else { return Ok(none()) };
    // Without a source location no row is flagged: functions then open with the first row at their
    // start.
    let unflagged = || {
        let at_start = |start: &AddressPair| {
            let first = mercury_lines.lines.partition_point(|(address, _)| *address < start.mercury);
            mercury_lines.lines.get(first).copied().filter(|(address, _)| *address == start.mercury)
        };
        starts.iter().filter_map(at_start).collect()
    };
    let opening = if mercury_lines.entries.is_empty() { &unflagged() } else { &mercury_lines.entries };
    let by_native: BTreeMap<u64, u32> =
        starts.iter().filter_map(|start| Some((start.native, *opening.get(&start.mercury)?))).collect();
    let native_changes = without_opening_rows(&native_lines.lines, &by_native);
    let mercury_changes = without_opening_rows(&mercury_lines.lines, opening);
    // Code of a PTX instruction on the line of the `{` has a source location, which is seen where
    // that begins with it.
    let source_changes = source_lines.changes(mercury);
    let with_loc = mercury_changes.iter().filter(|(address, _)| source_changes.contains(address));
    let with_loc: BTreeSet<u32> = with_loc.map(|(_, line)| *line).collect();
    let opening_lines: Vec<u32> = opening.values().copied().filter(|line| !with_loc.contains(line)).collect();
    Ok(AddressMap::recover(LineChanges {
        native: &native_changes,
        mercury: &mercury_changes,
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
