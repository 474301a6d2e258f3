//! `merc self-check`: whether native sections say what the capsule says.

use super::{Intact, View, expect_capsule, expect_mercury};
use crate::commands::read::{self, Around, JSON_VERSION, Shown};
use crate::plain::write_json;
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
    without_clone: usize,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    native: &'a str,
    clone: &'a str,
    part: &'static str,
    outcome: &'static str,
    difference: Option<Cow<'a, str>>,
}

const PARTS: [(Part, &str); 3] =
    [(Part::Text, "text"), (Part::Debug, "debug"), (Part::Relocation, "relocation")];

const SAME: &str = "same";
const DIFFERENT: &str = "different";
const NOT_TOLD: &str = "not told";
const NO_CLONE: &str = "no clone";

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
    let verdicts: Vec<Verdict> = PARTS.iter().map(|(_, part)| verdict(part, &sections)).collect();
    let differs = sections.iter().any(|row| row.difference.is_some());
    if options.view.json {
        let document = Document {
            schema: SCHEMA,
            schema_version: JSON_VERSION,
            file: name,
            sm: cubin.header.sm(),
            verdicts,
            sections,
        };
        write_json(out, &document)?;
    } else {
        for Row { native, outcome, difference, .. } in sections {
            if options.all || difference.is_some() {
                match difference {
                    Some(difference) => writeln!(out, "{name}: {native}: {outcome}: {difference}")?,
                    None => writeln!(out, "{name}: {native}: {outcome}")?,
                }
            }
        }
        for Verdict { part, same, different, not_told, without_clone } in verdicts {
            writeln!(
                out,
                "{part}: {same} same, {different} different, {not_told} not told, {without_clone} without clone"
            )?;
        }
    }
    Ok(Shown::all(!differs))
}

fn row(checked: &Checked) -> Row<'_> {
    let Checked { native, clone, part, outcome } = checked;
    let must_have_clone = || checked.finding().is_some();
    let (outcome, difference) = match outcome {
        Outcome::Same => (SAME, None),
        Outcome::Different(words) => (DIFFERENT, Some(words.into())),
        Outcome::NotTold => (NOT_TOLD, None),
        Outcome::Missing => (NO_CLONE, must_have_clone().then(|| format!("expected {clone}").into())),
    };
    let part = PARTS.iter().find(|(known, _)| known == part).map_or("", |(_, name)| *name);
    Row { native, clone, part, outcome, difference }
}

fn verdict(part: &'static str, rows: &[Row<'_>]) -> Verdict {
    let count = |outcome| rows.iter().filter(|row| (row.part, row.outcome) == (part, outcome)).count();
    Verdict {
        part,
        same: count(SAME),
        different: count(DIFFERENT),
        not_told: count(NOT_TOLD),
        without_clone: count(NO_CLONE),
    }
}
