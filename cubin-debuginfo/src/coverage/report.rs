//! The coverage report of a cubin, worst functions first, with the functions that are below a
//! limit.

use super::function_report::FunctionReport;
use super::limits::{Limits, is_judged};
use super::source_file_report::SourceFileReport;
use super::{Coverage, InstructionCounts, LostFunction, VariableCounts};
use crate::lines::LostCalls;
use nv_debug_sections::cubin::{CodeLocation, Cubin};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Ordering;

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
    /// With `--ptx`: the inlined calls of the PTX that the cubin lacks, by instruction. Absent
    /// without `--ptx`, and where the cubin's `.nv_debug_ptx_txt` does not show that the PTX is
    /// its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_calls: Option<LostCalls>,
    /// The number of findings (functions that do not meet a limit) that were left out because a
    /// baseline has them. Absent without a baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_baseline: Option<usize>,
    /// The number of functions to which the limits apply.
    #[serde(skip)]
    pub judged: usize,
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
            lost_calls: None,
            in_baseline: None,
            judged: if has_code { judged.count() } else { 0 },
        }
    }
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
