//! `--at FILE:LINE`: from a source line back to code.

use super::answer::{Answers, NamedFrame};
use crate::commands::read::{both, printable, shown};
use crate::limits::MAX_NAMED_FILES;
use cubin_debuginfo::names::Name;
use cubin_debuginfo::symbolize::{FileName, MAX_FRAMES};
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::ops::RangeInclusive;

/// A line or lines, and the code that comes from them.
#[derive(Debug, Serialize)]
pub(super) struct At<'a, 's> {
    #[serde(rename = "at")]
    asked: &'a str,
    /// Files of the tables that the name means: more than one where it is ambiguous.
    files: Vec<&'s str>,
    ranges: Vec<CodeRange<'s>>,
    /// Why there is no code.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Code of a line, or of what is inlined into it.
#[derive(Debug, Serialize)]
struct CodeRange<'s> {
    section: &'s str,
    section_index: u32,
    /// Byte offsets in the section, `end` exclusive.
    start: u64,
    end: u64,
    function: Option<Name>,
    /// Byte offset of `start` in the function.
    function_offset: u64,
    file: &'s str,
    line: u32,
    /// Number in `frames` of the frame that has the line: 0 for the line's own code, else the line is a call site.
    depth: usize,
    /// The function inlined there whose code it is, if the line is a call site.
    #[serde(skip_serializing_if = "Option::is_none")]
    callee: Option<Name>,
    /// The whole chain, innermost first.
    frames: Vec<NamedFrame<'s>>,
}

/// `k.cu:18` and `k.cu:18-20`.
fn parse(text: &str) -> Result<(&str, RangeInclusive<u32>), String> {
    let wrong = || format!("'{text}' is no place: expected FILE:LINE or FILE:FIRST-LAST");
    let (file, lines) = text.rsplit_once(':').ok_or_else(wrong)?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |text: &str| text.parse().ok().filter(|_| !text.starts_with('+')).ok_or_else(wrong);
    let (first, last): (u32, u32) = (number(first)?, number(last)?);
    if file.is_empty() {
        return Err(wrong());
    }
    if first > last {
        return Err(format!("'{text}': the last line is before the first"));
    }
    Ok((file, first..=last))
}

/// A path without what means nothing in it: `./` and a second `/`.
fn plain(path: &str) -> String {
    let parts = path.split('/').enumerate();
    let parts = parts.filter(|(number, part)| *part != "." && (*number == 0 || !part.is_empty()));
    parts.map(|(_, part)| part).collect::<Vec<_>>().join("/")
}

/// Whether `wanted` names `path`: all of it, or its last components.
fn names(wanted: &str, path: &str) -> bool {
    let (wanted, path) = (&*plain(wanted), plain(path));
    path.strip_suffix(wanted)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']) || wanted.starts_with(['/', '\\']))
}

impl<'a, 's> At<'a, 's> {
    /// Looks through all code.
    pub(super) fn new(asked: &'a str, answers: &Answers<'s>) -> Self {
        let mut at = Self { asked, files: Vec::new(), ranges: Vec::new(), error: None };
        match parse(asked) {
            Ok((file, lines)) => at.find(file, &lines, answers),
            Err(error) => at.error = Some(error),
        }
        at
    }

    /// Whether there is code.
    pub(super) fn is_answered(&self) -> bool {
        self.error.is_none()
    }

    /// For standard error: why there is no code.
    pub(super) fn complaint(&self) -> Option<String> {
        self.error.as_ref().map(|error| format!("{}: {error}", self.asked))
    }

    /// For standard error: that the name means several files.
    pub(super) fn ambiguity(&self) -> Option<String> {
        let several = self.files.len() > 1;
        several.then(|| {
            format!("{}: the name means {} files: {}", self.asked, self.files.len(), list(&self.files))
        })
    }

    fn find(&mut self, file: &str, lines: &RangeInclusive<u32>, answers: &Answers<'s>) {
        let all: BTreeSet<&'s str> = answers.symbolizer.files().collect();
        let wanted: BTreeSet<&'s str> = all.iter().copied().filter(|path| names(file, path)).collect();
        if wanted.is_empty() {
            let files: Vec<_> = all.into_iter().collect();
            let message = format!("no file '{file}' in the line tables; they have {}", list(&files));
            self.error = Some(answers.or_linked(message));
            return;
        }
        for section in answers.symbolizer.sections() {
            for (range, place) in answers.source_ranges(section.index) {
                let hit = answers.chain(place).take(MAX_FRAMES).enumerate().find_map(|(depth, frame)| {
                    let FileName::Path(path) = frame.file else { return None };
                    let is = lines.contains(&frame.line) && wanted.contains(path);
                    is.then_some((depth, path, frame.line))
                });
                let Some((depth, file, line)) = hit else { continue };
                let frames: Vec<NamedFrame<'s>> = answers.frames_of(&place).collect();
                let callee = depth.checked_sub(1).and_then(|below| frames.get(below)?.name.clone());
                self.push(CodeRange {
                    section: section.name,
                    section_index: section.index.0,
                    start: range.start,
                    end: range.end.min(section.size),
                    function: place.function.map(|function| answers.name(function)),
                    function_offset: place.function_offset(),
                    file,
                    line,
                    depth,
                    callee,
                    frames,
                });
            }
        }
        self.files = wanted.into_iter().collect();
        if self.ranges.is_empty() {
            self.error = Some(format!("no code comes from {}", self.asked));
        }
    }

    /// Adds a range, or makes the last one longer.
    fn push(&mut self, next: CodeRange<'s>) {
        if let Some(last) = self.ranges.last_mut() {
            let same = last.section_index == next.section_index
                && last.end == next.start
                && last.function == next.function
                && (last.depth, last.frames.len()) == (next.depth, next.frames.len());
            if same && last.frames.iter().zip(&next.frames).all(|(a, b)| a == b) {
                last.end = next.end;
                return;
            }
        }
        self.ranges.push(next);
    }
}

/// Writes one block for each place.
pub(super) fn write(out: &mut dyn Write, all: &[At<'_, '_>]) -> io::Result<()> {
    for (number, at) in all.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}:{}", printable(at.asked), if at.error.is_some() { " ??" } else { "" })?;
        if let Some(error) = &at.error {
            writeln!(out, "  {}", printable(error))?;
        }
        for range in &at.ranges {
            let function = range.function.as_ref().map_or("??".to_owned(), both);
            write!(
                out,
                "  {}+{:#x}..{:#x}  {function}  {}:{}",
                printable(range.section),
                range.start,
                range.end,
                printable(range.file),
                range.line
            )?;
            match (&range.callee, range.depth) {
                (_, 0) => writeln!(out)?,
                (Some(callee), _) => writeln!(out, "  calls {} (inlined)", shown(callee))?,
                (None, _) => writeln!(out, "  calls ?? (inlined)")?,
            }
        }
    }
    Ok(())
}

fn list(files: &[&str]) -> String {
    let more = files.len().saturating_sub(MAX_NAMED_FILES);
    let named = files.iter().take(MAX_NAMED_FILES).map(|file| printable(file)).collect::<Vec<_>>().join(", ");
    match (files.len(), more) {
        (0, _) => "none".to_owned(),
        (_, 0) => named,
        (_, more) => format!("{named} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        assert_eq!(parse("k.cu:18"), Ok(("k.cu", 18..=18)));
        assert_eq!(parse("C:\\a\\k.cu:18-20"), Ok(("C:\\a\\k.cu", 18..=20)));
        for wrong in ["k.cu", "k.cu:", ":1", "k.cu:2-1", "k.cu:+1", "k.cu:x", "k.cu:1-2-3"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn files_by_their_last_components() {
        for (wanted, is) in [
            ("k.cu", true),
            ("b/k.cu", true),
            ("/a/b/k.cu", true),
            (".cu", false),
            ("c/k.cu", false),
            ("/b/k.cu", true),
            ("./k.cu", true),
            ("b//./k.cu", true),
            ("../k.cu", false),
        ] {
            assert_eq!(names(wanted, "/a/b/k.cu"), is, "{wanted}");
        }
        assert!(names("/a/k.cu", "/a/./k.cu") && !names("/k.cu", "k.cu"));
        assert!(names("k.cu", "k.cu") && names("k.cu", "C:\\k.cu"));
    }
}
