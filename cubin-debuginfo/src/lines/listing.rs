//! Listings of all addresses of a section or function. Neighbours with the same lines are one
//! range.

use super::{AddressLines, LineLookup};
use crate::limits::MAX_LISTED_FRAMES;
use crate::names::Name;
use crate::symbolize::{FrameFunction, ResolvedAddress};
use nv_debug_sections::code::CodeSection;
use nv_debug_sections::cubin::SectionIndex;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::ops::Range;

/// The addresses of a code section, or of one function in it, with their lines.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SectionLines")]
pub struct LineListing<'a, 's> {
    /// The name of the code section.
    pub section: &'s str,
    /// The index of the code section in the section table.
    pub section_index: u32,
    /// The size of the code section in bytes.
    pub size: u64,
    /// The address ranges of the section or function, ascending and without overlap. Neighbouring
    /// ranges differ in their lines or their function.
    pub ranges: ListingRanges<'a, 's>,
}

/// The address ranges of a line listing. Each iteration computes them again.
#[derive(Debug)]
pub struct ListingRanges<'a, 's> {
    lookup: &'a LineLookup<'s>,
    section: &'s CodeSection<'s>,
    range: Range<u64>,
}

/// Neighbouring code addresses with the same source and PTX lines.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LineRange")]
pub struct ListingRange<'a, 's> {
    /// Byte offset in the code section at which the range starts.
    pub start: u64,
    /// Byte offset in the code section after the last address of the range.
    pub end: u64,
    /// The function that contains the range; `None` where no symbol covers it.
    pub function: Option<Name>,
    /// The source lines and the PTX line of the range.
    #[serde(flatten)]
    pub lines: AddressLines<'a, 's>,
}

impl<'a, 's> LineListing<'a, 's> {
    /// The addresses of `range` in a code section.
    pub(super) fn new(lookup: &'a LineLookup<'s>, index: SectionIndex, range: Range<u64>) -> Option<Self> {
        let section = lookup.symbolizer.section(index)?;
        let ranges = ListingRanges { lookup, section, range: range.start..range.end.min(section.size) };
        Some(Self { section: section.name, section_index: index.0, size: section.size, ranges })
    }
}

impl<'a, 's> ListingRanges<'a, 's> {
    /// Iterates over the ranges of the listing, by ascending address.
    pub fn iter(&self) -> impl Iterator<Item = ListingRange<'a, 's>> + use<'a, 's> {
        let (lookup, section) = (self.lookup, self.section.index);
        let starts = self.starts();
        let ends: Vec<u64> = starts.iter().skip(1).copied().chain([self.range.end]).collect();
        let places =
            lookup.symbolizer.locate_all(starts.clone().into_iter().map(move |start| (section, start)));
        let places = starts.into_iter().zip(ends).zip(places);
        let mut places = places.filter_map(|((start, end), place)| Some((start, end, place?))).peekable();
        std::iter::from_fn(move || {
            let (start, mut end, place) = places.next()?;
            while let Some((_, next, _)) =
                places.next_if(|(start, _, next)| *start == end && are_alike(lookup, &place, next))
            {
                end = next;
            }
            let lines = lookup.lines(place, MAX_LISTED_FRAMES);
            Some(ListingRange { start, end, function: lookup.function(&place), lines })
        })
    }

    /// Where anything may change, ascending: rows, functions.
    fn starts(&self) -> Vec<u64> {
        let symbolizer = self.lookup.symbolizer;
        let mut starts = vec![self.range.start];
        for table in [symbolizer.source_rows(), symbolizer.ptx_rows(), symbolizer.intermediate_rows()] {
            for (base, rows) in table.of(self.section.index) {
                let ranges = rows.ranges();
                starts.extend(
                    ranges.flat_map(|(start, end, _)| [start, end]).map(|at| at.saturating_add(base)),
                );
            }
        }
        let functions = symbolizer.functions_of(self.section.index).iter();
        starts.extend(functions.flat_map(|f| [f.offset, f.offset.saturating_add(f.size)]));
        starts.extend(self.lookup.calls.iter().flat_map(|calls| calls.bounds(self.section.index)));
        starts.retain(|at| self.range.contains(at));
        starts.sort_unstable();
        starts.dedup();
        starts
    }
}

impl Serialize for ListingRanges<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl JsonSchema for ListingRanges<'_, '_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<ListingRange<'_, '_>>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<ListingRange<'_, '_>>::json_schema(generator)
    }
}

/// Whether two places show the same in a listing.
fn are_alike<'s>(lookup: &LineLookup<'s>, a: &ResolvedAddress<'s>, b: &ResolvedAddress<'s>) -> bool {
    let shown = |place: &ResolvedAddress<'s>| {
        lookup.chain(*place).take(MAX_LISTED_FRAMES).map(|mut shown| {
            match &mut shown.frame.function {
                // One name may be in `.debug_str` twice.
                FrameFunction::Inlined(callee) => callee.offset = 0,
                FrameFunction::InlinedEntry(_) | FrameFunction::Physical(_) => {}
            }
            shown
        })
    };
    let lines = |place: &ResolvedAddress<'s>| (place.ptx(), place.intermediate());
    a.function == b.function && a.depth() == b.depth() && lines(a) == lines(b) && shown(a).eq(shown(b))
}
