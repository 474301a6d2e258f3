#![doc = include_str!("../README.md")]
// The one crate that speaks.
#![allow(clippy::print_stdout, clippy::print_stderr)]

pub mod call_log;
pub mod cleanup;
pub mod cli;
pub mod commands;
pub mod diagnostics;
pub mod foreign_files;
pub mod help;
pub mod input;
pub mod limits;
pub mod options;
pub mod output;
pub mod parallel;
pub mod printable_text;
pub mod progress;
pub mod provider;
pub mod quiet;
pub mod report;
pub mod stderr;
pub mod text_table;

use nv_debug_sections::release::Release;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os();
    let name = args.next().unwrap_or_default();
    let args: Vec<OsString> = args.collect();
    if name == cleanup::child::LAUNCHER {
        return cleanup::child::launch(&args);
    }
    let code = cli::run(&name, &args);
    cleanup::expect_no_signal();
    code
}

/// Returns the version line that `--version` prints.
pub fn version() -> String {
    let (ours, theirs) = (env!("CARGO_PKG_VERSION"), Release::default().version());
    format!("ptxas-driver {ours} (nvdwarf), writes what ptxas {theirs} writes")
}
