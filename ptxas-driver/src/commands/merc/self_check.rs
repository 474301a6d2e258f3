//! `merc self-check`: whether native sections say what the capsule says.

use super::{Intact, View, expect_capsule, expect_mercury};
use crate::commands::read::{self, Around, Shown, write_cubin_document};
use anyhow::{Context, Result};
use clap::Args;
use merc_capsule::code_maps;
use merc_capsule::self_check::{Checked, Outcome, Part, self_check};
use nv_debug_sections::cubin::Cubin;
use serde::Serialize;
use std::borrow::Cow;
use std::io::Write;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
From the capsule are made again: all debug sections with their relocations, .nv.info, symbols,
aliases and copies; from native frame rules, registers and relocations also their clones. Where
instructions come from is read off the tables of both spaces, of this file or of --maps-from: then
addresses that are wrong in both show too. Code and what it needs is made from a capsule by the
code generator only; nothing is told of it.

Of a file with several cubins those for SMs before sm_100 are left out with a note.

Exit status:
  0  no difference
  1  a section differs or lacks a clone that it must have, or the file is no readable cubin with a
     capsule
  2  the command line is wrong";

/// The command line.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
pub(super) struct Options {
    #[command(flatten)]
    view: View,
    #[command(flatten)]
    intact: Intact,
    /// Show all sections, not only those that differ
    #[arg(short, long)]
    all: bool,
}

/// Of the JSON document.
const SCHEMA: &str = "nvdwarf.merc_self_check";

/// What the JSON document has.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    verdicts: [Verdict; 3],
    sections: Vec<Row<'a>>,
}

/// What came of the sections of one part.
#[derive(Debug, Serialize)]
struct Verdict {
    part: String,
    same: usize,
    different: usize,
    not_told: usize,
    without_clone: usize,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    native: &'a str,
    clone: &'a str,
    part: String,
    outcome: String,
    difference: Option<Cow<'a, str>>,
}

/// Runs the command.
///
/// # Errors
///
/// The file is no readable cubin with a capsule, or a section that is compared cannot be read.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    let View { file, json, .. } = &options.view;
    read::with_document(json.then_some(SCHEMA), file, out, |out| {
        read::each_cubin(file, Around::json_if(*json), out, |name, bytes, out| {
            of_cubin(options, name, &read::cubin(name, bytes)?, out)
        })
    })
}

fn of_cubin(options: &Options, name: &str, cubin: &Cubin<'_>, out: &mut dyn Write) -> Result<Shown> {
    expect_mercury(name, cubin)?;
    expect_capsule(name, cubin)?;
    let maps = options.intact.look(cubin, code_maps)?;
    let checked = self_check(cubin, maps.as_deref()).with_context(|| name.to_owned())?;
    let sections: Vec<Row<'_>> = checked.iter().map(row).collect();
    let verdicts = Part::ALL.map(|part| verdict(part, &checked));
    let differs = sections.iter().any(|row| row.difference.is_some());
    if options.view.json {
        write_cubin_document(out, SCHEMA, (name, cubin), &Answer { verdicts, sections })?;
        return Ok(Shown::all(!differs));
    }
    for Row { native, outcome, difference, .. } in sections {
        if options.all || difference.is_some() {
            let difference = difference.map(|words| format!(": {words}")).unwrap_or_default();
            writeln!(out, "{name}: {native}: {outcome}{difference}")?;
        }
    }
    for Verdict { part, same, different, not_told, without_clone } in verdicts {
        writeln!(
            out,
            "{part}: {same} same, {different} different, {not_told} not told, {without_clone} without clone"
        )?;
    }
    Ok(Shown::all(!differs))
}

fn row(checked: &Checked) -> Row<'_> {
    let Checked { native, clone, part, outcome } = checked;
    let (part, outcome) = (part.to_string(), outcome.to_string());
    Row { native, clone, part, outcome, difference: checked.difference() }
}

fn verdict(part: Part, checked: &[Checked]) -> Verdict {
    let count = |is: fn(&Outcome) -> bool| {
        checked.iter().filter(|checked| checked.part == part && is(&checked.outcome)).count()
    };
    Verdict {
        part: part.to_string(),
        same: count(|outcome| *outcome == Outcome::Same),
        different: count(|outcome| matches!(outcome, Outcome::Different(_))),
        not_told: count(|outcome| *outcome == Outcome::NotTold),
        without_clone: count(|outcome| *outcome == Outcome::Missing),
    }
}
