//! What is known of a source file: whether it is there, and its number of lines.

/// A function that looks for a source file, by its path in `.file`.
pub type SourceLines<'c> = dyn Fn(&str) -> SourceState + 'c;

/// What a look for a source file found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceState {
    /// The file is there. The value is its number of lines.
    Lines(u32),
    /// A file is there, but not the one that was compiled, or not one that can be read.
    Other,
    /// No file is there, in a folder that may be looked at.
    Missing,
    /// The path leads to where nobody may look.
    Unknown,
}

impl SourceState {
    /// The number of lines; `None` if the file is not available.
    pub fn lines(self) -> Option<u32> {
        match self {
            Self::Lines(count) => Some(count),
            Self::Other | Self::Missing | Self::Unknown => None,
        }
    }

    /// Whether a file is there.
    pub fn is_there(self) -> bool {
        matches!(self, Self::Lines(_) | Self::Other)
    }
}
