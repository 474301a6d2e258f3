//! Answers as text: one block for each query, one line for each range of a listing.

use super::answer::{Answer, Lines, Listing, NamedFrame, Ptx, Query};
use crate::commands::read::{both, printable, shown};
use cubin_debuginfo::names::Name;
use cubin_debuginfo::symbolize::FileName;
use std::borrow::Cow;
use std::io::{self, Write};

type Out<'o> = &'o mut dyn Write;

/// Writes answers, a blank line between two.
pub(super) fn queries<'a, 's: 'a>(
    out: Out<'_>,
    queries: impl Iterator<Item = Query<'a, 's>>,
) -> io::Result<()> {
    for (number, query) in queries.enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        for answer in &query.answers {
            write_answer(out, query.asked, answer)?;
        }
        if let Some(error) = &query.error {
            writeln!(out, "{}: ??", printable(query.asked))?;
            writeln!(out, "  {}", printable(error))?;
        }
    }
    Ok(())
}

/// Writes listings, a blank line between two.
pub(super) fn listings<'a, 's: 'a>(
    out: Out<'_>,
    listings: impl Iterator<Item = Listing<'a, 's>>,
) -> io::Result<()> {
    let mut listed = false;
    for listing in listings {
        if std::mem::replace(&mut listed, true) {
            writeln!(out)?;
        }
        write_listing(out, &listing)?;
    }
    if listed { Ok(()) } else { writeln!(out, "no code sections") }
}

fn write_answer(out: Out<'_>, asked: &str, answer: &Answer<'_, '_>) -> io::Result<()> {
    write!(out, "{}: ", printable(asked))?;
    match &answer.function {
        Some(function) => write!(out, "{}+{:#x}", both(function), answer.function_offset)?,
        None => write!(out, "??")?,
    }
    writeln!(out, ", {}+{:#x}", printable(answer.section), answer.offset)?;
    if answer.lines.is_empty() {
        return writeln!(out, "  ??  no line table covers this address");
    }
    for (depth, frame) in answer.lines.frames.iter().enumerate() {
        write!(out, "  #{depth} ")?;
        write_frame(out, &frame, |name| both(name).into())?;
        writeln!(out)?;
    }
    match answer.lines.more_frames {
        0 => {}
        more => writeln!(out, "  ... {more} more")?,
    }
    if answer.lines.frames.is_empty() {
        writeln!(out, "  #0 ??:0, .debug_line does not cover this address")?;
    }
    if let Some(ptx) = &answer.lines.ptx {
        write!(out, "  ")?;
        write_ptx(out, ptx)?;
        writeln!(out)?;
    }
    Ok(())
}

fn write_listing(out: Out<'_>, listing: &Listing<'_, '_>) -> io::Result<()> {
    writeln!(out, "{} ({:#x} bytes)", printable(listing.section), listing.size)?;
    let mut function = None;
    for range in listing.ranges.iter() {
        if function.as_ref() != Some(&range.function) {
            let name = range.function.as_ref().map_or("??".to_owned(), both);
            writeln!(out, "  {name}:")?;
            function = Some(range.function);
        }
        write!(out, "    {:#06x}-{:#06x}  ", range.start, range.end)?;
        write_lines(out, &range.lines)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Everything of an address on one line.
fn write_lines(out: Out<'_>, lines: &Lines<'_, '_>) -> io::Result<()> {
    for (depth, frame) in lines.frames.iter().enumerate() {
        if depth > 0 {
            out.write_all(b" <- ")?;
        }
        write_frame(out, &frame, shown)?;
    }
    match lines.more_frames {
        0 => {}
        more => write!(out, " <- ... {more} more")?,
    }
    if lines.frames.is_empty() {
        write!(out, "??:0")?;
    }
    if let Some(ptx) = &lines.ptx {
        write!(out, "  | ")?;
        write_ptx(out, ptx)?;
    }
    Ok(())
}

/// `function at file:line (inlined)`
pub(super) fn write_frame(
    out: Out<'_>,
    named: &NamedFrame<'_>,
    name: fn(&Name) -> Cow<'_, str>,
) -> io::Result<()> {
    let (function, frame) = (named.name.as_ref().map_or("??".into(), name), &named.frame);
    match frame.file {
        FileName::Path(file) => write!(out, "{function} at {}:{}", printable(file), frame.line)?,
        FileName::Undeclared(number) => {
            write!(out, "{function} at file {number} (not declared):{}", frame.line)?;
        }
    }
    if frame.column != 0 {
        write!(out, ":{}", frame.column)?;
    }
    if frame.is_inlined() {
        out.write_all(b" (inlined)")?;
    }
    let callee = frame.callee();
    if callee.is_some_and(|callee| callee.recovered) {
        out.write_all(b" [name recovered]")?;
    }
    if let Some(doubt) = callee.and_then(|callee| callee.doubt) {
        write!(out, " [name unsure: {}]", doubt.reason())?;
    }
    if let Some(context) = frame.lost_context {
        write!(out, " [callers unknown: context {context} is no earlier row]")?;
    }
    Ok(())
}

fn write_ptx(out: Out<'_>, ptx: &Ptx<'_>) -> io::Result<()> {
    match &ptx.text {
        Some(text) => write!(out, "ptx:{}  {}", ptx.line, printable(text)),
        None => write!(out, "ptx:{}", ptx.line),
    }
}
