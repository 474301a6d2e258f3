//! Checks of file tables and rows against the source files that are available.

use super::lines::rows::{Units, all_rows};
use super::source_file::SourceFile;
use super::{RuleId, SectionView, Verifier};
use nv_debug_sections::cubin::SectionIndex;
use nv_debug_sections::generation::Generation;
use nv_debug_sections::line::{LineFile, LineOp, SequenceProgram, UnitProgram};
use nv_debug_sections::release::Target;
use ptx_syntax::check::SourceState;
use ptx_syntax::file_names::{not_a_file, not_a_file_at};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// Placeholders in the file tables.
pub(super) fn names(check: &mut Verifier<'_, '_>, view: &SectionView<'_>, units: Units<'_, '_>) {
    for UnitProgram { offset: start, table, .. } in units {
        let folder = |file: &LineFile<'_>| {
            let index = usize::try_from(file.directory).ok()?.checked_sub(1)?;
            table.directories.get(index)
        };
        let placeholders = |(_, file): &(u64, &LineFile<'_>)| {
            not_a_file(folder(file).map_or(b"", |folder| folder), &file.name).is_some()
        };
        for (number, file) in (1..).zip(&table.files).filter(placeholders) {
            let found = format!("`{}` as file {number}", String::from_utf8_lossy(&file.name));
            check.find(RuleId::LinePlaceholder, view.name, *start, found, "the name of a source file");
        }
    }
}

/// Source files that are missing, where another one of the table is there.
pub(super) fn missing(check: &mut Verifier<'_, '_>, view: &SectionView<'_>, units: Units<'_, '_>) {
    let Some(source_lines) = check.context.source_lines else { return };
    for UnitProgram { offset: start, table, .. } in units {
        let sources = (1..).zip(&table.files).filter_map(|(number, file)| {
            let path = table.path(number).filter(|path| not_a_file_at(path).is_none())?;
            let state = source_lines(&SourceFile { path: &path, size: file.size });
            Some((state, format!("no {}, file {number}", super::short(&path))))
        });
        let sources: Vec<(SourceState, String)> = sources.collect();
        if !sources.iter().any(|(state, _)| state.is_there()) {
            continue;
        }
        for (_, found) in sources.into_iter().filter(|(state, _)| *state == SourceState::Missing) {
            check.find(
                RuleId::LineSourceMissing,
                view.name,
                *start,
                found,
                "a source that is there, as others are",
            );
        }
    }
}

/// Lines past the end of their file. `places` has where sequences start, by the offset of their
/// address.
pub(super) fn lines(
    check: &mut Verifier<'_, '_>,
    view: &SectionView<'_>,
    units: Units<'_, '_>,
    places: &HashMap<u64, (SectionIndex, u64)>,
) {
    let Some(source_lines) = check.context.source_lines else { return };
    let mut files: HashMap<(usize, u64), Option<(String, u32)>> = HashMap::new();
    let mut seen = HashSet::new();
    let forgotten = OnceCell::new();
    for (unit, base_offset, row) in all_rows(units) {
        let file = files.entry((unit, row.file)).or_insert_with(|| {
            let table = &units.get(unit)?.table;
            let path = table.path(row.file)?;
            let size = table.files.get(usize::try_from(row.file).ok()?.checked_sub(1)?)?.size;
            let count = source_lines(&SourceFile { path: &path, size }).lines()?;
            Some((path, count))
        });
        let Some((path, count)) = file.as_ref().filter(|(_, count)| row.line > *count) else { continue };
        if !seen.insert((unit, row.file, row.line)) {
            continue;
        }
        let place = places.get(&base_offset);
        let function = place
            .and_then(|(section, start)| check.function_name(*section, start.saturating_add(row.address)));
        let found = format!(
            "line {} of {} in row {} at {:#x}",
            row.line,
            super::short(path),
            row.number,
            row.address
        );
        let expected = format!("one of its {count} lines");
        let forgotten = forgotten.get_or_init(|| forgotten_files(check.cubin.target(), units));
        let is_forgotten = forgotten.contains(&(base_offset, row.number));
        let rule = if is_forgotten { RuleId::LineForgottenFile } else { RuleId::LinePastEnd };
        check.find_in(function, rule.at(view.name, base_offset), found, expected);
    }
}

/// Rows by the offset of their sequence's address and their number whose file ptxas may have
/// forgotten to set: from sm_90 on call sites in the context of the row before
/// (docs/formats/line-tables.md, rows from sm_90 on), and what follows up to the next file that is
/// set.
fn forgotten_files(target: Target, units: Units<'_, '_>) -> HashSet<(u64, u32)> {
    let mut forgotten = HashSet::new();
    if target.generation() < Generation::HiddenMercury {
        return forgotten;
    }
    for sequence in units.iter().flat_map(|unit| unit.sequences().map_while(Result::ok)) {
        let callers = contexts(&sequence);
        let mut steps = sequence.steps();
        let (mut last, mut is_doubtful) = (None, false);
        while let Some((op, _)) = steps.next() {
            match op {
                LineOp::SetFile(_) => is_doubtful = false,
                LineOp::Row { .. } => {
                    let row = steps.row();
                    let is_caller = steps.row_number().is_some_and(|number| callers.contains(&number.into()));
                    is_doubtful |= last == Some(row.context) && is_caller;
                    if is_doubtful {
                        forgotten.insert((sequence.base_offset, row.number));
                    }
                    last = Some(row.context);
                }
                _ => {}
            }
        }
    }
    forgotten
}

/// The contexts of a sequence's rows that are of rows before them.
fn contexts(sequence: &SequenceProgram<'_>) -> HashSet<u64> {
    let (mut contexts, mut counted) = (HashSet::new(), 0);
    let mut steps = sequence.steps();
    while let Some((op, _)) = steps.next() {
        if matches!(op, LineOp::Row { .. }) {
            let context = steps.row().context;
            if (1..=counted).contains(&context) {
                contexts.insert(context);
            }
            counted += u64::from(steps.row_number().is_some());
        }
    }
    contexts
}
