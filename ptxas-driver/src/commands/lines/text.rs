//! `lines` as text: one block for each query, one line for each range of a listing, one block for
//! each address of `--at`.

use crate::printable_text::write_line;
use crate::text_table::{Column, Row, write_table};
use cubin_debuginfo::lines::{
    AddressAnswer, ChainCount, LineCode, LineCount, LineListing, QueryAnswer, Samples,
};
use cubin_debuginfo::names::Name;
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
        let error = query.error.as_ref().map(ToString::to_string);
        self::query(out, query.asked, None, &query.addresses, error.as_deref())?;
    }
    Ok(())
}

/// Writes the answers to one query. `cubin` is the one that answers, if there are several.
pub(super) fn query(
    out: Out<'_>,
    asked: &str,
    cubin: Option<&str>,
    addresses: &[AddressAnswer<'_, '_>],
    error: Option<&str>,
) -> io::Result<()> {
    for answer in addresses {
        write_answer(out, asked, cubin, answer)?;
    }
    if let Some(error) = error {
        write_line(out, format_args!("{asked}: ??"))?;
        write_line(out, format_args!("  {error}"))?;
    }
    Ok(())
}

/// Writes listings, a blank line between two.
pub(super) fn listings<'a, 's: 'a>(
    out: Out<'_>,
    listings: impl Iterator<Item = LineListing<'a, 's>>,
) -> io::Result<()> {
    let mut listed = false;
    for listing in listings {
        if std::mem::replace(&mut listed, true) {
            writeln!(out)?;
        }
        write_line(out, format_args!("{} ({:#x} bytes)", listing.section, listing.size))?;
        let mut function = None;
        for range in listing.ranges.iter() {
            if function.as_ref() != Some(&range.function) {
                write_line(out, format_args!("  {}:", name(range.function.as_ref())))?;
                function = Some(range.function);
            }
            write_line(out, format_args!("    {:#06x}-{:#06x}  {}", range.start, range.end, range.lines))?;
        }
    }
    if listed { Ok(()) } else { writeln!(out, "no code sections") }
}

/// Writes the code of source lines, one block for each place.
pub(super) fn code(out: Out<'_>, all: &[LineCode<'_, '_>]) -> io::Result<()> {
    for (number, at) in all.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        write_line(out, format_args!("{}:{}", at.asked, if at.error.is_some() { " ??" } else { "" }))?;
        if let Some(error) = &at.error {
            write_line(out, format_args!("  {error}"))?;
        }
        if let Some(next) = &at.next_line {
            write_line(out, format_args!("  the next line with code, where a debugger stops: {next}"))?;
        }
        for range in &at.ranges {
            write_line(out, format_args!("  {range}"))?;
        }
    }
    Ok(())
}

/// Writes the counts of samples: lines, then chains.
pub(super) fn samples(out: Out<'_>, samples: &Samples<'_>) -> io::Result<()> {
    let Samples { total, without_line, bad_rows, lines, chains, .. } = samples;
    write!(out, "{total} samples, {without_line} of them without a line")?;
    match bad_rows {
        0 => writeln!(out)?,
        1 => writeln!(out, "; 1 row without an answer is not counted")?,
        rows => writeln!(out, "; {rows} rows without an answer are not counted")?,
    }
    writeln!(out)?;
    let columns = [Column::Right("self"), Column::Right("total"), Column::Left("line")];
    let rows = lines.iter().map(|LineCount { file, line, own, total }| -> Row<'_, 3> {
        let line = format!("{}:{line}", file.unwrap_or("??"));
        [own.to_string().into(), total.to_string().into(), line.into()]
    });
    write_table(out, columns, &rows.collect::<Vec<_>>())?;
    writeln!(out)?;
    let columns = [Column::Right("samples"), Column::Left("chain")];
    let rows = chains.iter().map(|ChainCount { count, frames }| -> Row<'_, 2> {
        let frames: Vec<String> = frames.iter().map(ToString::to_string).collect();
        let chain = if frames.is_empty() { "??".to_owned() } else { frames.join(" <- ") };
        [count.to_string().into(), chain.into()]
    });
    write_table(out, columns, &rows.collect::<Vec<_>>())
}

/// Both spellings of a function's name.
fn name(function: Option<&Name>) -> String {
    function.map_or("??".to_owned(), |name| format!("{name:#}"))
}

fn write_answer(
    out: Out<'_>,
    asked: &str,
    cubin: Option<&str>,
    answer: &AddressAnswer<'_, '_>,
) -> io::Result<()> {
    let AddressAnswer { section, offset, function_offset, lines, .. } = answer;
    let function = match &answer.function {
        Some(function) => format!("{function:#}+{function_offset:#x}"),
        None => "??".to_owned(),
    };
    let (of, cubin) = cubin.map_or(("", ""), |cubin| (" of ", cubin));
    write_line(out, format_args!("{asked}: {function}, {section}+{offset:#x}{of}{cubin}"))?;
    if lines.is_empty() {
        return writeln!(out, "  ??  no line table covers this address");
    }
    for (depth, frame) in lines.frames.iter().enumerate() {
        write_line(out, format_args!("  #{depth} {frame:#}"))?;
    }
    match lines.more_frames {
        0 => {}
        more => writeln!(out, "  ... {more} more")?,
    }
    if lines.frames.is_empty() {
        writeln!(out, "  #0 ??:0, .debug_line does not cover this address")?;
    }
    if let Some(intermediate) = &lines.intermediate {
        write_line(out, format_args!("  {intermediate}"))?;
    }
    lines.ptx.as_ref().map_or(Ok(()), |ptx| write_line(out, format_args!("  {ptx}")))
}
