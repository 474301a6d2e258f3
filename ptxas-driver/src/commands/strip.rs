//! `strip`: a cubin without its debug sections, and these in a side file.

use crate::cli::{USAGE, complain, note};
use crate::commands::read;
use crate::output;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::line;
use nv_debug_sections::relocated::Relocated;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver strip k.cubin                          no debug sections any more, in place
  ptxas-driver strip k.cubin --split k.debug          the same, and all of them in k.debug
  ptxas-driver lines k.cubin --debug-file k.debug     answers as before
  ptxas-driver strip --keep lines k.cubin -o small.cubin

Code, constants, symbols and .nv.info stay as they are: symbols keep their numbers, which .nv.info
refers to. A side file is an ELF file with all sections under their old numbers, those of code
without bytes. --debug-file takes it only with the code that it was made of. For fatbins and host
programs: `extract` first.

Exit status:
  0  done, also where there was nothing to remove
  1  the file is no readable cubin, cannot be written, has nothing to split off, or a side file of
     the same code with more in it would be replaced
  2  the command line is wrong";

/// What to strip, and where it goes.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// A cubin; `-` for standard input
    file: PathBuf,
    /// What stays of the debug sections
    #[arg(long, value_name = "WHAT", default_value = "none")]
    keep: Keep,
    /// Write a side file with all debug sections, those that stay too
    #[arg(long, value_name = "FILE")]
    split: Option<PathBuf>,
    /// Write the cubin to this file, `-` for standard output; else it replaces FILE, or follows standard input to
    /// standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Say on standard error what goes
    #[arg(short, long)]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Keep {
    /// Nothing
    None,
    /// What `-lineinfo` gives: frame rules, lines, inlined functions, PTX lines and the PTX text
    Lines,
}

/// The sections of `--keep lines`. `.debug_str` stays where the line table takes names from it.
const LINES: [SectionKind; 4] = [
    SectionKind::DebugFrame,
    SectionKind::DebugLine,
    SectionKind::NvDebugLineSass,
    SectionKind::NvDebugPtxTxt,
];

/// Runs the command.
///
/// # Errors
///
/// The file is no readable cubin, or cannot be written, or has nothing to split off.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    let stdio = Path::new("-");
    let target = options.output.as_deref().unwrap_or(&options.file);
    if let Some(message) = options.split.as_deref().and_then(|split| fault(split, target, &options.file)) {
        complain(format_args!("{message}"));
        return Ok(ExitCode::from(USAGE));
    }
    let (name, bytes) = read::read(&options.file)?;
    let cubin = Cubin::parse(&bytes).with_context(|| name.clone())?;
    if cubin.is_side_file() {
        bail!("{name}: a side file of `strip`; the cubin itself is to be stripped");
    }
    let mut stripped = cubin.clone();
    let names_in_lines = options.keep == Keep::Lines && has_names(&cubin);
    let removed = stripped
        .remove_debug_sections(|name| options.keep == Keep::Lines && is_for_lines(name, names_in_lines))
        .with_context(|| name.clone())?;
    // What is stripped already stays as it is, to the byte.
    let result =
        if removed.is_empty() { bytes.clone() } else { stripped.write().with_context(|| name.clone())? };

    if let Some(split) = &options.split {
        let side = side_file(&cubin, split).with_context(|| name.clone())?;
        output::write(split, &side)?;
    }
    if options.verbose {
        report(&name, &cubin, &removed, bytes.len(), result.len())?;
    }
    if target == stdio {
        out.write_all(&result)?;
    } else if options.output.is_some() || !removed.is_empty() {
        output::write(target, &result)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Why there cannot be a side file of that name.
fn fault(split: &Path, target: &Path, file: &Path) -> Option<&'static str> {
    if split == Path::new("-") {
        Some("the side file needs a name: --split FILE")
    } else if output::is_same(split, target) {
        Some("the side file and the cubin cannot be the same file")
    } else {
        output::is_same(split, file).then_some("the side file cannot replace the cubin it is made of")
    }
}

/// The bytes of the side file that is to be written to `path`.
fn side_file(cubin: &Cubin<'_>, path: &Path) -> Result<Vec<u8>> {
    if !cubin.has_debug_sections() {
        bail!("no debug sections, so '{}' is not written", path.display());
    }
    if path.is_file() && fs::read(path).is_ok_and(|old| knows_more(&old, cubin)) {
        bail!(
            "'{}' has debug sections of this code that the cubin lacks, so it is not replaced",
            path.display()
        );
    }
    let mut side = cubin.clone();
    side.keep_only_debug()?;
    Ok(side.write()?)
}

/// Whether a file is `cubin` from before it was stripped, or the side file of that.
fn knows_more(old: &[u8], cubin: &Cubin<'_>) -> bool {
    let Ok(old) = Cubin::parse(old) else { return false };
    let mut joined = old.clone();
    let sections = old.sections.len() - usize::from(old.is_side_file());
    sections > cubin.sections.len() && joined.fill_from(cubin).is_ok()
}

fn is_for_lines(name: &str, names_in_lines: bool) -> bool {
    let kind = SectionKind::from_name(name);
    kind.is_some_and(|kind| LINES.contains(&kind) || kind == SectionKind::DebugStr && names_in_lines)
}

/// Whether the line table takes names of inlined functions from `.debug_str`. If in doubt, yes.
fn has_names(cubin: &Cubin<'_>) -> bool {
    let view = Relocated::new(cubin);
    let mut tables =
        cubin.iter().filter(|(_, name, _)| SectionKind::from_name(name) == Some(SectionKind::DebugLine));
    tables.any(|(index, name, _)| {
        let Ok(section) = view.section(index) else { return true };
        line::decode(name, &section.bytes)
            .map_or(true, |units| units.iter().any(|unit| unit.debug_str_base.is_some()))
    })
}

/// Says what went, and what the file was and is.
fn report(
    name: &str,
    cubin: &Cubin<'_>,
    removed: &[SectionIndex],
    before: usize,
    after: usize,
) -> Result<()> {
    let mut errors = io::stderr().lock();
    for &index in removed {
        writeln!(
            errors,
            "{name}: {}: {} bytes",
            read::printable(cubin.section_name(index)),
            cubin.bytes(index)?.len()
        )?;
    }
    drop(errors);
    note(format_args!("{name}: {} sections removed, {before} bytes before, {after} after", removed.len()));
    Ok(())
}
