//! `merc plan`: prints one row for each clone.

use super::View;
use crate::commands::read;
use crate::report::{Answer, Exit};
use crate::text_table::{Column, Row, write_table};
use anyhow::{Context, Result};
use clap::Args;
use merc_capsule::{CloneRow, SectionView};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

const AFTER_HELP: &str = "\
The columns:
  the section
  its clone
  how the clone is made: alias (it shares the original's bytes), copy (it has the same bytes again),
  rewrite (it says the same in Mercury space); and when it is made in another way
  whether the file has it so: yes; other header (another type or flags); own bytes or shared bytes
  (where it should be the other way); no (the clone is missing)

In a file with several cubins those for SMs before sm_100 are left out, with a note.

Exit status:
  0  done
  1  the file has no cubin for sm_100 or later
  2  the command line is wrong, or a file cannot be read";

/// The command line.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
pub(super) struct Options {
    #[command(flatten)]
    view: View,
}

/// What `merc plan` says of a cubin: the clones that its capsule should have.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Clones<'a> {
    /// One for each section that has a clone, in file order.
    clones: Vec<CloneRow<'a>>,
}

/// Runs the command.
///
/// # Errors
///
/// The file is not a readable cubin for sm_100 or later, or has no sound capsule.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    options.view.each(Clones::SCHEMA, out, |image, cubin, answers| {
        let name = &image.name;
        let views = SectionView::all(cubin);
        let plan = merc_capsule::plan(&views).with_context(|| name.clone())?;
        let clones = plan.rows(&views, cubin).with_context(|| name.clone())?;
        Ok(answers.add_cubin(image, cubin, &Clones { clones })?)
    })
}

impl Answer for Clones<'_> {
    const SCHEMA: &'static str = "nvdwarf.merc_plan";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        text(&self.clones, out)
    }
}

fn text(rows: &[CloneRow<'_>], out: &mut dyn Write) -> io::Result<()> {
    let columns = ["section", "clone", "action", "in file", "otherwise"].map(Column::Left);
    let rows = rows.iter().map(|row| -> Row<'_, 5> {
        let exception = row.exception.as_deref().unwrap_or_default();
        let (action, in_file) = (row.action.to_string(), row.in_file.to_string());
        [row.original.into(), row.clone.into(), action.into(), in_file.into(), exception.into()]
    });
    write_table(out, columns, &rows.collect::<Vec<_>>())
}
