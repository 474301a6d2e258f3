//! `merc self-check`: whether native sections say what the capsule says.

use crate::commands::read::{self, JSON_VERSION, printable};
use anyhow::{Context, Result, bail};
use clap::Args;
use merc_capsule::self_check::{Checked, Outcome, Part, self_check};
use nv_debug_sections::cubin::Cubin;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
From the capsule are made again: both line tables, symbols, aliases and copies, relocations of debug
sections but for addresses of code. Where instructions come from is read off the symbols and
.nv_debug_line_sass of both. Registers, frame rules and code are made from a capsule by the code
generator only; nothing is told of them.

Exit status:
  0  no difference
  1  a section differs, or the file is no readable cubin with a capsule
  2  the command line is wrong";

/// Which file, and how it is shown.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// A cubin; `-` for standard input
    file: PathBuf,
    /// Show all sections, not only those that differ
    #[arg(short, long)]
    all: bool,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

/// The JSON document.
#[derive(Debug, Serialize)]
struct Document<'a> {
    schema: &'static str,
    schema_version: u32,
    file: &'a str,
    sm: u32,
    verdicts: Vec<Verdict>,
    sections: Vec<Row<'a>>,
}

/// What came of the sections of one part.
#[derive(Debug, Serialize)]
struct Verdict {
    part: &'static str,
    same: usize,
    different: usize,
    not_told: usize,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    native: &'a str,
    clone: &'a str,
    part: &'static str,
    outcome: &'static str,
    difference: Option<&'a str>,
}

const PARTS: [(Part, &str); 3] =
    [(Part::Text, "text"), (Part::Debug, "debug"), (Part::Relocation, "relocation")];

fn words(outcome: &Outcome) -> (&'static str, Option<&str>) {
    match outcome {
        Outcome::Same => ("same", None),
        Outcome::Different(words) => ("different", Some(words)),
        Outcome::NotTold => ("not told", None),
        Outcome::Missing => ("no clone", None),
    }
}

/// Runs the command.
///
/// # Errors
///
/// The file is no readable cubin with a capsule, or a section that is compared cannot be read.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    let (name, bytes) = read::read(&options.file)?;
    let cubin = Cubin::parse(&bytes).with_context(|| name.clone())?;
    cubin.expect_short_names().with_context(|| name.clone())?;
    let sm = cubin.header.sm();
    if !cubin.has_capsule() {
        bail!("{name}: a cubin for sm_{sm} without a capsule");
    }
    let checked = self_check(&cubin, None).with_context(|| name.clone())?;
    let verdicts: Vec<Verdict> = PARTS.iter().map(|part| verdict(*part, &checked)).collect();
    let differs = verdicts.iter().any(|verdict| verdict.different > 0);
    if options.json {
        let sections = checked.iter().map(row).collect();
        let schema = "nvdwarf.merc_self_check";
        let document = Document { schema, schema_version: JSON_VERSION, file: &name, sm, verdicts, sections };
        serde_json::to_writer_pretty(&mut *out, &document)?;
        writeln!(out)?;
    } else {
        for Row { native, outcome, difference, .. } in checked.iter().map(row) {
            if options.all || difference.is_some() {
                let native = printable(native);
                match difference {
                    Some(difference) => writeln!(out, "{native}: {outcome}: {}", printable(difference))?,
                    None => writeln!(out, "{native}: {outcome}")?,
                }
            }
        }
        for Verdict { part, same, different, not_told } in verdicts {
            writeln!(out, "{part}: {same} same, {different} different, {not_told} not told")?;
        }
    }
    Ok(if differs { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn row(checked: &Checked) -> Row<'_> {
    let (outcome, difference) = words(&checked.outcome);
    let part = PARTS.iter().find(|(part, _)| *part == checked.part).map_or("", |(_, name)| *name);
    Row { native: &checked.native, clone: &checked.clone, part, outcome, difference }
}

fn verdict((part, name): (Part, &'static str), checked: &[Checked]) -> Verdict {
    let of_part = || checked.iter().filter(|checked| checked.part == part);
    let count = |outcome: &str| of_part().filter(|checked| words(&checked.outcome).0 == outcome).count();
    Verdict { part: name, same: count("same"), different: count("different"), not_told: count("not told") }
}
