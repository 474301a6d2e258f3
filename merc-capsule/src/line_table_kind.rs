//! The two line tables of a cubin.

use crate::address_map::AddressMap;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::line_table::AddressPair;
use std::borrow::Cow;

/// Which of the two line tables: `.debug_line` or `.nv_debug_line_sass`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineTableKind {
    /// `.debug_line`: code that comes from no PTX instruction has no source location.
    Source,
    /// `.nv_debug_line_sass`.
    Ptx,
}

impl LineTableKind {
    /// Returns which line table a section of this kind is; `None` for other kinds.
    pub fn of(kind: SectionKind) -> Option<Self> {
        match kind {
            SectionKind::DebugLine => Some(Self::Source),
            SectionKind::NvDebugLineSass => Some(Self::Ptx),
            _ => None,
        }
    }

    /// The instructions that it is looked up for.
    pub(crate) fn instructions(self, map: &AddressMap) -> Cow<'_, [AddressPair]> {
        match self {
            Self::Source => Cow::Owned(map.of_instructions()),
            Self::Ptx => Cow::Borrowed(map.pairs()),
        }
    }
}
