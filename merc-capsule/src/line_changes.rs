//! The PTX line changes of a code section, from which address maps are recovered.

use crate::imnmx::Imnmx;
use nv_debug_sections::line_table::AddressPair;

/// The addresses at which the PTX line changes in a code section, in native and Mercury space: the
/// input of [`AddressMap::recover`](crate::AddressMap::recover).
#[derive(Debug, Clone, Copy)]
pub struct LineChanges<'a> {
    /// `(byte offset, 1-based PTX line)` wherever the line changes in native code, by address.
    pub native: &'a [(u64, u32)],
    /// The line changes in Mercury code.
    pub mercury: &'a [(u64, u32)],
    /// The addresses at which functions start, by native address.
    pub starts: &'a [AddressPair],
    /// The 1-based PTX lines of the `{` of these functions. Code that comes from no PTX instruction
    /// is given these lines.
    pub opening_lines: &'a [u32],
    /// `IMNMX` instructions of the native code, ascending:
    /// [`imnmx_instructions`](crate::imnmx_instructions).
    pub imnmx: &'a [Imnmx],
}

/// A native row, and the Mercury address where it begins there; `None` if that is not known.
pub(crate) type MatchedRow = ((u64, u32), Option<u64>);
