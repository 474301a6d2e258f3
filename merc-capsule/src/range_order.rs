//! The order of register ranges in both spaces.

/// The order of a function's register ranges in both spaces, where the register sections tell it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RangeOrder {
    /// For each range in Mercury order, the number of that range in native order; empty if unknown.
    /// It is used as [`RangeMap::order`](crate::register_maps::RangeMap::order).
    pub numbers: Vec<u32>,
    /// The native ranges without a start address: the number of each, and its start address in
    /// Mercury code. It is used as
    /// [`RangeMap::open_starts`](crate::register_maps::RangeMap::open_starts).
    pub open_starts: Vec<(u32, u32)>,
    /// Whether the ranges describe code that nvlink has dropped because another module has the same
    /// function ([`RangeMap::is_copy`](crate::register_maps::RangeMap::is_copy)).
    pub is_copy: bool,
}
