//! Folders given as operands: the files in them that a command reads.

use crate::report::Answers;
use anyhow::{Context, Error, Result, anyhow};
use nv_debug_sections::container::{Container, EntryKind, FileKind};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Which files of a folder are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum FolderFilter {
    /// Files with the name extension `.ptx` are read.
    Ptx,
    /// Cubins and files that contain cubins are read.
    Cubins,
}

impl FolderFilter {
    fn is_met(self, path: &Path) -> bool {
        match self {
            Self::Ptx => path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ptx")),
            Self::Cubins => is_named_cubin(path) || has_cubins(path),
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Ptx => "files *.ptx",
            Self::Cubins => "cubins",
        }
    }
}

/// An operand of a command that walks folders, or a file of one.
pub(in crate::commands) enum WalkEntry {
    /// A file to read: an operand, or a file found in a folder.
    File(PathBuf),
    /// A folder that cannot be read, or that has no file of the wanted kind.
    Fault {
        /// The folder as given.
        folder: String,
        /// What is wrong with it.
        error: Error,
    },
}

/// The operands, and in place of a folder the files in it that are wanted.
pub(in crate::commands) fn walk(operands: &[PathBuf], wanted: FolderFilter) -> Vec<WalkEntry> {
    let walked = operands.iter().flat_map(|operand| {
        files(operand, wanted).into_iter().map(|file| match file {
            Ok(path) => WalkEntry::File(path),
            Err(error) => WalkEntry::Fault { folder: operand.display().to_string(), error },
        })
    });
    walked.collect()
}

impl WalkEntry {
    /// Bytes of the file; 0 where that is not known.
    pub(in crate::commands) fn size(&self) -> u64 {
        match self {
            Self::File(path) => fs::metadata(path).map_or(0, |about| about.len()),
            Self::Fault { .. } => 0,
        }
    }

    /// The file. `None` once what is wrong with the folder is said.
    ///
    /// # Errors
    ///
    /// Standard output cannot be written.
    pub(in crate::commands) fn file(self, answers: &mut Answers<'_>) -> Result<Option<PathBuf>> {
        match self {
            Self::File(path) => Ok(Some(path)),
            Self::Fault { folder, error } => {
                answers.alone(&folder, error)?;
                answers.end_of_file(&folder)?;
                Ok(None)
            }
        }
    }
}

/// The operand itself, or the wanted files of a folder: at any depth, sorted by name. Hidden files
/// and folders are skipped, and links to folders are not followed. A folder that cannot be read, or
/// has no such file, gives an error.
fn files(operand: &Path, wanted: FolderFilter) -> Vec<Result<PathBuf>> {
    if !operand.is_dir() {
        return vec![Ok(operand.to_path_buf())];
    }
    let name = || operand.display().to_string();
    let is_hidden =
        |entry: &DirEntry| entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".");
    let entries = WalkDir::new(operand).sort_by_file_name().into_iter();
    let mut files = Vec::new();
    for entry in entries.filter_entry(|entry| !is_hidden(entry)) {
        match entry.with_context(name) {
            Ok(entry) => {
                let path = entry.into_path();
                if path.is_file() && wanted.is_met(&path) {
                    files.push(Ok(path));
                }
            }
            Err(error) => files.push(Err(error)),
        }
    }
    if files.is_empty() {
        files.push(Err(anyhow!("{}: a folder without {}", name(), wanted.words())));
    }
    files
}

/// Whether the name is that of a cubin or a fatbin. One that is empty or damaged is not passed over
/// in silence.
fn is_named_cubin(path: &Path) -> bool {
    let is = |name: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(name));
    is("cubin") || is("fatbin")
}

/// Whether a file is a cubin, or has one in it. What cannot be told is: reading it says why.
fn has_cubins(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    if read.is_err() {
        return true;
    }
    match FileKind::of(&head) {
        None | Some(FileKind::Ptx | FileKind::Nvvm) => false,
        Some(FileKind::Cubin) => true,
        Some(FileKind::Fatbin | FileKind::Host | FileKind::Archive) => {
            let Ok(bytes) = crate::input::read(path) else { return true };
            Container::parse(&bytes).map_or(true, |container| {
                container.entries().any(|entry| entry.is_ok_and(|entry| entry.kind == EntryKind::Elf))
            })
        }
    }
}

/// Bytes of a file by which its kind is known, unless it is PTX.
const HEAD: u64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_folder_are_sorted_and_hidden_ones_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in ["b", "a/c", ".git", "a/.x"] {
            fs::create_dir_all(at(path)).unwrap();
        }
        for path in
            ["z.ptx", "b/1.PTX", "a/c/2.ptx", "a.ptx", "a/3.txt", ".git/4.ptx", "a/.x/5.ptx", ".6.ptx"]
        {
            fs::write(at(path), "").unwrap();
        }
        let read = |folder: &Path| -> Vec<PathBuf> {
            files(folder, FolderFilter::Ptx).into_iter().map(Result::unwrap).collect()
        };
        let found = read(folder.path());
        let found: Vec<_> = found.iter().map(|path| path.strip_prefix(folder.path()).unwrap()).collect();
        assert_eq!(found, ["a/c/2.ptx", "a.ptx", "b/1.PTX", "z.ptx"].map(Path::new));
        let [Err(none)] = &*files(&at("b"), FolderFilter::Cubins) else { panic!() };
        let none = none.to_string();
        assert!(none.ends_with("/b: a folder without cubins"), "{none}");
        assert_eq!(read(&at("a/3.txt")), [at("a/3.txt")]);
        // Hidden ones are read where they are named.
        assert_eq!(read(&at("a/.x")), [at("a/.x/5.ptx")]);
    }
}
