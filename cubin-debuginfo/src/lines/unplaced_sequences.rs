//! Line table sequences that belong to no code section.

use crate::symbolize::Symbolizer;
use nv_debug_sections::catalog::SectionKind;
use schemars::JsonSchema;
use serde::Serialize;

/// The numbers of line table sequences that belong to no code section, because the linker dropped
/// their functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnplacedSequences {
    /// The number of sequences of `.debug_line` that belong to no code section.
    pub debug_line: usize,
    /// The number of sequences of `.nv_debug_line_sass` that belong to no code section.
    pub nv_debug_line_sass: usize,
}

impl UnplacedSequences {
    /// Counts the line table sequences of a cubin that belong to no code section; `None` if there
    /// are none.
    pub fn of(symbolizer: &Symbolizer<'_>) -> Option<Self> {
        let debug_line = symbolizer.source_rows().unplaced();
        let nv_debug_line_sass = symbolizer.ptx_rows().unplaced();
        (debug_line + nv_debug_line_sass != 0).then_some(Self { debug_line, nv_debug_line_sass })
    }

    /// Iterates over the line tables with sequences that belong to no code section: the name of
    /// each table, and the number of these sequences.
    pub fn tables(self) -> impl Iterator<Item = (&'static str, usize)> {
        let tables = [
            (SectionKind::DebugLine, self.debug_line),
            (SectionKind::NvDebugLineSass, self.nv_debug_line_sass),
        ];
        tables.into_iter().filter(|(_, count)| *count != 0).map(|(kind, count)| (kind.name(), count))
    }
}
