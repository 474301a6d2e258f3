//! The chains of inlined calls that the `.loc` directives of a PTX state for the code of a cubin.
//!
//! ptxas drops columns, and some inlined calls: docs/formats/line-tables.md, inlined calls that are
//! lost.

use super::{NoChains, PtxFrame};
use crate::symbolize::{MAX_FRAMES, PtxLine};
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::ptx_txt;
use std::collections::HashSet;
use std::fmt;

/// Frames of a PTX line, the innermost first.
type Chain<'p> = Box<dyn Iterator<Item = PtxFrame<'p>> + 'p>;

/// The chains of inlined calls, with columns, that a PTX states for the code of a cubin.
pub struct PtxChains<'p> {
    chain: Box<dyn Fn(u32) -> Chain<'p> + 'p>,
    /// The sections of text that ptxas has made of this PTX.
    own_texts: HashSet<SectionIndex>,
}

impl<'p> PtxChains<'p> {
    /// Prepares the chains of a PTX, whose text is `bytes`. `chain` gets a 1-based line of the PTX,
    /// and returns the frames of the `.loc` in force there, the innermost first.
    ///
    /// # Errors
    ///
    /// The cubin was not made from this PTX, or does not say from which.
    pub fn new<I: Iterator<Item = PtxFrame<'p>> + 'p>(
        cubin: &Cubin<'_>,
        bytes: &[u8],
        chain: impl Fn(u32) -> I + 'p,
    ) -> Result<Self, NoChains> {
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
            (true, _) => Err(NoChains::Unknown),
            (_, true) => Err(NoChains::Other),
            _ => Ok(Self { chain: Box::new(move |line| Box::new(chain(line))), own_texts }),
        }
    }

    /// The frames that the PTX states for code that has a PTX line, the innermost first. `None`
    /// where it states no line: no `.loc` is in force, or one for line 0. `None` too for more
    /// than [`MAX_FRAMES`].
    pub(super) fn at(&self, ptx: PtxLine<'_>) -> Option<Vec<PtxFrame<'p>>> {
        ptx.section.filter(|section| self.own_texts.contains(section))?;
        let frames: Vec<_> = (self.chain)(ptx.line).take(MAX_FRAMES + 1).collect();
        let has_line = frames.first().is_some_and(|frame| frame.line != 0);
        (has_line && frames.len() <= MAX_FRAMES).then_some(frames)
    }
}

impl fmt::Debug for PtxChains<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PtxChains").field("own_texts", &self.own_texts).finish_non_exhaustive()
    }
}
