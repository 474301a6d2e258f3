//! `merc strip-capsule`, `merc keep-capsule-only`: keep one of the two spaces without the other.

use super::{expect_capsule, write};
use crate::commands::read;
use crate::report::Exit;
use anyhow::{Context, Result};
use clap::Args;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use std::io::Write;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Exit status:
  0  done
  1  the file has no capsule
  2  the command line is wrong, or a file cannot be read or written";

/// The input file, and the output file for what is left of it.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// A cubin; `-` for standard input
    file: PathBuf,
    /// Write to this file, `-` for standard output; else FILE is replaced, or standard input
    /// follows to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Which of the two spaces goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Removed {
    /// The Mercury capsule is removed, and everything else stays.
    Capsule,
    /// Everything but the Mercury capsule is removed.
    Native,
}

/// Runs the command.
///
/// # Errors
///
/// The file is not a readable cubin, has no capsule or nothing else, or cannot be written.
pub(super) fn run(options: &Options, goes: Removed, out: &mut dyn Write) -> Result<Exit> {
    let (name, bytes) = read::read_plain(&options.file)?;
    let mut cubin = Cubin::parse(&bytes).with_context(|| name.clone())?;
    read::warn_of_newer_release(&name, &cubin);
    expect_capsule(&name, &cubin)?;
    let removed: Result<Vec<SectionIndex>, _> = match goes {
        Removed::Capsule => cubin.remove_capsule(),
        Removed::Native => cubin.keep_only_capsule(),
    };
    removed.with_context(|| name.clone())?;
    write(&cubin, &name, options.output.as_deref().unwrap_or(&options.file), out)?;
    Ok(Exit::Answered)
}
