//! `verify`: what is wrong with the debug information of cubins.

mod text;

use crate::commands::read::{self, DebugFile, SourceOptions, Sources, no_debug_sections};
use crate::report::{Answer, Exit, Form, Status, report, write_document};
use crate::stderr::{complain, note};
use anyhow::Result;
use clap::Args;
use cubin_debuginfo::verify::{self as native, Context, KnownFault, SourceFile, known_faults, verify_with};
use findings::{Catalog, Selection, Summary};
use merc_capsule::self_check as capsule;
use nv_debug_sections::cubin::Cubin;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver verify a.cubin                 what is wrong with its debug information
  ptxas-driver verify --json *.cubin          the same for a script
  ptxas-driver verify --ignore L101,R101 a.cubin
  ptxas-driver verify --known-faults          what tools are known to do wrong

Lines are looked up in their source files where these are of the size that the cubin records, and
below the working folder or one of --source-dir; relative names also below the folder of FILE. What
a cubin names elsewhere is not opened.
The rules are in docs/verify.md. What ptxas and nvlink are known to do wrong has codes of its own,
from 101 on, and is a note. Of a rule 20 findings are shown and the others counted; --json has 100.
From sm_100 on the capsule is compared with the native sections too, as `merc self-check` does.
A file without code, as `compile --code none` makes it, is said to have none; that is not a fault.

Exit status:
  0  no errors
  1  an error
  2  the command line is wrong, or a file cannot be read";

/// What to look at.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
pub struct Options {
    /// Cubins; `-` for standard input
    #[arg(required_unless_present = "known_faults", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    debug: DebugFile,
    /// Leave out findings of rules: codes, names, beginnings of codes
    #[arg(long, value_name = "RULE,...", value_delimiter = ',')]
    ignore: Vec<String>,
    #[command(flatten)]
    sources: SourceOptions,
    /// List what tools are known to do wrong; no file is read
    #[arg(long, conflicts_with_all = ["files", "debug_file", "ignore"])]
    known_faults: bool,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

/// What the document of `--known-faults --json` has.
#[derive(Serialize)]
struct KnownFaults {
    rules: Vec<KnownFault>,
}

/// What was found in one cubin.
#[derive(Serialize)]
struct Verified<'a> {
    #[serde(skip)]
    name: &'a str,
    /// What a file without code is.
    #[serde(skip)]
    debug_only: Option<String>,
    #[serde(flatten)]
    summary: Summary,
}

impl Answer for Verified<'_> {
    const SCHEMA: &'static str = "nvdwarf.verify";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        text::file(out, self)
    }

    fn status(&self) -> Status {
        Status { has_findings: self.summary.errors > 0, ..Status::default() }
    }
}

/// The rules of both tables.
fn catalog() -> Catalog {
    Catalog::of::<native::RuleId>().and::<capsule::RuleId>()
}

/// Runs the command.
///
/// # Errors
///
/// The debug file cannot be read, or `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    if options.known_faults {
        let rules: Vec<KnownFault> = known_faults().collect();
        if options.json {
            write_document(out, "nvdwarf.verify.known_faults", &KnownFaults { rules })?;
        } else {
            text::known_faults(out, &rules)?;
        }
        return Ok(Exit::Answered);
    }
    let is_stdin = options.files.iter().map(|path| read::is_stdin(path));
    if read::asks_stdin_twice(out, is_stdin.chain([options.debug.is_stdin()]))? {
        return Ok(Exit::Unreadable);
    }
    let selection = match Selection::new(&catalog(), &[""; 0], &options.ignore) {
        Ok(selection) => selection,
        Err(error) => {
            out.flush()?;
            complain(format_args!("--ignore: {error}"));
            return Ok(Exit::Unreadable);
        }
    };
    let form = if options.json { Form::Json } else { Form::Bare };
    let name = options.files.first().map(|path| read::shown_name(path)).unwrap_or_default();
    report(out, form, Verified::SCHEMA, &name, |answers| {
        let debug = options.debug.read()?;
        options.files.iter().try_for_each(|path| {
            let sources = options.sources.of(path);
            read::each_cubin(path, answers, |image, bytes, answers| {
                debug.look(&image.name, bytes, |cubin, _| {
                    let verified = of_cubin(&image.name, cubin, sources.as_ref(), &selection);
                    Ok(answers.add_cubin(image, cubin, &verified)?)
                })
            })
        })
    })
}

fn of_cubin<'a>(
    name: &'a str,
    cubin: &Cubin<'_>,
    sources: Option<&Sources>,
    selection: &Selection,
) -> Verified<'a> {
    if let Some(why) = no_debug_sections(cubin, None) {
        note(format_args!("{name}: {why}"));
    }
    let source_lines = |file: &SourceFile<'_>| sources?.line_count_of(file.path, file.size);
    let source_lines = sources.is_some().then_some(&source_lines as _);
    let report = verify_with(cubin, Context { source_lines });
    let mut summary = Summary::default();
    summary.add(&report, selection, |rule| rule.details.fault_of);
    // A side file alone has no code that would say where its clones' addresses are; `--debug-file` brings both together.
    if cubin.has_capsule() && !cubin.is_side_file() {
        summary.add(&capsule::verify(cubin), selection, |_| None);
    }
    Verified { name, debug_only: cubin.debug_only_words(), summary }
}
