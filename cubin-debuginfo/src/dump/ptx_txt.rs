//! The lines of `.nv_debug_ptx_txt` and of texts of intermediate languages.

use super::contents::Contents;
use super::dump_source::DumpSource;
use super::relocated_view::RelocatedView;
use super::span::Span;
use super::stream::ItemStream;
use nv_debug_sections::ptx_txt::PtxText;
use nv_debug_sections::{Result, intermediate_text};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// A line of the PTX text in `.nv_debug_ptx_txt`, or of a text in `.nv.tileir.debug_txt`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TextLine<'s> {
    /// The byte range of the line in its section.
    #[serde(flatten)]
    pub at: Span,
    /// The number of the line in the text, from 1.
    pub line: usize,
    /// The text of the line, without its line end.
    pub text: Cow<'s, str>,
}

pub(super) fn lines<'s>(source: &'s DumpSource<'_, '_>, view: &'s RelocatedView<'_>) -> Result<Contents<'s>> {
    let decoded = PtxText::decode(&view.data.bytes)?;
    let lines = ItemStream::of(move || {
        let mut end = 0;
        decoded.lines().enumerate().map(move |(index, line)| TextLine {
            at: Span::next(&mut end, line.len() as u64 + 1),
            line: index + 1,
            text: String::from_utf8_lossy(line),
        })
    });
    Ok(Contents::PtxText(match &source.filter {
        Some(filter) => lines.filter(|line| filter.has_line(view.index, line.line)),
        None => lines,
    }))
}

/// The lines of a text of an intermediate language. All but the last have a line feed.
pub(super) fn intermediate_lines<'s>(view: &'s RelocatedView<'_>) -> Contents<'s> {
    let text = &*view.data.bytes;
    Contents::PtxText(ItemStream::of(move || {
        let mut end = 0;
        intermediate_text::lines(text).enumerate().map(move |(index, line)| {
            let size = (line.len() as u64 + 1).min((text.len() as u64).saturating_sub(end));
            let at = Span::next(&mut end, size);
            TextLine { at, line: index + 1, text: String::from_utf8_lossy(line) }
        })
    }))
}
