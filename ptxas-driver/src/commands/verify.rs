//! `verify`: what is wrong with the debug information of cubins.

mod text;

use crate::commands::read::{
    self, DebugBytes, DebugFile, SourceOptions, Sources, no_debug_sections, write_document,
};
use crate::stderr::{FAILURE, USAGE, complain, note};
use anyhow::Result;
use clap::Args;
use cubin_debuginfo::verify::{self as native, Context, KnownFault, SourceFile, known_faults, verify_with};
use findings::{Catalog, Selection, Summary};
use merc_capsule::self_check as capsule;
use nv_debug_sections::cubin::CodePlace;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

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
  1  an error, or a file is no readable cubin
  2  the command line is wrong";

/// What to look at.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::FILES_HELP))]
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

/// What the document of `--json` has.
#[derive(Serialize)]
struct Files {
    files: Vec<Verified>,
}

/// What the document of `--known-faults --json` has.
#[derive(Serialize)]
struct KnownFaults {
    rules: Vec<KnownFault>,
}

/// One file, or a cubin of it.
#[derive(Serialize)]
struct Verified {
    file: String,
    sm: Option<u32>,
    /// Where the code is; absent of a file that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<CodePlace>,
    /// What a file without code is.
    #[serde(skip)]
    debug_only: Option<String>,
    /// Why it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(flatten)]
    summary: Summary,
}

impl Verified {
    fn unreadable(name: &str, error: String) -> Self {
        let (file, summary) = (name.to_owned(), Summary::default());
        Self { file, sm: None, code: None, debug_only: None, error: Some(error), summary }
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
pub fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    if options.known_faults {
        let rules: Vec<KnownFault> = known_faults().collect();
        if options.json {
            write_document(out, "nvdwarf.verify.known_faults", &KnownFaults { rules })?;
        } else {
            text::known_faults(out, &rules)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let is_stdin = options.files.iter().map(|path| read::is_stdin(path));
    if read::asks_stdin_twice(out, is_stdin.chain([options.debug.is_stdin()]))? {
        return Ok(ExitCode::from(USAGE));
    }
    let selection = match Selection::new(&catalog(), &[""; 0], &options.ignore) {
        Ok(selection) => selection,
        Err(error) => {
            out.flush()?;
            complain(format_args!("--ignore: {error}"));
            return Ok(ExitCode::from(USAGE));
        }
    };
    let debug = options.debug.read()?;
    let mut files = Vec::new();
    let mut fails = false;
    for path in &options.files {
        let sources = options.sources.of(path);
        let look = |name: &str, bytes: &[u8]| of_cubin(name, bytes, &debug, sources.as_ref(), &selection);
        read::each_image(path, out, look, |out, name, done| {
            let is_read = done.is_ok();
            let file = done.unwrap_or_else(|error| Verified::unreadable(name, error));
            fails |= file.error.is_some() || file.summary.errors > 0;
            if options.json {
                files.push(file);
            } else if is_read {
                text::file(out, &file)?;
            }
            Ok(())
        })?;
    }
    if options.json {
        write_document(out, "nvdwarf.verify", &Files { files })?;
    }
    Ok(if fails { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS })
}

fn of_cubin(
    name: &str,
    bytes: &[u8],
    debug: &DebugBytes,
    sources: Option<&Sources>,
    selection: &Selection,
) -> Result<Verified> {
    debug.look(name, bytes, |cubin, _| {
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
        Ok(Verified {
            file: name.to_owned(),
            sm: Some(cubin.header.sm()),
            code: Some(cubin.code_place()),
            debug_only: cubin.debug_only_words(),
            error: None,
            summary,
        })
    })
}
