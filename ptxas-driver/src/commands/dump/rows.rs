//! `.debug_line` and `.nv_debug_line_sass`.

use super::model::{Contents, LineFile, LineRow, LineSequence, LineUnit};
use super::section::{Source, View};
use crate::commands::read::text;
use nv_debug_sections::Result;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::line::{self, LineTable, Sequence};
use nv_debug_sections::symbolize::Rows;

pub(super) fn lines(source: &Source<'_, '_>, view: &View<'_>) -> Result<Contents> {
    let strings = source.sibling(&view.name, SectionKind::DebugStr);
    let strings = strings.as_ref().map_or(&[][..], |view| &view.data.bytes);
    let tables = line::decode(&view.name, &view.data.bytes)?;
    let unit = |(number, table): (usize, &LineTable<'_>)| {
        let sequences = table.sequences.iter();
        let sequences: Vec<_> = sequences
            .filter_map(|sequence| lines_of(source, view, number, table, sequence, strings))
            .collect();
        let files = (1..).zip(&table.files).map(|(number, file)| LineFile {
            number,
            path: table.path(number).unwrap_or_else(|| text(&file.name)),
            mtime: file.mtime,
            size: file.size,
        });
        LineUnit {
            directories: table.directories.iter().map(|directory| text(directory)).collect(),
            files: files.collect(),
            debug_str_base: table.debug_str_base,
            sequences,
        }
    };
    let units = tables.iter().enumerate().map(unit);
    Ok(Contents::Lines(units.filter(|unit| source.filter.is_none() || !unit.sequences.is_empty()).collect()))
}

/// A sequence, or as much of it as the filter lets through.
fn lines_of(
    source: &Source<'_, '_>,
    view: &View<'_>,
    unit: usize,
    table: &LineTable<'_>,
    sequence: &Sequence,
    strings: &[u8],
) -> Option<LineSequence> {
    let place = match view.data.target(sequence.base_offset) {
        Some(target) => target.section.map(|section| (source.cubin.section_name(section), target.offset)),
        None => source.at_address(sequence.base),
    };
    let mut wanted: Option<Vec<(u64, u64)>> = None;
    if let Some(filter) = &source.filter {
        let ranges: Vec<_> = filter.ranges_in(place?.0).collect();
        if ranges.is_empty() {
            return None;
        }
        wanted = Some(ranges);
    }
    let start = place.map(|(section, offset)| format!("{section}+{offset:#x}"));
    let rows = Rows::new(unit, table, sequence);
    let shown = rows.all().iter().enumerate().filter(|(_, row)| {
        wanted
            .as_ref()
            .is_none_or(|ranges| ranges.iter().any(|(start, end)| (*start..*end).contains(&row.address)))
    });
    let shown = shown.map(|(index, row)| LineRow {
        number: rows.number(index),
        address: row.address,
        file: row.file,
        line: row.line,
        context: row.context,
        callee: (row.context != 0).then(|| callee(strings, table.debug_str_base.unwrap_or(0), row.name)),
        entry: row.entry,
    });
    Some(LineSequence { start, end: sequence.end, rows: shown.collect() })
}

fn callee(strings: &[u8], base: u32, name: u64) -> String {
    let at = u64::from(base).wrapping_add(name);
    let rest = usize::try_from(at).ok().and_then(|at| strings.get(at..));
    match rest.and_then(|rest| rest.get(..memchr::memchr(0, rest)?)) {
        Some(string) => text(string),
        None => format!("?? (.debug_str+{at:#x})"),
    }
}
