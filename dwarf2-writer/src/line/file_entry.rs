//! Files of a line program.

/// An entry of the file table (DWARF 2.0.0 §6.2.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileEntry<'a> {
    /// The path of the file, relative to the directory unless absolute; not empty, no NUL.
    pub name: &'a [u8],
    /// The 1-based number of the file's directory in this program, below 2^32; 0 is the directory
    /// of the compilation.
    pub directory: u64,
    /// The time of the file's last change, as the producer counts it; 0 is unknown.
    pub mtime: u64,
    /// The size of the file in bytes; 0 is unknown.
    pub size: u64,
}
