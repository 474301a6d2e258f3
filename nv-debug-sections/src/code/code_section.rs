//! A code section of a cubin.

use crate::cubin::SectionIndex;

/// A code section of a cubin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeSection<'c> {
    /// The index of the code section in the file.
    pub index: SectionIndex,
    /// The name of the code section, `.text.F`.
    pub name: &'c str,
    /// The address of the code section: 0 except in debug-only objects.
    pub address: u64,
    /// The size of the code section in bytes, padding included.
    pub size: u64,
}
