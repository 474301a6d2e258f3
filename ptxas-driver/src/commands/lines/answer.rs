//! Answers as values: what the text and the JSON document are written from.

use super::Outcome;
use crate::commands::read::{demangle, text};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::symbolize::{self, CalleeName, Doubt, FileName, FrameFunction, Place, Symbolizer};
use serde::Serialize;
use std::collections::BTreeSet;

/// A query and what came of it.
#[derive(Debug, Serialize)]
pub(super) struct Query {
    #[serde(rename = "query")]
    pub(super) asked: String,
    pub(super) answers: Vec<Answer>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// One address.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    pub(super) section: String,
    pub(super) section_index: u32,
    /// Byte offset in the section.
    pub(super) offset: u64,
    pub(super) function: Option<Name>,
    /// Byte offset in the function.
    pub(super) function_offset: u64,
    #[serde(flatten)]
    pub(super) lines: Lines,
}

/// What the tables say of an address.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub(super) struct Lines {
    /// Innermost first.
    pub(super) frames: Vec<Frame>,
    pub(super) ptx: Option<Ptx>,
}

/// A function's name.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) name: String,
    /// Where the name is mangled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) demangled: Option<String>,
}

/// One step of the call chain.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) function: Option<Name>,
    /// `None`: the file table has no such entry.
    pub(super) file: Option<String>,
    /// Number of a file that is not declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undeclared_file: Option<u64>,
    pub(super) line: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) column: u64,
    pub(super) inlined: bool,
    /// Why `function` may be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name_doubt: Option<&'static str>,
    /// A context that names no row: the callers are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lost_context: Option<u64>,
}

/// The PTX line.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub(super) struct Ptx {
    pub(super) line: u32,
    pub(super) text: Option<String>,
    /// The section that has the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) section: Option<String>,
}

/// All addresses of a code section.
#[derive(Debug, Serialize)]
pub(super) struct Listing {
    pub(super) section: String,
    pub(super) section_index: u32,
    pub(super) size: u64,
    pub(super) ranges: Vec<Range>,
}

/// Addresses that have the same lines: byte offsets in the section, `end` exclusive.
#[derive(Debug, Serialize)]
pub(super) struct Range {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) function: Option<Name>,
    #[serde(flatten)]
    pub(super) lines: Lines,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(column: &u64) -> bool {
    *column == 0
}

impl Query {
    /// Whether every address it means is covered by a table.
    pub(super) fn is_answered(&self) -> bool {
        self.error.is_none() && self.answers.iter().all(|answer| !answer.lines.is_empty())
    }
}

impl Lines {
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty() && self.ptx.is_none()
    }

    fn new(cubin: &Cubin<'_>, place: &Place<'_>) -> Self {
        let ptx = place.ptx().map(|ptx| Ptx {
            line: ptx.line,
            text: ptx.text.map(text),
            section: ptx.section.map(|section| cubin.section_name(section).to_owned()),
        });
        Self { frames: place.frames().map(|frame| Frame::new(&frame)).collect(), ptx }
    }
}

impl Name {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), demangled: demangle(name) }
    }

    /// As its programmer wrote it.
    pub(super) fn shown(&self) -> &str {
        self.demangled.as_ref().unwrap_or(&self.name)
    }
}

impl Frame {
    fn new(frame: &symbolize::Frame<'_>) -> Self {
        let (function, name_doubt, inlined) = match frame.function {
            FrameFunction::Physical(function) => {
                (function.map(|function| Name::new(function.name)), None, false)
            }
            FrameFunction::Inlined(CalleeName { name, doubt, .. }) => {
                (name.map(|name| Name::new(&text(name))), doubt.map(doubt_text), true)
            }
        };
        let (file, undeclared_file) = match frame.file {
            FileName::Path(path) => (Some(path.to_owned()), None),
            FileName::Undeclared(number) => (None, Some(number)),
        };
        let (line, column, lost_context) = (frame.line, frame.column, frame.lost_context);
        Self { function, file, undeclared_file, line, column, inlined, name_doubt, lost_context }
    }
}

fn doubt_text(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::NoStringStart => "no string starts at the name's offset in .debug_str",
        Doubt::UnrelatedBase => "nvlink left the base of this unit's names unrelocated",
    }
}

/// Answers one query.
pub(super) fn query(cubin: &Cubin<'_>, symbolizer: &Symbolizer<'_>, query: &str, outcome: &Outcome) -> Query {
    let mut answers = Vec::new();
    let mut error = None;
    match outcome {
        Err(message) => error = Some(message.clone()),
        Ok(addresses) => {
            for address in addresses {
                let Some(place) = symbolizer.locate(address.section, address.offset) else {
                    let size = symbolizer.section(address.section).map_or(0, |section| section.size);
                    let name = cubin.section_name(address.section);
                    error = Some(format!("{name} ends at {size:#x}, before {:#x}", address.offset));
                    continue;
                };
                answers.push(Answer {
                    section: place.section.name.to_owned(),
                    section_index: place.section.index.0,
                    offset: place.offset,
                    function: place.function.map(|function| Name::new(function.name)),
                    function_offset: place.function_offset(),
                    lines: Lines::new(cubin, &place),
                });
            }
        }
    }
    Query { asked: query.to_owned(), answers, error }
}

/// Lists the sections of `functions`, or all; a folded function lists its own range only.
pub(super) fn listings(
    cubin: &Cubin<'_>,
    symbolizer: &Symbolizer<'_>,
    functions: Option<&[&symbolize::Function<'_>]>,
) -> Vec<Listing> {
    let whole = |section: &symbolize::CodeSection<'_>| (section.index, 0, section.size);
    let parts: Vec<_> = match functions {
        None => symbolizer.sections().iter().map(whole).collect(),
        Some(functions) => {
            functions.iter().map(|f| (f.section, f.offset, f.offset.saturating_add(f.size))).collect()
        }
    };
    let listing = |(index, start, end): (SectionIndex, u64, u64)| {
        let section = symbolizer.section(index)?;
        Some(Listing {
            section: section.name.to_owned(),
            section_index: index.0,
            size: section.size,
            ranges: ranges(cubin, symbolizer, section, start, end.min(section.size)),
        })
    };
    parts.into_iter().filter_map(listing).collect()
}

fn ranges(
    cubin: &Cubin<'_>,
    symbolizer: &Symbolizer<'_>,
    section: &symbolize::CodeSection<'_>,
    start: u64,
    end: u64,
) -> Vec<Range> {
    let mut starts = BTreeSet::from([start]);
    for table in [symbolizer.source_rows(), symbolizer.ptx_rows()] {
        for (base, rows) in table.of(section.index) {
            starts.extend(
                rows.ranges()
                    .flat_map(|(start, end, _)| [start.saturating_add(*base), end.saturating_add(*base)]),
            );
        }
    }
    let functions = symbolizer.functions_of(section.index);
    starts.extend(
        functions
            .iter()
            .flat_map(|function| [function.offset, function.offset.saturating_add(function.size)]),
    );

    let starts: Vec<u64> = starts.into_iter().filter(|at| (start..end).contains(at)).collect();
    let ends = starts.iter().skip(1).copied().chain([end]);
    let mut ranges: Vec<Range> = Vec::new();
    for (&start, end) in starts.iter().zip(ends) {
        let Some(place) = symbolizer.locate(section.index, start) else { continue };
        let function = place.function.map(|function| Name::new(function.name));
        let lines = Lines::new(cubin, &place);
        match ranges.last_mut() {
            Some(last) if last.end == start && last.function == function && last.lines == lines => {
                last.end = end;
            }
            _ => ranges.push(Range { start, end, function, lines }),
        }
    }
    ranges
}
