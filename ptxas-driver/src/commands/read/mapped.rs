//! The bytes of a file: large ones are mapped, so that what is not looked at is not read.

#![allow(unsafe_code, reason = "the one call that maps a file")]

use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

/// Files from here on are mapped: below, a page fault or two cost as much as reading, and what was read cannot change any more.
const MAP_FROM: u64 = 1 << 16;

/// The bytes of a file.
#[derive(Debug)]
pub(in crate::commands) enum FileBytes {
    /// In memory.
    Read(Vec<u8>),
    /// On disk.
    Mapped(Mmap),
}

impl FileBytes {
    /// The bytes of the file at `path`.
    ///
    /// # Errors
    ///
    /// It cannot be opened or read.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let data = file.metadata()?;
        // Pipes and devices have no size, and some file systems cannot map.
        if data.is_file() && data.len() >= MAP_FROM {
            // SAFETY: The file must not change while it is mapped. We never write into one: output is a new file that then takes
            // the name (`output.rs`), so that even `-o` onto the input leaves the mapped bytes as they were, as linkers and
            // compilers do with theirs. That no other process writes into the file in these moments is taken for granted, as
            // debuggers and linkers do: nothing can prevent it, and one that cuts the file short ends us with SIGBUS before
            // any output has its name.
            if let Ok(mapped) = unsafe { Mmap::map(&file) } {
                return Ok(Self::Mapped(mapped));
            }
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Self::Read(bytes))
    }

    /// The bytes in memory.
    pub(super) fn into_vec(self) -> Vec<u8> {
        match self {
            Self::Read(bytes) => bytes,
            Self::Mapped(bytes) => bytes.to_vec(),
        }
    }
}

impl Deref for FileBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            Self::Mapped(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_mapped_and_small_ones_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (size, is_mapped) in [(0, false), (MAP_FROM - 1, false), (MAP_FROM, true)] {
            let content: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
            std::fs::write(&path, &content).unwrap();
            let bytes = FileBytes::open(&path).unwrap();
            assert_eq!(matches!(bytes, FileBytes::Mapped(_)), is_mapped, "{size}");
            // The name may go to another file meanwhile.
            std::fs::remove_file(&path).unwrap();
            assert!(*bytes == content[..], "{size}");
        }
    }
}
