//! Parses files and says how fast: `cargo run --release -p ptx-syntax --example throughput -- [--once] FILES`.
//!
//! `--once` parses once and reports the peak memory only, for runs under a profiler. Peaks of later files count from
//! the highest before them: give one file.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::cast_precision_loss)] // prints rounded rates

use std::hint::black_box;
use std::time::{Duration, Instant};

use ptx_syntax::{LineIndex, Parsed, parse, section_data, tokenize};

/// Best MB/s of the runs that fit in about a second.
fn rate<T>(bytes: usize, mut work: impl FnMut() -> T) -> f64 {
    let (mut best, begin) = (Duration::MAX, Instant::now());
    while begin.elapsed() < Duration::from_secs(1) || best == Duration::MAX {
        let start = Instant::now();
        let result = black_box(work());
        best = best.min(start.elapsed());
        drop(result);
    }
    bytes as f64 / best.as_secs_f64() / 1e6
}

/// Peak resident memory so far in MB, where the system says (Linux).
fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok()).unwrap_or(0.0) / 1e3
}

fn main() {
    let once = std::env::args().any(|argument| argument == "--once");
    for path in std::env::args().skip(1).filter(|argument| argument != "--once") {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{path}: {error}");
                continue;
            }
        };
        let (before, start) = (peak_mb(), Instant::now());
        let parsed: Parsed<'_> = parse(&text);
        let (peak, time) = (peak_mb() - before, start.elapsed().as_secs_f64());
        let size = text.len();
        let data: usize = parsed.module.sections().map(|section| section.range.len() as usize).sum();
        println!(
            "{path}: {:.1} MB ({}% sections), {} errors, first parse {:.1} ms, +{peak:.1} MB peak, {:.2} x the text",
            size as f64 / 1e6,
            data * 100 / size.max(1),
            parsed.errors.len(),
            time * 1e3,
            peak * 1e6 / size as f64,
        );
        if once {
            continue;
        }
        println!("  parse    {:7.0} MB/s", rate(size, || parse(&text)));
        println!("  tokenize {:7.0} MB/s", rate(size, || tokenize(&text).count()));
        println!("  lines    {:7.0} MB/s", rate(size, || LineIndex::new(&text)));
        let assemble =
            || parsed.module.sections().map(|s| section_data::assemble(s).bytes.len()).sum::<usize>();
        println!("  assemble {:7.0} MB/s", rate(data, assemble));
    }
}
