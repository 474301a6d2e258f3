//! Repairs of debug directives: small edits of the text, after which ptxas 13.0.88 accepts what it
//! rejected and no debug information gets lost silently.
//!
//! [`fix`] makes all the chosen repairs, one after the other, until none has anything left to do;
//! so fixing twice changes nothing. A default repair that would make ptxas refuse, in some mode,
//! what it accepts is left out. Of a text that is not PTX ([`is_ptx`]), or has more than
//! [`crate::MAX_ERRORS`] syntax errors nothing is repaired. [`edits`] gives the edits of one
//! repair. [`REPAIRS`] says what each one does.

mod catalog;
mod data;
mod edit;
mod files;
mod fix_selection;
mod locs;
mod moves;
mod names;
mod strip;
mod symbols;
mod target;
mod versions;

pub use catalog::catalog;
pub use edit::{Edit, apply};
pub use fix_selection::FixSelection;

use crate::check::{CheckContext, Mode, RuleId, Verdict, check};
use crate::lexer::Lexer;
use crate::limits::{MAX_ERRORS, MAX_REPAIR_PASSES};
use crate::parser::{Parsed, parse};

/// A kind of repair of PTX text that `check --fix` can make. Its number is the index in
/// [`REPAIRS`], which describes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
#[allow(missing_docs)] // the table says what each one does
pub enum Repair {
    StripAll,
    StripToLines,
    PathMap,
    AsciiText,
    MangleSymbols,
    MoveFiles,
    MoveSections,
    MergeFiles,
    RenumberFiles,
    FileTime,
    FoldDifferences,
    RewriteNegatives,
    SplitWideValues,
    SpellOffsets,
    DropRedundantLocs,
    AddDebug,
    AddSection,
    RemoveDebug,
    DropDebugWithoutSection,
    BumpVersion,
    DocumentedVersion,
}

/// The description of a repair: its name, its effect, and the rules whose findings it removes.
#[derive(Debug)]
pub struct RepairInfo {
    /// Which one it is; its place in [`REPAIRS`].
    pub repair: Repair,
    /// The stable name, in words joined by `-`.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// The rules whose findings it takes away.
    pub rules: &'static [RuleId],
    /// Whether `--fix` does it unasked: what makes a module acceptable or keeps information from
    /// getting lost does, and takes away nothing that is still of use.
    pub default: bool,
    run: fn(&Parsed<'_>, &FixSelection) -> Vec<Edit>,
}

impl Repair {
    /// Returns the description of the repair.
    pub fn info(self) -> &'static RepairInfo {
        &REPAIRS[self as usize]
    }
}

/// Returns the repair with this name.
pub fn repair_named(name: &str) -> Option<&'static RepairInfo> {
    REPAIRS.iter().find(|info| info.name == name)
}

const DEFAULT: bool = true;
const ASKED: bool = false;

const fn repair(
    repair: Repair,
    name: &'static str,
    default: bool,
    rules: &'static [RuleId],
    run: fn(&Parsed<'_>, &FixSelection) -> Vec<Edit>,
    summary: &'static str,
) -> RepairInfo {
    RepairInfo { repair, name, summary, rules, default, run }
}

use Repair as R;
use RuleId as Id;

/// The descriptions of the repairs, in the order in which they are made. A repair that makes
/// another one visible comes first, and `.version` last, so that it rises only for what could not
/// be written in another way. A test checks that the order is that of [`Repair`] and
/// `check::Rule::fixable`.
#[rustfmt::skip] // one repair, one place
pub static REPAIRS: [RepairInfo; 21] = [
    repair(R::StripAll, "strip-all", ASKED, &[Id::LinesWithoutOption, Id::DebugMeansO0], strip::all,
        "Takes out `.loc`, `.file`, `.section`, `@@DWARF` and `, debug`."),
    repair(R::StripToLines, "strip-to-lines", ASKED, &[Id::DebugMeansO0], strip::to_lines,
        "Takes out `, debug`, `@@DWARF` and each `.section` but those with the names of inlined functions; `.file` and `.loc` stay."),
    repair(R::PathMap, "path-map", ASKED, &[Id::FilePlaceholder, Id::NonAscii], names::path_map,
        "Replaces the beginnings of paths in `.file`, as a given map says."),
    repair(R::AsciiText, "ascii-text", DEFAULT, &[Id::NonAscii], names::ascii,
        "Writes non-ASCII characters as `\\u{e9}` in comments and as `%C3%A9` in names of files, other bytes as `\\xe9` and `%E9`, and takes out a byte order mark."),
    repair(R::MangleSymbols, "mangle-symbols", DEFAULT, &[Id::DottedSymbol], symbols::mangle,
        "Writes the declared name in place of one with dots, or `_$_` for each dot where a variable is declared with them; kernels, functions and labels keep them."),
    repair(R::MoveFiles, "move-files", DEFAULT, &[Id::FileInside], moves::files,
        "Moves a `.file` out of a function or section, after it."),
    repair(R::MoveSections, "move-sections", DEFAULT, &[Id::SectionInside], moves::sections,
        "Moves a `.section` out of a function, after it."),
    repair(R::MergeFiles, "merge-files", DEFAULT, &[Id::DuplicateFileIndex], files::merge,
        "Of two `.file` with one index, drops the second if it names the same file, else gives it and its `.loc` a free index."),
    repair(R::RenumberFiles, "renumber-files", DEFAULT, &[Id::FileIndexGap, Id::FileIndexRange], files::renumber,
        "Numbers the files 1, 2, 3, ... and `.loc` with them."),
    repair(R::FileTime, "file-time", ASKED, &[Id::FileTimeOfBuild], names::time,
        "Gives each `.file` without a time a fixed time and size, so that the cubin does not depend on the building machine."),
    repair(R::FoldDifferences, "fold-differences", DEFAULT, &[Id::GateDifference, Id::NarrowLabel, Id::UnitLength], data::fold,
        "Writes the number in place of a difference of labels, below PTX 7.5, in `.b8` and `.b16`, and as a unit's length."),
    repair(R::RewriteNegatives, "rewrite-negatives", DEFAULT, &[Id::GateNegative, Id::ValueRange], data::negatives,
        "Writes negative numbers as unsigned ones of the same bytes, below PTX 7.5; and `-0` as `0`."),
    repair(R::SplitWideValues, "split-wide-values", DEFAULT, &[Id::ValueCut], data::wide,
        "Writes a number beyond 32 bits in `.b64` as two of `.b32`."),
    repair(R::SpellOffsets, "spell-offsets", DEFAULT, &[Id::LabelTwice], data::offsets,
        "In `.debug_info`, writes a section and a number in place of a label that is used there before."),
    repair(R::DropRedundantLocs, "drop-redundant-locs", DEFAULT, &[Id::RedundantLoc], locs::redundant,
        "Takes out a `.loc` that says what is in effect already."),
    repair(R::AddDebug, "add-debug", ASKED, &[], target::add_debug,
        "Adds `debug` to `.target`, and an empty section if there is none."),
    repair(R::AddSection, "add-section", ASKED, &[Id::DebugWithoutSection], target::add_section,
        "Adds an empty section to a module with `debug` and no section."),
    repair(R::RemoveDebug, "remove-debug", ASKED, &[Id::DebugMeansO0, Id::DebugWithoutSection], target::remove_debug,
        "Takes `debug` out of `.target`."),
    repair(R::DropDebugWithoutSection, "drop-debug-without-section", DEFAULT, &[Id::DebugWithoutSection], target::drop_debug,
        "Takes `debug` out of `.target` where the module has no section."),
    repair(R::BumpVersion, "bump-version", DEFAULT, versions::ENFORCED, versions::enforced,
        "Raises `.version` to the least that ptxas 13.0.88 asks for."),
    repair(R::DocumentedVersion, "documented-version", ASKED, versions::DOCUMENTED, versions::documented,
        "Raises `.version` to the least by the PTX ISA."),
];

/// The result of [`fix`]: the new text and the repairs made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixResult {
    /// The text as it is now.
    pub text: String,
    /// The repairs made, in the order in which each first did something, with the number of their
    /// edits.
    pub applied: Vec<(Repair, u32)>,
}

/// Returns the edits by which one repair changes a parsed module: ascending, disjoint, on character
/// boundaries. They belong together: making only some of them may do harm.
pub fn edits(parsed: &Parsed<'_>, repair: Repair, fixes: &FixSelection) -> Vec<Edit> {
    let mut edits = (repair.info().run)(parsed, fixes);
    edits.sort_by_key(|edit| edit.range);
    // Of two directives without a line end between, as only a broken text has them, the blanks
    // belong to the first.
    let mut at = 0;
    edits.retain_mut(|edit| {
        edit.range.start = edit.range.start.max(at);
        let kept = edit.range.start <= edit.range.end;
        at = at.max(edit.range.end);
        kept
    });
    edits
}

/// Whether a text is PTX, possibly damaged: the first token after comments is a directive of the
/// header. Anything else may be another language, and must not be edited.
pub fn is_ptx(text: &str) -> bool {
    let first = Lexer::new(text, 0).next_significant();
    matches!(first.range.slice(text), ".version" | ".target" | ".address_size")
}

/// Whether [`fix`] would change the text. It stops at the first change.
pub fn would_change(text: &str, fixes: &FixSelection) -> bool {
    if !is_ptx(text) {
        return false;
    }
    let repairs: Vec<Repair> = REPAIRS.iter().map(|info| info.repair).filter(|&r| fixes.has(r)).collect();
    let mut fixed = FixResult { text: text.to_owned(), applied: Vec::new() };
    repairs.iter().any(|&repair| pass(&mut fixed, &[repair], fixes))
}

/// Makes the chosen repairs until none changes the text. It takes any text, and does not change one
/// that is not PTX.
pub fn fix(text: &str, fixes: &FixSelection) -> FixResult {
    let mut fixed = FixResult { text: text.to_owned(), applied: Vec::new() };
    if !is_ptx(text) {
        return fixed;
    }
    let (others, versions): (Vec<_>, Vec<_>) = REPAIRS
        .iter()
        .map(|info| info.repair)
        .filter(|&repair| fixes.has(repair))
        .partition(|&repair| repair < Repair::BumpVersion);
    for _ in 0..MAX_REPAIR_PASSES {
        // `.version` rises only when nothing else is left to do.
        if !pass(&mut fixed, &others, fixes) && !pass(&mut fixed, &versions, fixes) {
            break;
        }
    }
    fixed
}

/// Makes each repair once. False: there was nothing to do.
fn pass(fixed: &mut FixResult, repairs: &[Repair], fixes: &FixSelection) -> bool {
    let mut from = 0;
    let mut changed = false;
    let mut accepted = None;
    while let Some((index, repair, made)) = next_edits(&fixed.text, repairs, from, fixes) {
        let text = apply(&fixed.text, &made);
        from = index + 1;
        if text == fixed.text {
            continue;
        }
        // What is done unasked must not take from ptxas what it accepts, be it for a fault that it
        // does not look at.
        if repair.info().default {
            let before = *accepted.get_or_insert_with(|| accepted_in(&fixed.text));
            let after = accepted_in(&text);
            if before.iter().zip(after).any(|(&before, after)| before && !after) {
                continue;
            }
            accepted = Some(after);
        } else {
            accepted = None;
        }
        changed = true;
        fixed.text = text;
        let count = made.len() as u32;
        match fixed.applied.iter_mut().find(|(known, _)| *known == repair) {
            // Another repair has let it see more.
            Some((_, edits)) => *edits += count,
            None => fixed.applied.push((repair, count)),
        }
    }
    changed
}

/// The modes in which ptxas 13.0.88 takes a module.
fn accepted_in(text: &str) -> [bool; 3] {
    let report = check(&parse(text), &CheckContext::default());
    [Mode::None, Mode::Lineinfo, Mode::G].map(|mode| report.verdict(mode) == Verdict::Accept)
}

/// The first of the repairs from `from` on that has something to do, and its edits.
fn next_edits(
    text: &str,
    repairs: &[Repair],
    from: usize,
    fixes: &FixSelection,
) -> Option<(usize, Repair, Vec<Edit>)> {
    let rest = repairs.get(from..).filter(|rest| !rest.is_empty())?;
    let parsed = parse(text);
    if parsed.errors.len() > MAX_ERRORS {
        return None; // repairs go by the errors, and not all are listed
    }
    let made = |(index, &repair): (usize, &Repair)| {
        let made = edits(&parsed, repair, fixes);
        (!made.is_empty()).then_some((from + index, repair, made))
    };
    rest.iter().enumerate().find_map(made)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::check::RULES;

    #[test]
    fn the_table_is_in_order_and_agrees_with_the_rules() {
        let mut names = HashSet::new();
        for (index, info) in REPAIRS.iter().enumerate() {
            assert_eq!(info.repair as usize, index);
            assert!(names.insert(info.name), "{}", info.name);
            assert!(repair_named(info.name).is_some_and(|found| found.repair == info.repair));
        }
        for rule in &RULES {
            let answered = REPAIRS.iter().any(|info| info.rules.contains(&rule.id));
            assert_eq!(rule.details.fixable, answered, "{} {}", rule.code, rule.name);
        }
    }
}
