//! `ir`: the debug metadata of LLVM IR.

mod debugify;
mod debugify_checks;
mod each;
mod modes;
mod opt_command;
mod strip;

use crate::report::{DocumentSchema, Exit};
use anyhow::Result;
use clap::{Args, Subcommand};
use std::io::Write;

/// The options of `ir`: its subcommand.
#[derive(Debug, Args)]
pub struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Strip debug information, or names, as a pass of LLVM does
    Strip(strip::Options),
    /// Make up debug information: a line for each instruction, a variable for each value
    Debugify(debugify::Options),
    /// Tell what passes lost of the debug information that `ir debugify` made up
    CheckDebugify(debugify::CheckOptions),
    /// Show how much debug information a module asks for, and what libNVVM and ptxas make of it
    Modes(modes::Options),
}

/// The name of the JSON schema of `ir modes`.
pub const MODES_SCHEMA: DocumentSchema = modes::SCHEMA;

/// The name of the JSON schema of `ir check-debugify` and `ir debugify --each`.
pub const CHECK_DEBUGIFY_SCHEMA: DocumentSchema = debugify_checks::SCHEMA;

/// Runs `ir`, and returns the exit status.
///
/// # Errors
///
/// The file is not readable LLVM IR, or `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    match &options.command {
        Command::Strip(options) => strip::run(options, out),
        Command::Debugify(options) => debugify::run(options, out),
        Command::CheckDebugify(options) => debugify::check(options, out),
        Command::Modes(options) => modes::run(options, out),
    }
}
