//! Output files appear whole or not at all.

use anyhow::{Context, Result};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes `bytes` to `path` through a temporary file beside it.
///
/// # Errors
///
/// The folder cannot be written, the disk is full, `path` is a folder.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = || format!("Output file '{}' could not be opened", path.display());
    if path.as_os_str().is_empty() {
        return Err(std::io::Error::from(std::io::ErrorKind::NotFound)).with_context(failed);
    }
    // Devices and pipes cannot be replaced, and need not be.
    if path.exists() && !path.is_file() {
        return std::fs::write(path, bytes).with_context(failed);
    }
    // A link stays, what it names is replaced or made.
    let path = &behind_links(path);
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The error itself would name the temporary file.
    let mut file =
        new_file(folder).map_err(|error| std::io::Error::from(error.kind())).with_context(failed)?;
    file.write_all(bytes).with_context(failed)?;
    if let Ok(replaced) = std::fs::metadata(path) {
        file.as_file().set_permissions(replaced.permissions()).with_context(failed)?;
    }
    file.persist(path).with_context(failed)?;
    Ok(())
}

/// Whether both name one file, which need not exist.
pub fn is_same(a: &Path, b: &Path) -> bool {
    let found = |path| std::fs::canonicalize(path).ok();
    a == b || found(a).is_some_and(|a| Some(a) == found(b))
}

/// Most links that are followed, as many as Linux follows.
const MAX_LINKS: usize = 40;

/// What `path` names in the end, whether it exists or not.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

fn new_file(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".nvdwarf-");
    // Temporary files are private by default; an output file has the mode that the umask gives it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}
