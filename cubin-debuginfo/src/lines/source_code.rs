//! Lookup of the code of a source line.

mod line_code;

use super::source_error::SourceError;
use super::{LineLookup, NamedFrame};
use crate::limits::MAX_NAMED_FILES;
use crate::names::Name;
use crate::symbolize::{MAX_FRAMES, TableFileName};
use dwarf2_reader::source_path;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;

pub use line_code::LineCode;

/// A range of code that comes from one source line, or from code that is inlined at it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SourceCode<'s> {
    /// The name of the code section.
    pub section: &'s str,
    /// The index of the code section in the section table.
    pub section_index: u32,
    /// Byte offset in the code section of the first instruction of the range.
    pub start: u64,
    /// Byte offset in the code section after the last instruction of the range.
    pub end: u64,
    /// The function that contains the range; `None` where no symbol covers it.
    pub function: Option<Name>,
    /// Byte offset of `start` in the function.
    pub function_offset: u64,
    /// The path of the source file.
    pub file: &'s str,
    /// The source line that the code comes from: one of those in the query.
    pub line: u32,
    /// Index in `frames` of the frame that has the line: 0 for the line's own code, more where the
    /// line is a call site of inlined code.
    pub depth: usize,
    /// The inlined function from which the code comes, if the line is its call site. Absent where
    /// `depth` is 0, and where the name is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callee: Option<Name>,
    /// The whole call chain of the code, innermost first: at most 1024 frames.
    pub frames: Vec<NamedFrame<'s>>,
}

impl fmt::Display for SourceCode<'_> {
    /// `.text.k+0x0..0x10  k  k.cu:18`, and of a call site `  calls f (inlined)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |name: &Option<Name>| name.as_ref().map_or("??".into(), |name| format!("{name:#}"));
        let Self { section, start, end, file, line, .. } = self;
        write!(f, "{section}+{start:#x}..{end:#x}  {}  {file}:{line}", name(&self.function))?;
        if self.depth > 0 {
            write!(f, "  calls {} (inlined)", self.callee.as_ref().map_or("??", Name::plain))?;
        }
        Ok(())
    }
}

impl SourceCode<'_> {
    /// Whether `next` is the rest of this range.
    fn is_before(&self, next: &Self) -> bool {
        self.section_index == next.section_index
            && self.end == next.start
            && self.function == next.function
            && (self.depth, &self.frames) == (next.depth, &next.frames)
    }
}

/// `k.cu:18` and `k.cu:18-20`.
fn parse(text: &str) -> Result<(&str, RangeInclusive<u32>), SourceError> {
    let wrong = || SourceError::Syntax(text.to_owned());
    let (file, lines) = text.rsplit_once(':').ok_or_else(wrong)?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |text: &str| text.parse().ok().filter(|_| !text.starts_with('+')).ok_or_else(wrong);
    let (first, last): (u32, u32) = (number(first)?, number(last)?);
    if file.is_empty() {
        return Err(wrong());
    }
    if first > last {
        return Err(SourceError::Reversed(text.to_owned()));
    }
    Ok((file, first..=last))
}

impl<'s> LineLookup<'s> {
    /// Finds the code that comes from the source lines `FILE:LINE` or `FILE:FIRST-LAST`. A line
    /// that is a call site of inlined code counts too. FILE may be the end of a path, in any
    /// [spelling](source_path). All code of the cubin is searched.
    pub fn code_of<'a>(&self, asked: &'a str) -> LineCode<'a, 's> {
        let mut found =
            LineCode { asked, files: Vec::new(), ranges: Vec::new(), next_line: None, error: None };
        found.error = self.find_code(&mut found).err();
        found
    }

    fn find_code(&self, found: &mut LineCode<'_, 's>) -> Result<(), SourceError> {
        let (file, lines) = parse(found.asked)?;
        let all: BTreeSet<&'s str> = self.symbolizer.files().collect();
        found.files = all.iter().copied().filter(|path| source_path::is_named_by(path, file)).collect();
        if found.files.is_empty() {
            let (known, is_linked) = (list(&all.into_iter().collect::<Vec<_>>()), self.is_linked());
            return Err(SourceError::File { file: file.to_owned(), known, is_linked });
        }
        found.ranges = self.code_of_lines(&found.files, &lines);
        if !found.ranges.is_empty() {
            return Ok(());
        }
        let next = self.next_line(&found.files, *lines.end());
        let next = next.map(|line| self.code_of_lines(&found.files, &(line..=line)));
        found.next_line = next.and_then(|ranges| ranges.into_iter().next());
        Err(SourceError::Code { asked: found.asked.to_owned(), has_next: found.next_line.is_some() })
    }

    /// The code of lines of some files, which are sorted, by section and address.
    fn code_of_lines(&self, files: &[&'s str], lines: &RangeInclusive<u32>) -> Vec<SourceCode<'s>> {
        let mut ranges: Vec<SourceCode<'s>> = Vec::new();
        for section in self.symbolizer.sections() {
            for (range, place) in self.source_ranges(section.index) {
                let hit = self.chain(place).take(MAX_FRAMES).enumerate().find_map(|(depth, chain)| {
                    let frame = chain.frame;
                    let TableFileName::Path(path) = frame.file else { return None };
                    let is = lines.contains(&frame.line) && files.binary_search(&path).is_ok();
                    is.then_some((depth, path, frame.line))
                });
                let Some((depth, file, line)) = hit else { continue };
                let frames = self.frames_at(Some(place));
                let callee = depth.checked_sub(1).and_then(|below| frames.get(below)?.name.clone());
                let next = SourceCode {
                    section: section.name,
                    section_index: section.index.0,
                    start: range.start,
                    end: range.end.min(section.size),
                    function: self.function(&place),
                    function_offset: place.function_offset(),
                    file,
                    line,
                    depth,
                    callee,
                    frames,
                };
                match ranges.last_mut() {
                    Some(last) if last.is_before(&next) => last.end = next.end,
                    _ => ranges.push(next),
                }
            }
        }
        ranges
    }

    /// The first line after `last` for which these files have code.
    fn next_line(&self, files: &[&'s str], last: u32) -> Option<u32> {
        let ranges = self.symbolizer.sections().iter().flat_map(|section| self.source_ranges(section.index));
        let frames = ranges.flat_map(|(_, place)| self.chain(place).take(MAX_FRAMES));
        let of_files = frames.filter_map(|chain| {
            let TableFileName::Path(path) = chain.frame.file else { return None };
            let line = chain.frame.line;
            (line > last && files.binary_search(&path).is_ok()).then_some(line)
        });
        of_files.min()
    }
}

/// The first files, and how many more there are.
pub(super) fn list(files: &[&str]) -> String {
    let named = files.iter().take(MAX_NAMED_FILES).copied().collect::<Vec<_>>().join(", ");
    match files.len().checked_sub(MAX_NAMED_FILES) {
        _ if files.is_empty() => "none".to_owned(),
        None | Some(0) => named,
        Some(more) => format!("{named} and {more} more"),
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
}
