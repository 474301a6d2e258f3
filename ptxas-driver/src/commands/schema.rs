//! `schema`: prints the JSON Schemas of the documents that other commands write.

use crate::commands::{
    check, compile, coverage, debugify, diff, dump, extract, findings, ir, lines, merc, print, sections,
    sizes, strip, unstrip, vars, verify,
};
use crate::printable_text::{write_json, write_line};
use crate::report::{DocumentSchema, Exit};
use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValue;
use std::io::Write;

const AFTER_HELP: &str = "\
Examples:
  ptxas-driver schema                  the names of all schemas
  ptxas-driver schema nvdwarf.lines    what `lines --json` writes; `lines` alone is the same

Schemas are those of JSON Schema, 2020-12. docs/json.md tells the same for people.

Exit status:
  0  answered
  2  the command line is wrong";

/// All schemas, in the order of docs/json.md.
const SCHEMAS: [DocumentSchema; 26] = [
    lines::SCHEMA,
    lines::QUERY_SCHEMA,
    dump::SCHEMA,
    vars::SCHEMA,
    sections::SCHEMA,
    sections::EXPECTED_SCHEMA,
    coverage::SCHEMA,
    coverage::RULES_SCHEMA,
    verify::SCHEMA,
    verify::RULES_SCHEMA,
    verify::KNOWN_FAULTS_SCHEMA,
    check::SCHEMA,
    check::RULES_SCHEMA,
    compile::SCHEMA,
    print::SCHEMA,
    diff::SCHEMA,
    sizes::SCHEMA,
    strip::SCHEMA,
    unstrip::SCHEMA,
    extract::SCHEMA,
    merc::PLAN_SCHEMA,
    merc::SELF_CHECK_SCHEMA,
    findings::BASELINE_SCHEMA,
    ir::MODES_SCHEMA,
    ir::CHECK_DEBUGIFY_SCHEMA,
    debugify::SCHEMA,
];

/// The name of a schema without the prefix that all have.
fn short(schema: &DocumentSchema) -> &'static str {
    schema.name.strip_prefix("nvdwarf.").unwrap_or(schema.name)
}

/// The options of `schema`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// The schema to print; without one the names of all
    #[arg(value_name = "NAME", value_parser = SCHEMAS.map(|schema| PossibleValue::new(schema.name).alias(short(&schema))))]
    name: Option<String>,
}

/// Runs `schema`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    for schema in &SCHEMAS {
        match &options.name {
            None => write_line(out, format_args!("{}", schema.name))?,
            Some(name) if name == schema.name || name == short(schema) => write_json(out, &schema.schema())?,
            Some(_) => {}
        }
    }
    Ok(Exit::Answered)
}
