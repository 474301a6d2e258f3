//! Chains of inlined calls from `.debug_info`, for code whose line table has none.

mod called_code;

use super::{Scope, SourcePosition, Variables};
use crate::entries::{Entries, Entry, Value};
use crate::symbolize::{
    Frame, FrameFunction, InlinedEntry, MAX_FRAMES, ResolvedAddress, Symbolizer, TableFileName,
};
use dwarf2_reader::abbrev;
use dwarf2_reader::constants as dw;
use nv_debug_sections::Result;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use std::ops::{Deref, Range};

/// The inlined calls of `.debug_info` (`DW_TAG_inlined_subroutine`), for lookup by address.
///
/// ptxas writes contexts into the line table for `.loc` with `inlined_at`. Code compiled with `-G`
/// has none: there a row names a line of the inlined function, and only the entries say that it was
/// inlined, and where (observed: nvcc and ptxas 13.0.88, sm_75-121; clang 19).
///
/// ```no_run
/// # fn f(cubin: &nv_debug_sections::cubin::Cubin<'_>) -> nv_debug_sections::Result<()> {
/// use cubin_debuginfo::{entries::Entries, variables::InlinedCalls};
/// use cubin_debuginfo::symbolize::Symbolizer;
///
/// let entries = Entries::read(cubin)?;
/// let symbolizer = Symbolizer::new(cubin)?;
/// let calls = InlinedCalls::read(cubin, &entries, &symbolizer)?;
/// for function in symbolizer.functions() {
///     let Some(place) = symbolizer.locate(function.section, function.offset) else { continue };
///     for frame in calls.frames(place) {
///         // innermost first, as those of `place.frames()`
///     }
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct InlinedCalls<'v> {
    variables: Source<'v>,
    /// The code of all calls, ascending and disjoint.
    runs: Vec<Run>,
    cut: bool,
}

/// Whose scopes they are. Not a `Cow`, whose lifetime could not be shortened.
#[derive(Debug, Clone)]
enum Source<'v> {
    Own(Box<Variables<'v>>),
    Given(&'v Variables<'v>),
}

impl<'v> Deref for Source<'v> {
    type Target = Variables<'v>;

    fn deref(&self) -> &Variables<'v> {
        match self {
            Self::Own(variables) => variables,
            Self::Given(variables) => variables,
        }
    }
}

/// Code of an inlined call that is in no call inside of it.
#[derive(Debug, Clone)]
struct Run {
    section: SectionIndex,
    range: Range<u64>,
    /// Index of the scope.
    scope: usize,
}

impl<'v> InlinedCalls<'v> {
    /// Whether a cubin can have inlined calls, to judge by its abbreviations. Most cubins have
    /// none, and then no entry need be read.
    pub fn can_be_in(cubin: &Cubin<'_>) -> bool {
        let name = SectionKind::DebugAbbrev.name();
        let bytes = cubin.section_by_name(name).and_then(|index| cubin.bytes(index).ok());
        let bytes = bytes.as_deref().unwrap_or_default();
        // Of a damaged table the entries' reader says what is wrong.
        abbrev::tables(bytes).any(|table| {
            table.map_or(true, |table| table.all().iter().any(|all| all.tag == dw::DW_TAG_inlined_subroutine))
        })
    }

    /// Finds all inlined calls of a cubin. `entries` and `symbolizer` must have been read from that
    /// cubin.
    ///
    /// # Errors
    ///
    /// As [`Variables::read`].
    pub fn read(cubin: &'v Cubin<'v>, entries: &'v Entries<'v>, symbolizer: &Symbolizer<'_>) -> Result<Self> {
        Ok(Self::found(Source::Own(Box::new(Variables::without_places(cubin, entries)?)), symbolizer))
    }

    /// Collects the inlined calls from the variables and scopes of a cubin. `symbolizer` must have
    /// been made from that cubin.
    pub fn of(variables: &'v Variables<'v>, symbolizer: &Symbolizer<'_>) -> Self {
        Self::found(Source::Given(variables), symbolizer)
    }

    fn found(variables: Source<'v>, symbolizer: &Symbolizer<'_>) -> Self {
        let (runs, cut) = called_code::find(&variables, symbolizer);
        Self { variables, runs, cut }
    }

    /// Whether there are no inlined calls.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Whether some inlined calls were left out: so many entries name the same lists of ranges that
    /// no compiler has made them.
    pub fn is_truncated(&self) -> bool {
        self.cut
    }

    /// Iterates over the inlined calls to which the code at byte `offset` of a section belongs,
    /// innermost first; at most [`MAX_FRAMES`].
    pub fn at(&self, section: SectionIndex, offset: u64) -> impl Iterator<Item = &Scope> {
        let after = self.runs.partition_point(|run| (run.section, run.range.start) <= (section, offset));
        let run = after.checked_sub(1).and_then(|last| self.runs.get(last));
        let run = run.filter(|run| run.section == section && run.range.contains(&offset));
        let scopes = self.variables.scopes();
        let innermost = run.map(|run| run.scope);
        let chain = std::iter::successors(innermost, |scope| called_code::caller(scopes, *scope));
        chain.take(MAX_FRAMES).filter_map(|scope| scopes.get(scope))
    }

    /// The source line of the call site of an inlined call.
    pub fn site(&self, call: &Scope) -> Option<SourcePosition<'_>> {
        self.variables.call_site(call)
    }

    /// Iterates over the byte offsets in a section at which an inlined call begins or ends,
    /// unsorted.
    pub fn bounds(&self, section: SectionIndex) -> impl Iterator<Item = u64> {
        let first = self.runs.partition_point(|run| run.section < section);
        let own = self.runs.iter().skip(first).take_while(move |run| run.section == section);
        own.flat_map(|run| [run.range.start, run.range.end])
    }

    /// Iterates over the frames of an address: those of the line table, or those of inlined calls
    /// in `.debug_info` if the line table has no inlined code at all. Lines tell which code in the
    /// ranges of a call is its caller's ([`dwarf2_reader::inlined_calls`]).
    pub fn frames<'s>(&'s self, place: ResolvedAddress<'s>) -> impl Iterator<Item = Frame<'s>> {
        let mut calls = self.calls(&place);
        let first = if calls.is_empty() { None } else { place.frames().next() };
        calls.reverse();
        // What a frame is not told by its callee: file, line and column of the call.
        let mut next = first;
        let function = place.function;
        let from_entries = std::iter::from_fn(move || {
            let frame = next.take()?;
            let Some(call) = calls.pop() else {
                return Some(Frame { function: FrameFunction::Physical(function), ..frame });
            };
            next = Some(self.caller(call));
            Some(Frame { function: FrameFunction::InlinedEntry(self.called_function(call)), ..frame })
        });
        let rest = if first.is_some() { None } else { Some(place.frames()) };
        from_entries.chain(rest.into_iter().flatten())
    }

    /// The number of [`frames`](Self::frames) of an address: one for each inlined call that
    /// contains it, and one for the function.
    pub fn depth(&self, place: &ResolvedAddress<'_>) -> usize {
        place.depth() + self.calls(place).len()
    }

    /// The calls that a place is in and its row does not know of, innermost first.
    fn calls(&self, place: &ResolvedAddress<'_>) -> Vec<&Scope> {
        if place.depth() != 1 || self.runs.is_empty() || place.has_contexts() {
            return Vec::new();
        }
        self.at(place.section.index, place.offset).take(MAX_FRAMES - 1).collect()
    }

    /// The function that is called by an inlined call.
    pub fn called_function(&self, call: &Scope) -> InlinedEntry<'_> {
        let names = [dw::DW_AT_linkage_name, dw::DW_AT_MIPS_linkage_name, dw::DW_AT_name];
        let name = names.into_iter().find_map(|name| match self.variables.attribute(call.entry, name)?.1 {
            Value::String(Some(name)) => Some(name),
            _ => None,
        });
        InlinedEntry { name, offset: self.variables.entry(call.entry).map_or(0, Entry::offset) }
    }

    /// What is known of the frame that makes a call, but for its function.
    fn caller(&self, call: &Scope) -> Frame<'_> {
        let number =
            |name| self.variables.entry(call.entry).and_then(|entry| entry.unsigned(name)).unwrap_or(0);
        let site = self.site(call);
        let file = site.and_then(|site| site.file).map(TableFileName::Path);
        Frame {
            function: FrameFunction::Physical(None),
            file: file.unwrap_or(TableFileName::Undeclared(number(dw::DW_AT_call_file))),
            line: site.map_or(0, |site| u32::try_from(site.line).unwrap_or(u32::MAX)),
            column: number(dw::DW_AT_call_column),
            lost_context: None,
        }
    }
}
