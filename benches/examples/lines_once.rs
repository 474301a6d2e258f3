//! Encodes line tables once, to count instructions: `lines_once ENCODER ROWS`, under
//! `valgrind --tool=callgrind --toggle-collect='nvdwarf_benches::encoders::*'`.
#![allow(clippy::print_stdout, reason = "an example reports")]

use dwarf2_writer::line::Policy;
use nvdwarf_benches::{encoders, rows};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let (encoder, source) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let tables = match source.as_str() {
        "synthetic" => vec![rows::synthetic(200_000)],
        section => vec![rows::joined(&rows::corpus(section))],
    };
    let rows: usize = tables.iter().map(rows::count).sum();
    for table in &tables {
        let encoded = match encoder.as_str() {
            "Plain" => encoders::ours(table, Policy::Plain),
            "Compact" => encoders::ours(table, encoders::CHOOSE),
            "plain" => Ok(encoders::plain(table)),
            "gimli" => Ok(encoders::gimli(table)),
            _ => {
                println!(
                    "usage: lines_once Plain|Compact|plain|gimli synthetic|.debug_line|.nv_debug_line_sass"
                );
                return ExitCode::FAILURE;
            }
        };
        println!("{rows} rows, {} bytes", encoded.map_or(0, |bytes| bytes.len()));
    }
    ExitCode::SUCCESS
}
