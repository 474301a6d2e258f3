//! `merc plan`: one row for each clone.

use super::View;
use crate::commands::read::{self, Shown, printable, write_cubin_document};
use crate::limits::MAX_COLUMN;
use anyhow::{Context, Result};
use clap::Args;
use merc_capsule::{CloneRow, SectionView};
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
The columns: the section; its clone; whether that lies in the original's bytes (alias), has the
same bytes again (copy) or says the same in Mercury space (rewrite), and when it does otherwise;
whether the file has it so: else with other type or flags (other header), in bytes of its own or in
the original's where it should do otherwise (own bytes, shared bytes), or not at all (no).

Of a file with several cubins those for SMs before sm_100 are left out with a note.

Exit status:
  0  done
  1  the file is no readable cubin for sm_100 or later and has none in it, or one has no sound capsule
  2  the command line is wrong";

/// The command line.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
pub(super) struct Options {
    #[command(flatten)]
    view: View,
}

/// Of the JSON document.
const SCHEMA: &str = "nvdwarf.merc_plan";

/// What the JSON document has.
#[derive(Debug, Serialize)]
struct Clones<'a> {
    clones: Vec<CloneRow<'a>>,
}

/// Runs the command.
///
/// # Errors
///
/// The file is no readable cubin for sm_100 or later, or has no sound capsule.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    options.view.each(SCHEMA, out, |name, cubin, out| {
        let views = SectionView::all(cubin);
        let plan = merc_capsule::plan(&views).with_context(|| name.to_owned())?;
        let clones = plan.rows(&views, cubin).with_context(|| name.to_owned())?;
        if options.view.json {
            write_cubin_document(out, SCHEMA, (name, cubin), &Clones { clones })?;
        } else {
            text(&clones, out)?;
        }
        Ok(Shown::all(true))
    })
}

fn text(rows: &[CloneRow<'_>], out: &mut dyn Write) -> Result<()> {
    let width =
        |column: fn(&CloneRow<'_>) -> usize| rows.iter().map(column).max().unwrap_or(0).min(MAX_COLUMN);
    let original = width(|row| printable(row.original).len());
    let clone = width(|row| printable(row.clone).len());
    writeln!(out, "{:original$}  {:clone$}  action   in file       otherwise", "section", "clone")?;
    for row in rows {
        let (name, of) = (printable(row.original), printable(row.clone));
        let line = format!(
            "{name:original$}  {of:clone$}  {:7}  {:12}  {}",
            row.action,
            row.in_file,
            row.exception.as_deref().unwrap_or_default()
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
