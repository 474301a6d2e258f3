//! `verify`: what is wrong with the debug information of cubins.

mod model;
mod text;

use crate::commands::read::{
    self, DebugBytes, DebugFile, JSON_VERSION, SourceOptions, Sources, no_debug_sections,
};
use crate::plain::write_json;
use crate::stderr::{FAILURE, USAGE, note};
use anyhow::Result;
use clap::Args;
use cubin_debuginfo::verify::{self as native, Context, SourceFile, verify_with};
use findings::RuleTable as _;
use merc_capsule::self_check as capsule;
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
    /// Leave out findings of a rule, by code or name
    #[arg(long, value_name = "CODE,...", value_delimiter = ',', value_parser = parse_rule)]
    ignore: Vec<&'static str>,
    #[command(flatten)]
    sources: SourceOptions,
    /// List what tools are known to do wrong; no file is read
    #[arg(long, conflicts_with_all = ["files", "debug_file", "ignore"])]
    known_faults: bool,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

/// The code of a rule that is named by it or by its name.
fn parse_rule(word: &str) -> Result<&'static str, String> {
    let native = native::RuleId::named(word).map(|rule| rule.code);
    let code = native.or_else(|| capsule::RuleId::named(word).map(|rule| rule.code));
    code.ok_or_else(|| "no such rule; docs/verify.md lists them".to_owned())
}

/// Runs the command.
///
/// # Errors
///
/// The debug file cannot be read, or `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    if options.known_faults {
        known_faults(options, out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let is_stdin = options.files.iter().map(|path| read::is_stdin(path));
    if read::asks_stdin_twice(out, is_stdin.chain([options.debug.is_stdin()]))? {
        return Ok(ExitCode::from(USAGE));
    }
    let debug = options.debug.read()?;
    let mut files = Vec::new();
    let mut fails = false;
    for path in &options.files {
        let sources = options.sources.of(path);
        let look = |name: &str, bytes: &[u8]| of_cubin(name, bytes, &debug, sources.as_ref(), options);
        read::each_image(path, out, look, |out, name, done| {
            let is_read = done.is_ok();
            let file = done.unwrap_or_else(|error| model::Verified::unreadable(name, error));
            fails |= file.fails();
            if options.json {
                files.push(file);
            } else if is_read {
                text::file(out, &file)?;
            }
            Ok(())
        })?;
    }
    if options.json {
        let document = model::Document { schema: "nvdwarf.verify", schema_version: JSON_VERSION, files };
        json(out, &document)?;
    }
    Ok(if fails { ExitCode::from(FAILURE) } else { ExitCode::SUCCESS })
}

fn of_cubin(
    name: &str,
    bytes: &[u8],
    debug: &DebugBytes,
    sources: Option<&Sources>,
    options: &Options,
) -> Result<model::Verified> {
    debug.look(name, bytes, |cubin, _| {
        if let Some(why) = no_debug_sections(cubin) {
            note(format_args!("{name}: {why}"));
        }
        let source_lines = |file: &SourceFile<'_>| sources?.line_count_of(file.path, file.size);
        let source_lines = sources.is_some().then_some(&source_lines as _);
        let report = verify_with(cubin, Context { source_lines });
        let mut file = model::Verified::new(name.to_owned(), cubin);
        file.add(&report, &options.ignore, |rule| rule.details.fault_of);
        // A side file alone has no code that would say where its clones' addresses are; `--debug-file` brings both together.
        if cubin.has_capsule() && !cubin.is_side_file() {
            file.add(&capsule::verify(cubin), &options.ignore, |_| None);
        }
        Ok(file)
    })
}

fn known_faults(options: &Options, out: &mut dyn Write) -> Result<()> {
    let rules: Vec<_> = native::RULES.iter().filter_map(model::KnownFault::new).collect();
    if options.json {
        let document =
            model::KnownFaults { schema: "nvdwarf.verify.known_faults", schema_version: JSON_VERSION, rules };
        return json(out, &document);
    }
    Ok(text::known_faults(out, &rules)?)
}

fn json(out: &mut dyn Write, document: &impl Serialize) -> Result<()> {
    Ok(write_json(out, document)?)
}
