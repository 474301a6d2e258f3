//! The rules of [`check`](super::check()) in one table.

use RuleId as Id;
use Severity::{Error, Note, Warning};
use findings::Severity;

/// A rule of [`check`](super::check()).
pub type Rule = findings::Rule<RuleId>;

/// The ids of the rules, by subject. Each number is the index of the rule in [`RULES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
#[allow(missing_docs)] // the table says what each one is
pub enum RuleId {
    Text,
    Field,
    UndefinedNode,
    NotDistinct,
    DebugInfoVersion,
    ModuleFlag,
    IrVersion,
    DebugVersion,
    UnitNotListed,
    ListedNoUnit,
    UnitWithoutLines,
    OptimizedDebugging,
    SeveralNamesTables,
    LinesOnlyVariable,
    WrongNode,
    NodeValue,
    Unit,
    DeclarationUnit,
    LinkageName,
    Expression,
    ScopeCycle,
    SubprogramFile,
    Unverified,
    FunctionAttachment,
    SharedSubprogram,
    LocationWithoutSubprogram,
    FunctionWithoutSubprogram,
    LocationAttachment,
    OtherSubprogram,
    CallWithoutLocation,
    FunctionWithoutLocation,
    LocationInNode,
    RecordOperand,
    RecordLocation,
    RecordSubprogram,
    ArgumentTwice,
    Fragment,
    VariableAttachment,
    AddressClass,
    AddressSpace,
}

/// The details of a rule beyond those that all rules have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Details {
    /// The document that states the requirement.
    pub source: &'static str,
    /// What libNVVM 13.0.88 does where the rule is broken: what it says, or `silent`.
    pub libnvvm: &'static str,
    /// Whether `check --fix` has a repair.
    pub fixable: bool,
}

const LANGREF: &str = "LLVM Language Reference, Metadata";
const SOURCE_LEVEL: &str = "LLVM, Source Level Debugging";
pub(super) const VERIFIER: &str = "LLVM's verifier";
const NVVM: &str = "NVVM IR Specification, Source Level Debugging Support";
const OBSERVED: &str = "observed: libNVVM 13.0.88";

const fn row(
    id: Id,
    code: &'static str,
    name: &'static str,
    severity: Severity,
    summary: &'static str,
    source: &'static str,
    libnvvm: &'static str,
) -> Rule {
    let details = Details { source, libnvvm, fixable: false };
    Rule { id, code, name, severity, summary, details }
}

const fn fixable(mut rule: Rule) -> Rule {
    rule.details.fixable = true;
    rule
}

/// The rules, in the order of their codes.
#[rustfmt::skip] // one rule, one place
pub static RULES: [Rule; 40] = [
    row(Id::Text, "U001", "ir-text", Error, "The text is that of a module of LLVM IR.", LANGREF, "returns 6: parse ..."),
    row(Id::Field, "U002", "ir-field", Error, "A node has the fields of its kind, those that it must have, each once and with a value that fits.", LANGREF, "returns 6: parse invalid field '...', missing required field '...', value for '...' too large, and the like"),
    row(Id::UndefinedNode, "U003", "ir-undefined-node", Error, "Each number of metadata that is used is defined.", LANGREF, "returns 6: parse use of undefined metadata '!...'"),
    row(Id::NotDistinct, "U004", "ir-distinct", Error, "Units and definitions of subprograms are `distinct`.", LANGREF, "returns 6: parse missing 'distinct', required for ..."),
    fixable(row(Id::DebugInfoVersion, "U010", "debug-info-version", Error, "A module with debug metadata has the module flag `Debug Info Version` with the value 3.", LANGREF, "silent: drops all debug information")),
    row(Id::ModuleFlag, "U011", "module-flag", Error, "A module flag has a behavior from 1 to 8 (below compute_100: to 7), a name and a value that goes with the behavior; one name has one flag.", LANGREF, "below compute_100 returns 6, else aborts: incorrect number of operands in module flag, and the like"),
    fixable(row(Id::IrVersion, "U012", "nvvmir-version", Error, "`!nvvmir.version` has 2 or 4 numbers, the first two of which are 2 and 0. A note where it is missing.", "NVVM IR Specification, NVVM IR Version", "returns 3: IR version ... incompatible with current version 2.0")),
    fixable(row(Id::DebugVersion, "U013", "nvvmir-debug-version", Error, "The debug version in `!nvvmir.version` is 3.0, 3.1 or 3.2. A note where it is missing and there are units.", "NVVM IR Specification, NVVM IR Version", "returns 3: DBG version ... incompatible with current version 3.2; where it is missing, only with -g or -generate-line-info")),
    fixable(row(Id::UnitNotListed, "U020", "unit-not-listed", Error, "A unit that metadata leads to is in `!llvm.dbg.cu`.", LANGREF, "DICompileUnit not listed in llvm.dbg.cu")),
    row(Id::ListedNoUnit, "U021", "listed-no-unit", Error, "`!llvm.dbg.cu` lists units.", LANGREF, "invalid compile unit"),
    row(Id::UnitWithoutLines, "U022", "no-debug-unit", Warning, "A unit whose functions have locations has another emission kind than `NoDebug`.", OBSERVED, "silent: writes no lines of its instructions"),
    row(Id::OptimizedDebugging, "U023", "optimized-debugging", Note, "A module that ptxas is to optimize has no unit with `FullDebug` or `LineTablesOnly`.", OBSERVED, "silent: writes `.target ..., debug`, which ptxas refuses with -O1 to -O3: Optimized debugging not supported"),
    row(Id::SeveralNamesTables, "U024", "several-names-tables", Warning, "From compute_100 on, at most one unit with functions has a table of names.", OBSERVED, "silent: writes two `.debug_pubnames`, of which ptxas says: Internal error: overlapping non-identical data"),
    row(Id::LinesOnlyVariable, "U025", "lines-only-variable", Error, "A function of a unit with `LineTablesOnly` has no variables, neither in records nor in `retainedNodes:`, unless code was inlined into it.", OBSERVED, "dies (signal 11)"),
    row(Id::WrongNode, "N001", "wrong-node", Error, "A field of a node leads to a node of the kind that it is for.", VERIFIER, "invalid scope, invalid file, location requires a valid scope, and the like"),
    row(Id::NodeValue, "N002", "node-value", Error, "The values of a node do not contradict each other.", VERIFIER, "invalid tag, cannot have column info without line info, and the like"),
    fixable(row(Id::Unit, "N003", "subprogram-unit", Error, "The definition of a subprogram has a unit.", VERIFIER, "subprogram definitions must have a compile unit, invalid unit type")),
    row(Id::DeclarationUnit, "N004", "declaration-unit", Error, "The declaration of a subprogram has no unit and no declaration.", VERIFIER, "subprogram declarations must not have a compile unit, and the like"),
    fixable(row(Id::LinkageName, "N005", "linkage-name", Note, "A subprogram that was inlined, or may be, has a linkage name, if a unit is `DebugDirectivesOnly`.", OBSERVED, "silent: `function_name` of its `.loc` is empty")),
    row(Id::Expression, "N006", "ir-expression", Error, "An expression has operations that LLVM knows, each with its operands and in its place.", VERIFIER, "invalid expression"),
    row(Id::ScopeCycle, "N007", "scope-cycle", Error, "No chain of `scope:` or `inlinedAt:` leads back to itself.", OBSERVED, "never returns"),
    row(Id::SubprogramFile, "N008", "subprogram-file", Warning, "The definition of a subprogram has a file. With a line and no file it is N002.", OBSERVED, "silent: writes `.file ... \"<stdin>\"`"),
    row(Id::Unverified, "N009", "unverified-node", Error, "Fields that LLVM uses without checking them hold what LLVM needs.", OBSERVED, "mostly dies (signal 11)"),
    row(Id::FunctionAttachment, "A001", "function-attachment", Error, "A function with a body has one definition of a subprogram as `!dbg`; one without a body a declaration, or below compute_100 none.", VERIFIER, "function !dbg attachment must be a subprogram, and the like"),
    row(Id::SharedSubprogram, "A002", "shared-subprogram", Error, "A subprogram belongs to one function.", VERIFIER, "DISubprogram attached to more than one function"),
    row(Id::LocationWithoutSubprogram, "A003", "location-without-subprogram", Warning, "A function whose instructions have locations has a subprogram.", OBSERVED, "silent: drops the locations"),
    row(Id::FunctionWithoutSubprogram, "A004", "function-without-subprogram", Note, "A function with a body has a subprogram, if others in the module have one.", SOURCE_LEVEL, "silent: the function has no lines"),
    row(Id::LocationAttachment, "A005", "location-attachment", Error, "`!dbg` of an instruction is a location.", VERIFIER, "invalid !dbg metadata attachment"),
    row(Id::OtherSubprogram, "A006", "other-subprogram", Error, "The scope of an instruction's location, outside of inlined calls, is in the subprogram of its function.", VERIFIER, "!dbg attachment points at wrong subprogram for function"),
    fixable(row(Id::CallWithoutLocation, "A007", "call-without-location", Error, "A call from a function with a subprogram to one with a subprogram, which could be inlined, has a location.", VERIFIER, "inlinable function call in a function with debug info must have a !dbg location")),
    row(Id::FunctionWithoutLocation, "A008", "function-without-location", Warning, "A function with a subprogram has instructions with locations.", OBSERVED, "silent: the function has no lines but that of its beginning"),
    row(Id::LocationInNode, "A009", "location-in-node", Error, "A location stands at an instruction, in the metadata of a loop or a function, in named metadata or in another location.", VERIFIER, "from compute_100 on: DILocation not allowed within this metadata node"),
    row(Id::RecordOperand, "A010", "record-operand", Error, "A record or a call of a debug intrinsic has a value, a variable and an expression, or a label.", VERIFIER, "invalid #dbg record variable, invalid llvm.dbg.value intrinsic variable, and the like"),
    row(Id::RecordLocation, "A011", "record-location", Error, "A record or a call of a debug intrinsic has a location.", VERIFIER, "invalid #dbg record DILocation, llvm.dbg.value intrinsic requires a !dbg attachment"),
    row(Id::RecordSubprogram, "A012", "record-subprogram", Error, "A variable or a label and the location of its record are in one subprogram.", VERIFIER, "mismatched subprogram between #dbg record variable and DILocation, and the like"),
    row(Id::ArgumentTwice, "A013", "argument-twice", Error, "A parameter of a function has one variable.", VERIFIER, "conflicting debug info for argument"),
    row(Id::Fragment, "A014", "ir-fragment", Error, "A fragment is a part of its variable, and not all of it.", VERIFIER, "fragment is larger than or outside of variable, fragment covers entire variable"),
    row(Id::VariableAttachment, "A015", "variable-attachment", Error, "`!dbg` of a variable outside functions is a variable with an expression.", VERIFIER, "!dbg attachment of global variable must be a DIGlobalVariableExpression"),
    row(Id::AddressClass, "A016", "address-class", Warning, "The address class in the expression of a variable outside functions is that of its address space.", NVVM, "silent: writes the class of the expression, so that a debugger reads another memory"),
    row(Id::AddressSpace, "A017", "address-space", Error, "A variable outside functions is in address space 0, 1, 3 or 4; others have no address class.", "NVVM IR Specification, Address Space", "returns 6: Invalid address space for global variable"),
];
