//! Reads a tree of entries once, for instruction counts: `cargo build --release -p nvdwarf-benches
//! --example die_tree_read_once`, then `valgrind --tool=callgrind
//! --toggle-collect='*die_tree_read_once*read_it*' die_tree_read_once ours|gimli`.
#![allow(clippy::print_stdout, reason = "an example reports")]

use std::process::ExitCode;

use nvdwarf_benches::die_tree;
use nvdwarf_benches::die_tree_read::{self, Sum};

#[inline(never)]
fn read_it(info: &[u8], abbrev: &[u8], reader: &str) -> Option<Sum> {
    match reader {
        "ours" => die_tree_read::ours(info, abbrev).ok(),
        "gimli" => die_tree_read::gimli(info, abbrev).ok(),
        _ => None,
    }
}

fn main() -> ExitCode {
    let reader = std::env::args().nth(1).unwrap_or_default();
    let Ok(written) = die_tree::ours(&die_tree::synthetic(100_000)) else { return ExitCode::FAILURE };
    match read_it(&written.info.bytes, &written.abbrev, &reader) {
        Some(sum) => println!("{sum:?}"),
        None => return ExitCode::FAILURE,
    }
    ExitCode::SUCCESS
}
