//! `lines --style`: answers in the form of the tools that scripts know.

use crate::commands::read::shown;
use crate::limits::MAX_NAMES_SHOWN;
use crate::printable_text::{json_line, write_line};
use clap::ValueEnum;
use cubin_debuginfo::lines::{AddressAnswer, NamedFrame, QueryAnswer};
use cubin_debuginfo::names::Name;
use cubin_debuginfo::symbolize;
use serde_json::{Value, json};
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
pub(super) struct Form<'a> {
    pub(super) style: Style,
    /// GNU style only: LLVM's demangles always.
    pub(super) demangle: bool,
    /// The file's name.
    pub(super) module: &'a str,
    /// Queries are from standard input: JSON is then one object a line, else an array.
    pub(super) by_line: bool,
}

/// The one answer of a query. Of several, as an offset alone has in several functions, these forms
/// cannot say which is which.
fn only<'q, 'a, 's>(query: &'q QueryAnswer<'a, 's>) -> Option<&'q AddressAnswer<'a, 's>> {
    match query.addresses.as_slice() {
        [answer] if query.error.is_none() => Some(answer),
        _ => None,
    }
}

/// Why a query has no answer in these forms, for standard error.
fn complaint(query: &QueryAnswer<'_, '_>) -> Option<String> {
    let (asked, count) = (query.asked, query.addresses.len());
    if let Some(error) = &query.error {
        return Some(format!("{asked}: {error}"));
    }
    let functions = query.addresses.iter().filter_map(|answer| answer.function.as_ref());
    let names = functions.map(|name| format!("{name:#}")).take(MAX_NAMES_SHOWN);
    let names = || names.collect::<Vec<_>>().join(", ");
    (count > 1).then(|| format!("{asked}: {count} functions have that offset: {}", names()))
}

/// Writes the answers, but to `objects` those of [`Style::Json`] that are elements of an array; for
/// each query whether it had just one, that a line table covers.
pub(super) fn write<'a, 's: 'a>(
    out: &mut dyn Write,
    objects: &mut Vec<Value>,
    form: Form<'_>,
    queries: impl Iterator<Item = QueryAnswer<'a, 's>>,
    mut complain: impl FnMut(String),
) -> io::Result<Vec<bool>> {
    let mut answered = Vec::new();
    for query in queries {
        if let Some(complaint) = complaint(&query) {
            complain(complaint);
        }
        let answer = only(&query);
        answered.push(answer.is_some_and(|answer| !answer.lines.frames.is_empty()));
        match form.style {
            Style::Gnu | Style::Llvm => text(out, form, answer)?,
            Style::Json if form.by_line => writeln!(out, "{}", json_line(&object(form, &query, answer))?)?,
            Style::Json => objects.push(object(form, &query, answer)),
        }
    }
    Ok(answered)
}

/// Function and place on a line each, and after LLVM's an empty one. Of a function without lines
/// GNU's place is `??:?`, of nothing known `??:0`.
fn text(out: &mut dyn Write, form: Form<'_>, answer: Option<&AddressAnswer<'_, '_>>) -> io::Result<()> {
    let is_llvm = form.style == Style::Llvm;
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

fn object(form: Form<'_>, query: &QueryAnswer<'_, '_>, answer: Option<&AddressAnswer<'_, '_>>) -> Value {
    let start = answer.and_then(|answer| {
        answer.function.as_ref()?;
        Some(format!("{:#x}", answer.offset - answer.function_offset))
    });
    let start = start.unwrap_or_default();
    let symbol = |name: &str, file: &str, line: u32, column: u64| {
        json!({
            "Column": column, "Discriminator": 0, "FileName": file, "FunctionName": name, "Line": line,
            "StartAddress": start, "StartFileName": "", "StartLine": 0,
        })
    };
    let mut symbols: Vec<Value> = Vec::new();
    if let Some(answer) = answer {
        let name = |name: &Option<Name>| name.as_ref().map_or(String::new(), |name| shown(name).into_owned());
        symbols.extend(answer.lines.frames.iter().map(|named| {
            let symbolize::Frame { file, line, column, .. } = named.frame;
            symbol(&name(&named.name), file.path().unwrap_or_default(), line, column)
        }));
        if symbols.is_empty() {
            symbols.push(symbol(&name(&answer.function), "", 0, 0));
        }
    } else {
        symbols.push(symbol("", "", 0, 0));
    }
    let address = answer.map_or_else(|| query.asked.to_owned(), |answer| format!("{:#x}", answer.offset));
    json!({ "Address": address, "ModuleName": form.module, "Symbol": symbols })
}
