//! `lines`: code address to function, source line, inlined callers, PTX line.

mod answer;
mod at;
mod columns;
mod csv;
mod samples;
mod spelling;
mod style;
mod text;
mod unknown;

use crate::commands::read::{self, Around, DebugFile, JSON_VERSION, PtxFile, Shown, Unanswered, debug_only};
use crate::input;
use crate::plain::write_json;
use crate::stderr::{USAGE, complain, note};
use answer::{Answers, Query, Unplaced};
use anyhow::{Context, Result, bail};
use at::At;
use clap::Args;
use columns::Columns;
use cubin_debuginfo::entries::Entries;
use cubin_debuginfo::query::Queries;
use cubin_debuginfo::symbolize::Symbolizer;
use cubin_debuginfo::variables::InlinedCalls;
use nv_debug_sections::catalog::Space;
use nv_debug_sections::cubin::Cubin;
use ptx_syntax::Module;
use samples::Samples;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use style::Style;

const AFTER_HELP: &str = "\
Queries:
  FUNCTION+0xOFF     byte OFF of a function; FUNCTION alone is its first byte
  .text.F:0xOFF      byte OFF of a section; .text.F+0xOFF too
  0xOFF              with -f: of that function; without: of every code section that has it
  -                  queries from standard input, one a line
  FUNCTION is a symbol's name, mangled or not, without its parameters, or a part of it that only one function has.
  Of functions folded into kernels ($kernel$function) it may be their own name: all that have it are answered.
  Offsets are hexadecimal behind 0x, else decimal. Without a query all addresses are listed.
  Of a chain of inlined calls a listing shows 64 frames, a query's answer 1024, and how many more there are.

Samples (--samples): a CSV file with a header; columns in any order, others are ignored:
  function, kernel, function name, symbol      the function (any spelling of it)
  section                                      in place of it, or to tell two of one name apart
  pc, offset, pc offset, address               byte offset in the function or section
  count, samples, hits, weight                 how many samples; without this column each row is one

Examples:
  ptxas-driver lines k.cubin saxpy+0x160 .text.saxpy:0x20
  ptxas-driver lines k.cubin --ptx k.ptx saxpy+0x160
  ptxas-driver lines k.cubin --at saxpy.cu:18 --at cuda/fused.cuh:3-9
  ptxas-driver lines k.cubin --samples pcs.csv --json
  echo saxpy+0x160 | ptxas-driver lines k.cubin --style llvm -

Exit status:
  0  every query was answered, by one cubin at least where the file has several
  1  one had no answer (shown as ??), a row of samples is none, or the file is no readable cubin
  2  the command line is wrong";

/// What to look up.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct Options {
    /// A cubin, a file with cubins in it (see below), or an object of `compile --code none`; `-` for standard input
    file: PathBuf,
    #[command(flatten)]
    debug: DebugFile,
    /// FUNCTION+0xOFF, FUNCTION, .text.F:0xOFF, 0xOFF, or - (see below)
    #[arg(value_name = "QUERY", conflicts_with = "all")]
    queries: Vec<String>,
    /// The function of queries that are offsets alone; without a query, the one to list
    #[arg(short, long, value_name = "NAME")]
    function: Option<String>,
    /// List all addresses, as without a query
    #[arg(long)]
    all: bool,
    /// PC samples in a CSV file, `-` for standard input: samples of each source line and inline chain (see below)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["queries", "all", "function", "at"])]
    samples: Option<PathBuf>,
    /// The code of a source line, also where it is a call site of inlined code; FILE may be the last part of a path
    #[arg(long, value_name = "FILE:LINE[-LAST]", conflicts_with_all = ["queries", "all", "function"])]
    at: Vec<String>,
    /// Answer queries in the form of another tool
    #[arg(long, value_enum, requires = "queries", conflicts_with = "json")]
    style: Option<Style>,
    /// With --style gnu: names as their programmers wrote them
    #[arg(short = 'C', long, requires = "style")]
    demangle: bool,
    /// The PTX that the file was made from: for columns, which ptxas drops. It must be the one whose text the file keeps
    #[arg(long, value_name = "FILE", conflicts_with = "samples")]
    ptx: Option<PathBuf>,
    /// The tables of the Mercury capsule (sm_100 and later): offsets are those of its code, not of the code that runs
    #[arg(long)]
    mercury: bool,
    /// One JSON document (docs/json.md)
    #[arg(long)]
    json: bool,
}

impl Options {
    /// Whether queries are answered as they come from standard input.
    fn is_by_line(&self) -> bool {
        self.queries.iter().any(|query| query == "-")
    }
}

/// Of the document of `--json`.
const SCHEMA: &str = "nvdwarf.lines";

/// The document of `--json`.
#[derive(Serialize)]
struct Document<'a, Q: Serialize, L: Serialize> {
    schema: &'static str,
    schema_version: u32,
    file: &'a str,
    sm: u32,
    /// Where the machine code is: `here`, `other-file` or `none`.
    code: &'static str,
    /// `"mercury"` with --mercury.
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unplaced_sequences: Option<Unplaced>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<Q>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sections: Option<L>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<&'a Samples<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a [At<'a, 'a>]>,
}

/// A sequence that is made while it is written, once.
struct Stream<I>(Cell<Option<I>>);

impl<I: Iterator<Item: Serialize>> Serialize for Stream<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}

/// One run: the file, and how to answer.
struct Run<'r, 's> {
    options: &'r Options,
    name: &'r str,
    cubin: &'s Cubin<'s>,
    asked: Asked<'r>,
    symbolizer: &'s Symbolizer<'s>,
    queries: Queries<'s>,
    answers: Answers<'s>,
}

/// Runs the command.
///
/// # Errors
///
/// The file is no readable cubin, or `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    let takers = [
        read::is_stdin(&options.file),
        options.debug.is_stdin(),
        options.ptx.as_ref().is_some_and(|path| read::is_stdin(path)),
        options.is_by_line(),
        options.samples.as_ref().is_some_and(|path| read::is_stdin(path)),
    ];
    if takers.iter().filter(|takes| **takes).count() > 1 {
        return usage(out, read::STDIN_ONCE);
    }
    let schema = options.json.then_some(SCHEMA);
    read::with_document(schema, &options.file, out, |out| answer(options, out))
}

/// Reads what is asked, and answers for each cubin.
fn answer(options: &Options, out: &mut dyn Write) -> Result<ExitCode> {
    let debug = options.debug.read()?;
    // What can be read once only is read before the first cubin.
    let asked = all_queries(&options.queries)?;
    let samples = options.samples.as_deref().map(|path| read::read_bytes(path, "a CSV file of samples"));
    let samples =
        samples.transpose()?.map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned()));
    let ptx = options.ptx.as_deref().map(PtxFile::read).transpose()?;
    let parsed = ptx.as_ref().map(|ptx| (ptx, ptx_syntax::parse(&ptx.text).module));
    let asked = Asked {
        queries: &asked,
        samples: samples.as_ref().map(|(name, csv)| (&**name, &**csv)),
        ptx: parsed.as_ref().map(|(ptx, module)| (*ptx, module)),
    };
    // Other tools have no headings, and one array of all.
    let around = if options.style.is_some() { Around::Nothing } else { Around::json_if(options.json) };
    let mut objects = Vec::new();
    let code = read::each_cubin(&options.file, around, out, |name, bytes, out| {
        debug.look(name, bytes, |cubin, shown| {
            of_cubin(options, (name, shown), cubin, asked, (&mut *out, &mut objects))
        })
    })?;
    if options.style == Some(Style::Json) && !options.is_by_line() {
        style::write_array(out, &objects)?;
    }
    Ok(code)
}

/// What was asked, read once for all cubins.
#[derive(Clone, Copy)]
struct Asked<'r> {
    queries: &'r [String],
    /// Name and text of the CSV file of samples.
    samples: Option<(&'r str, &'r str)>,
    ptx: Option<(&'r PtxFile, &'r Module<'r>)>,
}

/// Answers what is asked of one cubin, or lists it.
fn of_cubin(
    options: &Options,
    (name, shown): (&str, &str),
    cubin: &Cubin<'_>,
    asked: Asked<'_>,
    (out, objects): (&mut dyn Write, &mut Vec<Value>),
) -> Result<Shown> {
    let space = if options.mercury { Space::Mercury } else { Space::Native };
    let symbolizer = Symbolizer::in_space(cubin, space).with_context(|| name.to_owned())?;
    let columns = asked.ptx.map(|(ptx, module)| Columns::new(ptx, module, cubin));
    let entries = inlined_entries(shown, cubin, space);
    let calls = entries.as_ref().and_then(|entries| or_note(shown, InlinedCalls::read(cubin, entries)));
    let calls = calls.filter(|calls| !calls.is_empty());
    if calls.as_ref().is_some_and(InlinedCalls::is_cut) {
        note(format_args!(
            "{name}: not all inlined calls of .debug_info are shown: they share too many pieces of code"
        ));
    }
    let run = Run {
        options,
        name,
        cubin,
        asked,
        symbolizer: &symbolizer,
        queries: Queries::new(symbolizer.code()),
        answers: Answers::new(cubin, &symbolizer, columns, calls.as_ref()),
    };
    if let Some(why) = run.answers.refused_columns() {
        note(format_args!("{name}: {why}"));
    }
    if let Some(csv) = asked.samples {
        run.samples(csv, out)
    } else if !options.at.is_empty() {
        run.at(out)
    } else if let Some(style) = options.style {
        run.styled(style, out, objects)
    } else {
        run.queries(out)
    }
}

/// The entries of `.debug_info`, where they may have inlined calls: all else is in the line tables.
fn inlined_entries<'c>(name: &str, cubin: &'c Cubin<'_>, space: Space) -> Option<Entries<'c>> {
    let is_wanted = space == Space::Native && InlinedCalls::can_be_in(cubin);
    is_wanted.then(|| or_note(name, Entries::read(cubin)))?
}

/// What was read; a fault costs the inlined calls of code that has no other record of them, and no more.
fn or_note<T>(name: &str, read: nv_debug_sections::Result<T>) -> Option<T> {
    read.map_err(|error| note(format_args!("{name}: inlined calls of .debug_info are not shown: {error}")))
        .ok()
}

/// No values of this kind in a document.
type Nothing = Option<[(); 0]>;

impl<'s> Run<'_, 's> {
    /// Queries or, without any, a listing.
    fn queries(&self, out: &mut dyn Write) -> Result<Shown> {
        let options = self.options;
        let answered = RefCell::new(Vec::new());
        let queries = (!options.queries.is_empty()).then(|| {
            self.answered(self.asked.queries).inspect(|query| answered.borrow_mut().push(query.is_answered()))
        });
        let functions = if queries.is_some() { None } else { options.function.as_deref() };
        let functions = functions.map(|name| self.queries.functions(name)).transpose();
        let functions = functions.map_err(|why| Unanswered(format!("{}: {why}", self.name)))?;
        let sections = queries.is_none().then(|| self.answers.listings(functions.as_deref()));
        if options.json {
            let queries = queries.map(|queries| Stream(Cell::new(Some(queries))));
            let sections = sections.map(|sections| Stream(Cell::new(Some(sections))));
            self.write_json(out, queries, sections, None, None)?;
        } else {
            self.notes();
            if let Some(queries) = queries {
                text::queries(out, queries)?;
            }
            if let Some(sections) = sections {
                text::listings(out, sections)?;
            }
        }
        Ok(Shown::answers(answered.into_inner()))
    }

    fn answered<'a>(&'a self, asked: &'a [String]) -> impl Iterator<Item = Query<'a, 's>> {
        let function = self.options.function.as_deref();
        asked.iter().map(move |asked| self.answers.query(asked, self.queries.resolve(asked, function)))
    }

    fn styled(&self, style: Style, out: &mut dyn Write, objects: &mut Vec<Value>) -> Result<Shown> {
        let (demangle, by_line) = (self.options.demangle, self.options.is_by_line());
        let form = style::Form { style, demangle, module: self.name, by_line };
        let tell = |message| note(format_args!("{}: {message}", self.name));
        let answered = self.answered(self.asked.queries);
        Ok(Shown::answers(style::write((out, objects), form, answered, tell)?))
    }

    fn at(&self, out: &mut dyn Write) -> Result<Shown> {
        let all: Vec<_> = self.options.at.iter().map(|asked| At::new(asked, &self.answers)).collect();
        if self.options.json {
            self.write_json(out, Nothing::None, Nothing::None, None, Some(&all))?;
        } else {
            self.notes();
            for ambiguity in all.iter().filter_map(At::ambiguity) {
                note(format_args!("{}: {ambiguity}", self.name));
            }
            for unanswered in all.iter().filter_map(At::complaint) {
                note(format_args!("{}: {unanswered}", self.name));
            }
            at::write(out, &all)?;
        }
        Ok(Shown::answers(all.iter().map(At::is_answered).collect()))
    }

    fn samples(&self, (csv_name, csv): (&str, &str), out: &mut dyn Write) -> Result<Shown> {
        let samples = match Samples::new(csv, &self.answers, &self.queries) {
            Ok(samples) => samples,
            Err(error) => bail!("{csv_name}: {error}"),
        };
        if self.options.json {
            self.write_json(out, Nothing::None, Nothing::None, Some(&samples), None)?;
        } else {
            self.notes();
            for message in samples::messages(&samples) {
                note(format_args!("{csv_name}: {message}"));
            }
            samples::write(out, &samples)?;
        }
        Ok(Shown::answers(samples.into_answers()))
    }

    /// What is odd about the whole file.
    fn notes(&self) {
        let name = self.name;
        if let Some(what) = debug_only(self.cubin) {
            note(format_args!("{name}: no code: {what}, with 16 bytes for each PTX instruction"));
        }
        for (table, count) in Unplaced::of(self.symbolizer).into_iter().flat_map(Unplaced::tables) {
            let sequences = if count == 1 { "sequence" } else { "sequences" };
            note(format_args!("{name}: {table}: {count} {sequences} of functions that the linker dropped"));
        }
        if self.symbolizer.source_rows().is_empty() {
            if self.options.mercury {
                note(format_args!("{name}: no source lines in a Mercury capsule"));
            } else if let Some(why) = self.answers.stripped() {
                note(format_args!("{name}: no source lines: {why}"));
            } else {
                note(format_args!("{name}: no source lines, as of code compiled without -lineinfo or -g"));
            }
        }
    }

    fn write_json(
        &self,
        out: &mut dyn Write,
        queries: Option<impl Serialize>,
        sections: Option<impl Serialize>,
        samples: Option<&Samples<'s>>,
        at: Option<&[At<'_, 's>]>,
    ) -> Result<()> {
        let document = Document {
            schema: SCHEMA,
            schema_version: JSON_VERSION,
            file: self.name,
            sm: self.cubin.header.sm(),
            code: self.cubin.code_place().word(),
            space: self.options.mercury.then_some("mercury"),
            unplaced_sequences: Unplaced::of(self.symbolizer),
            queries,
            sections,
            samples,
            at,
        };
        Ok(write_json(out, &document)?)
    }
}

/// The queries, those of standard input in place of each `-`.
fn all_queries(given: &[String]) -> Result<Vec<String>> {
    let mut queries = Vec::new();
    for query in given {
        if query == "-" {
            let text = input::read_stdin_words().context("reading queries from standard input")?;
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            queries.extend(lines.map(str::to_owned));
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
