//! `lines`: prints the function, source line, inlined callers and PTX line of a code address.

mod style;
mod text;

use crate::commands::read::{self, DebugFile, PtxFile, PtxLocs, no_debug_sections};
use crate::input;
use crate::printable_text::json_line;
use crate::report::{
    Answer, Answers, DocumentSchema, Exit, Form, InputName, NoAnswer, Status, Stream, report,
};
use crate::stderr::note;
use anyhow::{Context, Result, bail};
use clap::Args;
use cubin_debuginfo::entries::Entries;
use cubin_debuginfo::lines::{
    self, LineCode, LineListing, LineLookup, QueryAnswer, Samples, UnplacedSequences,
};
use cubin_debuginfo::symbolize::Symbolizer;
use cubin_debuginfo::variables::InlinedCalls;
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::Cubin;
use ptx_syntax::Module;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::cell::RefCell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use style::Style;

const AFTER_HELP: &str = "\
Queries:
  FUNCTION+0xOFF     byte OFF of a function; FUNCTION alone is its first byte
  .text.F:0xOFF      byte OFF of a section; .text.F+0xOFF too
  0xOFF              with -f: of that function; without: of every code section that has it
  -                  queries from standard input, one a line
  FUNCTION is a symbol's name, mangled or not, without its parameters, or a part of it that only one function has.
  A function folded into kernels ($kernel$function) can be named by its own name: all functions with this name are answered.
  Offsets are hexadecimal after 0x, else decimal. Without a query all addresses are listed.
  A listing shows up to 64 frames of a chain of inlined calls, the answer to a query up to 1024; both say how many more there are.

Samples (--samples): a CSV file with a header; columns in any order, others are ignored:
  function, kernel, function name, symbol      the function (any spelling of it)
  section                                      in place of the function, or to tell two of one name apart
  pc, offset, pc offset, address               byte offset in the function or section
  count, samples, hits, weight                 how many samples; without this column each row is one

Inlined calls: ptxas drops some and merges others; without a PTX nothing tells. With --ptx the chain is that of the PTX's
.loc where the file has another one, and frames that the file does not have are marked [from the PTX] (not with --style).

Examples:
  ptxas-driver lines k.cubin saxpy+0x160 .text.saxpy:0x20
  ptxas-driver lines k.cubin --ptx k.ptx saxpy+0x160
  ptxas-driver lines k.cubin --at saxpy.cu:18 --at cuda/fused.cuh:3-9
  ptxas-driver lines k.cubin --samples pcs.csv --json
  echo saxpy+0x160 | ptxas-driver lines k.cubin --style llvm -

Exit status:
  0  every query was answered, by at least one cubin if the file has several
  1  a query had no answer (shown as ??), or a row of samples is malformed
  2  the command line is wrong, or a file cannot be read";

/// The options of `lines`.
#[derive(Debug, Args)]
#[command(after_help = format!("{AFTER_HELP}\n\n{}", read::IMAGES_HELP))]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub struct Options {
    /// A cubin, a file with cubins in it (see below), or an object of `compile --code none`; `-`
    /// for standard input
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
    /// PC samples in a CSV file, `-` for standard input: samples of each source line and inline
    /// chain (see below)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["queries", "all", "function", "at"])]
    samples: Option<PathBuf>,
    /// The code of a source line, also where it is a call site of inlined code; FILE may be the
    /// last part of a path
    #[arg(long, value_name = "FILE:LINE[-LAST]", conflicts_with_all = ["queries", "all", "function"])]
    at: Vec<String>,
    /// Answer queries in the form of another tool
    #[arg(long, value_enum, requires = "queries", conflicts_with = "json")]
    style: Option<Style>,
    /// With --style gnu: names as their programmers wrote them
    #[arg(short = 'C', long, requires = "style")]
    demangle: bool,
    /// The PTX that the file was made from: for columns and inlined calls, which ptxas drops. It
    /// must be the one whose text the file keeps
    #[arg(long, value_name = "FILE")]
    ptx: Option<PathBuf>,
    /// The tables of the Mercury capsule (sm_100 and later): offsets are those of its code, not of
    /// the code that runs
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

/// What `lines` says of a cubin: source and PTX lines of its code. It has one of `sections`,
/// `queries`, `at` and `samples`. The exit status is 1 where a query has no answer in any cubin of
/// the file.
#[derive(Serialize, JsonSchema)]
struct Answered<'a, 's> {
    /// With `--mercury`: sections and offsets are those of the code of the capsule. Absent without
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["mercury"]))]
    space: Option<&'static str>,
    /// The numbers of line table sequences that belong to no code section, as nvlink leaves those
    /// of functions that it has dropped. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    unplaced_sequences: Option<UnplacedSequences>,
    #[serde(flatten)]
    kind: Kind<'a, 's>,
    #[serde(skip)]
    run: &'a Run<'a, 's>,
    /// Whether each query was answered.
    #[serde(skip)]
    of_queries: &'a RefCell<Vec<bool>>,
}

/// One kind of answers.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind<'a, 's> {
    /// Without queries, or with `--all`: all addresses of the code sections. Absent with other
    /// answers.
    Sections(Stream<'a, LineListing<'a, 's>>),
    /// With queries: one for each of these. Absent with other answers.
    Queries(Stream<'a, QueryAnswer<'a, 's>>),
    /// With `--at`: one for each line that was asked for. Absent with other answers.
    At(Vec<LineCode<'a, 's>>),
    /// With `--samples`: the samples of a profiler, by line and by chain of calls. Absent with
    /// other answers.
    Samples(Samples<'s>),
}

/// What was asked, read once for all cubins.
struct Query<'r> {
    options: &'r Options,
    queries: Vec<String>,
    /// Name and text of the CSV file of samples.
    samples: Option<(String, String)>,
    ptx: Option<(&'r PtxFile, &'r Module<'r>)>,
    /// Answers of `--style json` that are elements of one array.
    objects: RefCell<Vec<Value>>,
}

/// One run: the file, and how to answer.
struct Run<'r, 's> {
    asked: &'r Query<'r>,
    name: &'r str,
    cubin: &'s Cubin<'s>,
    symbolizer: &'s Symbolizer<'s>,
    lookup: LineLookup<'s>,
}

/// The name of the JSON schema of `lines`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_cubins::<Answered<'_, '_>>();

/// Runs `lines`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let inputs = [Some(&options.file), options.ptx.as_ref(), options.samples.as_ref()];
    let is_stdin = inputs.into_iter().flatten().map(|path| read::is_stdin(path));
    if read::asks_stdin_twice(out, is_stdin.chain([options.debug.is_stdin(), options.is_by_line()]))? {
        return Ok(Exit::Unreadable);
    }
    let form = match options.style {
        // Other tools have no headings, and one array of all.
        Some(_) => Form::NoHeadings,
        None => Form::json_if(options.json),
    };
    let name = read::shown_name(&options.file);
    report(out, form, Answered::SCHEMA, &name, |answers| answer(options, answers))
}

/// Reads what is asked, and answers for each cubin.
fn answer(options: &Options, answers: &mut Answers<'_>) -> Result<()> {
    let swapped = options.queries.iter().find(|query| Path::new(query).is_file());
    if let Some(query) = swapped.filter(|_| !options.file.exists() && !read::is_stdin(&options.file)) {
        let file = options.file.display();
        bail!("{file}: no such file; the cubin comes first: `ptxas-driver lines {query} {file}`");
    }
    let debug = options.debug.read()?;
    // What can be read once only is read before the first cubin.
    let queries = all_queries(&options.queries)?;
    let samples = options.samples.as_deref().map(|path| read::read_bytes(path, "a CSV file of samples"));
    let samples = samples.transpose()?.map(|(name, bytes)| (name, read::text(&bytes)));
    let ptx = options.ptx.as_deref().map(PtxFile::read).transpose()?;
    let parsed = ptx.as_ref().map(|ptx| (ptx, ptx_syntax::parse(&ptx.text).module));
    let ptx = parsed.as_ref().map(|(ptx, module)| (*ptx, module));
    let asked = Query { options, queries, samples, ptx, objects: RefCell::default() };
    read::each_cubin(&options.file, answers, |image, bytes, answers| {
        debug.look(&image.name, bytes, |cubin, shown| of_cubin(&asked, image, shown, cubin, answers))
    })?;
    if options.style == Some(Style::Json) && !options.is_by_line() {
        writeln!(answers.out, "{}", json_line(&asked.objects.into_inner())?)?;
    }
    Ok(())
}

/// Answers what is asked of one cubin, or lists it.
fn of_cubin(
    asked: &Query<'_>,
    image: &InputName,
    shown: &str,
    cubin: &Cubin<'_>,
    answers: &mut Answers<'_>,
) -> Result<()> {
    let (options, name) = (asked.options, &*image.name);
    if options.mercury && !cubin.has_capsule() {
        let arch = cubin.arch();
        return Err(NoAnswer(format!("{name}: a cubin for {arch} without a capsule")).into());
    }
    let space = if options.mercury { Space::Mercury } else { Space::Native };
    let symbolizer = Symbolizer::in_space(cubin, space).with_context(|| name.to_owned())?;
    // Else all that there is of inlined calls is in the line tables.
    let has_calls = space == Space::Native && InlinedCalls::can_be_in(cubin);
    let entries = has_calls.then(|| or_note(shown, Entries::read(cubin))).flatten();
    let calls =
        entries.as_ref().and_then(|entries| or_note(shown, InlinedCalls::read(cubin, entries, &symbolizer)));
    let locs = asked.ptx.map(|(ptx, module)| PtxLocs::of(ptx, module, cubin));
    let mut lookup = LineLookup::new(cubin, &symbolizer);
    if let Some(calls) = calls.as_ref().filter(|calls| !calls.is_empty()) {
        if calls.is_truncated() {
            note(format_args!(
                "{name}: not all inlined calls of .debug_info are shown: they share too many pieces of code"
            ));
        }
        lookup = lookup.with_calls(calls);
    }
    if let Some(locs) = &locs {
        match locs.chains(cubin) {
            Ok(chains) => lookup = lookup.with_ptx(chains),
            Err(why) => note(format_args!("{name}: no columns and inlined calls of the PTX: {why}")),
        }
    }
    let run = Run { asked, name, cubin, symbolizer: &symbolizer, lookup };
    let is_answered = RefCell::new(Vec::new());
    let answered = Answered {
        space: options.mercury.then_some("mercury"),
        unplaced_sequences: UnplacedSequences::of(&symbolizer),
        kind: run.kind(&is_answered)?,
        run: &run,
        of_queries: &is_answered,
    };
    Ok(answers.add_cubin(image, cubin, &answered)?)
}

/// Returns what was read. After a fault it prints a note and returns `None`: only the inlined calls
/// of code without another record are lost.
fn or_note<T>(name: &str, read: nv_debug_sections::Result<T>) -> Option<T> {
    read.map_err(|error| note(format_args!("{name}: inlined calls of .debug_info are not shown: {error}")))
        .ok()
}

impl Answer for Answered<'_, '_> {
    const SCHEMA: &'static str = "nvdwarf.lines";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Run { asked, name, .. } = *self.run;
        if let Some((style, Kind::Queries(queries))) = asked.options.style.zip(Some(&self.kind)) {
            let (demangle, by_line) = (asked.options.demangle, asked.options.is_by_line());
            let form = style::Form { style, demangle, module: name, by_line };
            let tell = |message| note(format_args!("{name}: {message}"));
            let objects = &mut *asked.objects.borrow_mut();
            *self.of_queries.borrow_mut() = style::write(out, objects, form, queries.take(), tell)?;
            return Ok(());
        }
        self.run.notes();
        match &self.kind {
            Kind::Sections(listings) => text::listings(out, listings.take()),
            Kind::Queries(queries) => text::queries(out, queries.take()),
            Kind::At(all) => {
                for ambiguity in all.iter().filter_map(LineCode::ambiguity) {
                    note(format_args!("{name}: {ambiguity}"));
                }
                text::code(out, all)
            }
            Kind::Samples(samples) => {
                let csv_name = asked.samples.as_ref().map_or("", |(name, _)| name);
                for row in &samples.errors {
                    note(format_args!("{csv_name}: {row}"));
                }
                let more = samples.bad_rows - samples.errors.len() as u64;
                if more > 0 {
                    note(format_args!("{csv_name}: {more} more rows without an answer"));
                }
                text::samples(out, samples)
            }
        }
    }

    fn status(&self) -> Status {
        Status { has_findings: false, queries: self.of_queries.take() }
    }
}

impl<'s> Run<'_, 's> {
    /// The answers. Queries are answered while they are written. `is_answered` is told whether each
    /// query has one.
    fn kind<'a>(&'a self, is_answered: &'a RefCell<Vec<bool>>) -> Result<Kind<'a, 's>> {
        let Query { options, queries, samples, .. } = self.asked;
        let function = options.function.as_deref();
        if let Some((csv_name, csv)) = samples {
            let rows = lines::samples(csv).with_context(|| csv_name.clone())?;
            let samples = self.lookup.samples(rows).with_context(|| csv_name.clone())?;
            is_answered.borrow_mut().clone_from(&samples.is_sample);
            Ok(Kind::Samples(samples))
        } else if !options.at.is_empty() {
            let all: Vec<_> = options.at.iter().map(|asked| self.lookup.code_of(asked)).collect();
            is_answered.borrow_mut().extend(all.iter().map(|code| code.error.is_none()));
            Ok(Kind::At(all))
        } else if options.queries.is_empty() {
            let listings = self.lookup.listings(function);
            let listings = listings.map_err(|why| NoAnswer(format!("{}: {why}", self.name)))?;
            Ok(Kind::Sections(Stream::new(listings)))
        } else {
            let answers = queries.iter().map(move |asked| self.lookup.query(asked, function));
            let answers = answers.inspect(|query| is_answered.borrow_mut().push(query.is_answered()));
            Ok(Kind::Queries(Stream::new(answers)))
        }
    }

    /// What is odd about the whole file.
    fn notes(&self) {
        let name = self.name;
        if let Some(what) = self.cubin.debug_only_text() {
            note(format_args!("{name}: no code: {what}, with 16 bytes for each PTX instruction"));
        }
        let unplaced = UnplacedSequences::of(self.symbolizer);
        for (table, count) in unplaced.into_iter().flat_map(UnplacedSequences::tables) {
            let sequences = if count == 1 { "sequence" } else { "sequences" };
            note(format_args!("{name}: {table}: {count} {sequences} of functions that the linker dropped"));
        }
        if self.symbolizer.source_rows().is_empty() {
            let why = match no_debug_sections(self.cubin, Some(SectionKind::DebugLine)) {
                _ if self.asked.options.mercury => " in a Mercury capsule".to_owned(),
                Some(why) => format!(": {why}"),
                None => ", as of code compiled without -lineinfo or -g".to_owned(),
            };
            note(format_args!("{name}: no source lines{why}"));
        }
    }
}

/// The queries, those of standard input in place of each `-`.
fn all_queries(given: &[String]) -> Result<Vec<String>> {
    let mut queries = Vec::new();
    for query in given {
        if query == "-" {
            let text = input::read_stdin_words().context("reading queries from standard input")?;
            queries.extend(text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()));
        } else {
            queries.push(query.clone());
        }
    }
    Ok(queries)
}
