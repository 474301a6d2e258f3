//! Looks up lines, call chains and PTX lines in the line tables of one cubin.

use super::chain_frame::{ChainFrame, joined};
use super::name_cache::NameCache;
use super::{
    AddressAnswer, AddressLines, LineListing, NamedFrame, PtxCallee, PtxChains, PtxFrame, QueryAnswer,
};
use crate::address_query::{AddressQueries, CodeAddress, QueryError};
use crate::names::{Name, NameError};
use crate::symbolize::{self, CalleeName, FrameFunction, MAX_FRAMES, ResolvedAddress, Symbolizer};
use crate::variables::InlinedCalls;
use nv_debug_sections::code::Function;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::level::detected::DetectedLevel;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

/// Looks up source lines, call chains and PTX lines in the line tables of one cubin.
#[derive(Debug)]
pub struct LineLookup<'s> {
    pub(super) cubin: &'s Cubin<'s>,
    pub(super) symbolizer: &'s Symbolizer<'s>,
    pub(super) queries: AddressQueries<'s>,
    names: NameCache,
    pub(super) ptx: Option<PtxChains<'s>>,
    /// The inlined calls of `.debug_info`.
    pub(super) calls: Option<&'s InlinedCalls<'s>>,
    /// What to say of inlined functions, by each spelling of their names. Made when it is asked
    /// for.
    pub(super) inlined: OnceCell<HashMap<String, QueryError>>,
}

impl<'s> LineLookup<'s> {
    /// Prepares a lookup in the line tables of a cubin. `symbolizer` must have been made from that
    /// cubin.
    pub fn new(cubin: &'s Cubin<'s>, symbolizer: &'s Symbolizer<'s>) -> Self {
        let (queries, names) = (AddressQueries::new(symbolizer.code()), NameCache::default());
        Self { cubin, symbolizer, queries, names, ptx: None, calls: None, inlined: OnceCell::new() }
    }

    /// The line tables that lookups are in.
    pub fn symbolizer(&self) -> &'s Symbolizer<'s> {
        self.symbolizer
    }

    /// Adds inlined calls from `.debug_info` to the call chains of units whose line table has none.
    #[must_use]
    pub fn with_calls(self, calls: &'s InlinedCalls<'s>) -> Self {
        Self { calls: Some(calls), ..self }
    }

    /// Completes call chains from the `.loc` directives of a PTX: adds the columns, which line
    /// tables of ptxas lack, and takes the chain of the PTX where that of the line table differs.
    #[must_use]
    pub fn with_ptx(self, ptx: PtxChains<'s>) -> Self {
        Self { ptx: Some(ptx), ..self }
    }

    /// Looks up the lines for one query. [`AddressQueries::resolve`] describes its syntax.
    pub fn query<'a>(&'a self, asked: &'a str, function: Option<&str>) -> QueryAnswer<'a, 's> {
        self.query_at(asked, self.queries.resolve(asked, function))
    }

    /// Looks up the lines for a query that is an offset alone. `asked` is its text.
    pub fn query_offset<'a>(
        &'a self,
        asked: &'a str,
        offset: u64,
        function: Option<&str>,
    ) -> QueryAnswer<'a, 's> {
        self.query_at(asked, self.queries.resolve_offset(offset, function))
    }

    /// Looks up the lines for a query whose addresses are known. `asked` is its text.
    pub fn query_at<'a>(
        &'a self,
        asked: &'a str,
        resolved: Result<Vec<CodeAddress>, QueryError>,
    ) -> QueryAnswer<'a, 's> {
        let (mut addresses, mut error) = (Vec::new(), None);
        match resolved {
            Err(why) => error = Some(self.explain_no_code(asked, why)),
            Ok(found) => {
                for address in found {
                    match self.symbolizer.locate(address.section, address.offset) {
                        Some(place) => addresses.push(AddressAnswer {
                            section: place.section.name,
                            section_index: place.section.index.0,
                            offset: place.offset,
                            function: self.function(&place),
                            function_offset: place.function_offset(),
                            lines: self.lines(place, MAX_FRAMES),
                        }),
                        None => error = self.queries.expect_code(address).err(),
                    }
                }
            }
        }
        QueryAnswer { asked, addresses, error }
    }

    /// Finds the functions that a name in a query means, as [`AddressQueries::functions`] does.
    ///
    /// # Errors
    ///
    /// There is none, or several have the part.
    pub fn functions(&self, name: &str) -> Result<Vec<&'s Function<'s>>, NameError<'s>> {
        self.queries.functions(name)
    }

    /// Lists the lines of the sections of the functions called `function`, or of all sections if it
    /// is `None`. A function that is folded into a kernel's section lists its own addresses only.
    ///
    /// # Errors
    ///
    /// No function or several have the name.
    pub fn listings<'a>(
        &'a self,
        function: Option<&str>,
    ) -> Result<impl Iterator<Item = LineListing<'a, 's>>, NameError<'s>> {
        let functions = function.map(|name| self.queries.functions(name)).transpose()?;
        let all = if functions.is_none() { self.symbolizer.sections() } else { &[] };
        let whole = all.iter().map(|section| (section.index, 0, section.size));
        let own = functions.unwrap_or_default().into_iter();
        let own = own.map(|f: &Function<'_>| (f.section, f.offset, f.offset.saturating_add(f.size)));
        Ok(whole.chain(own).filter_map(|(index, start, end)| LineListing::new(self, index, start..end)))
    }

    pub(super) fn lines(&self, place: ResolvedAddress<'s>, limit: usize) -> AddressLines<'_, 's> {
        AddressLines::new(self, place, limit)
    }

    /// All frames of an address.
    pub(super) fn frames_at(&self, place: Option<ResolvedAddress<'s>>) -> Vec<NamedFrame<'s>> {
        place.iter().flat_map(|place| self.frames(place)).collect()
    }

    /// The frames of a place, with names and columns.
    pub(super) fn frames(&self, place: &ResolvedAddress<'s>) -> impl Iterator<Item = NamedFrame<'s>> {
        self.chain(*place).map(move |ChainFrame { frame, has_ptx_name, by_ptx }| {
            let name = match frame.function {
                FrameFunction::Inlined(CalleeName { name, offset, .. }) if has_ptx_name => {
                    self.ptx_name(PtxCallee { name, offset })
                }
                function => self.function_name(function),
            };
            NamedFrame { frame, name, by_ptx }
        })
    }

    /// The name of a function that the cubin has.
    pub(super) fn function_name(&self, function: FrameFunction<'_>) -> Option<Name> {
        match function {
            FrameFunction::Physical(function) => function.map(|function| self.names.function(function)),
            FrameFunction::Inlined(callee) => self.names.callee_name(callee),
            FrameFunction::InlinedEntry(entry) => self.names.entry(entry),
        }
    }

    /// The name of an inlined function that the PTX has.
    pub(super) fn ptx_name(&self, callee: PtxCallee<'_>) -> Option<Name> {
        self.names.ptx_callee(callee)
    }

    /// The frames of a place, those of `.debug_info` and of the PTX among them.
    pub(super) fn chain(&self, place: ResolvedAddress<'s>) -> impl Iterator<Item = ChainFrame<'s>> + use<'s> {
        let (joined, own) = match self.ptx_frames(&place) {
            Some(ptx) => {
                let own: Vec<_> = self.own_chain(place).take(MAX_FRAMES).collect();
                (joined(&place, &own, &ptx), None)
            }
            None => (Vec::new(), Some(self.own_chain(place))),
        };
        joined.into_iter().chain(own.into_iter().flatten().map(ChainFrame::from))
    }

    /// The frames that the PTX states for a place; `None` without a PTX, and where it says nothing.
    pub(super) fn ptx_frames(&self, place: &ResolvedAddress<'s>) -> Option<Vec<PtxFrame<'s>>> {
        self.ptx.as_ref()?.at(place.ptx()?)
    }

    /// The frames that the cubin has of a place, those of `.debug_info` among them.
    pub(super) fn own_chain(
        &self,
        place: ResolvedAddress<'s>,
    ) -> impl Iterator<Item = symbolize::Frame<'s>> + use<'s> {
        let (with, without) = match self.calls {
            Some(calls) => (Some(calls.frames(place)), None),
            None => (None, Some(place.frames())),
        };
        with.into_iter().flatten().chain(without.into_iter().flatten())
    }

    /// Returns the number of frames of an address.
    pub(super) fn depth(&self, place: &ResolvedAddress<'s>) -> usize {
        if self.ptx_frames(place).is_some() {
            return self.chain(*place).count();
        }
        self.calls.map_or_else(|| place.depth(), |calls| calls.depth(place))
    }

    /// The function of a place.
    pub(super) fn function(&self, place: &ResolvedAddress<'s>) -> Option<Name> {
        place.function.map(|function| self.names.function(function))
    }

    /// Every range of `.debug_line` in a section, as [`Symbolizer::source_ranges`] gives them,
    /// cut in two where inlined calls of `.debug_info` begin and end, and with a PTX where another
    /// line of it begins.
    pub(super) fn source_ranges(
        &self,
        section: SectionIndex,
    ) -> impl Iterator<Item = (Range<u64>, ResolvedAddress<'s>)> {
        let mut bounds: Vec<u64> = self.calls.iter().flat_map(|calls| calls.bounds(section)).collect();
        let ptx_rows = self.ptx.iter().flat_map(|_| self.symbolizer.ptx_rows().of(section));
        bounds.extend(ptx_rows.flat_map(|(base, rows)| {
            rows.ranges().map(move |(start, _, _)| start.saturating_add(base)).collect::<Vec<_>>()
        }));
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

    /// Whether a linker made the file, which may have left code out.
    pub(super) fn is_linked(&self) -> bool {
        DetectedLevel::of(self.cubin).is_linked
    }
}
