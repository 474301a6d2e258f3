//! Every rule of [`crate::check`], in one table: its code, what it says, since when, where it is written, and what
//! ptxas 13.0.88 does about it.

use super::gates::PtxVersion;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Debug information gets lost or is not what it seems.
    Warning,
    /// ptxas refuses the module or crashes, or its debug information cannot be used.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Which one it is; its place in [`RULES`].
    pub id: RuleId,
    /// The stable code: a letter for the subject and three digits. Never given to another rule.
    pub code: &'static str,
    /// The stable name, in words joined by `-`.
    pub name: &'static str,
    /// How bad it is as a rule; a finding may say less.
    pub severity: Severity,
    /// What is required, in one sentence.
    pub summary: &'static str,
    /// First `.version` it applies to; none: all.
    pub since: Option<PtxVersion>,
    /// First `.version` it no longer applies to; none: it still does.
    pub until: Option<PtxVersion>,
    /// Where it is written.
    pub reference: &'static str,
    /// What ptxas 13.0.88 does; `silent` where it says nothing.
    pub ptxas: &'static str,
    /// Whether [`crate::fix`] has a repair.
    pub fixable: bool,
}

/// Finds a rule by its code (`F001`) or its name (`duplicate-file-index`).
pub fn rule_named(word: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code.eq_ignore_ascii_case(word) || rule.name == word)
}

/// What a rule is about, without its code; the index into [`RULES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
#[allow(missing_docs)] // the table says what each one is
pub enum RuleId {
    Syntax,
    NonAscii,
    NulByte,
    UnterminatedComment,
    ConstantOverflow,
    NestingTooDeep,
    TooLarge,
    TooManyErrors,
    DuplicateDefinition,
    InconsistentDeclaration,
    FunctionUndefined,
    AliasTarget,
    Backslash,
    ExternVariable,
    ModuleScope,
    IncompleteType,
    InitialValue,
    CommonSpace,
    Alignment,
    PointerAttribute,
    NoReturnResult,
    ThreadCounts,
    MissingVersion,
    UnsupportedVersion,
    MinorVersion,
    MissingTarget,
    NoArchitecture,
    UnknownTarget,
    TargetNeedsVersion,
    AddressSize,
    Address32,
    GateAddressSize,
    GateTargetDebug,
    GateSection,
    GateAtDwarf,
    AtDwarfDeprecated,
    GateFileTime,
    GateLabelOffset,
    GateB16,
    GateSectionLabel,
    GateInline,
    GateDifference,
    GateNegative,
    DebugWithoutSection,
    DebugMeansO0,
    DuplicateFileIndex,
    FileIndexGap,
    FileIndexRange,
    FileNameEmpty,
    FileNameCrash,
    FileNameLength,
    FileNameCharacters,
    FilePlaceholder,
    FileInside,
    FileTimeCrash,
    FileTimeCut,
    FileTimeOfBuild,
    FileTimeAlone,
    UndeclaredFile,
    NoFile,
    LocOutside,
    LineZero,
    LineRange,
    RedundantLoc,
    ColumnLost,
    CallSiteUnseen,
    CallSiteElsewhere,
    NameUnresolved,
    NameElsewhere,
    NamePastEnd,
    NameOffsetCut,
    LinePastEnd,
    InlineAsmDrift,
    LinesWithoutOption,
    MarkerBack,
    LocsOnALine,
    SectionInside,
    SectionRepeated,
    SectionReserved,
    SectionDropped,
    AtDwarfWithoutSection,
    InfoWithoutAbbrev,
    SectionEarly,
    ValueRange,
    ValueCut,
    DataType,
    NarrowLabel,
    DottedSymbol,
    DuplicateLabel,
    UndefinedSymbol,
    AmbiguousName,
    DifferenceUndefined,
    DifferenceSections,
    LabelTwice,
    ReferenceLost,
    OffsetCut,
    LocalOutside,
    UnitLength,
    UnitVersion,
    AbbrevOffset,
    UnitAddressSize,
    UnknownAbbrev,
    ValueCutShort,
    StringOffset,
    DieReference,
    OpenChildren,
    NoEntry,
    AfterRoot,
    UnknownForm,
    AbbrevCut,
    ChildrenFlag,
    DuplicateAbbrev,
    HalfAttribute,
    AbbrevTerminator,
    LongLeb,
    PtxasReads,
    TooManyAttributes,
    NoAddressClass,
    MoreFaults,
}

const fn v(major: u32, minor: u32) -> PtxVersion {
    PtxVersion { major, minor }
}

const ISA_LEXICAL: &str = "PTX ISA 4.1-4.4, Source Format, Identifiers, Constants";
const ISA_VERSION: &str = "PTX ISA 11.1.1, .version";
const ISA_TARGET: &str = "PTX ISA 11.1.2, .target";
const ISA_ADDRESS_SIZE: &str = "PTX ISA 11.1.3, .address_size";
const ISA_AT_DWARF: &str = "PTX ISA 11.5.1, @@dwarf";
const ISA_SECTION: &str = "PTX ISA 11.5.2, .section";
const ISA_FILE: &str = "PTX ISA 11.5.3, .file";
const ISA_LOC: &str = "PTX ISA 11.5.4, .loc";
const DWARF_UNIT: &str = "DWARF 2.0.0 7.5.1, Compilation Unit Header";
const DWARF_TREE: &str = "DWARF 2.0.0 7.5.2, Debugging Information Entry";
const DWARF_ABBREV: &str = "DWARF 2.0.0 7.5.3, Abbreviation Tables";
const DWARF_FORM: &str = "DWARF 2.0.0 7.5.4, Attribute Encodings";
const OBSERVED: &str = "observed: ptxas 13.0.88, sm_90";

/// A row: everything but the versions, which most rules have none of.
const fn rule(
    id: RuleId,
    (code, name): (&'static str, &'static str),
    severity: Severity,
    summary: &'static str,
    (reference, ptxas): (&'static str, &'static str),
) -> Rule {
    Rule { id, code, name, severity, summary, since: None, until: None, reference, ptxas, fixable: false }
}

impl Rule {
    const fn since(mut self, version: PtxVersion) -> Self {
        self.since = Some(version);
        self
    }

    const fn until(mut self, version: PtxVersion) -> Self {
        self.until = Some(version);
        self
    }

    const fn fixable(mut self) -> Self {
        self.fixable = true;
        self
    }
}

impl RuleId {
    /// The rule's row.
    pub fn rule(self) -> &'static Rule {
        &RULES[self as usize]
    }
}

const GATE: &str = "error: Feature '...' requires PTX ISA .version X.Y or later";

use RuleId as Id;
use Severity::{Error, Note, Warning};

/// The table. A test holds it to [`RuleId`]'s order and to unique codes and names.
#[rustfmt::skip] // one rule, one place; rustfmt would make ten lines of each
pub static RULES: [Rule; 119] = [
    rule(Id::Syntax, ("P001", "syntax"), Error, "The text must follow the grammar of PTX.",
        (ISA_LEXICAL, "fatal: Parsing error near '...': syntax error")),
    rule(Id::NonAscii, ("P002", "non-ascii"), Error, "A module is ASCII text, even in comments and file names.",
        (ISA_LEXICAL, "fatal: Unexpected non-ASCII character encountered on line N")).fixable(),
    rule(Id::NulByte, ("P003", "nul-byte"), Error, "A module holds no NUL byte.",
        (ISA_LEXICAL, "fatal: Unexpected EOF encountered on line N")),
    rule(Id::UnterminatedComment, ("P004", "unterminated-comment"), Error, "A `/*` comment ends with `*/`.",
        (ISA_LEXICAL, "fatal: Parsing error near '': unexpected EOF while scanning")),
    rule(Id::ConstantOverflow, ("P005", "constant-overflow"), Error,
        "A number fits 64 bits, and 32 bits as file index, line or column.",
        (ISA_LEXICAL, "error: Constant overflow, but 2^63 and 2^64 pass as 0")),
    rule(Id::NestingTooDeep, ("P006", "nesting-too-deep"), Error,
        "Brackets in one statement nest at most 32 deep (a limit of this parser).", (OBSERVED, "silent")),
    rule(Id::TooLarge, ("P007", "text-too-large"), Error,
        "A module has less than 4 GiB (a limit of this parser).", (OBSERVED, "not tried")),
    rule(Id::TooManyErrors, ("P008", "too-many-errors"), Error,
        "Of more than 65,536 syntax errors the rest is not listed (a limit of this parser).",
        (OBSERVED, "stops at the first fatal error")),
    rule(Id::DuplicateDefinition, ("P010", "duplicate-definition"), Error,
        "A function, a variable or a label of a block is defined once.",
        (OBSERVED, "error: Duplicate definition of ...")),
    rule(Id::InconsistentDeclaration, ("P011", "inconsistent-declaration"), Error,
        "All declarations of a function or a variable agree.",
        (OBSERVED, "error: Inconsistent redefinition of ..., Inconsistent prototypes of ..., and the like")),
    rule(Id::FunctionUndefined, ("P012", "function-undefined"), Error,
        "A function is defined in the module; with -c, or if nothing calls it, it may be `.extern`.",
        (OBSERVED, "fatal: Unresolved extern function '...', naming the first")),
    rule(Id::AliasTarget, ("P013", "alias-target"), Error,
        "An `.alias` gives a declared function the code of another that is no kernel.",
        (OBSERVED, "error: Unknown symbol '...', Cannot define alias to entry function '...', and the like")),
    rule(Id::Backslash, ("P014", "backslash"), Warning, "No backslash stands before an opcode.",
        (ISA_LEXICAL, "silent: takes one before an opcode")),
    rule(Id::ExternVariable, ("P015", "extern-variable-without-size"), Warning,
        "An `.extern` variable has a size, or the module is compiled with -c.",
        (OBSERVED, "without -c: fatal: Unresolved extern variable '...'")),
    rule(Id::ModuleScope, ("P016", "module-scope-space"), Error,
        "`.param` variables, and from PTX 3.0 `.reg` and `.local` ones, stand in functions.",
        (OBSERVED, "error: Module-scoped variables in .reg state space are not allowed with ABI, and the like")),
    rule(Id::IncompleteType, ("P017", "incomplete-type"), Error, "A variable that is not `.extern` has a size.",
        (OBSERVED, "error: Non-external variable '...' has incomplete type")),
    rule(Id::InitialValue, ("P018", "initial-value"), Error,
        "Only `.global` and `.const` variables that are not `.extern` have an initial value.",
        (OBSERVED, "error: No initial value is allowed for '...' in this state space, or for external symbol '...'")),
    rule(Id::CommonSpace, ("P019", "common-space"), Error, "A `.common` variable is in `.global`.",
        (OBSERVED, "error: .common variables must be declared in .global space")),
    rule(Id::Alignment, ("P020", "alignment"), Error, "An alignment is a power of two.",
        (OBSERVED, "error: Alignment must be a power of two")),
    rule(Id::PointerAttribute, ("P021", "ptr-on-function"), Error, "Only parameters of kernels have `.ptr`.",
        (OBSERVED, "error: Illegal placement of kernel parameter attribute; again for its alignment")),
    rule(Id::NoReturnResult, ("P022", "noreturn-with-result"), Error, "A `.noreturn` function has no result.",
        (OBSERVED, "error: Invalid directive '.noreturn' for function '...'")),
    rule(Id::ThreadCounts, ("P023", "thread-counts"), Error, "A kernel has not both `.maxntid` and `.reqntid`.",
        (OBSERVED, "error: Conflicting directives: .maxntid and .reqntid cannot both be specified")),
    rule(Id::MissingVersion, ("V001", "missing-version"), Error, "A module begins with `.version MAJOR.MINOR` on one line.",
        (ISA_VERSION, "fatal: Missing .version directive at start of file")),
    rule(Id::UnsupportedVersion, ("V002", "unsupported-version"), Error,
        "The `.version` is one that PTX ISA 1.0 to 9.0 had.",
        (ISA_VERSION, "fatal: Unsupported .version X.Y; current version is '9.0'")),
    rule(Id::MinorVersion, ("V003", "minor-version-of-two-digits"), Warning,
        "No PTX version has a minor number above 9.",
        (OBSERVED, "silent: reads 7.10 as 8.0 (10 * major + minor)")),
    rule(Id::MissingTarget, ("V004", "missing-target"), Error, "`.target` follows `.version`.",
        (ISA_TARGET, "fatal: Missing .target directive at start of file")),
    rule(Id::NoArchitecture, ("V005", "no-architecture"), Error, "The first word of `.target` names an architecture.",
        (ISA_TARGET, "fatal: Target architecture not defined at start of file")),
    rule(Id::UnknownTarget, ("V006", "unknown-target"), Error, "`.target` holds architectures and options that ptxas 13.0 knows.",
        (ISA_TARGET, "fatal: Unsupported .target '...'")),
    rule(Id::TargetNeedsVersion, ("V007", "target-needs-version"), Error,
        "An architecture needs the `.version` that introduced it.",
        (ISA_TARGET, "error: PTX .version X.Y does not support .target sm_NN")).fixable(),
    rule(Id::AddressSize, ("V008", "address-size"), Error, "`.address_size` is 32 or 64.",
        (ISA_ADDRESS_SIZE, "error: Illegal value for .address_size directive (must be 32 or 64)")),
    rule(Id::Address32, ("V009", "address-size-32"), Error, "Addresses have 64 bits since CUDA 13.",
        (OBSERVED, "fatal: 32-Bit compilation is no longer supported")),
    rule(Id::GateAddressSize, ("V101", "address-size-version"), Error, "`.address_size` needs PTX 2.3.",
        (ISA_ADDRESS_SIZE, GATE)).until(v(2, 3)).fixable(),
    rule(Id::GateTargetDebug, ("V102", "target-debug-version"), Error, "`debug` in `.target` needs PTX 3.0.",
        (ISA_TARGET, GATE)).until(v(3, 0)).fixable(),
    rule(Id::GateSection, ("V103", "section-version"), Error, "`.section` needs PTX 2.0.",
        (ISA_SECTION, GATE)).until(v(2, 0)).fixable(),
    rule(Id::GateAtDwarf, ("V104", "at-dwarf-version"), Warning, "`@@DWARF` needs PTX 1.2.",
        (ISA_AT_DWARF, "silent")).until(v(1, 2)).fixable(),
    rule(Id::AtDwarfDeprecated, ("V105", "at-dwarf-deprecated"), Error,
        "`@@DWARF` ended with PTX 1.x; `.section` takes its place.",
        (ISA_AT_DWARF, "error: Deprecated feature: '@@DWARF directive' not supported as of PTX version 2.0")).since(v(2, 0)),
    rule(Id::GateFileTime, ("V106", "file-time-version"), Error, "Time and size of `.file` need PTX 3.2.",
        (ISA_FILE, GATE)).until(v(3, 2)).fixable(),
    rule(Id::GateLabelOffset, ("V107", "label-offset-version"), Error, "`label+imm` in a section needs PTX 3.2.",
        (ISA_SECTION, GATE)).until(v(3, 2)).fixable(),
    rule(Id::GateB16, ("V108", "b16-version"), Warning, "`.b16` in a section needs PTX 6.0.",
        (ISA_SECTION, "silent")).until(v(6, 0)).fixable(),
    rule(Id::GateSectionLabel, ("V109", "section-label-version"), Error,
        "A label in a section needs PTX 7.2; ptxas takes it from 7.0.", (ISA_SECTION, GATE)).until(v(7, 2)).fixable(),
    rule(Id::GateInline, ("V110", "inline-loc-version"), Error,
        "`function_name` and `inlined_at` need PTX 7.2; ptxas takes them from 7.0.", (ISA_LOC, GATE)).until(v(7, 2)).fixable(),
    rule(Id::GateDifference, ("V111", "label-difference-version"), Error, "`label1-label2` in a section needs PTX 7.5.",
        (ISA_SECTION, GATE)).until(v(7, 5)).fixable(),
    rule(Id::GateNegative, ("V112", "negative-number-version"), Error, "A negative number in a section needs PTX 7.5.",
        (ISA_SECTION, GATE)).until(v(7, 5)).fixable(),
    rule(Id::DebugWithoutSection, ("T001", "target-debug-without-section"), Error,
        "A module with `.target ..., debug` has a `.section`.",
        (OBSERVED, "error: Debug information not found in presence of .target debug")).since(v(3, 0)).fixable(),
    rule(Id::DebugMeansO0, ("T002", "target-debug-means-O0"), Warning,
        "`.target ..., debug` turns optimisation off without any option.",
        (OBSERVED, "silent; fatal: Optimized debugging not supported with -O1 and above")).since(v(3, 0)).fixable(),
    rule(Id::DuplicateFileIndex, ("F001", "duplicate-file-index"), Error, "Each `.file` has an index of its own.",
        (OBSERVED, "error: Duplicate file index #N, even for the same name (the example of the PTX ISA)")).fixable(),
    rule(Id::FileIndexGap, ("F002", "file-index-gap"), Warning, "File indices count 1, 2, 3, ... without gaps.",
        (OBSERVED, "silent: the table of the line program has no gaps, its rows keep the index of the PTX")).fixable(),
    rule(Id::FileIndexRange, ("F003", "file-index-range"), Warning, "A file index is 1 to 65535.",
        (OBSERVED, "silent: 16 bits are stored, and DWARF 2 has no file 0")).fixable(),
    rule(Id::FileNameEmpty, ("F004", "file-name-empty"), Warning, "A file has a name.",
        (OBSERVED, "silent: the file table ends there")),
    rule(Id::FileNameCrash, ("F012", "file-name-empty-crash"), Error,
        "A file without a name is the last, and has no time and size of more than 7 bits.",
        (OBSERVED, "takes what follows for line opcodes; mostly crashes when it writes the line table")),
    rule(Id::FileNameLength, ("F005", "file-name-length"), Error, "A file name has at most 16000 bytes.",
        (OBSERVED, "crashes when it writes the line table")),
    rule(Id::FileNameCharacters, ("F006", "file-name-characters"), Warning,
        "A file name holds no backslash and no line break.",
        (OBSERVED, "silent: a backslash is a directory separator, a line break is kept")),
    rule(Id::FilePlaceholder, ("F007", "placeholder-file-name"), Warning,
        "A file name leads to the source, and is no placeholder of an online compiler.", (OBSERVED, "silent")).fixable(),
    rule(Id::FileInside, ("F008", "file-inside-function"), Error, "`.file` stands at module scope.",
        (ISA_FILE, "fatal: Parsing error near '.file': syntax error")).fixable(),
    rule(Id::FileTimeCrash, ("F009", "file-time-crash"), Error, "A file's time is below 2^63.",
        (OBSERVED, "crashes when it writes the line table")),
    rule(Id::FileTimeCut, ("F010", "file-time-cut"), Warning, "A file's time and its size fit 32 bits.",
        (OBSERVED, "silent: cuts both to 32 bits")),
    rule(Id::FileTimeOfBuild, ("F011", "file-time-of-build"), Note,
        "Without time and size in `.file` the cubin depends on the source file of the machine that builds it.",
        (OBSERVED, "silent: writes time and size of the file if it is there")).fixable(),
    rule(Id::FileTimeAlone, ("F013", "file-time-without-size"), Warning, "Time and size of `.file` come together.",
        (ISA_FILE, "silent: writes the size 0")),
    rule(Id::UndeclaredFile, ("L001", "undeclared-file"), Warning, "The file of a `.loc` is declared by a `.file`.",
        (ISA_LOC, "silent")),
    rule(Id::NoFile, ("L002", "no-file"), Warning, "A module with `.loc` declares files.",
        (OBSERVED, "warning: .loc directive without .file directive is found, line information in generated binary may not be complete")),
    rule(Id::LocOutside, ("L003", "loc-outside-function"), Error, "`.loc` stands in the body of a function.",
        (ISA_LOC, "fatal: Parsing error near '.loc': syntax error")),
    rule(Id::LineZero, ("L004", "line-zero"), Warning, "A line is 1 or more, and below 2^63.",
        (OBSERVED, "silent: writes no row, so the code counts to the line before; 2^63 and 2^64 are 0")),
    rule(Id::LineRange, ("L005", "line-range"), Warning, "A line is below 2^31.",
        (OBSERVED, "silent: writes a negative line")),
    rule(Id::RedundantLoc, ("L006", "redundant-loc"), Warning, "A `.loc` changes something.", (OBSERVED, "silent")).fixable(),
    rule(Id::ColumnLost, ("L007", "column-lost"), Note,
        "What tells two places apart is more than a column: ptxas writes none.",
        (OBSERVED, "silent: every column is 0, and rows of one line are merged")),
    rule(Id::CallSiteUnseen, ("L008", "call-site-not-preceding"), Error,
        "The place in `inlined_at` is that of an earlier `.loc`: file, line and column.",
        (ISA_LOC, "error: Source location F L C used in inlined_at directive must be used in a preceding .loc directive")),
    rule(Id::CallSiteElsewhere, ("L009", "call-site-in-other-function"), Warning,
        "The earlier `.loc` of `inlined_at` stands in the same function.",
        (OBSERVED, "silent: the call is inlined at a line of that other function")),
    rule(Id::NameUnresolved, ("L010", "function-name-unresolved"), Error,
        "The label of `function_name` is defined in `.debug_str`.",
        (ISA_LOC, "error: Unresolved label '...' used in function_name attribute.")),
    rule(Id::NameElsewhere, ("L011", "function-name-in-other-section"), Warning,
        "The label of `function_name` is defined in `.debug_str`, and in no other section.",
        (ISA_LOC, "silent: takes its offset for one of .debug_str")),
    rule(Id::NamePastEnd, ("L012", "function-name-past-end"), Warning,
        "The name of an inlined function begins inside `.debug_str`.", (ISA_LOC, "silent")),
    rule(Id::NameOffsetCut, ("L013", "function-name-offset-cut"), Warning,
        "The number behind `function_name` fits 32 bits.", (OBSERVED, "silent: cuts it")),
    rule(Id::LinePastEnd, ("L014", "line-past-end-of-file"), Warning,
        "A line is one that the source file has.", (OBSERVED, "silent")),
    rule(Id::InlineAsmDrift, ("L015", "inline-asm-drift"), Warning,
        "The lines of one inline assembly are those of the source, not counted up per instruction.", (OBSERVED, "silent")),
    rule(Id::LinesWithoutOption, ("L016", "lines-without-option"), Note,
        "From PTX 4.0 `.loc` gives line information without any option.", (OBSERVED, "silent")).since(v(4, 0)).fixable(),
    rule(Id::MarkerBack, ("L017", "line-marker-back"), Error,
        "In a body with `.loc`, line markers put no `}` more than a line before its `{`, and no last instruction of a `.loc` more than a line before the first.",
        (OBSERVED, "crashes while parsing, where line information is made")),
    rule(Id::LocsOnALine, ("L019", "several-locs-on-a-line"), Warning,
        "The instructions on one line of PTX have one `.loc`.",
        (OBSERVED, "silent: all of the line counts to the last instruction's `.loc` that has another line than 0")),
    rule(Id::SectionInside, ("S001", "section-inside"), Error, "`.section` stands at module scope.",
        (ISA_SECTION, "fatal: Parsing error near '.section': syntax error")).fixable(),
    rule(Id::SectionRepeated, ("S002", "section-repeated"), Error, "A section has one block.",
        (OBSERVED, "with -g, unless one's bytes begin the other's: fatal: Internal error: overlapping non-identical data; keeps the first .debug_str and .debug_abbrev, the last .debug_info")),
    rule(Id::SectionReserved, ("S003", "section-reserved"), Error, "A module brings no section that ptxas writes itself.",
        (OBSERVED, "with -g: fatal: Internal error: overlapping non-identical data")),
    rule(Id::SectionDropped, ("S004", "section-dropped"), Warning,
        "A section is named `.debug_...` or `.nv_debug_...`, for debuggers look for no other, and not `.debug_line`.",
        (OBSERVED, "silent: drops `.debug_line`; keeps any other name with -g or `.target debug`")),
    rule(Id::AtDwarfWithoutSection, ("S005", "at-dwarf-without-section"), Error,
        "`@@DWARF .section` comes before the first `@@DWARF` data.", (ISA_AT_DWARF, "crashes")),
    rule(Id::InfoWithoutAbbrev, ("S006", "info-without-abbrev"), Error,
        "A module with `.debug_info` has `.debug_abbrev`.",
        (OBSERVED, "info: skipping .debug_info section due to missing .debug_abbrev section")),
    rule(Id::SectionEarly, ("S007", "section-referred-to-early"), Error,
        "A reference by name leads to a section that ptxas has come to: to `.debug_str`, then to `.debug_abbrev`, then to the others in text order. In `.debug_info` so does one to a section or label of a name without `.debug_` or `.nv_debug_`.",
        (OBSERVED, "with -g: silent: drops the section referred to; crashes if that holds a reference; fatal: Internal error: overlapping non-identical data, if two of them differ")),
    rule(Id::ValueRange, ("D001", "value-out-of-range"), Error, "A value fits its directive.",
        (ISA_SECTION, "error: Value out of range for type .bN V, after cutting V to 32 bits; a lone -0 fits none")).fixable(),
    rule(Id::ValueCut, ("D002", "value-cut-to-32-bits"), Warning,
        "A number in a section fits 32 bits, unless it is negative: ptxas stores no more.",
        (OBSERVED, "silent: 0x123456789abcdef0 becomes 0x9abcdef0, even in .b64")).fixable(),
    rule(Id::DataType, ("D003", "data-type"), Error, "Section data is .b8, .b16, .b32 or .b64.",
        (ISA_SECTION, "error: Illegal type for dwarf data")),
    rule(Id::NarrowLabel, ("D004", "narrow-label"), Error, "A label or a difference of labels stands in .b32 or .b64.",
        (ISA_SECTION, "error: Illegal type for dwarf data")).fixable(),
    rule(Id::DottedSymbol, ("D005", "dotted-symbol"), Error, "A PTX name has no dot.",
        (ISA_LEXICAL, "fatal: Parsing error near '.x': syntax error")).fixable(),
    rule(Id::DuplicateLabel, ("D006", "duplicate-section-label"), Error, "A label is defined in one section, once.",
        (OBSERVED, "error: Duplicate definition of label '...'")),
    rule(Id::UndefinedSymbol, ("D007", "undefined-symbol"), Warning, "A name in a section is defined in the module.",
        (OBSERVED, "silent: writes 0, in `.debug_info` the number behind `+`")),
    rule(Id::AmbiguousName, ("D013", "ambiguous-name"), Warning, "A name in a section stands for one thing of the module.",
        (OBSERVED, "silent: takes a section's label, then the first label of code, then the first function, variable or parameter")),
    rule(Id::DifferenceUndefined, ("D008", "difference-of-undefined-labels"), Error,
        "Both labels of a difference are defined in a section.",
        (OBSERVED, "with -g, and in .debug_str always: error: label '...' invalid")),
    rule(Id::DifferenceSections, ("D009", "difference-between-sections"), Error,
        "Both labels of a difference are defined in the same section.",
        (ISA_SECTION, "with -g, and in .debug_str always: error: labels '...' and '...' must be defined in the same section")),
    rule(Id::LabelTwice, ("D010", "section-label-used-twice"), Warning,
        "In `.debug_info` a label of a section is used once with the same offset.",
        (OBSERVED, "silent: .debug_info is lost or wrong")).fixable(),
    rule(Id::ReferenceLost, ("D011", "reference-lost"), Warning,
        "Outside `.debug_info` a reference is a code label, a function, a global variable, a kernel's parameter or a section, without an offset; in it, no offset follows a code label or a `.local` variable, and the entry of the latter stands in a function's.",
        (OBSERVED, "silent: writes 0 and no relocation; for `.shared` variables the offset among them, or -1; loses the offset of a code label or `.local` variable")),
    rule(Id::OffsetCut, ("D012", "offset-cut-to-32-bits"), Warning, "The number behind a label's `+` fits 32 bits.",
        (OBSERVED, "silent: cuts it")),
    rule(Id::LocalOutside, ("D014", "local-variable-outside-debug-info"), Error,
        "A `.local` variable is referred to in `.debug_info` only.",
        (OBSERVED, "with -g: fatal: Internal error: unknown attribute; silent with +N: writes 0")),
    rule(Id::UnitLength, ("W001", "unit-length"), Error,
        "A unit of `.debug_info` is as long as its length says, which is a number: ptxas takes a name or a difference for 0.",
        (DWARF_UNIT, "with -g: fatal: Attempted to truncate larger than current size")).fixable(),
    rule(Id::UnitVersion, ("W002", "unit-version"), Error, "A unit is of DWARF version 2.",
        (DWARF_UNIT, "silent: copies it, and readers go wrong")),
    rule(Id::AbbrevOffset, ("W003", "abbreviation-offset"), Error, "A unit's abbreviations lie in `.debug_abbrev`.",
        (DWARF_UNIT, "takes the first abbreviations, as for a label or a difference: silent where the unit fits them")),
    rule(Id::UnitAddressSize, ("W004", "address-size-of-unit"), Error, "Addresses of a unit have 8 bytes.",
        (DWARF_UNIT, "with -g, for some sizes: fatal: Attempted to Dereference Out of Bounds")),
    rule(Id::UnknownAbbrev, ("W005", "unknown-abbreviation"), Error, "An entry's abbreviation is in its table.",
        (DWARF_TREE, "takes the code for a position in .debug_abbrev; silent, or fatal: Attempted to Dereference Out of Bounds")),
    rule(Id::ValueCutShort, ("W006", "value-past-end-of-unit"), Error, "A value ends inside its unit.",
        (DWARF_TREE, "with -g: fatal: Attempted to Dereference Out of Bounds, unless it looks no further")),
    rule(Id::StringOffset, ("W007", "string-offset"), Warning, "A `DW_FORM_strp` leads into `.debug_str`.",
        (DWARF_FORM, "silent")),
    rule(Id::DieReference, ("W008", "reference-outside-unit"), Warning, "A reference leads to an entry of its unit.",
        (DWARF_FORM, "silent")),
    rule(Id::OpenChildren, ("W009", "children-not-closed"), Warning, "A list of children ends with a null entry.",
        (DWARF_TREE, "silent, unless nothing follows the entry: fatal: Checked Data was Invalid")),
    rule(Id::NoEntry, ("W010", "unit-without-entry"), Error, "A unit has an entry.",
        (DWARF_TREE, "with -g: fatal: Checked Data was Invalid, if nothing follows the header")),
    rule(Id::AfterRoot, ("W011", "bytes-behind-root"), Warning, "A unit has one entry at its top.",
        (DWARF_TREE, "reads on")),
    rule(Id::UnknownForm, ("W012", "unknown-form"), Error, "A form is one of DWARF 2 (1 and 3 to 0x16).",
        (DWARF_FORM, "with -g, if an entry uses it: Error in get_form_value default")),
    rule(Id::AbbrevCut, ("W013", "abbreviation-cut"), Error, "An abbreviation ends with two zeros.",
        (DWARF_ABBREV, "with -g: reads memory behind the section")),
    rule(Id::ChildrenFlag, ("W014", "children-flag"), Warning, "An abbreviation's children flag is 0 or 1.",
        (DWARF_ABBREV, "silent: takes others for 1")),
    rule(Id::DuplicateAbbrev, ("W015", "duplicate-abbreviation"), Warning, "A code is defined once in a table.",
        (DWARF_ABBREV, "silent: does not look at codes")),
    rule(Id::HalfAttribute, ("W016", "half-attribute"), Warning, "An attribute has a name and a form.",
        (DWARF_ABBREV, "silent: a name of 0 ends the list")),
    rule(Id::AbbrevTerminator, ("W017", "abbreviations-not-ended"), Warning, "A table of abbreviations ends with a zero.",
        (DWARF_ABBREV, "silent")),
    rule(Id::LongLeb, ("W018", "long-leb128"), Warning, "A LEB128 number fits 64 bits, in at most 10 bytes.",
        ("DWARF 2.0.0 7.6", "wraps; as an abbreviation code fatal: Attempted to Dereference Out of Bounds")),
    rule(Id::PtxasReads, ("W019", "ptxas-reads-otherwise"), Error,
        "ptxas can read `.debug_info`: it numbers abbreviations by position, and follows DW_AT_sibling.",
        (OBSERVED, "with -g: refuses, crashes or hangs on sound DWARF")),
    rule(Id::TooManyAttributes, ("W020", "too-many-attributes"), Error, "An abbreviation has at most 256 attributes.",
        (OBSERVED, "with -g: unexpectedly too many dwarf attributes for any DW_TAG entry!")),
    rule(Id::NoAddressClass, ("W021", "no-address-class"), Warning,
        "A variable that is not in global memory has a DW_AT_address_class: its address is read as a global one without.",
        ("CUDA-GDB; DWARF 2.0.0 2.16", "silent")),
    rule(Id::MoreFaults, ("W022", "more-dwarf-faults"), Warning,
        "Of more than 64 faults in `.debug_info` the rest is not listed (a limit of this reader).", (OBSERVED, "stops at the first")),
];
