//! Makes a text, parses it once, prints time and peak memory: `cargo run --release -p
//! nvdwarf-benches --example ptx_once -- cicc|llvm|code MEGABYTES`. One text a process, since a
//! peak never falls.
#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "an example reports rounded rates")]

use std::process::ExitCode;
use std::time::Instant;

use nvdwarf_benches::ptx::{self, Shape};
use ptx_syntax::parse;
use ptx_syntax::print::normalise;

/// Peak resident memory so far in bytes, where the system says (Linux).
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok()).unwrap_or(0.0)
        * 1024.0
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let shape = match arguments.first().map(String::as_str) {
        Some("cicc") => Shape::DebugCicc,
        Some("llvm") => Shape::DebugLlvm,
        Some("code") => Shape::Code,
        _ => return ExitCode::FAILURE,
    };
    let Some(megabytes) = arguments.get(1).and_then(|text| text.parse::<usize>().ok()) else {
        return ExitCode::FAILURE;
    };
    let made = ptx::synthetic(shape, megabytes * 1_000_000);
    let size = made.text.len() as f64;
    let report = |what: &str, before: f64, start: Instant| {
        let (time, more) = (start.elapsed().as_secs_f64(), peak() - before);
        println!(
            "{what}: {:.1} MB, {:.1} ms, {:.0} MB/s, +{:.2} x the text",
            size / 1e6,
            time * 1e3,
            size / time / 1e6,
            more / size
        );
    };
    let (before, start) = (peak(), Instant::now());
    let parsed = parse(&made.text);
    report("parse", before, start);
    let (before, start) = (peak(), Instant::now());
    let printed = normalise(&parsed);
    report("normalise", before, start);
    println!("{} errors, layout {:.2} x the text", parsed.errors.len(), printed.len() as f64 / size);
    ExitCode::SUCCESS
}
