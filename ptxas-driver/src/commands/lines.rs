//! `lines`: code address to function, source line, inlined callers, PTX line.

mod answer;
mod query;
mod spelling;
mod text;

use crate::cli::{FAILURE, USAGE, complain, note};
use crate::commands::read::{self, DebugFile, JSON_VERSION};
use answer::{Answers, Unplaced};
use anyhow::{Context, Result};
use clap::Args;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::symbolize::Symbolizer;
use query::{Outcome, Queries};
use serde::{Serialize, Serializer};
use std::cell::Cell;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Queries:
  FUNCTION+0xOFF     byte OFF of a function; FUNCTION alone is its first byte
  .text.F+0xOFF      byte OFF of a section
  0xOFF              with -f: of that function; without: of every code section that has it
  -                  queries from standard input, one a line
  FUNCTION is a symbol's name, mangled or not, without its parameters, or a part of it that only one function has.
  Offsets are hexadecimal behind 0x, else decimal. Without a query all addresses are listed.
  Of a chain of inlined calls a listing shows 64 frames, a query's answer 1024, and how many more there are.

Exit status:
  0  every query was answered
  1  one had no answer (shown as ??), or the file is no readable cubin
  2  the command line is wrong";

/// What to look up.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
pub struct Options {
    /// A cubin, a file with cubins in it (see below), or an object of `compile --code none`; `-` for standard input
    file: PathBuf,
    #[command(flatten)]
    debug: DebugFile,
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
struct Document<'a, Q: Serialize, L: Serialize> {
    schema: &'static str,
    schema_version: u32,
    file: &'a str,
    sm: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    unplaced_sequences: Option<Unplaced>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<Q>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sections: Option<L>,
}

/// A sequence that is made while it is written, once.
struct Stream<I>(Cell<Option<I>>);

impl<I: Iterator<Item: Serialize>> Serialize for Stream<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}

/// Runs the command.
///
/// # Errors
///
/// The file is no readable cubin, or `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    let queries_from_stdin = options.queries.iter().any(|query| query == "-");
    let file_from_stdin = read::is_stdin(&options.file);
    if queries_from_stdin && file_from_stdin {
        return usage(out, "standard input cannot be both the cubin and the queries");
    }
    if options.debug.is_stdin() && (queries_from_stdin || file_from_stdin) {
        return usage(out, "standard input cannot be the debug file and something else");
    }
    let debug = options.debug.read()?;
    let asked = all_queries(&options.queries)?;
    read::each_cubin(&options.file, options.json, out, |name, bytes, out| {
        of_cubin(options, name, &debug.cubin(name, bytes)?, &asked, out)
    })
}

/// Answers the queries of one cubin, or lists it.
fn of_cubin(
    options: &Options,
    name: &str,
    cubin: &Cubin<'_>,
    asked: &[String],
    out: &mut dyn Write,
) -> Result<ExitCode> {
    let symbolizer = Symbolizer::new(cubin).with_context(|| name.to_owned())?;
    let resolver = Queries::new(&symbolizer);
    let answers = Answers::new(cubin, &symbolizer);

    let answered = Cell::new(true);
    let queries = (!options.queries.is_empty()).then(|| {
        asked.iter().map(|asked| {
            let query = answers.query(asked, resolver.resolve(asked, options.function.as_deref()));
            answered.set(answered.get() && query.is_answered());
            query
        })
    });
    let functions = if queries.is_some() { None } else { options.function.as_deref() };
    let functions = match resolver.listed(functions) {
        Ok(functions) => functions,
        Err(error) => {
            complain(format_args!("{name}: {error}"));
            return Ok(ExitCode::from(FAILURE));
        }
    };
    let sections = queries.is_none().then(|| answers.listings(functions.as_deref()));
    let unplaced_sequences = Unplaced::of(&symbolizer);

    if options.json {
        let document = Document {
            schema: "nvdwarf.lines",
            schema_version: JSON_VERSION,
            file: name,
            sm: cubin.header.sm(),
            unplaced_sequences,
            queries: queries.map(|queries| Stream(Cell::new(Some(queries)))),
            sections: sections.map(|sections| Stream(Cell::new(Some(sections)))),
        };
        serde_json::to_writer_pretty(&mut *out, &document)?;
        writeln!(out)?;
    } else {
        for (table, count) in unplaced_sequences.into_iter().flat_map(Unplaced::tables) {
            let sequences = if count == 1 { "sequence" } else { "sequences" };
            note(format_args!("{name}: {table}: {count} {sequences} of functions that the linker dropped"));
        }
        if symbolizer.source_rows().is_empty() {
            note(format_args!("{name}: no source lines, as of code compiled without -lineinfo or -g"));
        }
        if let Some(queries) = queries {
            text::queries(out, queries)?;
        }
        if let Some(sections) = sections {
            text::listings(out, sections)?;
        }
    }
    Ok(if answered.get() { ExitCode::SUCCESS } else { ExitCode::from(FAILURE) })
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
