//! Writes a tree of entries once, for instruction counts: `cargo build --release -p nvdwarf-benches
//! --example die_tree_once`, then `valgrind --tool=callgrind
//! --toggle-collect='*die_tree_once*write_it*' die_tree_once ours|gimli`.
#![allow(clippy::print_stdout, reason = "an example reports")]

use std::process::ExitCode;

use nvdwarf_benches::die_tree::{self, Entry};

/// The size of `.debug_info`.
#[inline(never)]
fn write_it(tree: &[Entry], writer: &str) -> Option<usize> {
    match writer {
        "ours" => die_tree::ours(tree).ok().map(|sections| sections.info.bytes.len()),
        "gimli" => Some(die_tree::gimli_write(&mut die_tree::gimli_build(tree)).0.len()),
        _ => None,
    }
}

fn main() -> ExitCode {
    let writer = std::env::args().nth(1).unwrap_or_default();
    let tree = die_tree::synthetic(100_000);
    match write_it(&tree, &writer) {
        Some(size) => println!("{}: {size} bytes", tree.len()),
        None => return ExitCode::FAILURE,
    }
    ExitCode::SUCCESS
}
