//! The coverage report of a cubin, worst functions first, with the functions that are below a
//! limit.

use super::ptx::LostFunction;
use super::{Coverage, CoveredLine, FileCoverage, FunctionCoverage, InstructionCounts, VariableCounts};
use crate::names::demangle;
use crate::symbolize::TableFileName;
use nv_debug_sections::cubin::{CodeLocation, Cubin};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

/// The limits that the coverage of each function must keep, in percent from 0 to 100.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
pub struct Limits {
    /// The lowest share of instructions with a line, in percent; `None` for no limit.
    pub min_lines: Option<f64>,
    /// The lowest share of instructions with a line of their own, in percent; `None` for no limit.
    pub min_own: Option<f64>,
    /// The highest share of instructions that inherit their line, in percent; `None` for no limit.
    pub max_inherited: Option<f64>,
    /// The lowest share of the bytes of variables' scopes at which the variables have a location,
    /// in percent; `None` for no limit.
    #[serde(rename = "min_vars")]
    pub min_variables: Option<f64>,
}

/// The kinds of coverage to which a limit can apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The share of instructions with a line.
    Lines,
    /// The share of instructions with a line of their own.
    Own,
    /// The share of instructions that inherit their line from the row of other code.
    Inherited,
    /// The share of the bytes of variables' scopes at which the variables have a location.
    Variables,
    /// The share of variables with a location, in a function that has no entry in `.debug_info`: it
    /// is 0.
    VariablesWithoutEntry,
}

/// A coverage limit that a function does not meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shortfall {
    /// The kind of coverage that misses its limit.
    pub measure: Measure,
    /// The coverage of the function, in percent.
    pub found: f64,
    /// The limit that the function should meet, in percent.
    pub limit: f64,
}

/// The coverage of a cubin, as a serializable report.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Report {
    /// The counts of the instructions of all functions.
    pub instructions: InstructionCounts,
    /// The counts of the parameters and local variables of all functions.
    pub variables: VariableCounts,
    /// The counts of variables outside functions.
    pub globals: VariableCounts,
    /// The counts of variables of functions that have no code in the file; `located` counts those
    /// in static memory and constants.
    pub variables_without_code: VariableCounts,
    /// The coverage of each kernel and function, the lowest share of instructions with a line
    /// first.
    pub functions: Vec<FunctionReport>,
    /// The coverage of each source file that rows of `.debug_line` name, the most `lost_lines`
    /// first.
    pub source_files: Vec<SourceFileReport>,
    /// Why `register_bytes` and `sass_bytes` are incomplete: the register map cannot be read, or it
    /// has the registers of variables in more ranges than any compiler writes. Absent where they
    /// are complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register_fault: Option<String>,
    /// With `--ptx`: the functions of the PTX of which the cubin lacks lines, call sites or
    /// variables. Absent without `--ptx`, and where the cubin has no function, inlined function,
    /// source file or variable of the PTX. It is there for a linked cubin, from which all may have
    /// been folded away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ptx: Option<Vec<LostFunction>>,
    /// The number of findings (functions that do not meet a limit) that were left out because a
    /// baseline has them. Absent without a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_baseline: Option<usize>,
    /// The number of functions to which the limits apply.
    #[serde(skip)]
    pub judged: usize,
}

/// The coverage of a kernel or function, as a part of a report.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "FunctionCoverage")]
pub struct FunctionReport {
    /// The name of the function's symbol; the name of the section where no symbol covers the code.
    pub name: String,
    /// The function's name as its programmer wrote it. Absent where the name is not mangled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub demangled: Option<String>,
    /// Whether the function is a kernel.
    pub kernel: bool,
    /// The name of the code section that contains the function.
    pub section: String,
    /// The index of the function's code section in the section table.
    pub section_index: u32,
    /// Byte offset of the function's code in its section.
    pub offset: u64,
    /// The counts of the function's instructions.
    pub instructions: InstructionCounts,
    /// The number of rows that `.debug_line` has at the function's addresses.
    pub rows: u64,
    /// The number of inlined calls that the function's instructions belong to, at any depth. Each
    /// pair of a call site and a callee is one call.
    pub inlined_calls: u64,
    /// The number of source lines that have instructions of the function.
    pub lines: usize,
    /// The source lines that rows at the function's addresses name, but that no instruction and no
    /// call site has.
    pub lost_lines: Vec<FileLines>,
    /// Whether `.debug_info` has an entry for the function.
    pub entry: bool,
    /// The counts of the function's parameters and local variables.
    pub variables: VariableCounts,
    /// The counts of the function's parameters.
    pub parameters: VariableCounts,
    /// The counts of the function's local variables.
    pub locals: VariableCounts,
    /// The limits that the function does not keep. All limits apply to kernels; all but `vars` also
    /// to functions folded into kernels, except those of the toolkit. In a file without kernels all
    /// apply to the functions at the start of a section.
    pub below: Vec<Shortfall>,
}

/// The coverage of a source file, as a part of a report.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "SourceFileCoverage")]
pub struct SourceFileReport {
    /// The path of the source file; `None` where the file table has no such entry.
    pub path: Option<String>,
    /// The file number in the rows, if the file table does not have it. Absent where `path` is
    /// there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undeclared_file: Option<u64>,
    /// The number of functions that have instructions on lines of the file.
    pub functions: u64,
    /// The number of instructions on lines of the file.
    pub instructions: u64,
    /// The number of instructions on lines of the file that come from inlined code.
    pub inlined: u64,
    /// The number of lines of the file that have instructions.
    pub lines: usize,
    /// The lines of the file that rows name, but that no instruction and no call site has.
    pub lost_lines: Vec<u32>,
}

/// The lines of one source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileLines {
    /// The path of the source file; `None` where the file table has no such entry.
    pub file: Option<String>,
    /// The 1-based lines in the source file, ascending.
    pub lines: Vec<u32>,
}

impl FileLines {
    /// Lines by file.
    pub(super) fn by_file<K: Ord>(
        lines: impl Iterator<Item = (K, u32)>,
        name: impl Fn(K) -> Option<String>,
    ) -> Vec<Self> {
        let mut by_file: BTreeMap<K, Vec<u32>> = BTreeMap::new();
        for (file, line) in lines {
            by_file.entry(file).or_default().push(line);
        }
        by_file.into_iter().map(|(file, lines)| Self { file: name(file), lines }).collect()
    }
}

impl Limits {
    /// Whether at least one coverage limit is set.
    pub fn is_any(self) -> bool {
        let Self { min_lines, min_own, max_inherited, min_variables } = self;
        [min_lines, min_own, max_inherited, min_variables].iter().any(Option::is_some)
    }

    /// The limits that a function does not keep.
    fn shortfalls(self, function: &FunctionCoverage<'_>, has_kernels: bool) -> Vec<Shortfall> {
        let counts = function.instructions;
        let (for_lines, for_variables) =
            (is_judged(function, has_kernels, true), is_judged(function, has_kernels, false));
        let variables = if function.entry {
            (Measure::Variables, function.variables().covered_percent())
        } else {
            (Measure::VariablesWithoutEntry, Some(0.0))
        };
        let measured = [
            (for_lines, (Measure::Lines, counts.percent(counts.with_line)), self.min_lines),
            (for_lines, (Measure::Own, counts.percent(counts.own)), self.min_own),
            (for_lines, (Measure::Inherited, counts.percent(counts.inherited)), self.max_inherited),
            (for_variables, variables, self.min_variables),
        ];
        let below = measured.into_iter().filter_map(|(is_judged, (measure, found), limit)| {
            let (found, limit) = found.zip(limit.filter(|_| is_judged))?;
            let is_below = if measure == Measure::Inherited { found > limit } else { found < limit };
            is_below.then_some(Shortfall { measure, found, limit })
        });
        below.collect()
    }
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (share, at_most) = match self.measure {
            Measure::Lines => ("of the instructions have a line", ""),
            Measure::Own => ("of the instructions have a line of their own", ""),
            Measure::Inherited => ("of the instructions inherit their line", "at most "),
            Measure::Variables => ("of the variables' scopes have a location", ""),
            Measure::VariablesWithoutEntry => {
                ("of the variables have a location, for .debug_info has no entry", "")
            }
        };
        write!(f, "{:.1} % {share}, expected {at_most}{} %", self.found, self.limit)
    }
}

/// One word.
impl Serialize for Shortfall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [lines, own, inherited, variables] = Self::WORDS;
        serializer.serialize_str(match self.measure {
            Measure::Lines => lines,
            Measure::Own => own,
            Measure::Inherited => inherited,
            Measure::Variables | Measure::VariablesWithoutEntry => variables,
        })
    }
}

impl JsonSchema for Shortfall {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Shortfall".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Self::WORDS })
    }
}

impl Shortfall {
    /// The word of each measure: of instructions with a line, with one of their own, with an
    /// inherited one; of variables.
    const WORDS: [&'static str; 4] = ["lines", "own", "inherited", "vars"];
}

impl Report {
    /// Builds the report on the coverage of a cubin.
    pub fn new(cubin: &Cubin<'_>, coverage: &Coverage<'_>, limits: Limits) -> Self {
        let code = cubin.code_location();
        let has_code = code != CodeLocation::None;
        let limits = if has_code { limits } else { Limits::default() };
        let has_kernels = coverage.functions.iter().any(|function| function.kernel);
        let judged = coverage.functions.iter().filter(|function| is_judged(function, has_kernels, false));
        let functions = coverage.functions.iter();
        let mut functions: Vec<FunctionReport> =
            functions.map(|function| FunctionReport::new(function, cubin, coverage)).collect();
        for (report, function) in functions.iter_mut().zip(&coverage.functions) {
            report.below = limits.shortfalls(function, has_kernels);
        }
        functions.sort_by(worst_first);
        let mut source_files: Vec<SourceFileReport> =
            coverage.files.iter().map(SourceFileReport::new).collect();
        source_files.sort_by(|a, b| {
            (b.lost_lines.len(), &a.path, a.undeclared_file).cmp(&(
                a.lost_lines.len(),
                &b.path,
                b.undeclared_file,
            ))
        });
        let variables = coverage.functions.iter().fold(VariableCounts::default(), |mut sum, function| {
            sum += function.variables();
            sum
        });
        Self {
            instructions: coverage.instructions(),
            variables,
            globals: coverage.globals,
            variables_without_code: coverage.without_code,
            functions,
            source_files,
            register_fault: coverage.register_fault.as_ref().map(ToString::to_string),
            ptx: None,
            in_baseline: None,
            judged: if has_code { judged.count() } else { 0 },
        }
    }
}

impl FunctionReport {
    /// The coverage of a function, with no limits.
    fn new(function: &FunctionCoverage<'_>, cubin: &Cubin<'_>, coverage: &Coverage<'_>) -> Self {
        let lost_lines = function.lost_lines.iter().map(|CoveredLine { file, line }| (*file, *line));
        let name = |file: usize| coverage.files.get(file)?.name.path().map(str::to_owned);
        Self {
            name: function.name.to_owned(),
            demangled: demangle(function.name),
            kernel: function.kernel,
            section: cubin.section_name(function.section).to_owned(),
            section_index: function.section.0,
            offset: function.offset,
            instructions: function.instructions,
            rows: function.rows,
            inlined_calls: function.inlined_calls,
            lines: function.lines.len(),
            lost_lines: FileLines::by_file(lost_lines, name),
            entry: function.entry,
            variables: function.variables(),
            parameters: function.parameters,
            locals: function.locals,
            below: Vec::new(),
        }
    }

    /// The function's name as its programmer wrote it, demangled if it is mangled.
    pub fn plain_name(&self) -> &str {
        self.demangled.as_ref().unwrap_or(&self.name)
    }
}

/// Whether limits hold for a function: for kernels, and those of lines for the functions folded
/// into them too; in a file without kernels for functions with a section of their own. Not for what
/// the toolkit adds: that has no source.
fn is_judged(function: &FunctionCoverage<'_>, has_kernels: bool, of_lines: bool) -> bool {
    let has_code = function.instructions.all != 0;
    let is_folded = || of_lines && function.name.starts_with('$') && !is_of_toolkit(function.name);
    has_code && (function.kernel || is_folded() || function.offset == 0 && !has_kernels)
}

/// Whether a function is one that ptxas adds, as `$__internal_0_$__cuda_sm20_div_s32`, or one of
/// libdevice, as `$kernel$__internal_trig_reduction_slowpathd`: names that programs must not use.
fn is_of_toolkit(name: &str) -> bool {
    const PREFIXES: [&str; 3] = ["__internal_", "__cuda_", "__nv_"];
    name.split('$').any(|part| PREFIXES.iter().any(|prefix| part.starts_with(prefix)))
}

/// By the share of instructions with a line, then by that of variables' scopes.
fn worst_first(a: &FunctionReport, b: &FunctionReport) -> Ordering {
    let share = |share: Option<f64>| share.unwrap_or(100.0);
    let lines = |f: &FunctionReport| share(f.instructions.percent(f.instructions.with_line));
    let variables = |f: &FunctionReport| share(f.variables.covered_percent());
    lines(a)
        .total_cmp(&lines(b))
        .then(variables(a).total_cmp(&variables(b)))
        .then_with(|| (&a.name, a.section_index, a.offset).cmp(&(&b.name, b.section_index, b.offset)))
}

impl SourceFileReport {
    fn new(file: &FileCoverage<'_>) -> Self {
        let undeclared_file = match file.name {
            TableFileName::Path(_) => None,
            TableFileName::Undeclared(number) => Some(number),
        };
        Self {
            path: file.name.path().map(str::to_owned),
            undeclared_file,
            functions: file.functions,
            instructions: file.instructions,
            inlined: file.inlined,
            lines: file.lines.len(),
            lost_lines: file.lost_lines.iter().copied().collect(),
        }
    }
}
