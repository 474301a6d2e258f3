//! Cleanup when the program ends: temporary files and folders are removed, and child processes are
//! ended.
//!
//! SIGHUP, SIGINT, SIGQUIT and SIGTERM end us as they end any program, with the status that shells
//! and `make` look for. Before that all that is registered here goes. A step that makes something
//! and registers it, or takes its last name, holds [`lock`]: no signal ends us in the midst of it.
//!
//! SIGKILL cannot be held up. The programs that we started end then too (Linux only, see
//! [`child`]); temporary files stay.

pub mod child;
#[cfg(unix)]
mod signals;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { paths: Vec::new(), programs: Vec::new() });

/// The temporary paths to remove and child processes to end if a signal ends this program.
#[derive(Debug)]
pub struct Registry {
    paths: Vec<PathBuf>,
    programs: Vec<child::Group>,
}

/// Keeps signals from ending the program until the returned guard is dropped.
///
/// What holds it must not wait for others: for a pipe's other end, or for a program.
pub fn lock() -> MutexGuard<'static, Registry> {
    #[cfg(unix)]
    signals::watch();
    lock_unwatched()
}

fn lock_unwatched() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for the end of the program if a signal is about to end it. It is called last, so that a
/// file that the signal's handler removed does not count as a failure of the program.
pub fn expect_no_signal() {
    drop(lock_unwatched());
}

impl Registry {
    /// Registers a temporary file or folder that has just been created.
    pub fn add_path(&mut self, path: &Path) -> RegisteredPath {
        self.paths.push(path.to_path_buf());
        RegisteredPath(path.to_path_buf())
    }

    /// Removes all.
    #[cfg(unix)]
    fn clear(&mut self) {
        child::end_all(&self.programs);
        self.programs.clear();
        self.paths.drain(..).for_each(|path| remove(&path));
    }
}

/// A temporary path that is in the registry. Dropping it removes it from the registry, for which it
/// takes the [`lock`].
#[derive(Debug)]
#[must_use]
pub struct RegisteredPath(PathBuf);

impl Drop for RegisteredPath {
    fn drop(&mut self) {
        lock_unwatched().paths.retain(|path| *path != self.0);
    }
}

/// A folder for temporary files that other users cannot read. Dropping it removes the folder with
/// its contents.
#[derive(Debug)]
pub struct PrivateFolder {
    // Dropped in this order: a path is registered as long as it is there.
    folder: tempfile::TempDir,
    _registered: RegisteredPath,
}

impl PrivateFolder {
    /// Creates a folder for temporary files that other users cannot read.
    ///
    /// # Errors
    ///
    /// There is no folder for temporary files, or it cannot be written.
    pub fn new() -> std::io::Result<Self> {
        Self::new_in(&std::env::temp_dir())
    }

    /// Creates such a folder in another one.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn new_in(parent: &Path) -> std::io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("nvdwarf-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let mut registry = lock();
        let folder = builder.tempdir_in(parent)?;
        let registered = registry.add_path(folder.path());
        drop(registry);
        Ok(Self { folder, _registered: registered })
    }

    /// The path of the private folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Gives the folder another name, under which it stays.
    ///
    /// # Errors
    ///
    /// Those of the system; the folder is then removed.
    pub fn rename(self, path: &Path) -> std::io::Result<()> {
        let registry = lock();
        fs::rename(self.folder.path(), path)?;
        drop(registry);
        let _ = self.folder.keep();
        Ok(())
    }

    /// Creates a folder inside the private one.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn make_folder(&self, name: &str) -> std::io::Result<PathBuf> {
        let path = self.path().join(name);
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(path)
    }
}

/// Creates a file with these bytes that other users cannot read.
///
/// # Errors
///
/// Those of the system; the file is there already.
pub fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    std::io::Write::write_all(&mut options.open(path)?, bytes)
}

#[cfg(unix)]
fn remove(path: &Path) {
    let is_gone = || match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path).is_ok(),
        Ok(_) => fs::remove_file(path).is_ok(),
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    let _ = (0..crate::limits::MAX_REMOVALS).any(|_| is_gone());
}
