//! `merc self-check`: whether native sections say what the capsule says.

use super::{Intact, View, expect_capsule};
use crate::commands::read::{self, Shown, write_cubin_document};
use anyhow::{Context, Result};
use clap::Args;
use merc_capsule::code_maps;
use merc_capsule::self_check::{Answer, SectionVerdict, self_check};
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

/// Runs the command.
///
/// # Errors
///
/// The file is no readable cubin with a capsule, or a section that is compared cannot be read.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    options.view.each(SCHEMA, out, |name, cubin, out| {
        expect_capsule(name, cubin)?;
        let maps = options.intact.look(cubin, code_maps)?;
        let checked = self_check(cubin, maps.as_deref()).with_context(|| name.to_owned())?;
        let answer = Answer::new(&checked);
        if options.view.json {
            write_cubin_document(out, SCHEMA, (name, cubin), &answer)?;
            return Ok(Shown::all(!answer.has_differences()));
        }
        for SectionVerdict { native, outcome, difference, .. } in &answer.sections {
            if options.all || difference.is_some() {
                let difference = difference.as_ref().map(|words| format!(": {words}")).unwrap_or_default();
                writeln!(out, "{name}: {native}: {outcome}{difference}")?;
            }
        }
        answer.verdicts.iter().try_for_each(|verdict| writeln!(out, "{verdict}"))?;
        Ok(Shown::all(!answer.has_differences()))
    })
}
