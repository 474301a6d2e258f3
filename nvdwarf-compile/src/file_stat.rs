//! The time and size of a source file.

/// The time and size of a source file, which ptxas puts into line tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStat {
    /// The path of the file, as in the PTX's `.file`, in any spelling.
    pub path: String,
    /// The time of the file's last change, in seconds since 1970.
    pub mtime: u64,
    /// The size of the file in bytes.
    pub size: u64,
}
