//! Checks of `.debug_line` and `.nv_debug_line_sass`.

use super::{RuleId, SectionView, Verifier, sources};
use crate::symbolize::{CalleeNames, NameUncertainty, UnitNames};
use dwarf2_reader::line::Params;
pub(super) use files::{LineFiles, TableFiles};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SectionIndex;
use nv_debug_sections::generation::Generation;
use nv_debug_sections::line::{self, LineOp, LineRow, LineTable, SequenceProgram, UnitProgram};
use nv_debug_sections::ptx_txt::NumberedText;
use rows::{Units, all_rows};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

mod files;
pub(super) mod rows;

/// Checks both line sections, and returns the tables of `.debug_line`; `None` if there is no such
/// section, or it cannot be read.
pub(super) fn check(check: &mut Verifier<'_, '_>) -> Option<LineFiles> {
    let files = section(check, SectionKind::DebugLine);
    section(check, SectionKind::NvDebugLineSass);
    section(check, SectionKind::TileirDebugLine);
    files
}

fn section(check: &mut Verifier<'_, '_>, kind: SectionKind) -> Option<LineFiles> {
    let view = check.view(kind)?;
    let read = || {
        let units = line::unit_programs(view.name, &view.data.bytes).collect::<Result<Vec<_>, _>>()?;
        for unit in &units {
            unit.sequences().try_for_each(|sequence| sequence.map(|_| ()))?;
        }
        // The paths of a table together may be long.
        units.iter().try_for_each(|unit| unit.table.path_sizes(view.name).map(|_| ()))?;
        Ok(units)
    };
    let units = match read() {
        Ok(units) => units,
        Err(error) => {
            check.unreadable(RuleId::LineUnreadable, &error);
            return None;
        }
    };
    let (mut covered, mut places) = (HashMap::new(), HashMap::new());
    for unit in &units {
        header(check, &view, unit);
        for sequence in unit.sequences().map_while(Result::ok) {
            if let Some((section, start)) = of_sequence(check, &view, &sequence, &mut covered) {
                places.insert(sequence.base_offset, (section, start));
                rows(check, &view, section, start, &sequence);
            }
        }
    }
    match kind {
        SectionKind::DebugLine => {}
        SectionKind::NvDebugLineSass => {
            ptx(check, &view, &units);
            return None;
        }
        _ => return None,
    }
    source(check, &view, &units);
    sources::names(check, &view, &units);
    sources::missing(check, &view, &units);
    sources::lines(check, &view, &units, &places);
    Some(LineFiles::new(&units, &places))
}

/// The header fields that decide what opcodes mean, under the names that DWARF gives them.
fn header_words(params: Params) -> String {
    let Params { version, minimum_instruction_length, default_is_stmt, line_base, line_range, opcode_base } =
        params;
    format!(
        "version {version}, minimum_instruction_length {minimum_instruction_length}, default_is_stmt {default_is_stmt}, line_base {line_base}, \
         line_range {line_range}, opcode_base {opcode_base}"
    )
}

fn header(check: &mut Verifier<'_, '_>, view: &SectionView<'_>, unit: &UnitProgram<'_>) {
    let start = unit.offset;
    let LineTable { params, directories, files, debug_str_base, .. } = &unit.table;
    let expected = line::params(check.cubin.release());
    if *params != expected {
        check.find(RuleId::LineHeader, view.name, start, header_words(*params), header_words(expected));
    }
    for (number, file) in (1..).zip(files) {
        if file.directory > directories.len() as u64 {
            let found = format!("directory {} of file {number}", file.directory);
            let expected = format!("one of {} directories, or 0", directories.len());
            check.find(RuleId::LineDirectory, view.name, start, found, expected);
        }
    }
    let is_call = |op: &LineOp| matches!(op, LineOp::InlinedCall { .. } | LineOp::SetFunctionName(_));
    let mut sequences = unit.sequences().map_while(Result::ok);
    let inlines = sequences.any(|sequence| sequence.steps().any(|(op, _)| is_call(&op)));
    if inlines && debug_str_base.is_none() {
        let expected = "one, since rows are of inlined code";
        check.find(RuleId::LineNameBase, view.name, start, "a header without base of names", expected);
    }
}

/// Code section of a sequence, where it starts there, and that section's size.
fn place_of(
    check: &Verifier<'_, '_>,
    view: &SectionView<'_>,
    sequence: &SequenceProgram<'_>,
) -> Result<(SectionIndex, u64, u64), (RuleId, String)> {
    let nowhere = |found: String| (RuleId::LineSequence, found);
    let (section, start) = match view.data.target(sequence.base_offset) {
        Some(target) => {
            let section = target.section.ok_or_else(|| nowhere("an undefined symbol".to_owned()))?;
            (section, target.offset)
        }
        None => check.code.at_address(sequence.base).ok_or_else(|| {
            let is_dropped = check.is_linked && sequence.base == 0;
            let rule = if is_dropped { RuleId::LineDropped } else { RuleId::LineSequence };
            (rule, format!("address {:#x} without relocation", sequence.base))
        })?,
    };
    let size = check.code_size(section).ok_or_else(|| nowhere(check.place(section, start)))?;
    Ok((section, start, size))
}

/// Where a sequence starts, if that is known. `covered` has what sequences before cover, by
/// section.
fn of_sequence(
    check: &mut Verifier<'_, '_>,
    view: &SectionView<'_>,
    sequence: &SequenceProgram<'_>,
    covered: &mut HashMap<SectionIndex, (u64, u64)>,
) -> Option<(SectionIndex, u64)> {
    let at = sequence.base_offset;
    check.width(view.name, &view.data, at);
    let (section, start, size) = match place_of(check, view, sequence) {
        Ok(place) => place,
        Err((rule, found)) => {
            check.find(rule, view.name, at, found, "a place in a code section");
            return None;
        }
    };
    let end = start.saturating_add(sequence.end);
    if end != size {
        let (function, found) = (check.function_name(section, start), format!("a sequence to {end:#x}"));
        let expected = format!("one to {size:#x}, the end of {}", check.cubin.section_name(section));
        check.find_in(function, RuleId::LineEnd.at(view.name, at), found, expected);
    }
    // In one section there is one: a file with more is a faulty one.
    match covered.get(&section) {
        Some((first, last)) if start < *last && *first < end => {
            let found = check.place(section, start);
            let expected = format!("rows of that section once: {first:#x} to {last:#x} have some");
            check.find(RuleId::LineTwice, view.name, at, found, expected);
        }
        Some(_) => {}
        None => {
            covered.insert(section, (start, end));
        }
    }
    Some((section, start))
}

fn rows(
    check: &mut Verifier<'_, '_>,
    view: &SectionView<'_>,
    section: SectionIndex,
    start: u64,
    sequence: &SequenceProgram<'_>,
) {
    let size = check.instruction;
    let is_instruction = |address: u64| start.wrapping_add(address).is_multiple_of(size);
    let mut last = 0;
    let target = check.cubin.target();
    let counts_left_out =
        target.generation() == Generation::HiddenMercury && target.release.counts_rows_left_out();
    // Rows before this one that contexts count.
    let mut counted: u64 = 0;
    let mut steps = sequence.steps();
    while let Some((op, _)) = steps.next() {
        if !matches!(op, LineOp::Row { .. }) {
            continue;
        }
        let row = steps.row();
        let mut find = |rule: RuleId, found: String, expected: String| {
            let function = check.function_name(section, start.saturating_add(row.address));
            check.find_in(function, rule.at(view.name, sequence.base_offset), found, expected);
        };
        let LineRow { number, address, context, .. } = *row;
        if address < last {
            let found = format!("row {number} at {address:#x}");
            find(RuleId::LineOrder, found, format!("{last:#x} or more, as the row before"));
        }
        if address >= sequence.end {
            let found = format!("row {number} at {address:#x}");
            find(RuleId::LineOutside, found, format!("less than the sequence's end {:#x}", sequence.end));
        }
        if !is_instruction(address) {
            let found = format!("row {number} at {address:#x}");
            find(RuleId::LineInside, found, "the start of an instruction".to_owned());
        }
        if context > counted {
            let found = format!("context {context} of row {number}");
            // One row at most is left out at each instruction.
            let left_out = if counts_left_out { address / size + 1 } else { 0 };
            let is_habit = context <= counted.saturating_add(left_out);
            let rule = if is_habit { RuleId::LineContextCounted } else { RuleId::LineContext };
            find(rule, found, "the number of a row before".to_owned());
        }
        last = last.max(address);
        counted += u64::from(steps.row_number().is_some());
    }
}

/// Files and names of `.debug_line`.
fn source(check: &mut Verifier<'_, '_>, view: &SectionView<'_>, units: Units<'_, '_>) {
    let strings = check.cubin.section_by_name(SectionKind::DebugStr.name());
    let strings = strings.map(|index| check.relocated.section(index).map(|section| section.bytes));
    let no_strings = strings.is_none();
    let Ok(strings) = strings.transpose() else { return };
    let strings = strings.unwrap_or(Cow::Borrowed(&[]));
    // What follows the last NUL is not a string.
    let strings_end = strings.iter().rposition(|byte| *byte == 0).map_or(0, |last| last as u64 + 1);
    // Without the names that are used no base is found again: it is the file's that is looked at.
    let base = |table: &LineTable<'_>| UnitNames { base: table.debug_str_base, used: Vec::new() };
    let names = CalleeNames::new(strings, units.iter().map(|unit| base(&unit.table)));
    let mut seen_files = HashSet::new();
    let mut seen_names = HashSet::new();
    let mut unrelated = HashSet::new();
    for (unit, base_offset, row) in all_rows(units) {
        let Some(UnitProgram { table, offset: start, .. }) = units.get(unit) else { continue };
        let files = table.files.len() as u64;
        if !(1..=files).contains(&row.file) && seen_files.insert((unit, row.file)) {
            let found = format!("file {} of row {}", row.file, row.number);
            let expected = format!("one of the table's {files} files");
            check.find(RuleId::LineUndeclaredFile, view.name, base_offset, found, expected);
        }
        if row.context == 0 || !seen_names.insert((unit, row.name)) {
            continue;
        }
        match names.get(unit, row.name).uncertainty {
            // Inlined code of functions without name (no `function_name`) has 0.
            Some(NameUncertainty::NoString) if no_strings && row.name == 0 => {}
            Some(NameUncertainty::NoString) if no_strings => {
                let found = format!("name {:#x} of row {}", row.name, row.number);
                let expected = "none without .debug_str";
                check.find(RuleId::LineNameless, view.name, base_offset, found, expected);
            }
            Some(NameUncertainty::NoString) => {
                let found = format!("name {:#x} of row {}", row.name, row.number);
                let (rule, expected) = if names.get(unit, row.name).offset < strings_end {
                    (RuleId::LineNameInside, "the start of a string in .debug_str, or a base that grows")
                } else {
                    (RuleId::LineName, "a string in .debug_str")
                };
                check.find(rule, view.name, base_offset, found, expected);
            }
            Some(NameUncertainty::UnrelatedBase) if unrelated.insert(unit) => {
                let base = table.debug_str_base.unwrap_or(0);
                let found = format!("{base:#x} as base of the names of table {unit}");
                check.find(
                    RuleId::LineUnrelatedBase,
                    view.name,
                    *start,
                    found,
                    "one after that of the table before",
                );
            }
            _ => {}
        }
    }
}

/// Lines of `.nv_debug_line_sass` in the texts.
fn ptx(check: &mut Verifier<'_, '_>, view: &SectionView<'_>, units: Units<'_, '_>) {
    let cubin = check.cubin;
    let is_text = |name: &str| SectionKind::from_name(name) == Some(SectionKind::NvDebugPtxTxt);
    let mut texts = HashMap::new();
    for (index, name, _) in cubin.iter().filter(|(_, name, _)| is_text(name)) {
        let text = cubin.bytes(index).ok().and_then(|bytes| NumberedText::decode(bytes).ok());
        // A text that cannot be read is a finding already.
        texts.entry(name).or_insert(text.map(|text| text.line_count() as u64));
    }
    let only = if texts.len() == 1 { texts.values().next().copied().flatten() } else { None };
    let mut seen = HashSet::new();
    for (unit, base_offset, row) in all_rows(units) {
        let Some(UnitProgram { table, .. }) = units.get(unit) else { continue };
        let file = usize::try_from(row.file).ok();
        let file = file.and_then(|file| table.files.get(file.checked_sub(1)?));
        // nvlink declares the text's name, ptxas sets file 0.
        let count = match file {
            Some(file) => str::from_utf8(&file.name).ok().and_then(|name| *texts.get(name)?),
            None => only,
        };
        let Some(count) = count else { continue };
        if !(1..=count).contains(&row.line.into()) && seen.insert((unit, row.line)) {
            let found = format!("PTX line {} of row {}", row.line, row.number);
            let expected = format!("one of the text's {count} lines");
            check.find(RuleId::LinePtx, view.name, base_offset, found, expected);
        }
    }
}
