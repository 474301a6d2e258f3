//! `lines`: prints the function, source line, inlined callers and PTX line of a code address.

mod advice;
mod asked_images;
mod by_image;
mod input_lines;
mod line_tables;
mod loads;
mod open_files;
mod queries;
mod query_line;
mod replies;
mod reply;
mod style;
mod symbolizer_object;
mod text;

use crate::commands::read::{self, DebugFileOptions};
use crate::report::{DocumentSchema, Exit, Form, is_of_stdout, report};
use crate::stderr::{complain, note};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use cubin_debuginfo::address_query::parse_number;
use cubin_debuginfo::images::FunctionLoad;
use nv_debug_sections::catalog::CODE_PREFIX;
use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};
use style::Style;

pub use by_image::SCHEMA;

/// The JSON schema of an answer of `lines --json=lines`.
pub const QUERY_SCHEMA: DocumentSchema = query_line::SCHEMA;

const AFTER_HELP: &str = "\
Queries:
  FUNCTION+0xOFF     byte OFF of a function; FUNCTION alone is its first byte
  .text.F:0xOFF      byte OFF of a section; .text.F+0xOFF too
  0xOFF              with -f: of that function; without: of every code section that has it
  -                  queries from standard input, one a line (see below)
  FUNCTION is a symbol's name, mangled or not, without its parameters, or a part of it that only one function has.
  A function folded into kernels ($kernel$function) can be named by its own name: all functions with this name are answered.
  Offsets are hexadecimal after 0x, else decimal; with --style gnu a query that is a number alone is hexadecimal. Without a query all addresses are listed.
  A listing shows up to 64 frames of a chain of inlined calls, the answer to a query up to 1024; both say how many more there are.

Queries from standard input, and with --style, --json=lines, --load or several files, but not with --json (one document, in which \
  each cubin of a file answers what it can, at the end of input):
  Each query has exactly one answer, from the image that has the function. So has an empty line, and what cannot be answered: it \
  is `??` and the reason as text, `error` in JSON, and with --style what that tool says of an unknown address; the reason then goes to \
  standard error, for the first 20. If images for several architectures have the function, --arch chooses; if several for one architecture \
  have it and say the same, the first answers. Answers are written as soon as no further query is waiting; text ends each with an empty line. \
  --style and --json=lines read standard input where no query is given.
  CODE FILE QUERY    a query for FILE, which may be an open file or another one, which is then opened and kept; it answers no other query
  \"FILE\" QUERY       the same; quotes (\" or ') are needed where a name has blanks
  FILE 0xOFF         the same, for an address
  DATA, FRAME        as llvm-symbolizer has them: answered as unknown

Addresses at run time (--load, --load-csv): a query that is a number is then such an address, in a function that is loaded there; \
its size is that of the function. The CSV file has a header; columns in any order, others are ignored:
  function, kernel, function name, symbol      the function (any spelling of it); those that no file has are passed over
  address, load address, base address, start   the address of its first byte

Samples (--samples): a CSV file with a header; columns in any order, others are ignored:
  function, kernel, function name, symbol      the function (any spelling of it)
  section                                      in place of the function, or to tell two of one name apart
  pc, offset, pc offset, address               byte offset in the function or section
  count, samples, hits, weight                 how many samples; without this column each row is one
Of a file with images for several architectures those for the one that has all sampled functions are shown; else --arch chooses.

Inlined calls: ptxas drops some and merges others; without a PTX nothing tells. With --ptx the chain is that of the PTX's
.loc where the file has another one, and frames that the file does not have are marked [from the PTX] (not with --style).

Examples:
  ptxas-driver lines k.cubin saxpy+0x160 .text.saxpy:0x20
  ptxas-driver lines k.cubin --ptx k.ptx saxpy+0x160
  ptxas-driver lines k.cubin --at saxpy.cu:18 --at cuda/fused.cuh:3-9
  ptxas-driver lines k.cubin --samples pcs.csv --json
  echo saxpy+0x160 | ptxas-driver lines k.cubin --style llvm -
  ptxas-driver lines -e a.out -e libb.so --arch sm_90 --json=lines -
  ptxas-driver lines k.cubin --load saxpy=0x7f12a0000000 0x7f12a0000160

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
    #[arg(value_name = "FILE", required_unless_present_any = ["objects", "style", "json"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    debug: DebugFileOptions,
    /// FUNCTION+0xOFF, FUNCTION, .text.F:0xOFF, 0xOFF, or - (see below)
    #[arg(value_name = "QUERY", conflicts_with = "all")]
    queries: Vec<String>,
    /// A file to ask; may be given again. Then there is no FILE before the queries
    #[arg(short = 'e', long = "obj", visible_alias = "exe", value_name = "FILE")]
    objects: Vec<PathBuf>,
    /// Only cubins for this architecture, such as sm_90 or sm_90a
    #[arg(long, value_name = "ARCH", value_parser = read::parse_arch)]
    arch: Option<String>,
    /// A function is loaded at this address: queries that are numbers are then addresses at run
    /// time. May be given again
    #[arg(long, value_name = "FUNCTION=0xADDRESS", value_parser = loads::parse, conflicts_with_all = ["function", "all", "samples", "at"])]
    load: Vec<FunctionLoad>,
    /// The same from a CSV file (see below)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["function", "all", "samples", "at"])]
    load_csv: Option<PathBuf>,
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
    #[arg(long, value_enum, conflicts_with_all = ["json", "all", "samples", "at"])]
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
    /// One JSON document (docs/json.md); `lines`: for each query one on a line of its own
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "document")]
    json: Option<JsonForm>,
}

/// The form of `--json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum JsonForm {
    /// One document with all answers
    Document,
    /// For each query a document on a line of its own, as soon as it is answered
    Lines,
}

/// The words of the command line: files to ask, and what is asked.
struct Operands {
    files: Vec<PathBuf>,
    queries: Vec<String>,
}

impl Operands {
    /// With `-e` all words are queries.
    fn of(options: &Options) -> Result<Self> {
        let queries = options.queries.iter().cloned();
        let is_for_clients = options.style.is_some() || options.json == Some(JsonForm::Lines);
        let Some(file) = options.file.clone() else {
            return Ok(Self { files: options.objects.clone(), queries: queries.collect() });
        };
        if options.objects.is_empty()
            && options.queries.is_empty()
            && is_for_clients
            && file == Path::new("-")
        {
            // Queries that name their files.
            return Ok(Self { files: Vec::new(), queries: vec!["-".to_owned()] });
        }
        if options.objects.is_empty() {
            return Ok(Self { files: vec![file], queries: queries.collect() });
        }
        let first = file.to_str().map(str::to_owned);
        let Some(first) = first else { bail!("{}: a query is UTF-8", file.display()) };
        if options.all || !options.at.is_empty() || options.samples.is_some() {
            bail!("'{first}' is a query, as files are given with -e; --all, --at and --samples have none");
        }
        Ok(Self { files: options.objects.clone(), queries: std::iter::once(first).chain(queries).collect() })
    }

    /// Whether queries are read from standard input.
    fn is_by_line(&self) -> bool {
        self.queries.iter().any(|query| query == "-")
    }
}

impl Options {
    /// Whether functions are loaded at addresses.
    fn has_loads(&self) -> bool {
        !self.load.is_empty() || self.load_csv.is_some()
    }

    /// Whether each query has one answer, from the image that has the function. Else each image
    /// answers what it can.
    fn is_one_answer_each(&self, operands: &Operands) -> bool {
        let is_asked = operands.is_by_line() || self.has_loads();
        match self.json {
            Some(form) => form == JsonForm::Lines,
            None => {
                self.style.is_some() || is_asked || operands.files.len() > 1 && !operands.queries.is_empty()
            }
        }
    }
}

/// Runs `lines`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written, or a file cannot be read.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    if options.json == Some(JsonForm::Lines)
        && (options.all || !options.at.is_empty() || options.samples.is_some())
    {
        bail!("--json=lines answers queries; --all, --at and --samples go with --json");
    }
    let mut operands = Operands::of(options)?;
    let is_one_answer_each = options.is_one_answer_each(&operands);
    if is_one_answer_each && operands.queries.is_empty() {
        // As addr2line and llvm-symbolizer do.
        operands.queries.push("-".to_owned());
    }
    let others = [options.ptx.as_ref(), options.samples.as_ref(), options.load_csv.as_ref()];
    let inputs = operands.files.iter().chain(others.into_iter().flatten());
    let is_stdin = inputs.map(|path| read::is_stdin(path));
    if read::asks_stdin_twice(out, is_stdin.chain([options.debug.is_stdin(), operands.is_by_line()]))? {
        return Ok(Exit::Unreadable);
    }
    if let [file] = operands.files.as_slice()
        && !file.exists()
        && !read::is_stdin(file)
        && let Some(query) = operands.queries.iter().find(|query| Path::new(query).is_file())
    {
        let file = file.display();
        bail!("{file}: no such file; the cubin comes first: `ptxas-driver lines {query} {file}`");
    }
    let exit = if is_one_answer_each {
        queries::run(options, &operands, out)
    } else {
        run_by_image(options, &operands, out)
    };
    let as_file = operands.queries.iter().find(|query| Path::new(query).is_file());
    if let (Some(query), Ok(Exit::Findings)) = (as_file, &exit) {
        out.flush()?;
        note(format_args!("{query} is taken for a query; files after the first one are given with -e"));
    }
    let Some(query) = options.file.as_deref().filter(|_| options.objects.is_empty()).and_then(as_query)
    else {
        return exit;
    };
    let exit = exit.or_else(|error| {
        if is_of_stdout(&error) {
            return Err(error);
        }
        complain(format_args!("{error:#}"));
        Ok(Exit::Unreadable)
    });
    out.flush()?;
    let words = match options.queries.as_slice() {
        [offset] if parse_number(offset).is_some() && !query.contains('+') => format!("{query}+{offset}"),
        others => [&[query.to_owned()], others]
            .concat()
            .iter()
            .map(|word| shell_word(word))
            .collect::<Vec<_>>()
            .join(" "),
    };
    note(format_args!("the first operand is the file: `ptxas-driver lines FILE {words}`"));
    exit
}

/// The text of the operand for the file where it reads like a query: there is no such file, and its
/// name has neither a folder nor an ending.
fn as_query(file: &Path) -> Option<&str> {
    let text = file.to_str().filter(|_| !read::is_there(file) && !read::is_stdin(file))?;
    let is_name = !text.contains(['.', '/']) || text.contains('(');
    (is_name || text.starts_with(CODE_PREFIX)).then_some(text)
}

/// A word as a shell reads it back.
fn shell_word(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.+:-/".contains(c);
    if word.chars().all(is_plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")).into() }
}

/// Answers image by image.
fn run_by_image(options: &Options, operands: &Operands, out: &mut dyn Write) -> Result<Exit> {
    if options.has_loads() {
        bail!("--load and --load-csv do not go with one JSON document; --json=lines has one for each query");
    }
    let Some(first) = operands.files.first() else {
        bail!("no file; it comes before the queries, or after -e")
    };
    let name = read::shown_name(first);
    let form = Form::json_if(options.json.is_some());
    report(out, form, SCHEMA.name, &name, |answers| by_image::answer(options, operands, answers))
}
