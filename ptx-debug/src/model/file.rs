//! Source files and their paths.

use alloc::string::String;
use alloc::vec::Vec;

use super::check_string;
use crate::Error;

/// The handle of a file in a [`Model`](super::Model).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(super) u32);

/// A source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct File<'a> {
    /// The folder that a relative name counts from, without a `/` at its end.
    pub directory: &'a [u8],
    /// The name of the file, with or without folders.
    pub name: &'a [u8],
}

/// A [`File`] as the model holds it.
#[derive(Debug, Clone)]
pub(crate) struct OwnedFile {
    /// Absolute.
    pub(crate) path: Vec<u8>,
    pub(crate) directory: Vec<u8>,
    pub(crate) name: Vec<u8>,
}

impl OwnedFile {
    pub(super) fn new(file: File<'_>) -> Result<Self, Error> {
        check_string(file.directory, "path")?;
        check_string(file.name, "path")?;
        let mut path = Vec::new();
        if !file.name.starts_with(b"/") && !file.directory.is_empty() {
            path.extend_from_slice(file.directory);
            if !file.directory.ends_with(b"/") {
                path.push(b'/');
            }
        }
        path.extend_from_slice(file.name);
        if !path.starts_with(b"/") {
            return Err(Error::RelativePath { path: String::from_utf8_lossy(&path).into_owned() });
        }
        Ok(Self { path, directory: file.directory.into(), name: file.name.into() })
    }
}
