//! The PTX line changes of a code section, from which address maps are recovered.

use crate::imnmx::Imnmx;
use nv_debug_sections::line_table::AddressPair;

/// The addresses at which the PTX line changes in a code section, in native and Mercury space: the
/// input of [`AddressMap::recover`](crate::AddressMap::recover).
#[derive(Debug, Clone, Copy)]
pub struct LineChanges<'a> {
    /// The changes of the PTX line in native code, by address: pairs of byte offset and
    /// 1-based PTX line.
    pub native: &'a [(u64, u32)],
    /// The changes of the PTX line in Mercury code, by address: pairs of byte offset and
    /// 1-based PTX line.
    pub mercury: &'a [(u64, u32)],
    /// The native and Mercury start addresses of functions, by native address.
    pub starts: &'a [AddressPair],
    /// The 1-based PTX lines of the `{` that opens each function. Code that comes from no PTX
    /// instruction has these lines.
    pub opening_lines: &'a [u32],
    /// The `IMNMX` instructions of the native code, by address, as
    /// [`imnmx_instructions`](crate::imnmx_instructions) returns them.
    pub imnmx: &'a [Imnmx],
}

/// A native row, and the Mercury address where it begins there; `None` if that is not known.
pub(crate) type MatchedRow = ((u64, u32), Option<u64>);
