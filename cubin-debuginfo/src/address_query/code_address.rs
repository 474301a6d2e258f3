//! A code address.

use nv_debug_sections::cubin::SectionIndex;

/// A code address: a section and a byte offset. In a cubin every section starts at 0, so an offset
/// alone is ambiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeAddress {
    /// The code section that contains the address.
    pub section: SectionIndex,
    /// Byte offset of the address from the start of its code section.
    pub offset: u64,
}
