//! What is covered, as values: what the text and the JSON document are written from.

use crate::commands::read::{debug_only, demangle};
use cubin_read::coverage::{
    Coverage, FileCoverage, FunctionCoverage, InstructionCounts, SourceLine, VariableCounts,
};
use nv_debug_sections::cubin::{CodePlace, Cubin};
use nv_debug_sections::symbolize::FileName;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// What must be reached, in percent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Minimum {
    pub(super) lines: Option<f64>,
    pub(super) variables: Option<f64>,
}

impl Minimum {
    /// Of what no minimum holds for.
    const NONE: Self = Self { lines: None, variables: None };

    /// Whether there is one.
    pub(super) fn is_any(self) -> bool {
        self.lines.is_some() || self.variables.is_some()
    }
}

/// A cubin.
#[derive(Debug, Serialize)]
pub(super) struct FileReport {
    pub(super) file: String,
    pub(super) sm: u32,
    /// Where the code is.
    pub(super) code: &'static str,
    /// What a file without code is; it is below any minimum.
    #[serde(skip)]
    pub(super) debug_only: Option<String>,
    pub(super) instructions: Instructions,
    pub(super) variables: Variables,
    /// Variables outside functions.
    pub(super) globals: Variables,
    /// Variables of functions that have no code in the file.
    pub(super) variables_without_code: Variables,
    /// Worst first.
    pub(super) functions: Vec<Function>,
    /// Most lines without code first.
    pub(super) source_files: Vec<SourceFile>,
    /// Why not all registers are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) register_fault: Option<String>,
    /// `None` without PTX, or where it has nothing in common with the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ptx: Option<Vec<LostFunction>>,
    /// How many functions minima hold for.
    #[serde(skip)]
    pub(super) judged: usize,
}

/// A kernel or function.
#[derive(Debug, Serialize)]
pub(super) struct Function {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) demangled: Option<String>,
    pub(super) kernel: bool,
    pub(super) section: String,
    pub(super) section_index: u32,
    /// Byte offset in the section.
    pub(super) offset: u64,
    pub(super) instructions: Instructions,
    pub(super) rows: u64,
    pub(super) inlined_calls: u64,
    /// How many lines have instructions.
    pub(super) lines: usize,
    pub(super) lost_lines: Vec<Lines>,
    /// Whether `.debug_info` has it.
    pub(super) entry: bool,
    pub(super) variables: Variables,
    pub(super) parameters: Variables,
    pub(super) locals: Variables,
    /// Which minima it is below: `lines`, `vars`.
    pub(super) below: Vec<&'static str>,
}

/// Instructions, and which share of them has a line.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Instructions {
    pub(super) all: u64,
    pub(super) padding: u64,
    pub(super) with_line: u64,
    pub(super) line_0: u64,
    pub(super) without_row: u64,
    pub(super) inherited: u64,
    pub(super) inlined: u64,
    pub(super) with_ptx_line: u64,
    /// `with_line` of `all`; null of none.
    pub(super) line_percent: Option<f64>,
}

/// Variables, and which share of their scopes has a location.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Variables {
    pub(super) all: u64,
    pub(super) located: u64,
    pub(super) scope_bytes: u64,
    pub(super) covered_bytes: u64,
    /// `covered_bytes` of `scope_bytes`; null of none.
    pub(super) covered_percent: Option<f64>,
    pub(super) register_bytes: u64,
    pub(super) sass_bytes: u64,
    /// `sass_bytes` of `register_bytes`; null of none.
    pub(super) sass_percent: Option<f64>,
}

/// A source file.
#[derive(Debug, Serialize)]
pub(super) struct SourceFile {
    /// `None`: the file table has no such entry.
    pub(super) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undeclared_file: Option<u64>,
    pub(super) functions: u64,
    pub(super) instructions: u64,
    pub(super) inlined: u64,
    pub(super) lines: usize,
    pub(super) lost_lines: Vec<u32>,
}

/// Lines of one file.
#[derive(Debug, Serialize)]
pub(super) struct Lines {
    /// `None`: the file table has no such entry.
    pub(super) file: Option<String>,
    pub(super) lines: Vec<u32>,
}

/// What a function of the PTX has that the cubin lacks.
#[derive(Debug, Serialize)]
pub(super) struct LostFunction {
    pub(super) name: String,
    /// Whether it has code of its own in the cubin.
    pub(super) code: bool,
    /// Lines of `.loc` directives.
    pub(super) lines: Vec<Lines>,
    /// Lines of `inlined_at`.
    pub(super) call_sites: Vec<Lines>,
    /// Names of variables and parameters of its entry.
    pub(super) variables: Vec<String>,
}

#[expect(clippy::cast_precision_loss, reason = "a share of which a few digits are shown")]
pub(super) fn percent(part: u64, all: u64) -> Option<f64> {
    (all != 0).then(|| part as f64 * 100.0 / all as f64)
}

impl From<InstructionCounts> for Instructions {
    fn from(counts: InstructionCounts) -> Self {
        let InstructionCounts { all, padding, with_line, line_0, inherited, inlined, with_ptx_line } = counts;
        let without_row = all.saturating_sub(with_line).saturating_sub(line_0);
        let line_percent = percent(with_line, all);
        Self { all, padding, with_line, line_0, without_row, inherited, inlined, with_ptx_line, line_percent }
    }
}

impl From<VariableCounts> for Variables {
    fn from(counts: VariableCounts) -> Self {
        let VariableCounts { all, located, scope_bytes, covered_bytes, register_bytes, sass_bytes } = counts;
        Self {
            all,
            located,
            scope_bytes,
            covered_bytes,
            covered_percent: percent(covered_bytes, scope_bytes),
            register_bytes,
            sass_bytes,
            sass_percent: percent(sass_bytes, register_bytes),
        }
    }
}

impl FileReport {
    pub(super) fn new(
        file: String,
        cubin: &Cubin<'_>,
        coverage: &Coverage<'_>,
        ptx: Option<Vec<LostFunction>>,
        minimum: Minimum,
    ) -> Self {
        let code = cubin.code_place();
        let is_judged =
            |function: &FunctionCoverage<'_>| code != CodePlace::None && is_judged(function, coverage);
        let of_function = |function: &FunctionCoverage<'_>| {
            let minimum = if is_judged(function) { minimum } else { Minimum::NONE };
            Function::new(function, cubin, coverage, minimum)
        };
        let mut functions: Vec<Function> = coverage.functions.iter().map(of_function).collect();
        functions.sort_by(worst_first);
        let mut source_files: Vec<SourceFile> = coverage.files.iter().map(SourceFile::new).collect();
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
            file,
            sm: cubin.header.sm(),
            code: code.word(),
            debug_only: debug_only(cubin),
            instructions: coverage.instructions().into(),
            variables: variables.into(),
            globals: coverage.globals.into(),
            variables_without_code: coverage.without_code.into(),
            functions,
            source_files,
            register_fault: coverage.register_fault.as_ref().map(ToString::to_string),
            ptx,
            judged: coverage.functions.iter().filter(|function| is_judged(function)).count(),
        }
    }

    /// Whether a function is below a minimum.
    pub(super) fn is_below(&self) -> bool {
        self.functions.iter().any(|function| !function.below.is_empty())
    }

    /// One for each minimum that a function is below.
    pub(super) fn messages(&self, minimum: Minimum) -> impl Iterator<Item = String> {
        self.functions.iter().flat_map(move |function| {
            function.below.iter().map(move |what| {
                let (found, share, least) = if *what == LINES {
                    (function.instructions.line_percent, "of the instructions have a line", minimum.lines)
                } else if function.entry {
                    let share = "of the variables' scopes have a location";
                    (function.variables.covered_percent, share, minimum.variables)
                } else {
                    (
                        None,
                        "of the variables have a location, for .debug_info has no entry",
                        minimum.variables,
                    )
                };
                let (found, least) = (found.unwrap_or(0.0), least.unwrap_or(0.0));
                format!("{}: {}: {found:.1} % {share}, expected {least} %", self.file, function.shown())
            })
        })
    }
}

const LINES: &str = "lines";
const VARIABLES: &str = "vars";

impl Function {
    fn new(
        function: &FunctionCoverage<'_>,
        cubin: &Cubin<'_>,
        coverage: &Coverage<'_>,
        minimum: Minimum,
    ) -> Self {
        let instructions = Instructions::from(function.instructions);
        let variables = Variables::from(function.variables());
        let variables_found = if function.entry { variables.covered_percent } else { Some(0.0) };
        let judged = [
            (LINES, instructions.line_percent, minimum.lines),
            (VARIABLES, variables_found, minimum.variables),
        ];
        let below = judged
            .into_iter()
            .filter(|(_, found, least)| found.zip(*least).is_some_and(|(found, least)| found < least));
        Self {
            name: function.name.to_owned(),
            demangled: demangle(function.name),
            kernel: function.kernel,
            section: cubin.section_name(function.section).to_owned(),
            section_index: function.section.0,
            offset: function.offset,
            instructions,
            rows: function.rows,
            inlined_calls: function.inlined_calls,
            lines: function.lines.len(),
            lost_lines: lines(&function.lost_lines, coverage),
            entry: function.entry,
            variables,
            parameters: function.parameters.into(),
            locals: function.locals.into(),
            below: below.map(|(what, ..)| what).collect(),
        }
    }

    /// As its programmer wrote it.
    pub(super) fn shown(&self) -> &str {
        self.demangled.as_ref().unwrap_or(&self.name)
    }
}

/// Whether minima hold for a function. What ptxas adds to a kernel's section, as division, has no source; nor what the toolkit adds to a
/// program.
fn is_judged(function: &FunctionCoverage<'_>, coverage: &Coverage<'_>) -> bool {
    let has_kernels = || coverage.functions.iter().any(|function| function.kernel);
    let has_code = function.instructions.all != 0;
    has_code && (function.kernel || function.offset == 0 && !has_kernels())
}

/// By the share of instructions with a line, then by that of variables' scopes.
fn worst_first(a: &Function, b: &Function) -> Ordering {
    let share = |share: Option<f64>| share.unwrap_or(100.0);
    let key = |f: &Function| (share(f.instructions.line_percent), share(f.variables.covered_percent));
    let ((a_lines, a_variables), (b_lines, b_variables)) = (key(a), key(b));
    a_lines
        .total_cmp(&b_lines)
        .then(a_variables.total_cmp(&b_variables))
        .then_with(|| (&a.name, a.section_index, a.offset).cmp(&(&b.name, b.section_index, b.offset)))
}

impl SourceFile {
    fn new(file: &FileCoverage<'_>) -> Self {
        let (path, undeclared_file) = split(file.name);
        Self {
            path,
            undeclared_file,
            functions: file.functions,
            instructions: file.instructions,
            inlined: file.inlined,
            lines: file.lines.len(),
            lost_lines: file.lost_lines.iter().copied().collect(),
        }
    }
}

fn split(name: FileName<'_>) -> (Option<String>, Option<u64>) {
    match name {
        FileName::Path(path) => (Some(path.to_owned()), None),
        FileName::Undeclared(number) => (None, Some(number)),
    }
}

/// Lines by file.
fn lines(all: &BTreeSet<SourceLine>, coverage: &Coverage<'_>) -> Vec<Lines> {
    let mut by_file: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for line in all {
        by_file.entry(line.file).or_default().push(line.line);
    }
    let name = |file: usize| coverage.files.get(file).and_then(|file| split(file.name).0);
    by_file.into_iter().map(|(file, lines)| Lines { file: name(file), lines }).collect()
}
