//! The table of repairs.

use super::{
    Edit, FixSelection, data, entry_paths, files, inlining, intermediate, locs, moves, names, strip, symbols,
    target, versions,
};
use crate::check::RuleId;
use crate::parser::Parsed;

/// A kind of repair of PTX text that `check --fix` can make. Its number is the index of its
/// description in [`REPAIRS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
#[allow(missing_docs)] // the table says what each one does
pub enum Repair {
    StripAll,
    StripToLines,
    CutNulBytes,
    JoinFileNames,
    PathMap,
    AsciiText,
    MangleSymbols,
    MoveFiles,
    MoveSections,
    MergeFiles,
    RenumberFiles,
    FileTime,
    DropInlineAttributes,
    InsertCallSites,
    FoldDifferences,
    RewriteNegatives,
    SplitWideValues,
    SpellOffsets,
    DropRedundantLocs,
    DropIntermediateLines,
    DropUnknownIntermediateLines,
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
    /// The repair that is described.
    pub repair: Repair,
    /// The stable name of the repair, in words joined by `-`.
    pub name: &'static str,
    /// The name that another tool has for what the repair does.
    pub other_name: Option<&'static str>,
    /// The effect of the repair, in one sentence.
    pub summary: &'static str,
    /// The rules whose findings the repair removes.
    pub rules: &'static [RuleId],
    /// Whether `--fix` without names makes the repair. It does if the repair makes a module
    /// acceptable or keeps information from getting lost, and removes nothing of use.
    pub default: bool,
    pub(super) run: fn(&Parsed<'_>, &FixSelection) -> Vec<Edit>,
}

impl Repair {
    /// Returns the description of the repair.
    pub fn info(self) -> &'static RepairInfo {
        &REPAIRS[self as usize]
    }
}

/// Returns the repair with this name, or with this name in another tool.
pub fn repair_named(name: &str) -> Option<&'static RepairInfo> {
    REPAIRS.iter().find(|info| info.name == name || info.other_name == Some(name))
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
    RepairInfo { repair, name, other_name: None, summary, rules, default, run }
}

impl RepairInfo {
    const fn also_named(mut self, name: &'static str) -> Self {
        self.other_name = Some(name);
        self
    }
}

use Repair as R;
use RuleId as Id;

/// The descriptions of the repairs, in the order in which they are made. A repair that gives
/// another one work comes before it. The repairs that raise `.version` come last, so that it rises
/// only for what no other repair could mend. A test checks that the order is that of [`Repair`] and
/// `check::Rule::fixable`.
#[rustfmt::skip] // one repair, one place
pub static REPAIRS: [RepairInfo; 27] = [
    repair(R::StripAll, "strip-all", ASKED, &[Id::LinesWithoutOption, Id::DebugMeansO0], strip::all,
        "Takes out `.loc`, `.loc_intermediate`, `.file`, `.section`, `.nv_intermediate_source_section`, `@@DWARF` and `, debug`."),
    repair(R::StripToLines, "strip-to-lines", ASKED, &[Id::DebugMeansO0], strip::to_lines,
        "Takes out `, debug`, `@@DWARF` and each `.section` but the names of inlined functions; `.file` and `.loc` stay, and get the inlined calls that only `.debug_info` has, for which `.version` is raised to 7.2. Attributes that an older `.version` forbids go.")
        .also_named("strip-nonlinetable-debuginfo"), // of LLVM's opt
    repair(R::CutNulBytes, "cut-nul-bytes", DEFAULT, &[Id::NulByte], names::nul_bytes,
        "Takes out NUL bytes after the end of the text."),
    repair(R::JoinFileNames, "join-file-names", DEFAULT, &[Id::FileFolder], names::join,
        "Writes one name in a `.file` that has a folder and a name, and takes out a checksum after it."),
    repair(R::PathMap, "path-map", ASKED, &[Id::FilePlaceholder, Id::NonAscii], entry_paths::path_map,
        "Replaces the beginnings of paths in `.file`, and of names and folders of units in `.debug_info` and `.debug_str`, as a given map says."),
    repair(R::AsciiText, "ascii-text", DEFAULT, &[Id::NonAscii], names::ascii,
        "Writes non-ASCII characters as `\\u{e9}` in comments and as `%C3%A9` in names of files, other bytes as `\\xe9` and `%E9`, and takes out a byte order mark."),
    repair(R::MangleSymbols, "mangle-symbols", DEFAULT, &[Id::DottedSymbol], symbols::mangle,
        "Writes the declared name in place of one with dots. What is declared with them gets `_$_` for each dot, and a number after it where that name is taken; kernels and functions keep them."),
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
    repair(R::DropInlineAttributes, "drop-inline-attributes", ASKED, inlining::RULES, inlining::drop_attributes,
        "Takes out `function_name` and `inlined_at`, and a `.debug_str` that nothing refers to then (its content, where `debug` asks for a section); `.version`, `.file` and every `.loc` stay."),
    repair(R::InsertCallSites, "insert-call-sites", DEFAULT, &[Id::CallSiteUnseen], inlining::insert_call_sites,
        "Writes a `.loc` of the call site before the first `inlined_at` that names it."),
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
    repair(R::DropIntermediateLines, "drop-intermediate-lines", ASKED, intermediate::RULES, intermediate::all,
        "Takes out `.loc_intermediate` and `.nv_intermediate_source_section`."),
    repair(R::DropUnknownIntermediateLines, "drop-unknown-intermediate-lines", DEFAULT, intermediate::RULES, intermediate::unknown,
        "Takes out `.loc_intermediate` and `.nv_intermediate_source_section` below PTX 9.4, where ptxas knows no version that has them."),
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
