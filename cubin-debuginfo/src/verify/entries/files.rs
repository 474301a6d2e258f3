//! Checks of file numbers of entries that exist, but name a file that neither the unit nor the rows
//! of the code know.

use super::super::lines::{LineFiles, TableFiles};
use super::super::{RuleId, Verifier, short};
use super::words;
use crate::entries::{Entries, Entry, Unit};
use crate::limits::MAX_ANCESTORS;
use dwarf2_reader::{constants as dw, source_path};
use nv_debug_sections::cubin::SectionIndex;
use std::ops::Range;

/// The code of a function, and the file that its entry says it is in.
struct Function {
    /// Number of its entry.
    depth: usize,
    section: SectionIndex,
    code: Range<u64>,
    file: Option<u64>,
}

/// The numbers of functions and of what is declared and called in them.
///
/// Two modules that were joined may use one table, so that the numbers of one mean files of the
/// other. A function may well be declared in another file than its code is from; then its unit is
/// called after the first, as where the body is included, or its rows start in it.
pub(super) fn check(
    check: &mut Verifier<'_, '_>,
    entries: &Entries<'_>,
    unit: &Unit,
    table: &TableFiles,
    lines: &LineFiles,
) {
    let name = entries.get(unit.entries.start).and_then(Entry::name);
    let name = name.as_deref().map(source_path::file_name);
    let mut function: Option<Function> = None;
    for number in unit.entries.clone() {
        let Some(entry) = entries.get(number) else { continue };
        function = function.filter(|function| entry.depth() > function.depth);
        if entry.tag() == dw::DW_TAG_subprogram
            && let Some((section, code)) = entry.code()
        {
            let file = entries.inherited(number, dw::DW_AT_decl_file);
            let file = file.and_then(|(_, file)| file.unsigned());
            function = Some(Function { depth: entry.depth(), section, code, file });
        }
        let Some(function) = &function else { continue };
        if !lines.has_rows(function.section, &function.code) {
            continue;
        }
        for attribute in attributes(entry) {
            let Some(file) = entry.unsigned(*attribute).filter(|file| *file != 0) else { continue };
            let is_own = entry.depth() == function.depth;
            let Some(path) = table.path(file) else { continue };
            let is_known = !is_own && function.file == Some(file)
                || name == Some(source_path::file_name(lines.path(path)))
                || lines.names(function.section, &function.code, path)
                || is_file_of_caller(entries, number, file);
            if is_known {
                continue;
            }
            let at = entry.attribute(*attribute);
            let at = at.map_or(entry.offset(), |attribute| attribute.offset);
            let attribute = dw::DW_AT.name_or_number(*attribute);
            let found = format!("{attribute} of {}: file {file}, {}", words(entry), short(lines.path(path)));
            let expected = "a file of its unit's name, or of a row of its code";
            let name = check.function_name(function.section, function.code.start);
            let place = RuleId::EntriesOtherFile.at(entries.section_name(), at);
            check.find_in(name, place, found, expected);
        }
    }
}

/// The file attributes of an entry that say where code is from.
fn attributes(entry: Entry<'_>) -> &'static [u16] {
    match entry.tag() {
        dw::DW_TAG_subprogram | dw::DW_TAG_formal_parameter | dw::DW_TAG_variable => &[dw::DW_AT_decl_file],
        dw::DW_TAG_inlined_subroutine => &[dw::DW_AT_call_file],
        _ => &[],
    }
}

/// Whether an inlined function around the entry is declared in that file of the same table.
fn is_file_of_caller(entries: &Entries<'_>, number: usize, file: u64) -> bool {
    let around = entries.ancestors(number).take(MAX_ANCESTORS);
    let inlined = around.filter(|entry| entry.tag() == dw::DW_TAG_inlined_subroutine);
    let declared = inlined.filter_map(|entry| {
        let number = entries.at(entry.offset())?;
        entries.inherited(number, dw::DW_AT_decl_file)?.1.unsigned()
    });
    declared.into_iter().any(|declared| declared == file)
}
