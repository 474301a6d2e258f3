//! Facts of the source files of the line table, with the times and sizes that it records.

use dwarf2_writer::Address;
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::line;
use std::collections::{BTreeMap, BTreeSet};

/// Times and sizes of a source file, of each table that names it.
type Stats = BTreeSet<(u64, u64)>;

/// Source files by path.
pub(super) type Files = BTreeMap<String, Stats>;

/// Paths of files of both whose times or sizes differ.
pub(super) fn other_stats<'f>(old: &Files, new: &'f Files) -> Vec<&'f str> {
    let is_other = |(path, stats): &(&String, &Stats)| old.get(*path).is_some_and(|old| old != *stats);
    new.iter().filter(is_other).map(|(path, _)| path.as_str()).collect()
}

/// The source files by path; `None` if no line table can be read.
pub(super) fn files_of(cubin: &Cubin<'_>) -> Option<Files> {
    let name = SectionKind::DebugLine.name();
    let bytes = cubin.bytes(cubin.section_by_name(name)?).ok()?;
    let mut stats = Files::new();
    for unit in line::unit_programs(name, &bytes) {
        let unit = unit.ok()?;
        if unit.sequences().any(|sequence| sequence.is_err()) {
            return None;
        }
        let table = unit.table;
        for (path, file) in table.paths(name).ok()?.into_iter().zip(&table.files) {
            stats.entry(path?).or_default().insert((file.mtime, file.size));
        }
    }
    Some(stats)
}

/// The bytes of a `.debug_line` or its clone, with 0 for the times and sizes of source files, which
/// are not compared; `None` for other sections, and for a table that cannot be read.
pub(super) fn bytes_without_times(cubin: &Cubin<'_>, index: SectionIndex, name: &str) -> Option<Vec<u8>> {
    if SectionName::parse(name).contents_kind() != Some(SectionKind::DebugLine) {
        return None;
    }
    let bytes = cubin.bytes(index).ok()?;
    let mut without = Vec::new();
    for mut unit in line::decode(name, &bytes).ok()? {
        for file in &mut unit.files {
            (file.mtime, file.size) = (0, 0);
        }
        let base = |_, sequence: &line::Sequence| Address::Constant(sequence.base);
        without.extend(line::encode(name, &unit, None, base).ok()?.bytes);
    }
    Some(without)
}

/// The end of the header and the end of each unit of a `.debug_line` or its clone, as byte offsets
/// in the section; empty for other sections, and for a table that cannot be read.
pub(super) fn line_headers(cubin: &Cubin<'_>, index: SectionIndex) -> Vec<(u64, u64)> {
    let name = cubin.section_name(index);
    if SectionName::parse(name).contents_kind() != Some(SectionKind::DebugLine) {
        return Vec::new();
    }
    let bytes = cubin.bytes(index).unwrap_or_default();
    let units = line::decode_with_offsets(name, &bytes).unwrap_or_default();
    units.iter().map(|unit| (unit.offset + unit.header_size, unit.offset + unit.size)).collect()
}

/// A byte of a line table by its distance from the end of the header: the header is as long as the
/// times and sizes in it, which are not compared.
pub(super) fn place_in_lines(headers: &[(u64, u64)], offset: u64) -> Option<String> {
    let unit = headers.partition_point(|(_, end)| *end <= offset);
    let (header_end, _) = headers.get(unit)?;
    let unit = unit + 1;
    Some(match offset.checked_sub(*header_end) {
        Some(after) => format!("unit {unit}, {after:#x} after the header"),
        None => format!("unit {unit}, {:#x} before the end of the header", header_end - offset),
    })
}
