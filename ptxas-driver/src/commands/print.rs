//! `print`: PTX out again, as it came or in the canonical layout.

use crate::commands::read::{PtxFile, printable};
use crate::diag::Reporter;
use crate::limits::MAX_SYNTAX_ERRORS;
use crate::output;
use crate::report::Exit;
use crate::stderr::complain;
use anyhow::Result;
use clap::Args;
use nvdwarf_compile::Diagnostic;
use ptx_syntax::{LineIndex, parse, print, tokenize};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
The canonical layout has one statement a line, one blank between words, and section data in
lines of bearable length. Comments, line markers and numbers stay as written, and so does what
has a syntax error. It gives PTX lines other numbers, and so another
.nv_debug_line_sass; and another .debug_line where a line has more than one .loc, of which ptxas keeps
one (check: L019).

Exit status:
  0  done
  1  the text has syntax errors (on standard error); it is printed all the same
  2  the command line is wrong, or a file cannot be read or written";

/// What to print, and how.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Options {
    /// A PTX file; `-` for standard input
    file: PathBuf,
    /// In the canonical layout
    #[arg(long, visible_alias = "normalize")]
    normalise: bool,
    /// Write to a file, whole or not at all, and not to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
///
/// `out` cannot be written.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Exit> {
    let file = match PtxFile::read(&options.file) {
        Ok(file) => file,
        Err(error) => {
            complain(format_args!("{error:#}"));
            return Ok(Exit::Unreadable);
        }
    };
    let parsed = parse(&file.text);
    let text = if options.normalise {
        print::normalise(&parsed)
    } else {
        // Out of the tokens, which are the text.
        tokenize(&file.text).map(|token| token.range.slice(&file.text)).collect()
    };
    let bytes = file.bytes_of(&text);
    match &options.output {
        None => out.write_all(&bytes)?,
        Some(path) => {
            if let Err(error) = output::write(path, &bytes) {
                complain(format_args!("{error:#}"));
                return Ok(Exit::Unreadable);
            }
        }
    }
    if parsed.errors.is_empty() {
        return Ok(Exit::Answered);
    }
    out.flush()?;
    let name = &file.name;
    let lines = LineIndex::new(&file.text);
    let reporter = Reporter::new(name, &file.text, &lines, std::io::stderr().is_terminal());
    let mut errors = std::io::stderr().lock();
    for error in parsed.errors.iter().take(MAX_SYNTAX_ERRORS) {
        writeln!(errors, "{}", reporter.render(&Diagnostic::error(error.range, error.to_string())))?;
    }
    if let Some(more) = parsed.errors.len().checked_sub(MAX_SYNTAX_ERRORS).filter(|&more| more > 0) {
        writeln!(errors, "{}: {more} more syntax errors", printable(name))?;
    }
    Ok(Exit::Findings)
}
