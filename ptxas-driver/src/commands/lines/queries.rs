//! Queries with one answer each, from the image that has the function: as many as come on standard
//! input, each as soon as its line came.

use super::advice::query_error_text;
use super::input_lines::{InputLine, InputLines};
use super::open_files::OpenFiles;
use super::replies::Replies;
use super::reply::{Reply, ReplyError};
use super::style::Style;
use super::{Operands, Options, loads};
use crate::commands::read;
use crate::limits::{MAX_QUERY, MAX_QUERY_SHOWN};
use crate::report::Exit;
use anyhow::{Error, Result};
use cubin_debuginfo::address_query::parse_number;
use cubin_debuginfo::images::{ImageQuery, RequestKind, SymbolizerRequest};
use std::io::{self, Write};

/// One run of `lines` that answers query by query: the open files, and where answers go.
struct Session<'r, 'o> {
    options: &'r Options,
    files: OpenFiles<'r>,
    /// The name of the file if there is only one, else empty.
    only_file: String,
    replies: Replies<'r, 'o>,
}

/// Answers all queries, and returns the exit status.
///
/// # Errors
///
/// A file cannot be read, or `out` cannot be written.
pub(super) fn run(options: &Options, operands: &Operands, out: &mut dyn Write) -> Result<Exit> {
    let mut files = OpenFiles::open(options, operands)?;
    if let Some(loaded) = loads::loaded(options, &files)? {
        files.set_loaded(loaded);
    }
    let only_file = match operands.files.as_slice() {
        [file] => read::shown_name(file),
        _ => String::new(),
    };
    let replies = Replies::new(options, operands.is_by_line(), out);
    let mut session = Session { options, files, only_file, replies };
    for query in &operands.queries {
        match &**query {
            "-" => session.answer_input()?,
            query => session.answer(query)?,
        }
    }
    let is_answered = session.replies.end()?;
    let exit = Exit::findings_if(!is_answered);
    Ok(if session.files.faults() > 0 { Exit::Unreadable } else { exit })
}

impl Session<'_, '_> {
    /// Answers the queries on standard input. Answers are flushed when no further query has come
    /// yet.
    fn answer_input(&mut self) -> Result<()> {
        let mut input = InputLines::new(io::stdin().lock());
        loop {
            let mut flushed = Ok(());
            let line = input.next(|| {
                flushed = self.replies.flush();
                flushed.as_ref().map_err(|error| error.kind().into()).copied()
            });
            // An error without context says that standard output cannot be written.
            flushed?;
            match line.map_err(|error| Error::new(error).context("reading queries from standard input"))? {
                None => return Ok(()),
                Some(InputLine::Whole(line)) => self.answer(&String::from_utf8_lossy(line))?,
                Some(InputLine::TooLong(line)) => {
                    let beginning = String::from_utf8_lossy(line.get(..MAX_QUERY_SHOWN).unwrap_or(line));
                    let why = format!("a query has at most {MAX_QUERY} bytes, and this one goes on");
                    self.replies.write(&Reply::failed(&beginning, "", ReplyError::Query(why)))?;
                }
            }
        }
    }

    /// Answers one query.
    fn answer(&mut self, line: &str) -> io::Result<()> {
        let (asked, only_file) = (line.trim(), &*self.only_file);
        let SymbolizerRequest { kind, file, query } = match SymbolizerRequest::parse(asked) {
            Ok(request) => request,
            Err(why) => {
                let error = ReplyError::Query(why.to_string());
                return self.replies.write(&Reply::failed(asked, only_file, error));
            }
        };
        let number = match self.options.style {
            Some(Style::Gnu) => hexadecimal(query),
            _ => parse_number(query),
        };
        let module = file.unwrap_or(only_file);
        let failed = |error| Reply { kind, number, ..Reply::failed(asked, module, error) };
        let file = match file.map(|name| self.files.number_of(name)).transpose() {
            Ok(file) => file,
            Err(why) => return self.replies.write(&failed(ReplyError::File(why))),
        };
        if kind != RequestKind::Code {
            let why = "variables are not looked up here; `ptxas-driver vars` shows them".to_owned();
            return self.replies.write(&failed(ReplyError::Query(why)));
        }
        let function = self.options.function.as_deref();
        let query = ImageQuery { asked: query, number, function, file };
        let files = &self.files;
        let found = files.images().answer(&query, |image| files.lookup(image));
        self.replies.write(&Reply {
            asked,
            kind,
            module,
            number,
            cubin: found.image.and_then(|image| files.cubin(image)),
            addresses: found.answer.addresses,
            error: found.answer.error.map(|error| ReplyError::Query(query_error_text(&error))),
        })
    }
}

/// A number as addr2line reads it: hexadecimal, with or without `0x`.
fn hexadecimal(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    u64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_addr2line() {
        let numbers = ["10", "0x10", "0XfF", "add", "0x", "", "+1", "k", "0xg"].map(hexadecimal);
        assert_eq!(numbers, [Some(16), Some(16), Some(255), Some(0xadd), None, None, None, None, None]);
    }
}
