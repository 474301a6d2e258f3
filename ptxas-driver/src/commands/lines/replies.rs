//! The answers to queries, in the form that was asked for: exactly one for each query.

use super::query_line::QueryLine;
use super::reply::{Reply, ReplyError};
use super::style::{self, Style};
use super::symbolizer_object::SymbolizerObject;
use super::{Options, text};
use crate::limits::{MAX_MESSAGES, MAX_QUERY_MESSAGE};
use crate::printable_text::write_json_line;
use crate::stderr::note;
use serde_json::Value;
use std::borrow::Cow;
use std::io::{self, Write};

/// Where answers go, and what became of all.
pub(super) struct Replies<'r, 'o> {
    options: &'r Options,
    out: &'o mut dyn Write,
    /// Whether a blank line ends each block of text, so that a client knows that it has all of it.
    /// Else one is between two.
    by_line: bool,
    /// Answers of `--style json` that are elements of one array.
    objects: Vec<Value>,
    count: u64,
    unanswered: u64,
}

impl<'r, 'o> Replies<'r, 'o> {
    pub(super) fn new(options: &'r Options, by_line: bool, out: &'o mut dyn Write) -> Self {
        Self { options, out, by_line, objects: Vec::new(), count: 0, unanswered: 0 }
    }

    /// Writes the answer to one query.
    pub(super) fn write(&mut self, reply: &Reply<'_, '_>) -> io::Result<()> {
        let is_answered = if let Some(style) = self.options.style {
            self.write_in_style(style, reply)?
        } else {
            if self.options.json.is_some() {
                self.write_json(reply)?;
            } else {
                self.write_text(reply)?;
            }
            reply.is_answered()
        };
        self.count += 1;
        self.unanswered += u64::from(!is_answered);
        Ok(())
    }

    /// Sends out what was written.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes what follows the last answer, and returns whether all queries were answered.
    pub(super) fn end(&mut self) -> io::Result<bool> {
        if self.options.style == Some(Style::Json) && !self.by_line {
            write_json_line(self.out, &self.objects)?;
        }
        Ok(self.unanswered == 0)
    }

    fn write_text(&mut self, reply: &Reply<'_, '_>) -> io::Result<()> {
        if !self.by_line && self.count > 0 {
            writeln!(self.out)?;
        }
        let cubin = reply.cubin.filter(|cubin| !cubin.is_only).map(|cubin| cubin.name);
        text::query(
            self.out,
            reply.asked,
            cubin,
            &reply.addresses,
            reply.error.as_ref().map(ReplyError::text),
        )?;
        if self.by_line { writeln!(self.out) } else { Ok(()) }
    }

    fn write_json(&mut self, reply: &Reply<'_, '_>) -> io::Result<()> {
        let is_loaded = self.options.has_loads();
        let line = QueryLine {
            query: reply.asked,
            file: reply.cubin.map(|cubin| cubin.name),
            sm: reply.cubin.map(|cubin| cubin.kind.sm),
            code: reply.cubin.map(|cubin| cubin.kind.code),
            space: self.options.mercury.then_some("mercury"),
            address: reply.number.filter(|_| is_loaded),
            answers: &reply.addresses,
            error: reply.error.as_ref().map(|error| error.text().to_owned()),
        };
        line.write(self.out)
    }

    /// Writes the answer as another tool does, and returns whether there is one. What these forms
    /// cannot say goes to standard error: not for ever, since a client may not read that.
    fn write_in_style(&mut self, style: Style, reply: &Reply<'_, '_>) -> io::Result<bool> {
        if let Some(complaint) = style::complaint(reply) {
            if self.unanswered < MAX_MESSAGES {
                let subject = [reply.module_name(), reply.asked].into_iter().filter(|word| !word.is_empty());
                let message = subject.chain([&*complaint]).collect::<Vec<_>>().join(": ");
                // The notes about a query come after the answers before it.
                if !self.by_line {
                    self.out.flush()?;
                }
                note(format_args!("{}", cut(&message)));
            } else if self.unanswered == MAX_MESSAGES {
                note(format_args!("what else has no answer is not told here"));
            }
        }
        let answer = style::only(reply);
        let form = style::Form { demangle: self.options.demangle, is_loaded: self.options.has_loads() };
        match style {
            Style::Gnu | Style::Llvm => style::text(self.out, style, form, reply)?,
            Style::Json => {
                let object = SymbolizerObject::of(form, reply);
                if self.by_line {
                    write_json_line(self.out, &object)?;
                } else {
                    self.objects.push(serde_json::to_value(object)?);
                }
            }
        }
        Ok(answer.is_some_and(|answer| !answer.lines.frames.is_empty()))
    }
}

/// A message that is not longer than a client's pipe has room for.
fn cut(message: &str) -> Cow<'_, str> {
    match message.char_indices().nth(MAX_QUERY_MESSAGE) {
        Some((end, _)) => format!("{}...", message.get(..end).unwrap_or_default()).into(),
        None => message.into(),
    }
}
