//! A position in a binary file.

/// A position in a binary file: a section and a byte offset in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionOffset {
    /// The name of the section.
    pub section: String,
    /// The byte offset in the section.
    pub offset: u64,
}
