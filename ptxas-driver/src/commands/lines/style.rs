//! `lines --style`: answers in the form of the tools that scripts know.

use super::reply::{Reply, ReplyError};
use crate::limits::MAX_NAMES_SHOWN;
use crate::printable_text::write_line;
use clap::ValueEnum;
use cubin_debuginfo::images::RequestKind;
use cubin_debuginfo::lines::{AddressAnswer, NamedFrame};
use cubin_debuginfo::names::Name;
use std::io::{self, Write};

/// Whose form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Style {
    /// `addr2line -fi`; with --demangle `addr2line -fiC`
    Gnu,
    /// `llvm-symbolizer --inlines`
    Llvm,
    /// `llvm-symbolizer --inlines --output-style=JSON`
    Json,
}

/// How to write.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// GNU style only: LLVM's demangles always.
    pub(super) demangle: bool,
    /// Whether numbers are addresses at run time.
    pub(super) is_loaded: bool,
}

/// The one answer of a query. Of several, as an offset alone has in several functions, these forms
/// cannot say which is which.
pub(super) fn only<'r, 'a>(reply: &'r Reply<'_, 'a>) -> Option<&'r AddressAnswer<'a, 'static>> {
    match reply.addresses.as_slice() {
        [answer] if reply.error.is_none() => Some(answer),
        _ => None,
    }
}

/// Why a query has no answer in these forms, for standard error.
pub(super) fn complaint(reply: &Reply<'_, '_>) -> Option<String> {
    if let Some(error) = &reply.error {
        // `DATA` and `FRAME` have an answer of their own that says nothing.
        let is_told = reply.kind == RequestKind::Code || matches!(error, ReplyError::File(_));
        return is_told.then(|| error.text().to_owned());
    }
    let count = reply.addresses.len();
    let functions = reply.addresses.iter().filter_map(|answer| answer.function.as_ref());
    let names = functions.map(|name| format!("{name:#}")).take(MAX_NAMES_SHOWN);
    let names = || names.collect::<Vec<_>>().join(", ");
    (count > 1).then(|| format!("{count} functions have that offset: {}", names()))
}

/// Function and place on a line each, and after LLVM's an empty one. Of a function without lines
/// GNU's place is `??:?`, of nothing known `??:0`.
///
/// LLVM's answers to `DATA` and `FRAME` are those to an address of which it knows nothing.
pub(super) fn text(out: &mut dyn Write, style: Style, form: Form, reply: &Reply<'_, '_>) -> io::Result<()> {
    let is_llvm = style == Style::Llvm;
    match reply.kind {
        RequestKind::Data if is_llvm => return writeln!(out, "??\n0 0\n??:?\n"),
        RequestKind::Frame if is_llvm => return writeln!(out, "??\n"),
        _ => {}
    }
    let answer = only(reply);
    let spelled = |name: Option<&Name>| match name {
        Some(name) if is_llvm || form.demangle => name.plain().to_owned(),
        Some(name) => name.linkage_name().to_owned(),
        None => "??".to_owned(),
    };
    let mut has_frames = false;
    for NamedFrame { frame, name, .. } in answer.iter().flat_map(|answer| answer.lines.frames.iter()) {
        has_frames = true;
        let (file, line) = (frame.file.path().unwrap_or("??"), frame.line);
        write_line(out, format_args!("{}", spelled(name.as_ref())))?;
        match line {
            _ if is_llvm => write_line(out, format_args!("{file}:{line}:{}", frame.column))?,
            0 => write_line(out, format_args!("{file}:?"))?,
            _ => write_line(out, format_args!("{file}:{line}"))?,
        }
    }
    let function = answer.and_then(|answer| answer.function.as_ref());
    if !has_frames {
        write_line(out, format_args!("{}", spelled(function)))?;
        writeln!(
            out,
            "??:{}",
            if is_llvm {
                "0:0"
            } else if function.is_some() {
                "?"
            } else {
                "0"
            }
        )?;
    }
    if is_llvm { writeln!(out) } else { Ok(()) }
}
