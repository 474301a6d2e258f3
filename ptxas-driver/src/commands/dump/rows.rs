//! `.debug_line` and `.nv_debug_line_sass`.

use super::model::{Contents, LineFile, LineRow, LineSequence, LineUnit};
use super::section::{Source, View};
use crate::commands::read::{doubt_text, text};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::line::{self, LineTable, Sequence};
use nv_debug_sections::symbolize::{CalleeName, CalleeNames, Rows};

pub(super) fn lines(source: &Source<'_, '_>, view: &View<'_>) -> Result<Contents> {
    let strings = source.sibling(&view.name, SectionKind::DebugStr)?;
    let strings = strings.as_ref().map_or(&[][..], |view| &view.data.bytes);
    let tables = line::decode(&view.name, &view.data.bytes)?;
    let names = CalleeNames::new(strings, tables.iter().map(|table| table.debug_str_base));
    let unit = |(number, table): (usize, &LineTable<'_>)| {
        let sequences = table.sequences.iter();
        let sequences: Vec<_> = sequences
            .filter_map(|sequence| lines_of(source, view, number, table, sequence, &names))
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
    names: &CalleeNames<'_>,
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
    let shown = shown.map(|(index, row)| {
        let callee = (row.context != 0).then(|| names.get(unit, row.name));
        LineRow {
            number: rows.number(index),
            address: row.address,
            file: row.file,
            line: row.line,
            context: row.context,
            callee: callee.map(callee_text),
            callee_doubt: callee.and_then(|callee| callee.doubt).map(doubt_text),
            entry: row.entry,
        }
    });
    Some(LineSequence { start, end: sequence.end, rows: shown.collect() })
}

fn callee_text(callee: CalleeName<'_>) -> String {
    callee.name.map_or_else(|| format!("?? (.debug_str+{:#x})", callee.offset), text)
}
