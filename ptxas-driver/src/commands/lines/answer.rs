//! Answers as values: what the text and the JSON document are written from.
//!
//! Chains are not collected: they are read from the tables while they are written, so that a listing takes memory for the
//! tables only, however deep its chains are.

use super::columns::Columns;
use super::spelling::Spellings;
use crate::commands::read::{bare, stripped};
use crate::limits::MAX_LISTED_FRAMES;
use cubin_debuginfo::names::Name;
use cubin_debuginfo::query::{CodeAddress, QueryError};
use cubin_debuginfo::symbolize::{self, FileName, FrameFunction, MAX_FRAMES, Place, Symbolizer};
use cubin_debuginfo::variables::InlinedCalls;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::code::{CodeSection, Function};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

/// A query and what came of it.
#[derive(Debug, Serialize)]
pub(super) struct Query<'a, 's> {
    #[serde(rename = "query")]
    pub(super) asked: &'a str,
    pub(super) answers: Vec<Answer<'a, 's>>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// One address.
#[derive(Debug, Serialize)]
pub(super) struct Answer<'a, 's> {
    pub(super) section: &'s str,
    pub(super) section_index: u32,
    /// Byte offset in the section.
    pub(super) offset: u64,
    pub(super) function: Option<Name>,
    /// Byte offset in the function.
    pub(super) function_offset: u64,
    #[serde(flatten)]
    pub(super) lines: Lines<'a, 's>,
}

/// What the tables say of an address.
#[derive(Debug, Serialize)]
pub(super) struct Lines<'a, 's> {
    /// Innermost first.
    pub(super) frames: Frames<'a, 's>,
    /// Frames that are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) more_frames: u64,
    pub(super) ptx: Option<Ptx<'s>>,
}

/// A call chain, read anew each time that it is gone through.
#[derive(Debug)]
pub(super) struct Frames<'a, 's> {
    answers: &'a Answers<'s>,
    place: Place<'s>,
    limit: usize,
}

/// One step of the call chain, with the name of its function as people read it.
#[derive(Debug, PartialEq)]
pub(super) struct NamedFrame<'s> {
    pub(super) frame: symbolize::Frame<'s>,
    pub(super) name: Option<Name>,
}

impl Serialize for NamedFrame<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { frame, name } = self;
        let callee = frame.callee();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("function", name)?;
        map.serialize_entry("file", &frame.file.path())?;
        if let FileName::Undeclared(number) = frame.file {
            map.serialize_entry("undeclared_file", &number)?;
        }
        map.serialize_entry("line", &frame.line)?;
        if frame.column != 0 {
            map.serialize_entry("column", &frame.column)?;
        }
        map.serialize_entry("inlined", &frame.is_inlined())?;
        if frame.is_by_entry() {
            map.serialize_entry("by_entry", &true)?;
        }
        if let Some(doubt) = callee.and_then(|callee| callee.doubt) {
            map.serialize_entry("name_doubt", doubt.reason())?;
        }
        if callee.is_some_and(|callee| callee.recovered) {
            map.serialize_entry("name_recovered", &true)?;
        }
        if let Some(context) = frame.lost_context {
            map.serialize_entry("lost_context", &context)?;
        }
        map.end()
    }
}

/// The PTX line.
#[derive(Debug, Serialize)]
pub(super) struct Ptx<'s> {
    pub(super) line: u32,
    pub(super) text: Option<Cow<'s, str>>,
    /// The section that has the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) section: Option<&'s str>,
}

/// The addresses of a code section, or of one function in it.
#[derive(Debug, Serialize)]
pub(super) struct Listing<'a, 's> {
    pub(super) section: &'s str,
    pub(super) section_index: u32,
    pub(super) size: u64,
    pub(super) ranges: Ranges<'a, 's>,
}

/// The ranges of a listing, found anew each time that they are gone through.
#[derive(Debug)]
pub(super) struct Ranges<'a, 's> {
    answers: &'a Answers<'s>,
    section: &'s CodeSection<'s>,
    start: u64,
    end: u64,
}

/// Addresses that have the same lines: byte offsets in the section, `end` exclusive.
#[derive(Debug, Serialize)]
pub(super) struct Range<'a, 's> {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) function: Option<Name>,
    #[serde(flatten)]
    pub(super) lines: Lines<'a, 's>,
}

/// Sequences that belong to no section, by table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Unplaced {
    pub(super) debug_line: usize,
    pub(super) nv_debug_line_sass: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Unplaced {
    /// `None` where every sequence has its section.
    pub(super) fn of(symbolizer: &Symbolizer<'_>) -> Option<Self> {
        let debug_line = symbolizer.source_rows().unplaced();
        let nv_debug_line_sass = symbolizer.ptx_rows().unplaced();
        (debug_line + nv_debug_line_sass != 0).then_some(Self { debug_line, nv_debug_line_sass })
    }

    /// The tables that have some, and how many.
    pub(super) fn tables(self) -> impl Iterator<Item = (&'static str, usize)> {
        let tables = [
            (SectionKind::DebugLine, self.debug_line),
            (SectionKind::NvDebugLineSass, self.nv_debug_line_sass),
        ];
        tables.into_iter().filter(|(_, count)| *count != 0).map(|(kind, count)| (kind.name(), count))
    }
}

impl Query<'_, '_> {
    /// Whether every address it means is covered by a table.
    pub(super) fn is_answered(&self) -> bool {
        self.error.is_none() && self.answers.iter().all(|answer| !answer.lines.is_empty())
    }
}

impl Lines<'_, '_> {
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty() && self.ptx.is_none()
    }
}

impl<'s> Frames<'_, 's> {
    pub(super) fn is_empty(&self) -> bool {
        self.place.depth() == 0
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = NamedFrame<'s>> {
        self.answers.frames_of(&self.place).take(self.limit)
    }
}

impl Serialize for Frames<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'a, 's> Ranges<'a, 's> {
    pub(super) fn iter(&self) -> impl Iterator<Item = Range<'a, 's>> + use<'a, 's> {
        let (answers, section) = (self.answers, self.section.index);
        let starts = self.starts();
        let ends: Vec<u64> = starts.iter().skip(1).copied().chain([self.end]).collect();
        let places = starts.into_iter().zip(ends);
        let places = places
            .filter_map(move |(start, end)| Some((start, end, answers.symbolizer.locate(section, start)?)));
        let mut places = places.peekable();
        std::iter::from_fn(move || {
            let (start, mut end, place) = places.next()?;
            while let Some((_, next, _)) =
                places.next_if(|(start, _, next)| *start == end && answers.are_alike(&place, next))
            {
                end = next;
            }
            let function = place.function.map(|function| answers.spellings.function(function));
            Some(Range { start, end, function, lines: answers.lines(place, MAX_LISTED_FRAMES) })
        })
    }

    /// Where anything may change, ascending: rows, functions.
    fn starts(&self) -> Vec<u64> {
        let symbolizer = self.answers.symbolizer;
        let mut starts = vec![self.start];
        for table in [symbolizer.source_rows(), symbolizer.ptx_rows()] {
            for (base, rows) in table.of(self.section.index) {
                let ranges = rows.ranges();
                starts.extend(
                    ranges.flat_map(|(start, end, _)| [start, end]).map(|at| at.saturating_add(base)),
                );
            }
        }
        let functions = symbolizer.functions_of(self.section.index).iter();
        starts.extend(functions.flat_map(|f| [f.offset, f.offset.saturating_add(f.size)]));
        starts.extend(self.answers.calls.iter().flat_map(|calls| calls.bounds(self.section.index)));
        starts.retain(|at| (self.start..self.end).contains(at));
        starts.sort_unstable();
        starts.dedup();
        starts
    }
}

impl Serialize for Ranges<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Answers queries about one cubin.
#[derive(Debug)]
pub(super) struct Answers<'s> {
    pub(super) cubin: &'s Cubin<'s>,
    pub(super) symbolizer: &'s Symbolizer<'s>,
    spellings: Spellings,
    columns: Option<Columns<'s>>,
    /// Where `.debug_info` has inlined calls.
    calls: Option<&'s InlinedCalls<'s>>,
    /// See [`unknown`](super::unknown): made when it is asked for.
    pub(super) inlined: OnceCell<HashMap<String, String>>,
}

impl<'s> Answers<'s> {
    pub(super) fn new(
        cubin: &'s Cubin<'s>,
        symbolizer: &'s Symbolizer<'s>,
        columns: Option<Columns<'s>>,
        calls: Option<&'s InlinedCalls<'s>>,
    ) -> Self {
        let (spellings, inlined) = (Spellings::default(), OnceCell::new());
        Self { cubin, symbolizer, spellings, columns, calls, inlined }
    }

    /// What is to be said if the file had a line table once, or has no debug sections.
    pub(super) fn stripped(&self) -> Option<&'static str> {
        stripped(self.cubin, Some(SectionKind::DebugLine)).or_else(|| bare(self.cubin))
    }

    /// Why the PTX that was given lends no columns, if it does not.
    pub(super) fn refused_columns(&self) -> Option<&'static str> {
        self.columns.as_ref()?.refusal()
    }

    /// Says that an address is no code, if it is none.
    pub(super) fn expect_code(&self, address: CodeAddress) -> Result<(), String> {
        let size = self.symbolizer.section(address.section).map_or(0, |section| section.size);
        if address.offset < size {
            return Ok(());
        }
        let name = self.cubin.section_name(address.section);
        Err(format!("{name} has {size:#x} bytes, {:#x} is behind them", address.offset))
    }

    /// The frames of an address, all of them.
    pub(super) fn frames(&self, address: CodeAddress) -> Vec<NamedFrame<'s>> {
        let place = self.symbolizer.locate(address.section, address.offset);
        place.iter().flat_map(|place| self.frames_of(place)).collect()
    }

    /// The frames of a place.
    pub(super) fn frames_of(&self, place: &Place<'s>) -> impl Iterator<Item = NamedFrame<'s>> {
        let mut loc = self.columns.as_ref().and_then(|columns| {
            let ptx = place.ptx()?;
            columns.loc(ptx.line, ptx.section?)
        });
        self.chain(*place).map(move |frame| {
            let column =
                self.columns.as_ref().zip(loc).and_then(|(columns, loc)| columns.of(loc, frame.line));
            loc = column.and_then(|(_, call_site)| call_site);
            let mut frame = frame;
            if let Some((column, _)) = column.filter(|_| frame.column == 0) {
                frame.column = column.into();
            }
            self.named(frame)
        })
    }

    /// The frames of a place, those of `.debug_info` among them.
    pub(super) fn chain(&self, place: Place<'s>) -> impl Iterator<Item = symbolize::Frame<'s>> + use<'s> {
        let (with, without) = match self.calls {
            Some(calls) => (Some(calls.frames(place)), None),
            None => (None, Some(place.frames())),
        };
        with.into_iter().flatten().chain(without.into_iter().flatten())
    }

    /// Every range of `.debug_line` in a section, as [`Symbolizer::source_ranges`] gives them, where inlined calls begin and end cut in
    /// two.
    pub(super) fn source_ranges(
        &self,
        section: SectionIndex,
    ) -> impl Iterator<Item = (std::ops::Range<u64>, Place<'s>)> {
        let mut bounds: Vec<u64> = self.calls.iter().flat_map(|calls| calls.bounds(section)).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let symbolizer = self.symbolizer;
        symbolizer.source_ranges(section).flat_map(move |(range, place)| {
            let first = bounds.partition_point(|bound| *bound <= range.start);
            let inside = bounds.get(first..).unwrap_or_default().iter().copied();
            let inside: Vec<u64> = inside.take_while(|bound| *bound < range.end).collect();
            let starts = [range.start].into_iter().chain(inside.clone());
            let ends: Vec<u64> = inside.into_iter().chain([range.end]).collect();
            let at = move |offset: u64| {
                if offset == range.start { Some(place) } else { symbolizer.locate(section, offset) }
            };
            starts.zip(ends).filter_map(move |(start, end)| Some((start..end, at(start)?)))
        })
    }

    /// Whether two places show the same in a listing.
    fn are_alike(&self, a: &Place<'s>, b: &Place<'s>) -> bool {
        let shown = |place: &Place<'s>| {
            self.chain(*place).take(MAX_LISTED_FRAMES).map(|mut frame| {
                match &mut frame.function {
                    // One name may be in `.debug_str` twice.
                    FrameFunction::Inlined(callee) => callee.offset = 0,
                    FrameFunction::InlinedEntry(_) | FrameFunction::Physical(_) => {}
                }
                frame
            })
        };
        a.function == b.function && a.depth() == b.depth() && a.ptx() == b.ptx() && shown(a).eq(shown(b))
    }

    pub(super) fn name(&self, function: &Function<'_>) -> Name {
        self.spellings.function(function)
    }

    /// Answers one query.
    pub(super) fn query<'a>(
        &'a self,
        asked: &'a str,
        outcome: Result<Vec<CodeAddress>, QueryError>,
    ) -> Query<'a, 's> {
        let mut answers = Vec::new();
        let mut error = None;
        match outcome {
            Err(why) => error = Some(self.why_unknown(asked, why.to_string())),
            Ok(addresses) => {
                for address in addresses {
                    let Some(place) = self.symbolizer.locate(address.section, address.offset) else {
                        error = self.expect_code(address).err();
                        continue;
                    };
                    answers.push(Answer {
                        section: place.section.name,
                        section_index: place.section.index.0,
                        offset: place.offset,
                        function: place.function.map(|function| self.spellings.function(function)),
                        function_offset: place.function_offset(),
                        lines: self.lines(place, MAX_FRAMES),
                    });
                }
            }
        }
        Query { asked, answers, error }
    }

    /// Lists the sections of `functions`, or all; a folded function lists its own range only.
    pub(super) fn listings<'a>(
        &'a self,
        functions: Option<&'a [&'s Function<'s>]>,
    ) -> impl Iterator<Item = Listing<'a, 's>> {
        let all = if functions.is_none() { self.symbolizer.sections() } else { &[] };
        let whole = all.iter().map(|section| (section.index, 0, section.size));
        let own = functions.unwrap_or_default().iter();
        let own = own.map(|f| (f.section, f.offset, f.offset.saturating_add(f.size)));
        whole.chain(own).filter_map(|(index, start, end): (SectionIndex, u64, u64)| {
            let section = self.symbolizer.section(index)?;
            let ranges = Ranges { answers: self, section, start, end: end.min(section.size) };
            Some(Listing { section: section.name, section_index: index.0, size: section.size, ranges })
        })
    }

    fn lines(&self, place: Place<'s>, limit: usize) -> Lines<'_, 's> {
        let ptx = place.ptx().map(|ptx| Ptx {
            line: ptx.line,
            text: ptx.text.map(String::from_utf8_lossy),
            section: ptx.section.map(|section| self.cubin.section_name(section)),
        });
        let depth = self.calls.map_or_else(|| place.depth(), |calls| calls.depth(&place));
        let more_frames = depth.saturating_sub(limit) as u64;
        Lines { frames: Frames { answers: self, place, limit }, more_frames, ptx }
    }

    fn named(&self, frame: symbolize::Frame<'s>) -> NamedFrame<'s> {
        let name = match frame.function {
            FrameFunction::Physical(function) => function.map(|function| self.name(function)),
            FrameFunction::Inlined(callee) => self.spellings.callee(callee),
            FrameFunction::InlinedEntry(entry) => self.spellings.entry(entry),
        };
        NamedFrame { frame, name }
    }
}
