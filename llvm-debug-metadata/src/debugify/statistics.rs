//! What passes lost, counted: the file that LLVM's option `-debugify-export` writes.

use super::CheckedDebugify;
use std::fmt::Write;

/// The first line of the file.
const HEADER: &str = "Pass Name,# of missing debug values,# of missing locations,\
                      Missing/Expected value ratio,Missing/Expected location ratio\n";

/// What one pass lost in all its runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassStatistics {
    /// The name of the pass.
    pub pass: String,
    /// Variables that no record has after it.
    pub missing_variables: u64,
    /// Lines that no instruction has after it.
    pub missing_lines: u64,
    /// Lines that were given out before it.
    pub lines: u64,
}

/// What passes lost, in the order of their first runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DebugifyStatistics {
    passes: Vec<PassStatistics>,
}

impl DebugifyStatistics {
    /// Adds what a run of a pass lost.
    pub fn add(&mut self, pass: &str, checked: &CheckedDebugify) {
        let at = self.passes.iter().position(|known| known.pass == pass).unwrap_or_else(|| {
            let pass = pass.to_owned();
            self.passes.push(PassStatistics { pass, missing_variables: 0, missing_lines: 0, lines: 0 });
            self.passes.len() - 1
        });
        let row = &mut self.passes[at];
        row.missing_variables += checked.missing_variables() as u64;
        row.missing_lines += checked.missing_lines() as u64;
        row.lines += checked.lines;
    }

    /// The passes.
    pub fn passes(&self) -> &[PassStatistics] {
        &self.passes
    }

    /// The text of the file, as LLVM 19 writes it. There the ratio of values is one to the lines
    /// that were given out, not to the variables.
    pub fn csv(&self) -> String {
        let mut text = HEADER.to_owned();
        for row in &self.passes {
            let ratio = |missing: u64| scientific(single(missing) / single(row.lines));
            let (variables, lines) = (row.missing_variables, row.missing_lines);
            let _ = writeln!(text, "{},{variables},{lines},{},{}", row.pass, ratio(variables), ratio(lines));
        }
        text
    }
}

/// A count as LLVM has it for its ratios.
#[allow(clippy::cast_precision_loss, reason = "LLVM rounds too")]
fn single(count: u64) -> f32 {
    count as f32
}

/// A number as C's `%e` prints it, which is how LLVM prints one.
fn scientific(number: f32) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return "INF".to_owned();
    }
    let text = format!("{:.6e}", f64::from(number));
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}
