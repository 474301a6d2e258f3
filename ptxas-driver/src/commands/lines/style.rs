//! `--style`: answers in the form of the tools that scripts know.

use crate::commands::read::{both, printable, shown};
use crate::limits::MAX_NAMES_SHOWN;
use crate::plain::json_line;
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

/// The one answer of a query. Of several, as an offset alone has in several functions, these forms cannot say which is which.
fn only<'q, 'a, 's>(query: &'q QueryAnswer<'a, 's>) -> Option<&'q AddressAnswer<'a, 's>> {
    match query.addresses.as_slice() {
        [answer] if query.error.is_none() => Some(answer),
        _ => None,
    }
}

/// Why a query has no answer in these forms, for standard error.
pub(super) fn complaint(query: &QueryAnswer<'_, '_>) -> Option<String> {
    if let Some(error) = &query.error {
        return Some(format!("{}: {}", printable(query.asked), printable(&error.to_string())));
    }
    if query.addresses.len() <= 1 {
        return None;
    }
    let functions = query.addresses.iter().filter_map(|answer| answer.function.as_ref());
    let names: Vec<_> = functions.map(both).take(MAX_NAMES_SHOWN).collect();
    let count = query.addresses.len();
    Some(format!("{}: {count} functions have that offset: {}", printable(query.asked), names.join(", ")))
}

/// Writes the answers, but to `objects` those of [`Style::Json`] that are elements of an array; for each query whether it had just one,
/// that a line table covers.
pub(super) fn write<'a, 's: 'a>(
    (out, objects): (&mut dyn Write, &mut Vec<Value>),
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
            Style::Gnu => gnu(out, form, answer)?,
            Style::Llvm => llvm(out, answer)?,
            Style::Json if form.by_line => writeln!(out, "{}", json_line(&object(form, &query, answer))?)?,
            Style::Json => objects.push(object(form, &query, answer)),
        }
    }
    Ok(answered)
}

fn function(frame: &NamedFrame<'_>, demangle: bool) -> String {
    match &frame.name {
        Some(name) if demangle => shown(name).into_owned(),
        Some(name) => printable(name.linkage_name()).into_owned(),
        None => "??".to_owned(),
    }
}

/// Function and place on a line each. Of a function without lines the place is `??:?`, of nothing known `??:0`.
fn gnu(out: &mut dyn Write, form: Form<'_>, answer: Option<&AddressAnswer<'_, '_>>) -> io::Result<()> {
    let Some(answer) = answer.filter(|answer| !answer.lines.frames.is_empty()) else {
        return match answer.and_then(|answer| answer.function.as_ref()) {
            Some(name) if form.demangle => writeln!(out, "{}\n??:?", shown(name)),
            Some(name) => writeln!(out, "{}\n??:?", printable(name.linkage_name())),
            None => writeln!(out, "??\n??:0"),
        };
    };
    for frame in answer.lines.frames.iter() {
        let (file, line) = (frame.frame.file.path().map_or("??".into(), printable), frame.frame.line);
        let line = if line == 0 { "?".to_owned() } else { line.to_string() };
        writeln!(out, "{}\n{file}:{line}", function(&frame, form.demangle))?;
    }
    Ok(())
}

/// As [`gnu`] with columns, demangled, and an empty line behind each query.
fn llvm(out: &mut dyn Write, answer: Option<&AddressAnswer<'_, '_>>) -> io::Result<()> {
    match answer {
        Some(answer) if !answer.lines.frames.is_empty() => {
            for frame in answer.lines.frames.iter() {
                let symbolize::Frame { file, line, column, .. } = frame.frame;
                let file = file.path().map_or("??".into(), printable);
                writeln!(out, "{}\n{file}:{line}:{column}", function(&frame, true))?;
            }
        }
        _ => {
            let name = answer.and_then(|answer| answer.function.as_ref());
            writeln!(out, "{}\n??:0:0", name.map_or("??".into(), shown))?;
        }
    }
    writeln!(out)
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
