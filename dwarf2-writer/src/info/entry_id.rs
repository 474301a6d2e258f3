//! Ids of entries.

/// The id of an entry in a [`DebugInfo`](super::DebugInfo). The id of a root entry also stands for
/// its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId {
    /// 0-based number of the unit.
    pub(super) unit: u32,
    /// 0-based number in the unit, in the order of reservation; 0 is the root.
    pub(super) index: u32,
}

impl core::fmt::Display for EntryId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "entry {} of unit {}", self.index, self.unit)
    }
}
