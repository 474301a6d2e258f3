//! `merc`: the capsule of a cubin for sm_100 and later, its `.nv.merc.*` sections and Mercury code.

mod capsule;
mod plan;
mod self_check;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use nv_debug_sections::cubin::Cubin;
use std::io::Write;
use std::path::PathBuf;
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

/// Which file is looked at, and how what is found is shown.
#[derive(Debug, Args)]
struct View {
    /// A cubin; `-` for standard input
    file: PathBuf,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Refuses a cubin without a capsule, of the file called `name`.
fn expect_capsule(name: &str, cubin: &Cubin<'_>) -> Result<()> {
    if !cubin.has_capsule() {
        bail!("{name}: a cubin for sm_{} without a capsule", cubin.header.sm());
    }
    Ok(())
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
