//! The `.loc_intermediate` directives of a module, and the PTX lines that each covers.

use super::LineLocs;
use nv_debug_sections::line_table::{Loc, LocId};
use ptx_syntax::IntermediateLoc;

/// Every `.loc_intermediate` of every body, in text order, and what each covers: as of
/// [`super::PtxFacts`] with `.loc` (observed: ptxas 13.5.37).
#[derive(Debug, Default)]
pub(crate) struct IntermediateLocs {
    pub(crate) locs: Vec<Loc>,
    line_locs: LineLocs,
    /// Those of line 0 count where no other does; the first in the text wins.
    line_0_locs: LineLocs,
    /// What each of line 0 covers, in text order.
    of_line_0: Vec<Covered>,
    /// The directive that holds at this place of a body, and what it covers so far.
    current: Option<LocId>,
    covered: Option<Covered>,
}

/// The first and the last line of the code that a directive covers.
#[derive(Debug, Clone, Copy)]
struct Covered {
    loc: LocId,
    first: u32,
    last: u32,
}

impl IntermediateLocs {
    /// For a text with line markers, or without.
    pub(super) fn new(has_markers: bool) -> Self {
        Self {
            line_locs: LineLocs::new(has_markers),
            line_0_locs: LineLocs::new(has_markers),
            ..Self::default()
        }
    }

    /// A body begins, or ends: no directive holds over its end.
    pub(super) fn end_body(&mut self) {
        self.cover();
        self.current = None;
    }

    pub(super) fn directive(&mut self, directive: &IntermediateLoc) {
        self.cover();
        self.current = Some(LocId(self.locs.len() as u32));
        let (file, line) = (directive.file as u32, directive.line as u32);
        self.locs.push(Loc { file, line, name: 0, parent: None });
    }

    /// An instruction that begins on one line and is recorded on another.
    pub(super) fn instruction(&mut self, first: u32, last: u32) {
        if let Some(loc) = self.current {
            self.covered.get_or_insert(Covered { loc, first, last }).last = last;
        }
    }

    /// The directive that holds for the instruction read last.
    pub(super) fn current(&self) -> Option<LocId> {
        self.current
    }

    /// All bodies are read.
    pub(super) fn finish(&mut self) {
        for Covered { loc, first, last } in std::mem::take(&mut self.of_line_0).into_iter().rev() {
            self.line_0_locs.cover(first, last, loc);
        }
    }

    /// The directive in force at a PTX line.
    pub(super) fn at_line(&self, line: u32) -> Option<LocId> {
        self.line_locs.get(line).or_else(|| self.line_0_locs.get(line))
    }

    fn cover(&mut self) {
        let Some(covered) = self.covered.take() else { return };
        match self.locs.get(covered.loc.0 as usize) {
            Some(loc) if loc.line == 0 => self.of_line_0.push(covered),
            _ => self.line_locs.cover(covered.first, covered.last, covered.loc),
        }
    }
}
