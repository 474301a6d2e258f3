//! A check for CI: fails where a function of a cubin has too few instructions with a source line,
//! or where the debug information of the cubin has errors.
//!
//! `cargo run -p cubin-debuginfo --example coverage_gate [CUBIN [PERCENT]]`
#![allow(clippy::print_stdout, reason = "this is a program")]

use std::error::Error;
use std::fmt::Write;
use std::process::ExitCode;

use cubin_debuginfo::coverage::{Coverage, Limits, Report};
use cubin_debuginfo::symbolize::Symbolizer;
use cubin_debuginfo::verify::{Severity, verify};
use nv_debug_sections::cubin::Cubin;

/// What is to be said of a cubin, and whether it passes.
fn check(path: &str, min_lines: f64) -> Result<(String, bool), Box<dyn Error>> {
    let mut out = String::new();
    let bytes = std::fs::read(path)?;
    let cubin = Cubin::parse(&bytes)?;
    let symbolizer = Symbolizer::new(&cubin)?;
    let coverage = Coverage::of(&cubin, &symbolizer)?;
    let limits = Limits { min_lines: Some(min_lines), ..Limits::default() };
    let report = Report::new(&cubin, &coverage, limits);
    for function in &report.functions {
        let counts = function.instructions;
        writeln!(
            out,
            "{}: {} of {} instructions have a line",
            function.plain_name(),
            counts.with_line,
            counts.all
        )?;
        for shortfall in &function.below {
            writeln!(out, "  too few: {shortfall}")?;
        }
    }
    let errors = verify(&cubin).count_of(Severity::Error);
    writeln!(out, "{errors} errors")?;
    let is_good = errors == 0 && report.functions.iter().all(|function| function.below.is_empty());
    Ok((out, is_good))
}

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/block_sum/block_sum.cubin");

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next();
    let min_lines = arguments.next().map_or(Ok(90.0), |percent| percent.parse())?;
    let (said, is_good) = check(path.as_deref().unwrap_or(EXAMPLE), min_lines)?;
    print!("{said}");
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[test]
fn a_limit_fails_where_it_is_not_kept() {
    let (said, is_good) = check(EXAMPLE, 90.0).unwrap();
    assert!(is_good && said.contains("block_sum: 64 of 64 instructions have a line\n"), "{said}");
    let (said, is_good) = check(EXAMPLE, 100.5).unwrap();
    assert!(
        !is_good && said.contains("100.0 % of the instructions have a line, expected 100.5 %\n"),
        "{said}"
    );
}
