//! The rules of [`crate::check`] in one table: code, summary, PTX versions, source, and what ptxas
//! 13.0.88 does about each.

use super::ptx_version::PtxVersion;
use super::release_behaviour::{ReleaseBehaviour, ReleaseDifference};
use findings::Severity;

/// A rule of [`crate::check`].
pub type Rule = findings::Rule<RuleId>;

/// The details of a rule about PTX, beyond those that all rules have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// The first `.version` that the rule applies to; `None` if it applies from the first version
    /// on.
    pub since: Option<PtxVersion>,
    /// The first `.version` that the rule no longer applies to; `None` if there is none.
    pub until: Option<PtxVersion>,
    /// The document that states the requirement.
    pub reference: &'static str,
    /// The behaviour of ptxas 13.0.88 where the rule is broken; `silent` where it says nothing.
    pub ptxas: &'static str,
    /// The releases whose ptxas does otherwise.
    pub releases: &'static [ReleaseDifference],
    /// Whether [`crate::fix`] has a repair.
    pub fixable: bool,
}

/// The ids of the rules of [`crate::check`], by subject. Each number is the index of the rule in
/// [`RULES`].
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
    UnterminatedSource,
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
    IncompleteParameter,
    ParameterSpace,
    UnknownOpcode,
    MissingVersion,
    UnsupportedVersion,
    MinorVersion,
    MissingTarget,
    NoArchitecture,
    UnknownTarget,
    TargetNeedsVersion,
    AddressSize,
    Address32,
    TargetOption,
    RelocatableVersion,
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
    GateIntermediateLoc,
    GateIntermediateSources,
    GateLanguage,
    GateHidden,
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
    SourceTextFile,
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
    NamesMissing,
    IntermediateLine,
    InlinedCallCrash,
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
    SectionMissing,
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
    WrongAddressClass,
    FileNumber,
    FileOfFunction,
    BareAddress,
    OperandCut,
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
const OBSERVED_13_5: &str = "observed: ptxas 13.4.92 and 13.5.37, sm_90";

const fn rule(
    id: RuleId,
    code: &'static str,
    name: &'static str,
    severity: Severity,
    summary: &'static str,
    details: Details,
) -> Rule {
    Rule { id, code, name, severity, summary, details }
}

/// Details without versions, which most rules have none of.
const fn details(reference: &'static str, ptxas: &'static str) -> Details {
    Details { since: None, until: None, reference, ptxas, releases: &[], fixable: false }
}

impl Details {
    const fn since(mut self, version: PtxVersion) -> Self {
        self.since = Some(version);
        self
    }

    const fn until(mut self, version: PtxVersion) -> Self {
        self.until = Some(version);
        self
    }

    const fn in_releases(mut self, releases: &'static [ReleaseDifference]) -> Self {
        self.releases = releases;
        self
    }

    const fn fixable(mut self) -> Self {
        self.fixable = true;
        self
    }
}

const GATE: &str = "error: Feature '...' requires PTX ISA .version X.Y or later";

use ReleaseBehaviour::{NotKnown, Same};
use ReleaseDifference as Releases;
use RuleId as Id;
use Severity::{Error, Note, Warning};

/// The rules of [`crate::check`]. A test checks that they have the order of [`RuleId`], and unique
/// codes and names.
#[rustfmt::skip] // one rule, one place; rustfmt would make ten lines of each
pub static RULES: [Rule; 139] = [
    rule(Id::Syntax, "P001", "syntax", Error, "The text must follow the grammar of PTX.",
        details(ISA_LEXICAL, "fatal: Parsing error near '...': syntax error")),
    rule(Id::NonAscii, "P002", "non-ascii", Error, "A module is ASCII text, even in comments and file names.",
        details(ISA_LEXICAL, "fatal: Unexpected non-ASCII character encountered on line N").fixable()),
    rule(Id::NulByte, "P003", "nul-byte", Error, "A module holds no NUL byte.",
        details(ISA_LEXICAL, "fatal: Unexpected EOF encountered on line N")
            .in_releases(&[Releases::until((12, 9), NotKnown, "mostly take it, and may leave out what follows")])),
    rule(Id::UnterminatedComment, "P004", "unterminated-comment", Error, "A `/*` comment ends with `*/`.",
        details(ISA_LEXICAL, "fatal: Parsing error near '': unexpected EOF while scanning")),
    rule(Id::ConstantOverflow, "P005", "constant-overflow", Error,
        "A number fits 64 bits, and 32 bits as file index, line or column.",
        details(ISA_LEXICAL, "error: Constant overflow, but 2^63 and 2^64 pass as 0")),
    rule(Id::UnterminatedSource, "P009", "unterminated-source", Error,
        "A text after `.source_begin` ends with `.source_end` alone on a line.",
        details(OBSERVED_13_5, "fatal: Parsing error near '': unterminated .source_begin, expected .source_end")),
    rule(Id::NestingTooDeep, "P006", "nesting-too-deep", Error,
        "Brackets in one statement nest at most 32 deep (a limit of this parser).", details(OBSERVED, "silent")),
    rule(Id::TooLarge, "P007", "text-too-large", Error,
        "A module has less than 4 GiB (a limit of this parser).", details(OBSERVED, "not tried")),
    rule(Id::TooManyErrors, "P008", "too-many-errors", Error,
        "At most 65,536 syntax errors are listed (a limit of this parser).",
        details(OBSERVED, "stops at the first fatal error")),
    rule(Id::DuplicateDefinition, "P010", "duplicate-definition", Error,
        "A function, a variable or a label of a block is defined once.",
        details(OBSERVED, "error: Duplicate definition of ...")),
    rule(Id::InconsistentDeclaration, "P011", "inconsistent-declaration", Error,
        "All declarations of a function or a variable agree.",
        details(OBSERVED, "error: Inconsistent redefinition of ..., Inconsistent prototypes of ..., and the like")),
    rule(Id::FunctionUndefined, "P012", "function-undefined", Error,
        "A function is defined in the module; with -c, or if nothing calls it, it may be `.extern`.",
        details(OBSERVED, "fatal: Unresolved extern function '...', naming the first")),
    rule(Id::AliasTarget, "P013", "alias-target", Error,
        "An `.alias` gives a declared function the code of another that is not a kernel.",
        details(OBSERVED, "error: Unknown symbol '...', Cannot define alias to entry function '...', and the like")),
    rule(Id::Backslash, "P014", "backslash", Warning, "No backslash stands before an opcode.",
        details(ISA_LEXICAL, "silent: takes one before an opcode")),
    rule(Id::ExternVariable, "P015", "extern-variable-without-size", Warning,
        "An `.extern` variable has a size, or the module is compiled with -c.",
        details(OBSERVED, "without -c: fatal: Unresolved extern variable '...'")),
    rule(Id::ModuleScope, "P016", "module-scope-space", Error,
        "`.param` variables, and from PTX 3.0 `.reg` and `.local` ones, stand in functions.",
        details(OBSERVED, "error: Module-scoped variables in .reg state space are not allowed with ABI, and the like")),
    rule(Id::IncompleteType, "P017", "incomplete-type", Error, "A variable that is not `.extern` has a size.",
        details(OBSERVED, "error: Non-external variable '...' has incomplete type")),
    rule(Id::InitialValue, "P018", "initial-value", Error,
        "Only `.global` and `.const` variables that are not `.extern` have an initial value.",
        details(OBSERVED, "error: No initial value is allowed for '...' in this state space, or for external symbol '...'")),
    rule(Id::CommonSpace, "P019", "common-space", Error, "A `.common` variable is in `.global`.",
        details(OBSERVED, "error: .common variables must be declared in .global space")),
    rule(Id::Alignment, "P020", "alignment", Error, "An alignment is a power of two.",
        details(OBSERVED, "error: Alignment must be a power of two")),
    rule(Id::PointerAttribute, "P021", "ptr-on-function", Error, "Only parameters of kernels have `.ptr` and `.hidden`.",
        details(OBSERVED, "error: Illegal placement of kernel parameter attribute; again for its alignment")),
    rule(Id::NoReturnResult, "P022", "noreturn-with-result", Error, "A `.noreturn` function has no result.",
        details(OBSERVED, "error: Invalid directive '.noreturn' for function '...'")),
    rule(Id::ThreadCounts, "P023", "thread-counts", Error, "A kernel has not both `.maxntid` and `.reqntid`.",
        details(OBSERVED, "error: Conflicting directives: .maxntid and .reqntid cannot both be specified")),
    rule(Id::IncompleteParameter, "P024", "incomplete-parameter", Error,
        "Only the last parameter of a `.func` can be an array without a size.",
        details(OBSERVED, "error: Parameter to entry function cannot be an incomplete array., and the like")),
    rule(Id::ParameterSpace, "P025", "parameter-space", Error,
        "Parameters of a kernel are in `.param`, those of a `.func` in `.param` or `.reg`, before sm_20 in `.reg`.",
        details(OBSERVED, "error: Entry parameter '...' must have .param state space; error: Function parameter '...' has illegal state space")),
    rule(Id::UnknownOpcode, "P026", "unknown-opcode", Warning, "An instruction begins with an opcode of PTX.",
        details(OBSERVED, "error: Not a name of any known instruction: '...'")),
    rule(Id::MissingVersion, "V001", "missing-version", Error, "A module begins with `.version MAJOR.MINOR` on one line.",
        details(ISA_VERSION, "fatal: Missing .version directive at start of file")),
    rule(Id::UnsupportedVersion, "V002", "unsupported-version", Error,
        "The `.version` is one that PTX ISA 1.0 to 9.0 had.",
        details(ISA_VERSION, "fatal: Unsupported .version X.Y; current version is '9.0'")),
    rule(Id::MinorVersion, "V003", "minor-version-of-two-digits", Warning,
        "No PTX version has a minor number above 9.",
        details(OBSERVED, "silent: reads 7.10 as 8.0 (10 * major + minor)")),
    rule(Id::MissingTarget, "V004", "missing-target", Error, "`.target` follows `.version`.",
        details(ISA_TARGET, "fatal: Missing .target directive at start of file")),
    rule(Id::NoArchitecture, "V005", "no-architecture", Error, "The first word of `.target` names an architecture.",
        details(ISA_TARGET, "fatal: Target architecture not defined at start of file")),
    rule(Id::UnknownTarget, "V006", "unknown-target", Error, "`.target` holds architectures and options that ptxas 13.0 knows.",
        details(ISA_TARGET, "fatal: Unsupported .target '...'")),
    rule(Id::TargetNeedsVersion, "V007", "target-needs-version", Error,
        "An architecture needs the `.version` that introduced it.",
        details(ISA_TARGET, "error: PTX .version X.Y does not support .target sm_NN").fixable()),
    rule(Id::AddressSize, "V008", "address-size", Error, "`.address_size` is 32 or 64.",
        details(ISA_ADDRESS_SIZE, "error: Illegal value for .address_size directive (must be 32 or 64)")),
    rule(Id::Address32, "V009", "address-size-32", Error, "Addresses have 64 bits since CUDA 13.",
        details(OBSERVED, "fatal: 32-Bit compilation is no longer supported")),
    rule(Id::TargetOption, "V010", "target-option", Error,
        "`map_f64_to_f32` goes with architectures before sm_13, and a module has one texture mode.",
        details(ISA_TARGET, "error: Directive map_f64_to_f32 is not supported with SM 1.3 or higher; Conflicting .target option '...'")),
    rule(Id::RelocatableVersion, "V011", "relocatable-version", Error, "-c needs PTX 3.1.",
        details(OBSERVED, "with -c: fatal: 'Compile only(-c)' requires PTX ISA .version 3.1 or later")),
    rule(Id::GateAddressSize, "V101", "address-size-version", Error, "`.address_size` needs PTX 2.3.",
        details(ISA_ADDRESS_SIZE, GATE).until(v(2, 3)).fixable()),
    rule(Id::GateTargetDebug, "V102", "target-debug-version", Error, "`debug` in `.target` needs PTX 3.0.",
        details(ISA_TARGET, GATE).until(v(3, 0)).fixable()),
    rule(Id::GateSection, "V103", "section-version", Error, "`.section` needs PTX 2.0.",
        details(ISA_SECTION, GATE).until(v(2, 0)).fixable()),
    rule(Id::GateAtDwarf, "V104", "at-dwarf-version", Warning, "`@@DWARF` needs PTX 1.2.",
        details(ISA_AT_DWARF, "silent").until(v(1, 2)).fixable()),
    rule(Id::AtDwarfDeprecated, "V105", "at-dwarf-deprecated", Error,
        "`@@DWARF` ended with PTX 1.x; `.section` takes its place.",
        details(ISA_AT_DWARF, "error: Deprecated feature: '@@DWARF directive' not supported as of PTX version 2.0").since(v(2, 0))),
    rule(Id::GateFileTime, "V106", "file-time-version", Error, "Time and size of `.file` need PTX 3.2.",
        details(ISA_FILE, GATE).until(v(3, 2)).fixable()),
    rule(Id::GateLabelOffset, "V107", "label-offset-version", Error, "`label+imm` in a section needs PTX 3.2.",
        details(ISA_SECTION, GATE).until(v(3, 2)).fixable()),
    rule(Id::GateB16, "V108", "b16-version", Warning, "`.b16` in a section needs PTX 6.0.",
        details(ISA_SECTION, "silent").until(v(6, 0)).fixable()),
    rule(Id::GateSectionLabel, "V109", "section-label-version", Error,
        "A label in a section needs PTX 7.2; ptxas takes it from 7.0.", details(ISA_SECTION, GATE).until(v(7, 2)).fixable()),
    rule(Id::GateInline, "V110", "inline-loc-version", Error,
        "`function_name` and `inlined_at` need PTX 7.2; ptxas takes them from 7.0.", details(ISA_LOC, GATE).until(v(7, 2)).fixable()),
    rule(Id::GateDifference, "V111", "label-difference-version", Error, "`label1-label2` in a section needs PTX 7.5.",
        details(ISA_SECTION, GATE).until(v(7, 5)).fixable()),
    rule(Id::GateNegative, "V112", "negative-number-version", Error, "A negative number in a section needs PTX 7.5.",
        details(ISA_SECTION, GATE).until(v(7, 5)).fixable()),
    rule(Id::GateIntermediateLoc, "V113", "intermediate-loc-version", Error,
        "`.loc_intermediate` needs PTX 9.4 and a ptxas of CUDA 13.4.",
        details(OBSERVED_13_5, "before 13.4: fatal: Parsing error near '.loc_intermediate': syntax error; since: error: Feature '...' requires PTX ISA .version 9.4 or later").until(v(9, 4)).fixable()),
    rule(Id::GateIntermediateSources, "V114", "intermediate-sources-version", Error,
        "`.nv_intermediate_source_section` needs PTX 9.4 and a ptxas of CUDA 13.4.",
        details(OBSERVED_13_5, "before 13.4: fatal: Parsing error near '.nv_intermediate_source_section': syntax error; since: error: Feature '...' requires PTX ISA .version 9.4 or later").until(v(9, 4)).fixable()),
    rule(Id::GateLanguage, "V115", "language-version", Error, "`.language` needs PTX 9.2 and a ptxas of CUDA 13.2.",
        details(OBSERVED_13_5, "before 13.2: fatal: Parsing error near '.language': syntax error; since: error: Feature '.language' requires PTX ISA .version 9.2 or later").until(v(9, 2)).fixable()),
    rule(Id::GateHidden, "V116", "hidden-parameter-version", Error,
        "`.hidden` of a kernel parameter needs PTX 8.8 and a ptxas of CUDA 12.9.",
        details(OBSERVED, "before 12.9: fatal: Parsing error near '.hidden': syntax error; since: error: Feature 'kernel parameter hidden attribute' requires PTX ISA .version 8.8 or later").until(v(8, 8)).fixable()),
    rule(Id::DebugWithoutSection, "T001", "target-debug-without-section", Error,
        "A module with `.target ..., debug` has a `.section`.",
        details(OBSERVED, "error: Debug information not found in presence of .target debug").since(v(3, 0)).fixable()),
    rule(Id::DebugMeansO0, "T002", "target-debug-means-O0", Warning,
        "`.target ..., debug` turns optimisation off without any option. A note in a module with debug entries.",
        details(OBSERVED, "silent; fatal: Optimized debugging not supported with -O1 and above").since(v(3, 0)).fixable()),
    rule(Id::DuplicateFileIndex, "F001", "duplicate-file-index", Error, "Each `.file` has an index of its own.",
        details(OBSERVED, "error: Duplicate file index #N, even for the same name (the example of the PTX ISA)").fixable()),
    rule(Id::FileIndexGap, "F002", "file-index-gap", Warning, "File indices count 1, 2, 3, ... without gaps.",
        details(OBSERVED, "silent: the table of the line program has no gaps, its rows keep the index of the PTX").fixable()),
    rule(Id::FileIndexRange, "F003", "file-index-range", Warning, "A file index is 1 to 65535.",
        details(OBSERVED, "silent: 16 bits are stored, and DWARF 2 has no file 0").fixable()),
    rule(Id::FileNameEmpty, "F004", "file-name-empty", Warning, "A file has a name.",
        details(OBSERVED, "silent: the file table ends there")),
    rule(Id::FileNameCrash, "F012", "file-name-empty-crash", Error,
        "A file without a name is the last, and has no time and size of more than 7 bits.",
        details(OBSERVED, "takes what follows for line opcodes; mostly crashes when it writes the line table")),
    rule(Id::FileNameLength, "F005", "file-name-length", Error, "A file name has at most 16000 bytes.",
        details(OBSERVED, "crashes when it writes the line table")),
    rule(Id::FileNameCharacters, "F006", "file-name-characters", Warning,
        "A file name holds no backslash and no line break. A note for paths of Windows.",
        details(OBSERVED, "silent: a backslash is a directory separator, a line break is kept")),
    rule(Id::FilePlaceholder, "F007", "placeholder-file-name", Warning,
        "A file name leads to the source, and is not a placeholder of a compiler. A note for other names in angle brackets.", details(OBSERVED, "silent").fixable()),
    rule(Id::FileInside, "F008", "file-inside-function", Error, "`.file` stands at module scope.",
        details(ISA_FILE, "fatal: Parsing error near '.file': syntax error").fixable()),
    rule(Id::FileTimeCrash, "F009", "file-time-crash", Error, "A file's time is below 2^63.",
        details(OBSERVED, "crashes when it writes the line table")
            .in_releases(&[
                Releases::until((12, 9), NotKnown, "crash or take it, as memory happens to be"),
                Releases::since((13, 5), Same, "refuses it: Malformed .debug_line entry"),
            ])),
    rule(Id::FileTimeCut, "F010", "file-time-cut", Warning, "A file's time and its size fit 32 bits.",
        details(OBSERVED, "silent: cuts both to 32 bits")),
    rule(Id::FileTimeOfBuild, "F011", "file-time-of-build", Note,
        "Without time and size in `.file` the cubin depends on the source file of the machine that builds it.",
        details(OBSERVED, "silent: writes time and size of the file if it is there").fixable()),
    rule(Id::FileTimeAlone, "F013", "file-time-without-size", Warning, "Time and size of `.file` come together.",
        details(ISA_FILE, "silent: writes the size 0")),
    rule(Id::SourceTextFile, "F014", "source-text-file", Error,
        "The file of a `.code_block` is declared by a `.file` before it.",
        details(OBSERVED_13_5, "error: Undefined file index #N")),
    rule(Id::UndeclaredFile, "L001", "undeclared-file", Warning, "The file of a `.loc` is declared by a `.file`.",
        details(ISA_LOC, "silent")),
    rule(Id::NoFile, "L002", "no-file", Warning, "A module with `.loc` declares files.",
        details(OBSERVED, "warning: .loc directive without .file directive is found, line information in generated binary may not be complete")),
    rule(Id::LocOutside, "L003", "loc-outside-function", Error, "`.loc` stands in the body of a function.",
        details(ISA_LOC, "fatal: Parsing error near '.loc': syntax error")),
    rule(Id::LineZero, "L004", "line-zero", Warning, "A line is 1 or more, and below 2^63. A note where only LLVM's mark of code without a source line is lost.",
        details(OBSERVED, "silent: writes no row, so the code counts to the line before; 2^63 and 2^64 are 0")),
    rule(Id::LineRange, "L005", "line-range", Warning, "A line is below 2^31.",
        details(OBSERVED, "silent: writes a negative line")),
    rule(Id::RedundantLoc, "L006", "redundant-loc", Note, "A `.loc` changes something.", details(OBSERVED, "silent").fixable()),
    rule(Id::ColumnLost, "L007", "column-lost", Note,
        "Two places differ in more than the column: ptxas writes no columns.",
        details(OBSERVED, "silent: every column is 0, and rows of one line are merged")),
    rule(Id::CallSiteUnseen, "L008", "call-site-not-preceding", Error,
        "The place in `inlined_at` is that of an earlier `.loc`: file, line and column.",
        details(ISA_LOC, "error: Source location F L C used in inlined_at directive must be used in a preceding .loc directive")),
    rule(Id::CallSiteElsewhere, "L009", "call-site-in-other-function", Warning,
        "The earlier `.loc` of `inlined_at` stands in the same function.",
        details(OBSERVED, "silent: the call is inlined at a line of that other function")),
    rule(Id::NameUnresolved, "L010", "function-name-unresolved", Error,
        "The label of `function_name` is defined in `.debug_str`.",
        details(ISA_LOC, "error: Unresolved label '...' used in function_name attribute.")),
    rule(Id::NameElsewhere, "L011", "function-name-in-other-section", Warning,
        "The label of `function_name` is defined in `.debug_str`, and in no other section.",
        details(ISA_LOC, "silent: takes its offset for one of .debug_str")),
    rule(Id::NamePastEnd, "L012", "function-name-past-end", Warning,
        "The name of an inlined function begins inside `.debug_str`.", details(ISA_LOC, "silent")),
    rule(Id::NameOffsetCut, "L013", "function-name-offset-cut", Warning,
        "The number after `function_name` fits 32 bits.", details(OBSERVED, "silent: cuts it")),
    rule(Id::LinePastEnd, "L014", "line-past-end-of-file", Warning,
        "A line is one that the source file has.", details(OBSERVED, "silent")),
    rule(Id::InlineAsmDrift, "L015", "inline-asm-drift", Warning,
        "The lines of one inline assembly are those of the source, not counted up per instruction.", details(OBSERVED, "silent")),
    rule(Id::LinesWithoutOption, "L016", "lines-without-option", Note,
        "From PTX 4.0 `.loc` gives line information without any option.", details(OBSERVED, "silent").since(v(4, 0)).fixable()),
    rule(Id::MarkerBack, "L017", "line-marker-back", Error,
        "In a body with `.loc`, line markers put no `}` more than a line before its `{`, and no last instruction of a `.loc` more than a line before the first.",
        details(OBSERVED, "crashes while parsing, where line information is made")),
    rule(Id::LocsOnALine, "L019", "several-locs-on-a-line", Warning,
        "The instructions on one line of PTX have one `.loc`.",
        details(OBSERVED, "silent: all of the line counts to the last instruction's `.loc` that has another line than 0")),
    rule(Id::NamesMissing, "L020", "inlined-names-missing", Error,
        "With -c a module with inlined calls has a `.debug_str` that is not empty.",
        details(OBSERVED, "with -c: fatal: Internal error: reference to deleted symbol")),
    rule(Id::IntermediateLine, "L021", "intermediate-line", Warning,
        "The place of a `.loc_intermediate` is a line of a text in the module.",
        details(OBSERVED_13_5, "silent: writes rows of a file or line that no reader will find")),
    rule(Id::InlinedCallCrash, "L022", "inlined-call-crash", Warning,
        "A module with inlined calls is for a release whose ptxas does not crash over them.",
        details(OBSERVED, "silent")
            .in_releases(&[Releases::within(((11, 8), (12, 0)), NotKnown, "crash over most inlined calls for sm_90, and for sm_90 only")])),
    rule(Id::SectionInside, "S001", "section-inside", Error, "`.section` stands at module scope.",
        details(ISA_SECTION, "fatal: Parsing error near '.section': syntax error").fixable()),
    rule(Id::SectionRepeated, "S002", "section-repeated", Error, "A section has one block.",
        details(OBSERVED, "with -g, unless one's bytes begin the other's: fatal: Internal error: overlapping non-identical data; keeps the first .debug_str and .debug_abbrev, the last .debug_info")),
    rule(Id::SectionReserved, "S003", "section-reserved", Error, "A module brings no section that ptxas writes itself.",
        details(OBSERVED, "with -g: fatal: Internal error: overlapping non-identical data")),
    rule(Id::SectionDropped, "S004", "section-dropped", Warning,
        "A section is named `.debug_...` or `.nv_debug_...`, for debuggers look for no other, and not `.debug_line`.",
        details(OBSERVED, "silent: drops `.debug_line`; keeps any other name with -g or `.target debug`")
            .in_releases(&[Releases::since((13, 5), NotKnown, "mostly crashes with -g over bytes of a name that it does not know")])),
    rule(Id::AtDwarfWithoutSection, "S005", "at-dwarf-without-section", Error,
        "`@@DWARF .section` comes before the first `@@DWARF` data.", details(ISA_AT_DWARF, "crashes")),
    rule(Id::InfoWithoutAbbrev, "S006", "info-without-abbrev", Error,
        "A module with `.debug_info` has `.debug_abbrev`.",
        details(OBSERVED, "info: skipping .debug_info section due to missing .debug_abbrev section")),
    rule(Id::SectionEarly, "S007", "section-referred-to-early", Error,
        "A reference by name leads to a section that ptxas has laid out before: first `.debug_str`, then `.debug_abbrev`, then the others in text order. In `.debug_info` only references to sections and labels without `.debug_` or `.nv_debug_` in the name must do so.",
        details(OBSERVED, "with -g: silent: drops the section referred to; crashes if that holds a reference; fatal: Internal error: overlapping non-identical data, if two of them differ")),
    rule(Id::ValueRange, "D001", "value-out-of-range", Error, "A value fits its directive.",
        details(ISA_SECTION, "error: Value out of range for type .bN V, after cutting V to 32 bits; a lone -0 fits none").fixable()),
    rule(Id::ValueCut, "D002", "value-cut-to-32-bits", Warning,
        "A number in a section fits 32 bits, unless it is negative: ptxas stores no more.",
        details(OBSERVED, "silent: 0x123456789abcdef0 becomes 0x9abcdef0, even in .b64").fixable()),
    rule(Id::DataType, "D003", "data-type", Error, "Section data is .b8, .b16, .b32 or .b64.",
        details(ISA_SECTION, "error: Illegal type for dwarf data")),
    rule(Id::NarrowLabel, "D004", "narrow-label", Error, "A label or a difference of labels stands in .b32 or .b64.",
        details(ISA_SECTION, "error: Illegal type for dwarf data").fixable()),
    rule(Id::DottedSymbol, "D005", "dotted-symbol", Error, "A PTX name has no dot.",
        details(ISA_LEXICAL, "fatal: Parsing error near '.x': syntax error").fixable()),
    rule(Id::DuplicateLabel, "D006", "duplicate-section-label", Error, "A label is defined in one section, once.",
        details(OBSERVED, "error: Duplicate definition of label '...'")),
    rule(Id::UndefinedSymbol, "D007", "undefined-symbol", Warning, "A name in a section is defined in the module.",
        details(OBSERVED, "silent: writes 0, in `.debug_info` the number after `+`")),
    rule(Id::AmbiguousName, "D013", "ambiguous-name", Warning, "A name in a section stands for one thing of the module.",
        details(OBSERVED, "silent: takes a section's label, then the first label of code, then the first function, variable or parameter")),
    rule(Id::DifferenceUndefined, "D008", "difference-of-undefined-labels", Error,
        "Both labels of a difference are defined in a section.",
        details(OBSERVED, "with -g, and in .debug_str always: error: label '...' invalid")),
    rule(Id::DifferenceSections, "D009", "difference-between-sections", Error,
        "Both labels of a difference are defined in the same section.",
        details(ISA_SECTION, "with -g, and in .debug_str always: error: labels '...' and '...' must be defined in the same section")),
    rule(Id::LabelTwice, "D010", "section-label-used-twice", Warning,
        "In `.debug_info` a label of a section is used once with the same offset.",
        details(OBSERVED, "silent: .debug_info is lost or wrong")
            .in_releases(&[Releases::until((12, 6), NotKnown, "sometimes fail: label '...' invalid")]).fixable()),
    rule(Id::ReferenceLost, "D011", "reference-lost", Warning,
        "Outside `.debug_info` a reference is a code label, a function, a global variable, a kernel's parameter or a section, without an offset. In `.debug_info` no offset follows a code label or a `.local` variable, and the entry of a `.local` variable stands after that of a function with a name.",
        details(OBSERVED, "silent: writes 0 and no relocation; for `.shared` variables the offset among them, or -1; loses the offset of a code label or `.local` variable")),
    rule(Id::OffsetCut, "D012", "offset-cut-to-32-bits", Warning, "The number after a label's `+` fits 32 bits.",
        details(OBSERVED, "silent: cuts it")
            .in_releases(&[Releases::until((12, 4), NotKnown, "mostly crash over one in `.debug_info` with -g")])),
    rule(Id::LocalOutside, "D014", "local-variable-outside-debug-info", Error,
        "A `.local` variable is referred to in `.debug_info` only, and in functions only after `DW_OP_addr`.",
        details(OBSERVED, "with -g: fatal: Internal error: unknown attribute; silent with +N: writes 0")),
    rule(Id::SectionMissing, "D015", "section-missing", Warning,
        "`.debug_info` refers to debug sections that the module has, with bytes.",
        details(OBSERVED, "with -c and -g: fatal: Internal error: reference to deleted symbol; else silent")),
    rule(Id::UnitLength, "W001", "unit-length", Error,
        "A unit of `.debug_info` is as long as its length says, which is a number: ptxas takes a name or a difference for another one.",
        details(DWARF_UNIT, "with -g: fatal: Attempted to truncate larger than current size").fixable()),
    rule(Id::UnitVersion, "W002", "unit-version", Error, "A unit is of DWARF version 2.",
        details(DWARF_UNIT, "silent: copies it, and readers go wrong")),
    rule(Id::AbbrevOffset, "W003", "abbreviation-offset", Error, "A unit's abbreviations lie in `.debug_abbrev`.",
        details(DWARF_UNIT, "takes the first abbreviations, as for a label or a difference: silent where the unit fits them")),
    rule(Id::UnitAddressSize, "W004", "address-size-of-unit", Error, "Addresses of a unit have 8 bytes.",
        details(DWARF_UNIT, "with -g, for some sizes: fatal: Attempted to Dereference Out of Bounds")),
    rule(Id::UnknownAbbrev, "W005", "unknown-abbreviation", Error, "An entry's abbreviation is in its table.",
        details(DWARF_TREE, "takes the code for a position in .debug_abbrev; silent, or fatal: Attempted to Dereference Out of Bounds")),
    rule(Id::ValueCutShort, "W006", "value-past-end-of-unit", Error, "A value ends inside its unit.",
        details(DWARF_TREE, "with -g: fatal: Attempted to Dereference Out of Bounds, unless it looks no further")),
    rule(Id::StringOffset, "W007", "string-offset", Warning, "A `DW_FORM_strp` leads into `.debug_str`.",
        details(DWARF_FORM, "silent")
            .in_releases(&[Releases::until((12, 4), NotKnown, "mostly crash over a name past the end")])),
    rule(Id::DieReference, "W008", "reference-outside-unit", Warning, "A reference leads to an entry of its unit.",
        details(DWARF_FORM, "silent")),
    rule(Id::OpenChildren, "W009", "children-not-closed", Warning, "A list of children ends with a null entry.",
        details(DWARF_TREE, "silent, unless nothing follows the entry: fatal: Checked Data was Invalid")),
    rule(Id::NoEntry, "W010", "unit-without-entry", Error, "A unit has an entry.",
        details(DWARF_TREE, "with -g: fatal: Checked Data was Invalid, if nothing follows the header")),
    rule(Id::AfterRoot, "W011", "bytes-behind-root", Warning, "A unit has one entry at its top.",
        details(DWARF_TREE, "reads on")),
    rule(Id::UnknownForm, "W012", "unknown-form", Error, "A form is one of DWARF 2 (1 and 3 to 0x16).",
        details(DWARF_FORM, "with -g, if an entry uses it: Error in get_form_value default")),
    rule(Id::AbbrevCut, "W013", "abbreviation-cut", Error, "An abbreviation ends with two zeros.",
        details(DWARF_ABBREV, "with -g: reads memory after the section, which mostly holds zeros")
            .in_releases(&[
                Releases::until((12, 9), NotKnown, "read other memory"),
                Releases::since((13, 1), NotKnown, "reads other memory"),
            ])),
    rule(Id::ChildrenFlag, "W014", "children-flag", Warning, "An abbreviation's children flag is 0 or 1.",
        details(DWARF_ABBREV, "silent: takes others for 1")),
    rule(Id::DuplicateAbbrev, "W015", "duplicate-abbreviation", Warning, "A code is defined once in a table.",
        details(DWARF_ABBREV, "silent: does not look at codes")),
    rule(Id::HalfAttribute, "W016", "half-attribute", Warning, "An attribute has a name and a form.",
        details(DWARF_ABBREV, "silent: a name of 0 ends the list")),
    rule(Id::AbbrevTerminator, "W017", "abbreviations-not-ended", Warning, "A table of abbreviations ends with a zero.",
        details(DWARF_ABBREV, "silent")),
    rule(Id::LongLeb, "W018", "long-leb128", Warning, "A LEB128 number fits 64 bits, in at most 10 bytes.",
        details("DWARF 2.0.0 7.6", "wraps; as an abbreviation code fatal: Attempted to Dereference Out of Bounds")),
    rule(Id::PtxasReads, "W019", "ptxas-reads-otherwise", Error,
        "ptxas can read `.debug_info`: it numbers abbreviations by position, and follows DW_AT_sibling.",
        details(OBSERVED, "with -g: refuses, crashes or hangs on sound DWARF")),
    rule(Id::TooManyAttributes, "W020", "too-many-attributes", Error, "An abbreviation has at most 256 attributes.",
        details(OBSERVED, "with -g: unexpectedly too many dwarf attributes for any DW_TAG entry!")),
    rule(Id::NoAddressClass, "W021", "no-address-class", Warning,
        "A variable that is not in global memory has a DW_AT_address_class: without it readers take its address for a global one.",
        details("CUDA-GDB; DWARF 2.0.0 2.16", "silent")),
    rule(Id::MoreFaults, "W022", "more-dwarf-faults", Warning,
        "At most 64 faults in `.debug_info` are listed (a limit of this reader).", details(OBSERVED, "stops at the first")),
    rule(Id::WrongAddressClass, "W023", "wrong-address-class", Warning,
        "The DW_AT_address_class of a variable is that of its memory.", details("CUDA-GDB; DWARF 2.0.0 2.16", "silent")),
    rule(Id::FileNumber, "W024", "entries-file", Warning,
        "DW_AT_decl_file and DW_AT_call_file are numbers of the line table's files, or 0.",
        details("DWARF 2.0.0 2.14, Declaration Coordinates", "silent")),
    rule(Id::FileOfFunction, "W025", "entries-other-file", Warning,
        "The DW_AT_decl_file of a function is a file that its unit's name or a `.loc` of its code names.",
        details("DWARF 2.0.0 2.14, Declaration Coordinates", "silent")),
    rule(Id::BareAddress, "W026", "bare-address", Warning,
        "An address in an entry is a name: a number gets no relocation.",
        details("DWARF 2.0.0 7.5.4, Attribute Encodings", "silent")),
    rule(Id::OperandCut, "W027", "operand-cut", Warning, "The operands of an expression end inside it.",
        details("DWARF 2.0.0 7.7.1, Location Expressions", "with -g, for some operations: fatal: Attempted to Dereference Out of Bounds")),
];

#[cfg(test)]
mod tests {
    use super::super::gates::GATES;
    use super::*;
    use findings::RuleTable as _;

    #[test]
    fn the_table_is_sound() {
        assert_eq!(findings::rule_table_faults::<RuleId>(), [""; 0]);
        for Rule { code, details, .. } in &RULES {
            assert!(!details.reference.is_empty() && !details.ptxas.is_empty(), "{code}");
        }
        for gate in &GATES {
            let rule = gate.rule.rule();
            assert_eq!(rule.details.until, Some(gate.documented), "{}", rule.code);
            assert!(gate.enforced.is_none_or(|enforced| enforced <= gate.documented));
        }
    }
}
