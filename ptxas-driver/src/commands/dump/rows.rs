//! `.debug_line` and `.nv_debug_line_sass`.

use super::model::{Contents, LineFile, LineRow, LineSequence, LineUnit};
use super::section::{Room, Source, View};
use crate::commands::read::{doubt_text, text};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::line::{self, LineTable, Sequence};
use nv_debug_sections::symbolize::{CalleeName, CalleeNames, Rows, UnitNames};

pub(super) fn lines(source: &Source<'_, '_>, view: &View<'_>) -> Result<Contents> {
    let strings = source.sibling(&view.name, SectionKind::DebugStr)?;
    let strings = strings.as_ref().map_or(&[][..], |view| &view.data.bytes);
    let tables = line::decode(&view.name, &view.data.bytes)?;
    let names = CalleeNames::new(strings, tables.iter().map(UnitNames::of));
    let mut room = Room::new(&view.data.bytes, strings);
    let mut units = Vec::new();
    for (number, table) in tables.iter().enumerate() {
        let mut sequences = Vec::new();
        for sequence in &table.sequences {
            sequences.extend(lines_of(source, view, number, table, sequence, &names, &mut room)?);
        }
        if source.filter.is_some() && sequences.is_empty() {
            continue;
        }
        let paths = table.paths(&view.name)?;
        let files = (1..).zip(table.files.iter().zip(paths)).map(|(number, (file, path))| LineFile {
            number,
            path: path.unwrap_or_else(|| text(&file.name)),
            mtime: file.mtime,
            size: file.size,
        });
        units.push(LineUnit {
            directories: table.directories.iter().map(|directory| text(directory)).collect(),
            files: files.collect(),
            debug_str_base: table.debug_str_base,
            sequences,
        });
    }
    Ok(Contents::Lines(units))
}

/// A sequence, or as much of it as the filter lets through.
fn lines_of(
    source: &Source<'_, '_>,
    view: &View<'_>,
    unit: usize,
    table: &LineTable<'_>,
    sequence: &Sequence,
    names: &CalleeNames<'_>,
    room: &mut Room,
) -> Result<Option<LineSequence>> {
    let place = match view.data.target(sequence.base_offset) {
        Some(target) => target.section.map(|section| (source.cubin.section_name(section), target.offset)),
        None => source.at_address(sequence.base),
    };
    let mut wanted: Option<Vec<(u64, u64)>> = None;
    if let Some(filter) = &source.filter {
        let ranges: Vec<_> = place.into_iter().flat_map(|(section, _)| filter.ranges_in(section)).collect();
        if ranges.is_empty() {
            return Ok(None);
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
    let mut all = Vec::new();
    for (index, row) in shown {
        let callee = (row.context != 0).then(|| names.get(unit, row.name));
        room.take(callee.and_then(|callee| callee.name).map_or(0, <[u8]>::len), view, sequence.base_offset)?;
        all.push(LineRow {
            number: rows.number(index),
            address: row.address,
            file: row.file,
            line: row.line,
            context: row.context,
            callee: callee.map(callee_text),
            callee_doubt: callee.and_then(|callee| callee.doubt).map(doubt_text),
            entry: row.entry,
        });
    }
    Ok(Some(LineSequence { start, end: sequence.end, rows: all }))
}

fn callee_text(callee: CalleeName<'_>) -> String {
    callee.name.map_or_else(|| format!("?? (.debug_str+{:#x})", callee.offset), text)
}
