//! `merc clone`: builds the capsule of a cubin from its native sections.

use super::{Source, expect_mercury};
use crate::commands::read::{self, PtxFile};
use crate::report::Exit;
use anyhow::{Context, Result};
use clap::Args;
use merc_capsule::clone_cubin::{self, CloneInputs};
use nvdwarf_compile::ptx::{self, PtxFacts, PtxSections};
use ptx_syntax::LineIndex;
use std::io::Write;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
The clones of debug sections and the Mercury symbols are rebuilt from the native ones. Mercury
addresses come from the symbols, line tables, registers, frame rules and relocations of the file's
capsule, or of --maps-from. In a file without a capsule native code stands for Mercury code. The new
capsule then holds no code, which only the code generator can make: tools can read its debug
sections, but a driver cannot finalise it.

A native .debug_line says less than its clone. With --ptx the clone is built from the .loc
directives, as ptxas builds it. Otherwise it is built from the rows, and may lack rows and inlined
calls. Where native code stands for Mercury code, the clone is one that leads to the native table.

Exit status:
  0  done
  1  the file is a cubin for an SM whose cubins have no capsule
  2  the command line is wrong, or a file cannot be read or written";

/// Which file, and what its clones are made of.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    #[command(flatten)]
    source: Source,
    /// The PTX that the cubin was made from
    #[arg(long, value_name = "FILE")]
    ptx: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
///
/// The file is not a readable cubin for sm_100 or later, was made from another PTX, or cannot be
/// written.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let (name, bytes) = read::read_plain(&options.source.file)?;
    let mut cubin = read::cubin(&name, &bytes)?;
    expect_mercury(&name, &cubin)?;
    let origin = options.source.intact.look(&cubin, CloneInputs::of)?;
    let mut origin = origin.map_or_else(|| CloneInputs::of(&cubin).with_context(|| name.clone()), Ok)?;
    let ptx = options.ptx.as_deref().map(PtxFile::read).transpose()?;
    match &ptx {
        None => clone_cubin::clone_cubin(&mut cubin, &origin).with_context(|| name.clone())?,
        Some(ptx) => {
            let lines = LineIndex::new(&ptx.text);
            let parsed = ptx_syntax::parse(&ptx.text);
            let sections = PtxSections::of(&parsed.module);
            let facts = PtxFacts::of(&parsed.module, cubin.target(), &lines, Some(&sections));
            let source = ptx::mercury_lines(&facts, &cubin, &origin.maps, &origin.lines.ptx);
            origin.lines.source = source.with_context(|| name.clone())?;
            clone_cubin::clone_cubin(&mut cubin, &origin).with_context(|| name.clone())?;
        }
    }
    options.source.write(&cubin, &name, out)?;
    Ok(Exit::Answered)
}
