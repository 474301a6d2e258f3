//! The lists of `.debug_loc` and `.debug_ranges`.

use super::contents::Contents;
use super::dump_source::{DumpSource, read_all};
use super::relocated_view::RelocatedView;
use super::span::Span;
use super::stream::{ItemStream, StreamPart, Visit};
use super::unclaimed_bytes::UnclaimedBytes;
use crate::expression;
use dwarf2_reader::{loc, ranges};
use nv_debug_sections::Result;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::ControlFlow;

/// An entry of a list in `.debug_loc` or `.debug_ranges`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListEntry")]
pub struct Location {
    /// The byte range of the list entry in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Start of the address range: a section and offset, or a number where no relocation names a
    /// section.
    pub start: String,
    /// End of the address range: a section and offset, or a number where no relocation names a
    /// section.
    pub end: String,
    /// The location expression in words. Absent in `.debug_ranges`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    /// Whether the entry is the last of its list.
    pub last: bool,
}

/// `.debug_loc` (DWARF 2.0.0 §7.7.2).
pub(super) fn locations<'s, 'c>(
    source: &'s DumpSource<'c, '_>,
    view: &'s RelocatedView<'c>,
) -> Result<Contents<'s>> {
    let items = || loc::items(&view.data.bytes, 0, |at| view.data.target(at).is_some());
    read_all(view, items())?;
    Ok(Contents::Locations(ItemStream::new(move |visit| {
        let mut lists = Lists { source, view, open: None };
        for (span, item) in items().map_while(Result::ok) {
            match item {
                loc::Item::End => lists.end(span, visit)?,
                loc::Item::Base(base) => lists.base(span, base, visit)?,
                loc::Item::Location { begin, end, expression } => {
                    let first = span.end - expression.len() as u64;
                    let field = |at, value| source.field(view, at, value);
                    let words = expression::operations_text(expression, first, &field);
                    lists.range(span, begin, end, Some(words), visit)?;
                }
            }
        }
        lists.flush(visit)
    })))
}

/// `.debug_ranges` (DWARF 3 §2.17.3).
pub(super) fn ranges<'s, 'c>(
    source: &'s DumpSource<'c, '_>,
    view: &'s RelocatedView<'c>,
) -> Result<Contents<'s>> {
    let items = || ranges::items(&view.data.bytes, 0, |at| view.data.target(at).is_some());
    read_all(view, items())?;
    Ok(Contents::Ranges(ItemStream::new(move |visit| {
        let mut lists = Lists { source, view, open: None };
        for (span, item) in items().map_while(Result::ok) {
            match item {
                ranges::Item::End => lists.end(span, visit)?,
                ranges::Item::Base(base) => lists.base(span, base, visit)?,
                ranges::Item::Range { begin, end } => lists.range(span, begin, end, None, visit)?,
            }
        }
        lists.flush(visit)
    })))
}

/// The lists of a section, one after another.
struct Lists<'s, 'c, 'd> {
    source: &'s DumpSource<'c, 'd>,
    view: &'s RelocatedView<'c>,
    /// An entry that may be the last of its list, and the changes of the base that follow it.
    open: Option<(Location, Vec<UnclaimedBytes>)>,
}

impl Lists<'_, '_, '_> {
    fn end(&mut self, at: dwarf2_reader::Span, visit: &mut Visit<'_, Location>) -> ControlFlow<()> {
        if let Some((last, _)) = &mut self.open {
            last.last = true;
        }
        self.flush(visit)?;
        visit(StreamPart::Rest(UnclaimedBytes::new(at.into(), "end of list")))
    }

    fn flush(&mut self, visit: &mut Visit<'_, Location>) -> ControlFlow<()> {
        let Some((entry, rest)) = self.open.take() else { return ControlFlow::Continue(()) };
        visit(StreamPart::Item(entry))?;
        rest.into_iter().try_for_each(|rest| visit(StreamPart::Rest(rest)))
    }

    fn base(
        &mut self,
        at: dwarf2_reader::Span,
        base: u64,
        visit: &mut Visit<'_, Location>,
    ) -> ControlFlow<()> {
        let base = self.source.code_address(self.view, at.start + 8, base);
        let rest = UnclaimedBytes::new(at.into(), format!("from here on relative to {base}"));
        match &mut self.open {
            Some((_, after)) => after.push(rest),
            None => visit(StreamPart::Rest(rest))?,
        }
        ControlFlow::Continue(())
    }

    fn range(
        &mut self,
        at: dwarf2_reader::Span,
        begin: u64,
        end: u64,
        expression: Option<String>,
        visit: &mut Visit<'_, Location>,
    ) -> ControlFlow<()> {
        self.flush(visit)?;
        let start = self.source.code_address(self.view, at.start, begin);
        let end = self.source.end_address(self.view, at.start + 8, end);
        self.open = Some((Location { at: at.into(), start, end, expression, last: false }, Vec::new()));
        ControlFlow::Continue(())
    }
}
