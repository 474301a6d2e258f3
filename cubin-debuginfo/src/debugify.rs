//! Whether the line tables of a cubin agree about made-up lines of its PTX: where
//! `.nv_debug_line_sass` names the PTX line of instruction k, `.debug_line` must have line k.

use crate::symbolize::{CoveredRange, Symbolizer};
use nv_debug_sections::Result;
use nv_debug_sections::cubin::Cubin;
use ptx_syntax::debugify::DebugifiedLines;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// How the two line tables of a cubin agree about made-up lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineAgreement {
    /// Lines that were given out: one for each instruction of the PTX.
    pub lines: u32,
    /// Lines that no code has in `.debug_line`. Their instructions were taken out, or became one
    /// with others.
    pub missing_lines: Vec<u32>,
    /// Ranges of code that `.nv_debug_line_sass` gives the PTX line of an instruction.
    pub ranges: usize,
    /// Those of them to which `.debug_line` gives the line of the instruction on that PTX line.
    pub agreeing_ranges: usize,
    /// The others, and those whose PTX line is neither of an instruction nor of a bracket that
    /// opens a function.
    pub other_ranges: Vec<OtherRange>,
    /// Ranges whose PTX line is that of the bracket that opens a function: code before its first
    /// instruction, which has no line of its own.
    pub entry_ranges: usize,
}

/// A range of code about which the two tables do not agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherRange {
    /// The name of the code section.
    pub section: String,
    /// The first byte of the range in the section.
    pub offset: u64,
    /// Size of the range in bytes.
    pub size: u64,
    /// The PTX line in `.nv_debug_line_sass`.
    pub ptx_line: u32,
    /// The line of the instruction on that PTX line; `None` where there is no instruction.
    pub expected: Option<u32>,
    /// The lines that `.debug_line` has in the range; none where it has no row.
    pub lines: Vec<u32>,
}

/// Compares the line tables of a cubin with the lines that were given out for its PTX.
///
/// # Errors
///
/// A line table cannot be read.
pub fn line_agreement(cubin: &Cubin<'_>, given: &DebugifiedLines) -> Result<LineAgreement> {
    let symbolizer = Symbolizer::new(cubin)?;
    let code = symbolizer.code();
    let mut seen = BTreeSet::new();
    let (mut ranges, mut entry_ranges, mut other_ranges) = (0, 0, Vec::new());
    for section in symbolizer.sections() {
        let mut rows: Vec<CoveredRange> = symbolizer.source_rows().covered(code, section.index).collect();
        rows.sort_by_key(|row| row.range.start);
        seen.extend(rows.iter().map(|row| row.row.line));
        for ptx in symbolizer.ptx_rows().covered(code, section.index) {
            let first = rows.partition_point(|row| row.range.end <= ptx.range.start);
            let over = rows[first..].iter().take_while(|row| row.range.start < ptx.range.end);
            let mut lines: Vec<u32> = over.map(|row| row.row.line).collect();
            lines.dedup();
            let expected = given.of_ptx_line(ptx.row.line);
            if expected.is_none() && given.is_entry(ptx.row.line) {
                entry_ranges += 1;
                continue;
            }
            ranges += 1;
            if expected.is_none_or(|expected| lines != [expected]) {
                other_ranges.push(OtherRange {
                    section: section.name.to_string(),
                    offset: ptx.range.start,
                    size: ptx.range.end - ptx.range.start,
                    ptx_line: ptx.row.line,
                    expected,
                    lines,
                });
            }
        }
    }
    let missing_lines = (1..=given.count()).filter(|line| !seen.contains(line)).collect();
    let agreeing_ranges = ranges - other_ranges.len();
    let lines = given.count();
    Ok(LineAgreement { lines, missing_lines, ranges, agreeing_ranges, other_ranges, entry_ranges })
}
