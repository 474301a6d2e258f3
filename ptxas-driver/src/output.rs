//! Writing of output files: each appears complete or not at all, even if a signal ends the program.

use crate::cleanup::{self, RegisteredPath};
use crate::limits::MAX_LINKS;
use anyhow::{Context, Result};
use std::fs;
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Writes `bytes` to `path` through a temporary file beside it.
///
/// # Errors
///
/// "Could not be opened": the folder is missing or cannot be written, `path` is a folder or a file
/// that is read-only. "Could not be written": the disk is full.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    write_as(Together::default(), path, bytes)
}

/// Writes a file as [`write()`] does, and so that a loss of power leaves the old or the new file.
/// It is for a command that replaces the only copy of its input.
///
/// # Errors
///
/// As [`write()`] has them.
pub fn write_lasting(path: &Path, bytes: &[u8]) -> Result<()> {
    write_as(Together::lasting(), path, bytes)
}

fn write_as<'b>(mut file: Together<'b>, path: &Path, bytes: &'b [u8]) -> Result<()> {
    file.add(path, bytes)?;
    file.commit()
}

/// The error for standard output that accepted only a part of a file. It is a failure even if the
/// reader has closed the pipe, so it does not contain the cause.
#[derive(Debug, Error)]
#[error("Standard output could not be written: {0}")]
pub struct HalfWritten(String);

/// Writes a complete file to standard output.
///
/// # Errors
///
/// `out` cannot be written.
pub fn write_stdout(out: &mut dyn Write, bytes: &[u8]) -> Result<(), HalfWritten> {
    if is_for_no_terminal(bytes) && io::stdout().is_terminal() {
        return Err(HalfWritten(NO_TERMINAL.to_owned()));
    }
    let done = out.write_all(bytes).and_then(|()| out.flush());
    done.map_err(|error| HalfWritten(error.to_string()))
}

/// Whether an error says that the reader of standard output has closed the pipe, as `head` does.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let is = |cause: &(dyn std::error::Error + 'static)| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(ErrorKind::BrokenPipe)
    };
    error.chain().any(is)
}

/// Why bytes that are not text are not written to a terminal, and what to do.
const NO_TERMINAL: &str =
    "it is a terminal, and this is not text; name a file with -o, or send it to one with >";

/// Whether bytes are something else than text, which a terminal would take for commands.
fn is_for_no_terminal(bytes: &[u8]) -> bool {
    bytes.contains(&0)
}

/// A group of output files that appear under their names together: all of them, or none.
#[derive(Debug, Default)]
pub struct Together<'b> {
    staged: Vec<Staged>,
    /// Devices, pipes and files without a name cannot be replaced.
    streams: Vec<(PathBuf, &'b [u8])>,
    /// Whether the files are on the disk before they have their names.
    is_lasting: bool,
}

/// A file that is written, but has not its name yet.
#[derive(Debug)]
struct Staged {
    file: tempfile::NamedTempFile,
    registered: RegisteredPath,
    /// The permissions that the file is to have. Until then other users cannot read it.
    permissions: fs::Permissions,
    /// The path that it will have, with all links followed.
    path: PathBuf,
    /// As the caller calls it.
    shown: PathBuf,
}

fn unopened(path: &Path) -> String {
    format!("Output file '{}' could not be opened", path.display())
}

fn unwritten(path: &Path) -> String {
    format!("Output file '{}' could not be written", path.display())
}

impl<'b> Together<'b> {
    /// Creates a group for files that replace the only copy of an input. The files are on the disk
    /// before they get their names, so that a loss of power leaves the old or the new files.
    pub fn lasting() -> Self {
        Self { is_lasting: true, ..Self::default() }
    }

    /// Writes `bytes` to a temporary file beside `path`. The file is removed again if
    /// [`commit`](Self::commit) is not called.
    ///
    /// # Errors
    ///
    /// As [`write()`] has them.
    pub fn add(&mut self, path: &Path, bytes: &'b [u8]) -> Result<()> {
        self.add_as(path, bytes, None)
    }

    /// As [`add`](Self::add), for what was made of the file `source`: a file that is not there yet
    /// can be executed by those who can execute that one.
    ///
    /// # Errors
    ///
    /// As [`write()`] has them.
    pub fn add_as(&mut self, path: &Path, bytes: &'b [u8], source: Option<&Path>) -> Result<()> {
        let (unopened, unwritten) = (|| unopened(path), || unwritten(path));
        if path.as_os_str().is_empty() {
            return Err(io::Error::new(ErrorKind::NotFound, "the name is empty")).with_context(unopened);
        }
        if path.is_dir() {
            return Err(io::Error::new(ErrorKind::IsADirectory, "it is a folder")).with_context(unopened);
        }
        if path.exists() && !path.is_file() {
            self.streams.push((path.to_path_buf(), bytes));
            return Ok(());
        }
        // A link stays, what it names is replaced or made.
        let target = resolve_links(path).with_context(unopened)?;
        if path.exists() && !is_one_file(path, &target) {
            self.streams.push((path.to_path_buf(), bytes));
            return Ok(());
        }
        let replaced = fs::metadata(&target).ok();
        if let Some(replaced) = &replaced {
            check_writable(&target, replaced).with_context(unopened)?;
        }
        let made = new_file(folder_of(&target)).map_err(|error| unnamed(&error));
        let (mut file, registered, own_permissions) = made.with_context(unopened)?;
        file.write_all(bytes).map_err(|error| unnamed(&error)).with_context(unwritten)?;
        if let Some(replaced) = &replaced {
            keep_owner(file.as_file(), replaced);
        }
        if self.is_lasting {
            file.as_file().sync_all().with_context(unwritten)?;
        }
        let own_permissions = match source {
            Some(source) => executable_as(&own_permissions, source),
            None => own_permissions,
        };
        let permissions = replaced.map_or(own_permissions, |replaced| replaced.permissions());
        self.staged.push(Staged { file, registered, permissions, path: target, shown: path.to_path_buf() });
        Ok(())
    }

    /// Gives all files of the group their names, in the order in which they were added. No signal
    /// ends the program in between.
    ///
    /// # Errors
    ///
    /// One of them cannot have its name. Those before it are as they were then.
    pub fn commit(self) -> Result<()> {
        for (path, bytes) in self.streams {
            let mut file = fs::File::create(&path).with_context(|| unopened(&path))?;
            if is_for_no_terminal(bytes) && file.is_terminal() {
                return Err(io::Error::other(NO_TERMINAL)).with_context(|| unwritten(&path));
            }
            file.write_all(bytes).with_context(|| unwritten(&path))?;
        }
        let last = self.staged.len().saturating_sub(1);
        // Dropped after the lock, which they take.
        let mut registered = Vec::new();
        let mut files = Vec::new();
        for Staged { file, registered: path, permissions, path: target, shown } in self.staged {
            registered.push(path);
            files.push((file, permissions, target, shown));
        }
        let lock = cleanup::lock();
        let mut done: Vec<Undo> = Vec::new();
        let mut folders: Vec<PathBuf> = Vec::new();
        for (number, (file, permissions, path, shown)) in files.into_iter().enumerate() {
            // After the last one nothing is left that could fail.
            let undo = if number < last { Some(Undo::of(&path)) } else { None };
            let named = undo.transpose().and_then(|undo| {
                file.as_file().set_permissions(permissions)?;
                file.persist(&path).map(|_| undo).map_err(|error| error.error)
            });
            match named {
                Ok(undo) => done.extend(undo),
                Err(error) => {
                    done.into_iter().rev().for_each(Undo::run);
                    return Err(unnamed(&error)).with_context(|| unwritten(&shown));
                }
            }
            let folder = folder_of(&path);
            if self.is_lasting && !folders.iter().any(|known| known == folder) {
                folders.push(folder.to_path_buf());
            }
        }
        drop(done);
        drop(lock);
        // The names are there. Not every file system can say that they last.
        for folder in folders {
            let _ = fs::File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}

/// The system's own words for an error of `tempfile`, which would name the temporary file.
fn unnamed(error: &io::Error) -> io::Error {
    let system =
        error.get_ref().and_then(|inner| inner.source()?.downcast_ref::<io::Error>()?.raw_os_error());
    let system = system.or(error.raw_os_error());
    if let Some(system) = system {
        return io::Error::from_raw_os_error(system);
    }
    match error.kind() {
        ErrorKind::NotFound => io::Error::new(ErrorKind::NotFound, "there is no such folder"),
        ErrorKind::NotADirectory => {
            io::Error::new(ErrorKind::NotADirectory, "a part of the path is not a folder")
        }
        kind => kind.into(),
    }
}

/// How a file comes back that was replaced, or goes that was made.
struct Undo {
    path: PathBuf,
    /// Another name of the replaced file, or a copy of it. It is removed when this is dropped.
    old: Option<tempfile::TempPath>,
}

impl Undo {
    fn of(path: &Path) -> io::Result<Self> {
        let keep = |name: &Path| match fs::hard_link(path, name) {
            // Not every file system has links. A name that is taken is not ours, and another one is
            // tried.
            Err(error) if error.kind() != ErrorKind::AlreadyExists => fs::copy(path, name).map(drop),
            done => done,
        };
        let old = if path.exists() {
            Some(prefixed().make_in(folder_of(path), keep)?.into_temp_path())
        } else {
            None
        };
        Ok(Self { path: path.to_path_buf(), old })
    }

    fn run(self) {
        // It is an error that brought us here, and that one is told.
        let _ = match self.old {
            Some(old) => old.persist(&self.path).map_err(|error| error.error),
            None => fs::remove_file(&self.path),
        };
    }
}

/// A file that its owner made read-only is not replaced, although the folder would allow it.
fn check_writable(path: &Path, metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.permissions().readonly() {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "the file is read-only"));
    }
    match fs::OpenOptions::new().append(true).open(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(error),
        _ => Ok(()),
    }
}

/// Gives a file the owner and group of the one that it replaces, where that is allowed.
#[cfg(unix)]
fn keep_owner(file: &fs::File, replaced: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let _ = fchown(file, Some(replaced.uid()), Some(replaced.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &fs::File, _: &fs::Metadata) {}

/// Whether `target`, to which the links of `path` lead, is the same file as `path`. Links of /proc
/// do not lead to a name that can be opened where the file was deleted or never had one:
/// `/dev/stdout` of a process whose output is such a file.
#[cfg(unix)]
fn is_one_file(path: &Path, target: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |path: &Path| fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()));
    matches!((identity(path), identity(target)), (Ok(file), Ok(found)) if file == found)
}

#[cfg(not(unix))]
fn is_one_file(_: &Path, target: &Path) -> bool {
    target.exists()
}

/// Returns the number of further names (hard links) that a file has. They keep the old contents
/// when the file is replaced.
#[cfg(unix)]
pub fn other_names(path: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).map_or(0, |metadata| metadata.nlink().saturating_sub(1))
}

/// Returns 0, since the number of hard links of a file is not known on this system.
#[cfg(not(unix))]
pub fn other_names(_: &Path) -> u64 {
    0
}

/// Whether no program can make a file at `path`: it is a folder, or the folder that it would be in
/// is missing.
pub fn has_no_place(path: &Path) -> bool {
    let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.is_dir();
    let is_in_folder = || resolve_links(path).is_ok_and(|target| folder_of(&target).is_dir());
    path.as_os_str().is_empty() || is_folder || !is_in_folder()
}

/// Whether both paths name the same file, which need not exist yet.
pub fn is_same(a: &Path, b: &Path) -> bool {
    a == b || canonical_path(a).is_some_and(|a| Some(a) == canonical_path(b))
}

/// The path from the root, without links; `None` if the folder does not exist.
fn canonical_path(path: &Path) -> Option<PathBuf> {
    let path = resolve_links(path).ok()?;
    let in_folder = || Some(fs::canonicalize(folder_of(&path)).ok()?.join(path.file_name()?));
    fs::canonicalize(&path).ok().or_else(in_folder)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What `path` names in the end, whether it exists or not.
///
/// # Errors
///
/// Links that lead to each other. ptxas 13.0.88 (observed) cannot open such an output file either.
fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// A file that only we can read, and the permissions that the umask gives an output file.
fn new_file(folder: &Path) -> io::Result<(tempfile::NamedTempFile, RegisteredPath, fs::Permissions)> {
    let mut builder = prefixed();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut registry = cleanup::lock();
    let file = builder.tempfile_in(folder)?;
    let registered = registry.add_path(file.path());
    drop(registry);
    let permissions = file.as_file().metadata()?.permissions();
    #[cfg(unix)]
    file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok((file, registered, permissions))
}

/// Permissions with those of `source` to execute it.
#[cfg(unix)]
fn executable_as(permissions: &fs::Permissions, source: &Path) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    let executable = fs::metadata(source).map_or(0, |about| about.permissions().mode() & 0o111);
    fs::Permissions::from_mode(permissions.mode() | executable)
}

#[cfg(not(unix))]
fn executable_as(permissions: &fs::Permissions, _source: &Path) -> fs::Permissions {
    permissions.clone()
}

fn prefixed() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".nvdwarf-");
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is in a folder: names and contents, sorted.
    fn files(folder: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut all: Vec<_> = entries.map(|path| (path.clone(), fs::read(path).ok())).collect();
        all.sort();
        all
    }

    #[test]
    fn when_the_last_file_cannot_have_its_name_those_before_are_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("replaced"), "old").unwrap();
        let mut both = Together::default();
        for name in ["replaced", "made", "last"] {
            both.add(&path(name), b"new").unwrap();
        }
        // Somebody else is faster.
        fs::create_dir(path("last")).unwrap();
        fs::write(path("last/file"), "").unwrap();
        assert!(both.commit().is_err());
        assert_eq!(files(folder.path()), [(path("last"), None), (path("replaced"), Some(b"old".to_vec()))]);
    }

    #[test]
    fn what_is_not_committed_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut both = Together::default();
        both.add(&folder.path().join("a"), b"new").unwrap();
        assert!(both.add(&folder.path().join("no/such"), b"new").is_err());
        drop(both);
        assert_eq!(files(folder.path()), []);
    }

    #[test]
    fn one_file_by_two_names() {
        let folder = tempfile::tempdir().unwrap();
        let (there, not_yet) = (folder.path().join("there"), folder.path().join("not-yet"));
        fs::write(&there, "").unwrap();
        for path in [&there, &not_yet] {
            let other = folder.path().join("./././").join(path.file_name().unwrap());
            assert!(is_same(path, &other), "{}", other.display());
        }
        assert!(!is_same(&there, &not_yet) && !is_same(Path::new("/no/such/a"), Path::new("/no/such/b")));
    }
}
