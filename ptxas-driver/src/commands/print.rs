//! `print`: prints PTX unchanged or in the canonical layout.

use crate::commands::read::{self, PtxFile, printable};
use crate::diagnostics::Reporter;
use crate::limits::{MAX_DOCUMENT_ERRORS, MAX_SYNTAX_ERRORS};
use crate::output;
use crate::report::{Answer, Answers, DocumentSchema, Exit, Form, InputName, Status, report};
use crate::stderr::has_colors;
use anyhow::Result;
use clap::Args;
use nvdwarf_compile::{Diagnostic, Message};
use ptx_syntax::{LineIndex, parse, print, tokenize};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
The canonical layout has one statement a line, one blank between words, and section data in
lines of moderate length. Comments, line markers and numbers stay as written, and so does what
has a syntax error. PTX lines get other numbers, so that .nv_debug_line_sass
changes. .debug_line changes where a line has more than one .loc, because ptxas keeps only
one of them (rule L019 of check).

Exit status:
  0  done
  1  the text has syntax errors (on standard error); it is printed all the same
  2  the command line is wrong, or a file cannot be read or written";

/// The options of `print`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// A PTX file; `-` for standard input
    file: PathBuf,
    /// Print the canonical layout
    #[arg(long, visible_alias = "normalize")]
    normalise: bool,
    /// Write to this file, whole or not at all; `-` is standard output, the default
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// One JSON document (docs/json.md), which has the text where it is not written to a file
    #[arg(long)]
    json: bool,
}

/// The name of the JSON schema of `print`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_files::<Printed<'_>>();

/// What `print` says of a PTX file. The exit status is 1 where the text has syntax errors.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Printed<'a> {
    /// Whether the text has other bytes than the file.
    changed: bool,
    /// The file that was written. Absent where the text is in the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// Size of the text in bytes.
    output_bytes: usize,
    /// The text, with U+FFFD for a byte that is not UTF-8. Absent where it was written to a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Syntax errors, the first 1000.
    errors: Vec<Message>,
    /// How many syntax errors there are.
    error_count: usize,
    #[serde(skip)]
    bytes: &'a [u8],
}

impl Answer for Printed<'_> {
    const SCHEMA: &'static str = "nvdwarf.print";

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.output.is_none() { out.write_all(self.bytes) } else { Ok(()) }
    }

    fn status(&self) -> Status {
        Status { has_findings: self.error_count > 0, ..Status::default() }
    }
}

/// Runs `print`, and returns the exit status.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let form = if options.json { Form::Json } else { Form::NoHeadings };
    let name = read::shown_name(&options.file);
    report(out, form, Printed::SCHEMA, &name, |answers| print(options, answers))
}

fn print(options: &Options, answers: &mut Answers<'_>) -> Result<()> {
    let file = PtxFile::read(&options.file)?;
    let parsed = parse(&file.text);
    let text = if options.normalise {
        print::normalise(&parsed)
    } else {
        // Out of the tokens, which are the text.
        tokenize(&file.text).map(|token| token.range.slice(&file.text)).collect()
    };
    let bytes = file.bytes_of(&text);
    let output = options.output.as_deref().filter(|path| *path != Path::new("-"));
    if let Some(path) = output {
        output::write(path, &bytes)?;
    }
    let lines = LineIndex::new(&file.text);
    let diagnostics = parsed.errors.iter().map(|error| Diagnostic::error(error.range, error.to_string()));
    let kept = if options.json { MAX_DOCUMENT_ERRORS } else { 0 };
    let printed = Printed {
        changed: text != file.text,
        output: output.map(|path| path.display().to_string()),
        output_bytes: bytes.len(),
        text: (options.json && output.is_none()).then(|| file.shown(&text).into_owned()),
        errors: diagnostics.clone().take(kept).map(|error| Message::new(&error, &lines)).collect(),
        error_count: parsed.errors.len(),
        bytes: &bytes,
    };
    answers.add(&InputName { name: file.name.clone(), ..InputName::default() }, &printed)?;
    answers.flush()?;
    let name = &file.name;
    let reporter = Reporter::new(name, &file.text, &lines, has_colors(&io::stderr()));
    let mut errors = io::stderr().lock();
    for error in diagnostics.take(MAX_SYNTAX_ERRORS) {
        let _ = writeln!(errors, "{}", reporter.render(&error));
    }
    if let Some(more) = parsed.errors.len().checked_sub(MAX_SYNTAX_ERRORS).filter(|&more| more > 0) {
        let _ = writeln!(errors, "{}: {more} more syntax errors", printable(name));
    }
    Ok(())
}
