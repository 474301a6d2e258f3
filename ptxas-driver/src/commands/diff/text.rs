//! `diff` as text.

use crate::commands::read::{demangle, printable};
use crate::limits::{MAX_SOURCES_NAMED, MAX_VALUE_CHARS};
use cubin_debuginfo::diff::{Difference, DifferenceKind, Differences};
use std::borrow::Cow;
use std::io::{self, Write};

/// Each key's differences, then how many there are of each.
pub(super) fn differences(
    out: &mut dyn Write,
    a: &str,
    b: &str,
    differences: &Differences,
    ignored: &[DifferenceKind],
) -> io::Result<()> {
    let but = match ignored {
        [] => String::new(),
        ignored => format!(" (not compared: {})", names(ignored)),
    };
    if differences.counts.is_empty() {
        return writeln!(out, "no difference{but}");
    }
    writeln!(out, "a: {}", printable(a))?;
    writeln!(out, "b: {}", printable(b))?;
    let mut kept = differences.kept.as_slice();
    for (key, count) in &differences.counts {
        let shown = kept.iter().take_while(|difference| difference.key == *key).count();
        let (of_key, rest) = kept.split_at_checked(shown).unwrap_or((kept, &[]));
        kept = rest;
        let mut subject = None;
        for difference in of_key {
            if subject != Some(&difference.subject) {
                let title = title(&difference.subject);
                writeln!(out, "\n{key}{}{title}", if title.is_empty() { "" } else { " of " })?;
                subject = Some(&difference.subject);
            }
            write_difference(out, difference)?;
        }
        if *count > shown {
            writeln!(out, "  ... and {} more", count - shown)?;
        }
    }
    let all: usize = differences.counts.values().sum();
    let counts = differences.counts.iter().map(|(key, count)| format!("{key} {count}"));
    let s = if all == 1 { "" } else { "s" };
    writeln!(out, "\n{all} difference{s}: {}{but}", counts.collect::<Vec<_>>().join(", "))
}

/// Source files whose time or size differs.
pub(super) fn other_file_stats(out: &mut dyn Write, paths: &[String]) -> io::Result<()> {
    if paths.is_empty() {
        return Ok(());
    }
    let shown: Vec<_> = paths.iter().take(MAX_SOURCES_NAMED).map(|path| printable(path)).collect();
    let more = if paths.len() > MAX_SOURCES_NAMED { ", ..." } else { "" };
    writeln!(out, "other time or size of source files, not compared: {}{more}", shown.join(", "))
}

fn names(keys: &[DifferenceKind]) -> String {
    keys.iter().map(|key| key.name()).collect::<Vec<_>>().join(", ")
}

/// A function's name as its programmer wrote it.
fn title(subject: &str) -> Cow<'_, str> {
    match demangle(subject) {
        Some(demangled) => format!("{} [{}]", printable(&demangled), printable(subject)).into(),
        None => printable(subject),
    }
}

fn write_difference(out: &mut dyn Write, difference: &Difference) -> io::Result<()> {
    if !difference.place.is_empty() {
        writeln!(out, "  {}", printable(&difference.place))?;
    }
    for (sign, side) in [('-', &difference.a), ('+', &difference.b)] {
        if let Some(value) = side {
            writeln!(out, "  {sign} {}", shortened(&printable(value)))?;
        }
    }
    Ok(())
}

fn shortened(value: &str) -> Cow<'_, str> {
    match value.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{} ...", &value[..end]).into(),
        None => value.into(),
    }
}
