//! `merc finalise`: builds native debug sections from the capsule.

use super::{Source, expect_capsule};
use crate::commands::read;
use crate::report::Exit;
use anyhow::{Context, Result};
use clap::Args;
use merc_capsule::code_maps;
use merc_capsule::finalise::finalise_cubin;
use std::io::Write;

const AFTER_HELP: &str = "\
The native debug sections are rebuilt from their clones, and the capsule is removed. The tables of
both spaces, in the file or in --maps-from, tell from which Mercury instruction a native one comes.
Native code, and what belongs to it alone, stays as it is: only a code generator can finalise code.

Exit status:
  0  done
  1  the file has no capsule
  2  the command line is wrong, or a file cannot be read or written";

/// Which file.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    #[command(flatten)]
    source: Source,
}

/// Runs the command.
///
/// # Errors
///
/// The file is not a readable cubin with a capsule beside native code, or cannot be written.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let (name, bytes) = read::read_plain(&options.source.file)?;
    let mut cubin = read::cubin(&name, &bytes)?;
    expect_capsule(&name, &cubin)?;
    let maps = options.source.intact.look(&cubin, code_maps)?;
    finalise_cubin(&mut cubin, maps.as_deref()).with_context(|| name.clone())?;
    options.source.write(&cubin, &name, out)?;
    Ok(Exit::Answered)
}
