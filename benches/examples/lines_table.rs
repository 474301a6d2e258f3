//! The tables of `docs/performance.md`, line programs: `cargo run --release -p nvdwarf-benches
//! --example lines_table [SOURCE...]`.
//!
//! Times are the best of many rounds in which all encoders take turns, so that a change of load
//! meets all of them; instructions come from `valgrind --tool=callgrind`, under which the example
//! runs itself once for each encoder (`ENCODER SOURCE`, by index), and are left out where that is
//! not installed.
#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "an example reports rounded rates")]

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use dwarf2_writer::line::Policy;
use nvdwarf_benches::encoders::{self, CHOOSE, KEEP};
use nvdwarf_benches::rows::{self, Table};

/// For each source.
const TIME: Duration = Duration::from_secs(5);

/// A name, and the bytes written.
type Encoder = (&'static str, fn(&Table) -> usize);

const ENCODERS: [Encoder; 6] = [
    ("`Plain`", |table| encoders::ours(table, Policy::Plain).map_or(0, |bytes| bytes.len())),
    ("`Compact`, header kept", |table| encoders::ours(table, KEEP).map_or(0, |bytes| bytes.len())),
    ("`Compact`", |table| encoders::ours(table, CHOOSE).map_or(0, |bytes| bytes.len())),
    (PLAIN, |table| encoders::plain(table).len()),
    (GIMLI, |table| encoders::gimli(table).len()),
    ("memcpy of the rows", |table| table.clone().len()),
];

const PLAIN: &str = "plain on `leb128`";
const GIMLI: &str = "`gimli::write`";

/// A name, and line programs; none where `../shared/corpus` is not there.
type Source = (&'static str, fn() -> Vec<Table>);

const SOURCES: [Source; 6] = [
    ("20,000 synthetic", || vec![rows::synthetic(20_000)]),
    ("2 million synthetic", || vec![rows::synthetic(2_000_000)]),
    ("`.debug_line`, joined", || vec![rows::joined(&rows::corpus(".debug_line"))]),
    ("`.nv_debug_line_sass`, joined", || vec![rows::joined(&rows::corpus(".nv_debug_line_sass"))]),
    ("`.debug_line`, each", || rows::corpus(".debug_line")),
    ("`.nv_debug_line_sass`, each", || rows::corpus(".nv_debug_line_sass")),
];

/// What callgrind counts: its name is looked for, so it stays a function of its own.
#[inline(never)]
fn lines_measured(encoder: usize, tables: &[Table]) -> usize {
    let (_, encode) = ENCODERS[encoder];
    tables.iter().map(|table| black_box(encode(black_box(table)))).sum()
}

/// Nanoseconds a row, by encoder.
fn times(tables: &[Table], count: usize) -> [f64; ENCODERS.len()] {
    let mut best = [f64::MAX; ENCODERS.len()];
    let begin = Instant::now();
    while begin.elapsed() < TIME {
        for (encoder, best) in best.iter_mut().enumerate() {
            let start = Instant::now();
            lines_measured(encoder, tables);
            *best = best.min(start.elapsed().as_secs_f64() * 1e9 / count as f64);
        }
    }
    best
}

/// Instructions a row.
fn instructions(encoder: usize, source: usize, count: usize) -> Option<f64> {
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*lines_measured*"])
        .arg(std::env::current_exe().ok()?)
        .args([encoder.to_string(), source.to_string()])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    let collected =
        text.lines().find_map(|line| line.split_once("Collected :"))?.1.trim().parse::<f64>().ok()?;
    Some(collected / count as f64)
}

fn main() {
    let arguments: Vec<usize> =
        std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    if let [encoder @ 0..8, source @ 0..6] = arguments[..] {
        println!("{}", lines_measured(encoder, &SOURCES[source].1()));
        return;
    }
    println!("| rows | encoder | million rows a second | to plain | to gimli | instructions a row |");
    println!("|---|---|---:|---:|---:|---:|");
    for (index, (source, make)) in SOURCES.iter().enumerate() {
        let tables = make();
        let count: usize = tables.iter().map(rows::count).sum();
        if count == 0 || !arguments.is_empty() && !arguments.contains(&index) {
            continue;
        }
        tables.iter().for_each(encoders::assert_same_rows);
        let times = times(&tables, count);
        let of = |name| times[ENCODERS.iter().position(|(other, _)| *other == name).unwrap_or(0)];
        let (plain, gimli) = (of(PLAIN), of(GIMLI));
        for (encoder, (name, _)) in ENCODERS.iter().enumerate() {
            let time = times[encoder];
            let instructions = instructions(encoder, index, count).map_or("-".into(), |n| format!("{n:.0}"));
            println!(
                "| {source} | {name} | {:.0} | {:.2} | {:.1} | {instructions} |",
                1e3 / time,
                plain / time,
                gimli / time
            );
        }
    }
}
