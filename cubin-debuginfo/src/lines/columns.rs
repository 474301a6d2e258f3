//! Source columns, which ptxas drops: they come from the `.loc` directives of the PTX that a cubin
//! was made from.

use crate::symbolize::PtxLine;
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::ptx_txt;
use std::collections::HashSet;
use std::fmt;
use thiserror::Error;

/// Source line and column of the `.loc` that holds at a line of the PTX, then those of the call
/// sites around it, the innermost first.
type Positions<'p> = Box<dyn Iterator<Item = (u32, u32)> + 'p>;

/// The source columns that a PTX gives for the code of a cubin.
pub struct PtxColumns<'p> {
    positions: Box<dyn Fn(u32) -> Positions<'p> + 'p>,
    /// The sections of text that ptxas has made of this PTX.
    own_texts: HashSet<SectionIndex>,
}

/// Why a PTX gives no columns for the code of a cubin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NoColumns {
    /// The cubin has no PTX text with which the PTX could be compared.
    #[error("no columns: without .nv_debug_ptx_txt nothing tells whether the PTX is that of this file")]
    Unknown,
    /// The cubin has the text of another PTX, so it was not made from this one.
    #[error("no columns: the PTX is not that of this file, whose .nv_debug_ptx_txt differs")]
    Other,
}

impl<'p> PtxColumns<'p> {
    /// Prepares the source columns of a PTX, whose text is `bytes`. `positions` gets a 1-based line
    /// of the PTX, and returns source line and column of the `.loc` in force there, then those of
    /// its call sites (`inlined_at`), the innermost first.
    ///
    /// # Errors
    ///
    /// The cubin was not made from this PTX, or does not say from which.
    pub fn new<I: Iterator<Item = (u32, u32)> + 'p>(
        cubin: &Cubin<'_>,
        bytes: &[u8],
        positions: impl Fn(u32) -> I + 'p,
    ) -> Result<Self, NoColumns> {
        let (checksum, kept) = (ptx_txt::checksum(bytes), ptx_txt::from_ptx(bytes).ok());
        // A name with a checksum is of the whole PTX; one without leaves the text to compare.
        let is_own = |name: &str, index| match ptx_txt::checksum_in(name) {
            Some(other) => other == checksum,
            None => cubin.bytes(index).ok().is_some_and(|text| kept.as_deref() == Some(&*text)),
        };
        let texts = cubin.iter().filter_map(|(index, name, _)| {
            let name = SectionName::parse(name);
            (name.kind() == Some(SectionKind::NvDebugPtxTxt)).then(|| (index, is_own(&name.base, index)))
        });
        let texts: Vec<_> = texts.collect();
        let own_texts: HashSet<_> =
            texts.iter().filter(|(_, is_own)| *is_own).map(|(index, _)| *index).collect();
        match (texts.is_empty(), own_texts.is_empty()) {
            (true, _) => Err(NoColumns::Unknown),
            (_, true) => Err(NoColumns::Other),
            _ => Ok(Self { positions: Box::new(move |line| Box::new(positions(line))), own_texts }),
        }
    }

    /// The columns of the frames of code that has a PTX line.
    pub(super) fn at(&self, ptx: PtxLine<'_>) -> FrameColumns<'p> {
        let is_own = ptx.section.is_some_and(|section| self.own_texts.contains(&section));
        FrameColumns(is_own.then(|| (self.positions)(ptx.line)))
    }
}

impl fmt::Debug for PtxColumns<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Columns").field("own_texts", &self.own_texts).finish_non_exhaustive()
    }
}

/// The columns of the frames that follow.
pub(super) struct FrameColumns<'p>(Option<Positions<'p>>);

impl FrameColumns<'_> {
    /// The column of the next frame, which is at a source line. Code may be filed under another
    /// `.loc`: then no column is known, nor are those of callers.
    pub(super) fn next(&mut self, line: u32) -> Option<u32> {
        let position = self.0.as_mut()?.next().filter(|(own, _)| *own == line);
        if position.is_none() {
            self.0 = None;
        }
        position.map(|(_, column)| column)
    }
}
