//! Columns, which ptxas drops: from the `.loc` directives of the PTX that a cubin was made from.

use crate::commands::read::PtxFile;
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::line_table::LocId;
use nv_debug_sections::ptx_txt;
use nvdwarf_compile::ptx::PtxFacts;
use ptx_syntax::{LineIndex, Module};
use std::collections::HashSet;

/// The `.loc` directives of one PTX.
#[derive(Debug)]
pub(super) struct Columns<'p> {
    facts: PtxFacts<'p>,
    /// The sections of text that ptxas has made of this PTX.
    own_texts: HashSet<SectionIndex>,
    /// How many there are of another PTX.
    other_texts: usize,
}

impl<'p> Columns<'p> {
    /// Indexes a PTX for a cubin.
    pub(super) fn new(ptx: &PtxFile, module: &Module<'p>, cubin: &Cubin<'_>) -> Self {
        // What is wrong with the PTX is `check`'s to say, and names are those of the cubin.
        let index = LineIndex::new(&ptx.text);
        let facts = PtxFacts::of(module, cubin.header.sm(), &index, None);
        let bytes = ptx.bytes_of(&ptx.text);
        let (checksum, kept) = (ptx_txt::checksum(&bytes), ptx_txt::from_ptx(&bytes).ok());
        // A name with a checksum is of the whole PTX; one without leaves the text to compare.
        let is_own = |name: &str, index| match ptx_txt::checksum_in(name) {
            Some(other) => other == checksum,
            None => cubin.bytes(index).ok().is_some_and(|text| kept.as_deref() == Some(&*text)),
        };
        let texts = cubin.iter().filter_map(|(index, name, _)| {
            let name = SectionName::parse(name);
            (name.kind() == Some(SectionKind::NvDebugPtxTxt)).then_some((name, index))
        });
        let (own, other): (Vec<_>, Vec<_>) = texts.partition(|(name, index)| is_own(&name.base, *index));
        let own_texts = own.into_iter().map(|(_, index)| index).collect();
        Self { facts, own_texts, other_texts: other.len() }
    }

    /// Why the PTX lends no column to any code; `None` where it is the cubin's, or one of them.
    pub(super) fn refusal(&self) -> Option<&'static str> {
        match self.other_texts {
            _ if !self.own_texts.is_empty() => None,
            0 => Some(
                "no columns: without .nv_debug_ptx_txt nothing tells whether the PTX is that of this file",
            ),
            _ => Some("no columns: the PTX is not that of this file, whose .nv_debug_ptx_txt differs"),
        }
    }

    /// The `.loc` of a PTX line, if `section` has the text of this PTX.
    pub(super) fn loc(&self, line: u32, section: SectionIndex) -> Option<LocId> {
        self.own_texts.contains(&section).then(|| self.facts.loc_at_line(line)).flatten()
    }

    /// Column of a `.loc` for this source line, and the `.loc` of its call site. Code may be filed under another one: then no column
    /// is known, nor are those of callers.
    pub(super) fn of(&self, loc: LocId, line: u32) -> Option<(u32, Option<LocId>)> {
        let directive = self.facts.loc(loc).filter(|directive| directive.line == line)?;
        Some((self.facts.column(loc)?, directive.parent))
    }
}
