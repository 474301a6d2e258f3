//! Answers as text: one block for each query, one line for each range of a listing.

use super::Document;
use super::answer::{Answer, Frame, Lines, Listing, Name, Ptx, Query};
use crate::commands::read::printable;
use std::fmt::Write as _;
use std::io::{self, Write};

pub(super) fn write(out: &mut dyn Write, document: &Document<'_>) -> io::Result<()> {
    for (number, query) in document.queries.iter().flatten().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        write_query(out, query)?;
    }
    let mut listed = false;
    for listing in document.sections.iter().flatten() {
        if std::mem::replace(&mut listed, true) {
            writeln!(out)?;
        }
        write_listing(out, listing)?;
    }
    if document.sections.is_some() && !listed {
        writeln!(out, "no code sections")?;
    }
    Ok(())
}

fn write_query(out: &mut dyn Write, query: &Query) -> io::Result<()> {
    for answer in &query.answers {
        write_answer(out, query, answer)?;
    }
    if let Some(error) = &query.error {
        writeln!(out, "{}: ??", printable(&query.asked))?;
        writeln!(out, "  {}", printable(error))?;
    }
    Ok(())
}

fn write_answer(out: &mut dyn Write, query: &Query, answer: &Answer) -> io::Result<()> {
    write!(out, "{}: ", printable(&query.asked))?;
    match &answer.function {
        Some(function) => write!(out, "{}+{:#x}", both_names(function), answer.function_offset)?,
        None => write!(out, "??")?,
    }
    writeln!(out, ", {}+{:#x}", printable(&answer.section), answer.offset)?;
    if answer.lines.is_empty() {
        return writeln!(out, "  ??  no line table covers this address");
    }
    for (depth, frame) in answer.lines.frames.iter().enumerate() {
        writeln!(out, "  #{depth} {}", frame_text(frame, both_names))?;
    }
    if answer.lines.frames.is_empty() {
        writeln!(out, "  #0 ??:0, .debug_line does not cover this address")?;
    }
    if let Some(ptx) = &answer.lines.ptx {
        writeln!(out, "  {}", ptx_text(ptx))?;
    }
    Ok(())
}

fn write_listing(out: &mut dyn Write, listing: &Listing) -> io::Result<()> {
    writeln!(out, "{} ({:#x} bytes)", printable(&listing.section), listing.size)?;
    let mut function = None;
    for range in &listing.ranges {
        if function != Some(&range.function) {
            let name = range.function.as_ref().map_or("??".to_owned(), both_names);
            writeln!(out, "  {name}:")?;
            function = Some(&range.function);
        }
        writeln!(out, "    {:#06x}-{:#06x}  {}", range.start, range.end, line_text(&range.lines))?;
    }
    Ok(())
}

/// Everything of an address on one line.
fn line_text(lines: &Lines) -> String {
    let mut text = String::new();
    for (depth, frame) in lines.frames.iter().enumerate() {
        let arrow = if depth == 0 { "" } else { " <- " };
        let _ = write!(text, "{arrow}{}", frame_text(frame, |name| printable(name.shown())));
    }
    if lines.frames.is_empty() {
        text.push_str("??:0");
    }
    if let Some(ptx) = &lines.ptx {
        let _ = write!(text, "  | {}", ptx_text(ptx));
    }
    text
}

/// `function at file:line (inlined)`
fn frame_text(frame: &Frame, name: impl Fn(&Name) -> String) -> String {
    let function = frame.function.as_ref().map_or("??".to_owned(), name);
    let mut text = format!("{function} at ");
    match (&frame.file, frame.undeclared_file) {
        (Some(file), _) => text.push_str(&printable(file)),
        (None, Some(number)) => {
            let _ = write!(text, "file {number} (not declared)");
        }
        (None, None) => text.push_str("??"),
    }
    let _ = write!(text, ":{}", frame.line);
    if frame.column != 0 {
        let _ = write!(text, ":{}", frame.column);
    }
    if frame.inlined {
        text.push_str(" (inlined)");
    }
    if let Some(doubt) = frame.name_doubt {
        let _ = write!(text, " [name unsure: {doubt}]");
    }
    if let Some(context) = frame.lost_context {
        let _ = write!(text, " [callers unknown: context {context} is no earlier row]");
    }
    text
}

fn ptx_text(ptx: &Ptx) -> String {
    match &ptx.text {
        Some(text) => format!("ptx:{}  {}", ptx.line, printable(text)),
        None => format!("ptx:{}", ptx.line),
    }
}

/// `demangled [mangled]`
fn both_names(name: &Name) -> String {
    match &name.demangled {
        Some(demangled) => format!("{} [{}]", printable(demangled), printable(&name.name)),
        None => printable(&name.name),
    }
}
