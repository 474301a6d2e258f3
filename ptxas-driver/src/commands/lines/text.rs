//! Answers as text: one block for each query, one line for each range of a listing, one block for each place of `--at`.

use crate::commands::read::{both, printable, shown};
use cubin_debuginfo::lines::{
    AddressAnswer, AddressLines, ChainCount, LineCode, LineCount, Listing, NamedFrame, PtxSource,
    QueryAnswer, Samples,
};
use cubin_debuginfo::names::Name;
use cubin_debuginfo::symbolize::FileName;
use std::borrow::Cow;
use std::io::{self, Write};

type Out<'o> = &'o mut dyn Write;

/// Writes answers, a blank line between two.
pub(super) fn queries<'a, 's: 'a>(
    out: Out<'_>,
    queries: impl Iterator<Item = QueryAnswer<'a, 's>>,
) -> io::Result<()> {
    for (number, query) in queries.enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        for answer in &query.addresses {
            write_answer(out, query.asked, answer)?;
        }
        if let Some(error) = &query.error {
            writeln!(out, "{}: ??\n  {}", printable(query.asked), printable(&error.to_string()))?;
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

/// Writes the code of source lines, one block for each place.
pub(super) fn code(out: Out<'_>, all: &[LineCode<'_, '_>]) -> io::Result<()> {
    for (number, at) in all.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}:{}", printable(at.asked), if at.error.is_some() { " ??" } else { "" })?;
        if let Some(error) = &at.error {
            writeln!(out, "  {}", printable(&error.to_string()))?;
        }
        for range in &at.ranges {
            let (section, file) = (printable(range.section), printable(range.file));
            let function = name_or(range.function.as_ref(), both);
            let (start, end, line) = (range.start, range.end, range.line);
            write!(out, "  {section}+{start:#x}..{end:#x}  {function}  {file}:{line}")?;
            if range.depth > 0 {
                write!(out, "  calls {} (inlined)", name_or(range.callee.as_ref(), shown))?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Writes the counts of samples: lines, then chains.
pub(super) fn samples(out: Out<'_>, samples: &Samples<'_>) -> io::Result<()> {
    let Samples { total, without_line, lines, chains, .. } = samples;
    writeln!(out, "{total} samples, {without_line} of them without a line")?;
    writeln!(out, "\n{:>10} {:>10}  line", "self", "total")?;
    for LineCount { file, line, own, total } in lines {
        writeln!(out, "{own:>10} {total:>10}  {}:{line}", printable(file.unwrap_or("??")))?;
    }
    writeln!(out, "\n{:>10}  chain", "samples")?;
    for ChainCount { count, frames } in chains {
        write!(out, "{count:>10}  ")?;
        write_chain(out, frames.iter())?;
        writeln!(out, "{}", if frames.is_empty() { "??" } else { "" })?;
    }
    Ok(())
}

fn name_or<'n, T: Into<Cow<'n, str>>>(name: Option<&'n Name>, spelled: fn(&'n Name) -> T) -> Cow<'n, str> {
    name.map_or("??".into(), |name| spelled(name).into())
}

fn write_answer(out: Out<'_>, asked: &str, answer: &AddressAnswer<'_, '_>) -> io::Result<()> {
    let offset =
        answer.function.as_ref().map_or(String::new(), |_| format!("+{:#x}", answer.function_offset));
    let (asked, section) = (printable(asked), printable(answer.section));
    let function = name_or(answer.function.as_ref(), both);
    writeln!(out, "{asked}: {function}{offset}, {section}+{:#x}", answer.offset)?;
    if answer.lines.is_empty() {
        return writeln!(out, "  ??  no line table covers this address");
    }
    for (depth, frame) in answer.lines.frames.iter().enumerate() {
        write!(out, "  #{depth} ")?;
        write_frame(out, &frame, both)?;
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
            writeln!(out, "  {}:", name_or(range.function.as_ref(), both))?;
            function = Some(range.function);
        }
        write!(out, "    {:#06x}-{:#06x}  ", range.start, range.end)?;
        write_lines(out, &range.lines)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Everything of an address on one line.
fn write_lines(out: Out<'_>, lines: &AddressLines<'_, '_>) -> io::Result<()> {
    write_chain(out, lines.frames.iter())?;
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

/// `callee at file:line (inlined) <- function at file:line`.
fn write_chain<'s>(
    out: Out<'_>,
    frames: impl Iterator<Item: std::borrow::Borrow<NamedFrame<'s>>>,
) -> io::Result<()> {
    for (depth, frame) in frames.enumerate() {
        if depth > 0 {
            out.write_all(b" <- ")?;
        }
        write_frame(out, std::borrow::Borrow::borrow(&frame), shown)?;
    }
    Ok(())
}

/// `function at file:line (inlined)`
fn write_frame<'n, T: Into<Cow<'n, str>>>(
    out: Out<'_>,
    named: &'n NamedFrame<'_>,
    spelled: fn(&'n Name) -> T,
) -> io::Result<()> {
    let (function, frame) = (name_or(named.name.as_ref(), spelled), &named.frame);
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

fn write_ptx(out: Out<'_>, ptx: &PtxSource<'_>) -> io::Result<()> {
    match &ptx.text {
        Some(text) => write!(out, "ptx:{}  {}", ptx.line, printable(text)),
        None => write!(out, "ptx:{}", ptx.line),
    }
}
