//! `merc self-check`: checks that native sections agree with the capsule.

use super::{Intact, View, expect_capsule};
use crate::commands::read;
use crate::report::{Answer, Exit, Status};
use anyhow::{Context, Result};
use clap::Args;
use merc_capsule::code_maps;
use merc_capsule::self_check::{SectionVerdict, SelfCheckAnswer as Verdicts, self_check};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

const AFTER_HELP: &str = "\
These are rebuilt from the capsule and compared: all debug sections with their relocations, .nv.info,
symbols, aliases and copies. For frame rules, registers and relocations the clones are also rebuilt
from the native sections. The tables of both spaces, in this file or in --maps-from, tell from which
Mercury instruction a native one comes; with --maps-from, addresses that are wrong in both spaces
show too. Code, and what it needs, is not checked: only the code generator makes it from a capsule.

In a file with several cubins those for SMs before sm_100 are left out, with a note.

Exit status:
  0  no difference
  1  a section differs or lacks a clone that it must have, or there is no capsule
  2  the command line is wrong, or the file is not a readable cubin";

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

/// What `merc self-check` says of a cubin: whether its capsule gives its native sections. The exit
/// status is 1 where a section has a `difference`.
#[derive(Serialize, JsonSchema)]
pub(super) struct Checked<'a> {
    #[serde(flatten)]
    answer: Verdicts<'a>,
    /// Of the cubin, for the text.
    #[serde(skip)]
    name: &'a str,
    #[serde(skip)]
    shows_all: bool,
}

/// Runs the command.
///
/// # Errors
///
/// `out` cannot be written.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    options.view.each(Checked::SCHEMA, out, |image, cubin, answers| {
        let name = &image.name;
        expect_capsule(name, cubin)?;
        let maps = options.intact.look(cubin, code_maps)?;
        let checked = self_check(cubin, maps.as_deref()).with_context(|| name.clone())?;
        let checked = Checked { answer: Verdicts::new(&checked), name, shows_all: options.all };
        Ok(answers.add_cubin(image, cubin, &checked)?)
    })
}

impl Answer for Checked<'_> {
    const SCHEMA: &'static str = "nvdwarf.merc_self_check";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for SectionVerdict { native, outcome, difference, .. } in &self.answer.sections {
            if self.shows_all || difference.is_some() {
                let difference = difference.as_ref().map(|words| format!(": {words}")).unwrap_or_default();
                writeln!(out, "{}: {native}: {outcome}{difference}", self.name)?;
            }
        }
        self.answer.verdicts.iter().try_for_each(|verdict| writeln!(out, "{verdict}"))
    }

    fn status(&self) -> Status {
        Status { has_findings: self.answer.has_differences(), queries: Vec::new() }
    }
}
