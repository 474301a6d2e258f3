#![doc = include_str!("../README.md")]
// The one crate that speaks.
#![allow(clippy::print_stdout, clippy::print_stderr)]

pub mod arch;
pub mod cli;
pub mod code_image;
pub mod commands;
pub mod diag;
pub mod lower;
pub mod options;
pub mod output;
pub mod provider;
pub mod source_files;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    cli::run(&args)
}

/// The version line.
pub fn version() -> String {
    format!("ptxas-driver {} (nvdwarf), writes what ptxas 13.0.88 writes", env!("CARGO_PKG_VERSION"))
}
