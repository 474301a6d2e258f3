//! Says how many PTX instructions come from each source line, function by function, with those
//! inlined into it.
//!
//! `cargo run -p ptx-syntax --example lines_of_kernels [PTX]`
#![allow(clippy::print_stdout, reason = "this is a program")]

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt::Write;

use ptx_syntax::{LineIndex, Statement, parse};

fn report(path: &str) -> Result<String, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let parsed = parse(&text);
    if let Some(error) = parsed.errors.first() {
        let (line, column) = LineIndex::new(&text).line_col(error.range.start);
        return Err(format!("{line}:{column}: {error}").into());
    }
    let files: HashMap<u64, &str> = parsed.module.files().map(|file| (file.index, file.path)).collect();
    let mut out = String::new();
    for function in parsed.module.functions() {
        let Some(body) = &function.body else { continue };
        let mut place = None;
        let mut counts: BTreeMap<(u64, u64, bool), usize> = BTreeMap::new();
        for statement in &body.statements {
            match statement {
                Statement::Loc(loc) => place = Some((loc.file, loc.line, loc.inlined_at.is_some())),
                Statement::Instruction(_) => *counts.entry(place.unwrap_or_default()).or_default() += 1,
                _ => {}
            }
        }
        writeln!(out, "{}:", function.name.text)?;
        for ((file, line, is_inlined), count) in counts {
            let path = files.get(&file).map_or("?", |path| path.rsplit('/').next().unwrap_or(path));
            writeln!(out, "{count:5} {path}:{line}{}", if is_inlined { " inlined" } else { "" })?;
        }
    }
    Ok(out)
}

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy/saxpy.ptx");

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report(std::env::args().nth(1).as_deref().unwrap_or(EXAMPLE))?);
    Ok(())
}

#[test]
fn instructions_are_counted_by_line() {
    let out = report(EXAMPLE).unwrap();
    let lines: Vec<_> = out.lines().map(str::trim_start).collect();
    let own = ["4 saxpy.cu:6", "5 saxpy.cu:8", "33 saxpy.cu:9", "24 saxpy.cu:10", "1 saxpy.cu:12"];
    assert_eq!(lines[1..6], own);
    assert_eq!((lines[0], &lines[6..]), ("saxpy:", &["5 fused.cuh:7 inlined", "5 fused.cuh:13 inlined"][..]));
}
