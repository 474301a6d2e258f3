//! A file of a line unit.

use std::borrow::Cow;

/// An entry of the file table of a line unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineFile<'d> {
    /// The file name without its directory. ptxas writes an empty name for `.file N ""`; other
    /// readers take it for the end of the file table. An empty name of the last file, with four
    /// bytes of fields and no `debug_str_base` after it, is read as such a base, since the two look
    /// the same.
    pub name: Cow<'d, [u8]>,
    /// The 1-based number of the directory, or 0 for none.
    pub directory: u64,
    /// The modification time of the file, seconds since 1970; 0 if unknown.
    pub mtime: u64,
    /// The size of the file in bytes; 0 if unknown.
    pub size: u64,
}
