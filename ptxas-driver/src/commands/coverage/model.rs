//! What is covered, as values: what the text and the JSON document are written from.

use crate::commands::read::demangle;
use cubin_debuginfo::coverage::{
    Coverage, FileCoverage, FunctionCoverage, InstructionCounts, SourceLine, VariableCounts,
};
use cubin_debuginfo::symbolize::FileName;
use nv_debug_sections::cubin::{CodePlace, Cubin};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// What must be reached, and of inherited lines not passed, in percent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) min_lines: Option<f64>,
    pub(super) min_own: Option<f64>,
    pub(super) max_inherited: Option<f64>,
    pub(super) min_variables: Option<f64>,
}

impl Limits {
    /// Of what no limit holds for.
    const NONE: Self = Self { min_lines: None, min_own: None, max_inherited: None, min_variables: None };

    /// Whether there is one.
    pub(super) fn is_any(self) -> bool {
        let Self { min_lines, min_own, max_inherited, min_variables } = self;
        [min_lines, min_own, max_inherited, min_variables].iter().any(Option::is_some)
    }

    /// The limits that hold for a function.
    fn of(self, function: &FunctionCoverage<'_>, coverage: &Coverage<'_>) -> Self {
        let (for_lines, for_variables) =
            (is_judged(function, coverage, true), is_judged(function, coverage, false));
        Self {
            min_lines: self.min_lines.filter(|_| for_lines),
            min_own: self.min_own.filter(|_| for_lines),
            max_inherited: self.max_inherited.filter(|_| for_lines),
            min_variables: self.min_variables.filter(|_| for_variables),
        }
    }
}

/// A cubin.
#[derive(Debug, Serialize)]
pub(super) struct FileReport {
    pub(super) file: String,
    pub(super) sm: u32,
    /// Where the machine code is: `here`, `other-file` or `none`.
    pub(super) code: &'static str,
    /// What a file without code is; it keeps no limit.
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
    /// How many functions limits hold for.
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
    /// Which limits it does not keep: `lines`, `own`, `inherited`, `vars`.
    pub(super) below: Vec<&'static str>,
}

/// Instructions, and which share of them has a line.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Instructions {
    pub(super) all: u64,
    pub(super) padding: u64,
    pub(super) with_line: u64,
    pub(super) own: u64,
    pub(super) line_0: u64,
    pub(super) without_row: u64,
    pub(super) inherited: u64,
    pub(super) inlined: u64,
    pub(super) with_ptx_line: u64,
    /// `with_line` of `all`; null of none.
    pub(super) line_percent: Option<f64>,
    /// `own` of `all`.
    pub(super) own_percent: Option<f64>,
    /// `inherited` of `all`.
    pub(super) inherited_percent: Option<f64>,
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
    /// Whether it is inlined somewhere in the cubin.
    pub(super) inlined: bool,
    /// Nothing of it is in the cubin, no code, no call and no line: it was folded away, or it is not used.
    pub(super) absent: bool,
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
        let InstructionCounts { all, padding, with_line, own, line_0, inherited, inlined, with_ptx_line } =
            counts;
        Self {
            all,
            padding,
            with_line,
            own,
            line_0,
            without_row: all.saturating_sub(with_line).saturating_sub(line_0),
            inherited,
            inlined,
            with_ptx_line,
            line_percent: percent(with_line, all),
            own_percent: percent(own, all),
            inherited_percent: percent(inherited, all),
        }
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
        limits: Limits,
    ) -> Self {
        let code = cubin.code_place();
        let has_code = code != CodePlace::None;
        let of_function = |function: &FunctionCoverage<'_>| {
            let limits = if has_code { limits.of(function, coverage) } else { Limits::NONE };
            Function::new(function, cubin, coverage, limits)
        };
        let mut functions: Vec<Function> = coverage.functions.iter().map(of_function).collect();
        let judged = |function: &&FunctionCoverage<'_>| has_code && is_judged(function, coverage, false);
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
            debug_only: cubin.debug_only_words(),
            instructions: coverage.instructions().into(),
            variables: variables.into(),
            globals: coverage.globals.into(),
            variables_without_code: coverage.without_code.into(),
            functions,
            source_files,
            register_fault: coverage.register_fault.as_ref().map(ToString::to_string),
            ptx,
            judged: coverage.functions.iter().filter(judged).count(),
        }
    }

    /// Whether a function does not keep a limit.
    pub(super) fn is_below(&self) -> bool {
        self.functions.iter().any(|function| !function.below.is_empty())
    }

    /// One for each limit that a function does not keep.
    pub(super) fn messages(&self, limits: Limits) -> impl Iterator<Item = String> {
        self.functions.iter().flat_map(move |function| {
            function.below.iter().map(move |what| {
                let Instructions { line_percent, own_percent, inherited_percent, .. } = function.instructions;
                let (found, share, limit) = match *what {
                    LINES => (line_percent, "of the instructions have a line", limits.min_lines),
                    OWN => (own_percent, "of the instructions have a line of their own", limits.min_own),
                    INHERITED => {
                        (inherited_percent, "of the instructions inherit their line", limits.max_inherited)
                    }
                    _ if function.entry => (
                        function.variables.covered_percent,
                        "of the variables' scopes have a location",
                        limits.min_variables,
                    ),
                    _ => (
                        None,
                        "of the variables have a location, for .debug_info has no entry",
                        limits.min_variables,
                    ),
                };
                let (found, limit) = (found.unwrap_or(0.0), limit.unwrap_or(0.0));
                let at_most = if *what == INHERITED { "at most " } else { "" };
                let (file, function) = (&self.file, function.shown());
                format!("{file}: {function}: {found:.1} % {share}, expected {at_most}{limit} %")
            })
        })
    }
}

const LINES: &str = "lines";
const OWN: &str = "own";
const INHERITED: &str = "inherited";
const VARIABLES: &str = "vars";

impl Function {
    fn new(
        function: &FunctionCoverage<'_>,
        cubin: &Cubin<'_>,
        coverage: &Coverage<'_>,
        limits: Limits,
    ) -> Self {
        let instructions = Instructions::from(function.instructions);
        let variables = Variables::from(function.variables());
        let variables_found = if function.entry { variables.covered_percent } else { Some(0.0) };
        let judged = [
            (LINES, instructions.line_percent, limits.min_lines),
            (OWN, instructions.own_percent, limits.min_own),
            (INHERITED, instructions.inherited_percent, limits.max_inherited),
            (VARIABLES, variables_found, limits.min_variables),
        ];
        let below = judged.into_iter().filter(|(what, found, limit)| {
            found.zip(*limit).is_some_and(
                |(found, limit)| {
                    if *what == INHERITED { found > limit } else { found < limit }
                },
            )
        });
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

/// Whether limits hold for a function: for kernels, and those of lines for the functions folded into them too; in a file without
/// kernels for functions with a section of their own. Not for what the toolkit adds: that has no source.
fn is_judged(function: &FunctionCoverage<'_>, coverage: &Coverage<'_>, of_lines: bool) -> bool {
    let has_kernels = || coverage.functions.iter().any(|function| function.kernel);
    let has_code = function.instructions.all != 0;
    let is_folded = || of_lines && function.name.starts_with('$') && !is_of_toolkit(function.name);
    has_code && (function.kernel || is_folded() || function.offset == 0 && !has_kernels())
}

/// Whether a function is one that ptxas adds, as `$__internal_0_$__cuda_sm20_div_s32`, or one of libdevice, as
/// `$kernel$__internal_trig_reduction_slowpathd`: names that programs must not use.
fn is_of_toolkit(name: &str) -> bool {
    const PREFIXES: [&str; 3] = ["__internal_", "__cuda_", "__nv_"];
    name.split('$').any(|part| PREFIXES.iter().any(|prefix| part.starts_with(prefix)))
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
