//! `merc`: the capsule of a cubin for sm_100 and later, its `.nv.merc.*` sections and Mercury code.

mod capsule;
mod plan;
mod self_check;

use anyhow::Result;
use clap::{Args, Subcommand};
use std::io::Write;
use std::process::ExitCode;

/// What to do with it.
#[derive(Debug, Args)]
pub struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Which clones the sections of a cubin have, and how each comes to be
    Plan(plan::Options),
    /// Whether the native sections say what the capsule says
    SelfCheck(self_check::Options),
    /// The cubin without its capsule: native code and its sections as they are
    StripCapsule(capsule::Options),
    /// The capsule alone, with the strings and notes that it needs
    KeepCapsuleOnly(capsule::Options),
}

/// Runs the command.
///
/// # Errors
///
/// The file is no readable cubin, or has no sound capsule.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    match &options.command {
        Command::Plan(options) => plan::run(options, out),
        Command::SelfCheck(options) => self_check::run(options, out),
        Command::StripCapsule(options) => capsule::run(options, capsule::Part::Capsule, out),
        Command::KeepCapsuleOnly(options) => capsule::run(options, capsule::Part::Native, out),
    }
}
