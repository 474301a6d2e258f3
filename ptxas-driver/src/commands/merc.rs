//! `merc`: the capsule of a cubin for sm_100 and later, its `.nv.merc.*` sections and Mercury code.

mod capsule;
mod clone;
mod finalise;
mod plan;
mod self_check;

use crate::commands::read;
use crate::output;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use nv_debug_sections::cubin::Cubin;
use std::io::Write;
use std::path::{Path, PathBuf};
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
    /// The cubin with the clones of its debug sections made anew from these
    Clone(clone::Options),
    /// The cubin without its capsule, from which its debug sections are made anew
    Finalise(finalise::Options),
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

/// Which file is read, where addresses in it are from, and where what is made of it goes.
#[derive(Debug, Args)]
struct Source {
    /// A cubin; `-` for standard input
    file: PathBuf,
    /// Where code is in both spaces, from this cubin of the same code
    #[arg(long, value_name = "CUBIN")]
    maps_from: Option<PathBuf>,
    /// Write to this file, `-` for standard output; else FILE is replaced, or standard input follows to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Source {
    /// Name and bytes of `--maps-from`.
    fn intact(&self) -> Result<Option<(String, Vec<u8>)>> {
        self.maps_from.as_deref().map(read::read).transpose()
    }

    /// Writes what was made of the file called `name`.
    fn write(&self, cubin: &Cubin<'_>, name: &str, out: &mut dyn Write) -> Result<()> {
        write(cubin, name, self.output.as_deref().unwrap_or(&self.file), out)
    }
}

/// Writes what was made of the file called `name`; `-` is standard output.
fn write(cubin: &Cubin<'_>, name: &str, target: &Path, out: &mut dyn Write) -> Result<()> {
    let bytes = cubin.write().with_context(|| name.to_owned())?;
    if target == Path::new("-") {
        out.write_all(&bytes)?;
        return Ok(());
    }
    output::write(target, &bytes)
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
        Command::Clone(options) => clone::run(options, out),
        Command::Finalise(options) => finalise::run(options, out),
        Command::SelfCheck(options) => self_check::run(options, out),
        Command::StripCapsule(options) => capsule::run(options, capsule::Part::Capsule, out),
        Command::KeepCapsuleOnly(options) => capsule::run(options, capsule::Part::Native, out),
    }
}
