//! Columns, which ptxas drops: from the `.loc` directives of the PTX that a cubin was made from.

use crate::commands::read::PtxFile;
use crate::lower::ptx_facts::PtxFacts;
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::line_table::LocId;
use nv_debug_sections::ptx_txt;
use ptx_syntax::{LineIndex, Module};

/// The `.loc` directives of one PTX.
#[derive(Debug)]
pub(super) struct Columns<'p> {
    facts: PtxFacts<'p>,
    /// What tells it apart from other PTX in the names of sections.
    checksum: u32,
}

impl<'p> Columns<'p> {
    /// Indexes a PTX for a cubin for SM `sm`.
    pub(super) fn new(ptx: &PtxFile, module: &Module<'p>, sm: u32) -> Self {
        // What is wrong with the PTX is `check`'s to say, and names are those of the cubin.
        let facts = PtxFacts::collect(module, sm, &LineIndex::new(&ptx.text), &|_| Some(0), &mut Vec::new());
        Self { facts, checksum: ptx_txt::checksum(&ptx.bytes_of(&ptx.text)) }
    }

    /// The `.loc` of a PTX line, if `section` can have this PTX.
    pub(super) fn loc(&self, line: u32, section: &str) -> Option<LocId> {
        let other =
            ptx_txt::checksum_in(&SectionName::parse(section).base).is_some_and(|sum| sum != self.checksum);
        if other { None } else { self.facts.loc_at_line(line) }
    }

    /// Column of a `.loc` for this source line, and the `.loc` of its call site. Code may be filed under another one: then no column
    /// is known, nor are those of callers.
    pub(super) fn of(&self, loc: LocId, line: u32) -> Option<(u32, Option<LocId>)> {
        let directive = self.facts.locs.get(loc.0 as usize).filter(|directive| directive.line == line)?;
        Some((*self.facts.columns.get(loc.0 as usize)?, directive.parent))
    }
}
