//! The limits that the coverage of a function must keep.

use super::FunctionCoverage;
use super::measure::Measure;

use super::shortfall::Shortfall;
use schemars::JsonSchema;
use serde::Serialize;

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

impl Limits {
    /// Whether at least one coverage limit is set.
    pub fn is_any(self) -> bool {
        let Self { min_lines, min_own, max_inherited, min_variables } = self;
        [min_lines, min_own, max_inherited, min_variables].iter().any(Option::is_some)
    }

    /// The limits that a function does not keep.
    pub(super) fn shortfalls(self, function: &FunctionCoverage<'_>, has_kernels: bool) -> Vec<Shortfall> {
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

/// Whether limits hold for a function: for kernels, and those of lines for the functions folded
/// into them too; in a file without kernels for functions with a section of their own. Not for what
/// the toolkit adds: that has no source.
pub(super) fn is_judged(function: &FunctionCoverage<'_>, has_kernels: bool, of_lines: bool) -> bool {
    let has_code = function.instructions.all != 0;
    let is_folded = || of_lines && function.name.starts_with('$') && !is_of_toolkit(function.name);
    has_code && (function.kernel || is_folded() || function.offset == 0 && !has_kernels)
}

/// Whether a function is one that ptxas adds, as `$__internal_0_$__cuda_sm20_div_s32`, or one of
/// libdevice, as `$kernel$__internal_trig_reduction_slowpathd`: names that programs must not use.
pub(super) fn is_of_toolkit(name: &str) -> bool {
    const PREFIXES: [&str; 3] = ["__internal_", "__cuda_", "__nv_"];
    name.split('$').any(|part| PREFIXES.iter().any(|prefix| part.starts_with(prefix)))
}
