//! `lines`: code address to function, source line, inlined callers, PTX line.

mod answer;
mod query;
mod text;

use crate::cli::{FAILURE, USAGE, complain};
use crate::commands::read::{self, JSON_VERSION};
use anyhow::{Context, Result};
use clap::Args;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::symbolize::Symbolizer;
use query::{Outcome, Queries};
use serde::Serialize;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Queries:
  FUNCTION+0xOFF     byte OFF of a function; FUNCTION alone is its first byte
  .text.F+0xOFF      byte OFF of a section
  0xOFF              with -f: of that function; without: of every code section that has it
  -                  queries from standard input, one a line
  FUNCTION is a symbol's name, mangled or not, without its parameters, or a part of it that only one function has.
  Offsets are hexadecimal behind 0x, else decimal. Without a query all addresses are listed.

Exit status:
  0  every query was answered
  1  one had no answer (shown as ??), or the file is no readable cubin
  2  the command line is wrong";

/// What to look up.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// A cubin, or an object of `compile --code none`; `-` for standard input
    file: PathBuf,
    /// FUNCTION+0xOFF, FUNCTION, .text.F+0xOFF, 0xOFF, or - (see below)
    #[arg(value_name = "QUERY", conflicts_with = "all")]
    queries: Vec<String>,
    /// The function of queries that are offsets alone; without a query, the one to list
    #[arg(short, long, value_name = "NAME")]
    function: Option<String>,
    /// List all addresses, as without a query
    #[arg(long)]
    all: bool,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

/// The document of `--json`.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    schema_version: u32,
    file: &'a str,
    sm: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<Vec<answer::Query>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sections: Option<Vec<answer::Listing>>,
}

/// Runs the command.
///
/// # Errors
///
/// The file is no readable cubin, or `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    let queries_from_stdin = options.queries.iter().any(|query| query == "-");
    if queries_from_stdin && options.file == Path::new("-") {
        return usage(out, "standard input cannot be both the cubin and the queries");
    }
    let (name, bytes) = read::read(&options.file)?;
    let cubin = Cubin::parse(&bytes).with_context(|| name.clone())?;
    let symbolizer = Symbolizer::new(&cubin).with_context(|| name.clone())?;
    let resolver = Queries::new(&symbolizer);

    let queries = all_queries(&options.queries)?;
    let mut document = Document {
        schema: "nvdwarf.lines",
        schema_version: JSON_VERSION,
        file: &name,
        sm: cubin.header.sm(),
        queries: None,
        sections: None,
    };
    let mut answered = true;
    if options.queries.is_empty() {
        match resolver.listed(options.function.as_deref()) {
            Ok(functions) => {
                document.sections = Some(answer::listings(&cubin, &symbolizer, functions.as_deref()));
            }
            Err(error) => {
                complain(format_args!("{name}: {error}"));
                return Ok(ExitCode::from(FAILURE));
            }
        }
    } else {
        let answers = queries.iter().map(|query| {
            let outcome = resolver.resolve(query, options.function.as_deref());
            answer::query(&cubin, &symbolizer, query, &outcome)
        });
        let answers: Vec<_> = answers.collect();
        answered = answers.iter().all(answer::Query::is_answered);
        document.queries = Some(answers);
    }
    if options.json {
        serde_json::to_writer_pretty(&mut *out, &document)?;
        writeln!(out)?;
    } else {
        text::write(out, &document)?;
    }
    Ok(if answered { ExitCode::SUCCESS } else { ExitCode::from(FAILURE) })
}

/// The queries, those of standard input in place of each `-`.
fn all_queries(given: &[String]) -> Result<Vec<String>> {
    let mut queries = Vec::new();
    for query in given {
        if query == "-" {
            for line in std::io::stdin().lock().lines() {
                let line = line.context("reading queries from standard input")?;
                queries.extend(Some(line.trim()).filter(|line| !line.is_empty()).map(str::to_owned));
            }
        } else {
            queries.push(query.clone());
        }
    }
    Ok(queries)
}

fn usage(out: &mut dyn Write, message: &str) -> Result<ExitCode> {
    out.flush()?;
    complain(format_args!("{message}"));
    Ok(ExitCode::from(USAGE))
}
