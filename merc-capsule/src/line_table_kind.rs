//! The line tables of a cubin.

use crate::address_map::AddressMap;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::line_table::AddressPair;
use std::borrow::Cow;

/// The kind of a line table: of source lines, of PTX lines, or of lines of an intermediate
/// language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineTableKind {
    /// `.debug_line`, the table of source lines. Code that comes from no PTX instruction has no
    /// location in it.
    Source,
    /// `.nv_debug_line_sass`, the table of PTX lines.
    Ptx,
    /// `.nv.tileir.debug_line`: as with source locations, not all code has one.
    Intermediate,
}

impl LineTableKind {
    /// Returns the line table that a section of this kind is; `None` for a section that is not a
    /// line table.
    pub fn of(kind: SectionKind) -> Option<Self> {
        match kind {
            SectionKind::DebugLine => Some(Self::Source),
            SectionKind::NvDebugLineSass => Some(Self::Ptx),
            SectionKind::TileirDebugLine => Some(Self::Intermediate),
            _ => None,
        }
    }

    /// The instructions that it is looked up for.
    pub(crate) fn instructions(self, map: &AddressMap) -> Cow<'_, [AddressPair]> {
        match self {
            Self::Source | Self::Intermediate => Cow::Owned(map.of_instructions()),
            Self::Ptx => Cow::Borrowed(map.pairs()),
        }
    }
}
