//! The `.loc_intermediate` directives of a module, and the PTX lines that each covers.

use super::LineLocs;
use nv_debug_sections::line_table::{Loc, LocId};
use ptx_syntax::IntermediateLoc;

/// The `.loc_intermediate` directives of all function bodies, in text order, and the PTX lines that
/// each covers. The rules are those of `.loc` (observed: ptxas 13.5.37).
#[derive(Debug, Default)]
pub(crate) struct IntermediateLocs {
    pub(crate) locs: Vec<Loc>,
    line_locs: LineLocs,
    /// The PTX lines of directives with line 0, which count where no other directive does. Of
    /// several on one PTX line the first in the text counts.
    line_0_locs: LineLocs,
    /// The PTX lines that each directive with line 0 covers, in text order.
    of_line_0: Vec<Covered>,
    /// The directive in force where the reading of the body has come to.
    current: Option<LocId>,
    /// The PTX lines that the directive in force covers so far.
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
    /// Creates the empty list for a PTX text with or without line markers.
    pub(super) fn new(has_markers: bool) -> Self {
        Self {
            line_locs: LineLocs::new(has_markers),
            line_0_locs: LineLocs::new(has_markers),
            ..Self::default()
        }
    }

    /// Ends the directive in force, since a body begins or ends.
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

    /// Counts an instruction that begins on the line `first` and that ptxas records on the line
    /// `last`.
    pub(super) fn instruction(&mut self, first: u32, last: u32) {
        if let Some(loc) = self.current {
            self.covered.get_or_insert(Covered { loc, first, last }).last = last;
        }
    }

    /// The directive in force for the instruction read last.
    pub(super) fn current(&self) -> Option<LocId> {
        self.current
    }

    /// Ends the reading: all bodies have been read.
    pub(super) fn finish(&mut self) {
        for Covered { loc, first, last } in std::mem::take(&mut self.of_line_0).into_iter().rev() {
            self.line_0_locs.cover(first, last, loc);
        }
    }

    /// Returns the directive that covers a PTX line.
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
