//! Output files appear whole or not at all.

use anyhow::{Context, Result};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to `path` through a temporary file beside it.
///
/// # Errors
///
/// "Could not be opened": the folder is missing or cannot be written, `path` is a folder. "Could not be written": the disk is full.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let unopened = || format!("Output file '{}' could not be opened", path.display());
    let unwritten = || format!("Output file '{}' could not be written", path.display());
    if path.as_os_str().is_empty() {
        return Err(io::Error::from(io::ErrorKind::NotFound)).with_context(unopened);
    }
    // Devices and pipes cannot be replaced, and need not be.
    if path.exists() && !path.is_file() {
        let mut file = std::fs::File::create(path).with_context(unopened)?;
        return file.write_all(bytes).with_context(unwritten);
    }
    // A link stays, what it names is replaced or made.
    let path = &behind_links(path);
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::metadata(folder).with_context(unopened)?;
    // The error itself would name the temporary file.
    let mut file = new_file(folder).map_err(|error| io::Error::from(error.kind())).with_context(unopened)?;
    file.as_file_mut().write_all(bytes).with_context(unwritten)?;
    if let Ok(replaced) = std::fs::metadata(path) {
        file.as_file().set_permissions(replaced.permissions()).with_context(unwritten)?;
    }
    file.persist(path).with_context(unwritten)?;
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

fn new_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".nvdwarf-");
    // Temporary files are private by default; an output file has the mode that the umask gives it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_went_wrong_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("no/such/file");
        for (path, step, reason) in [
            (Path::new("/dev/full"), "could not be written", "No space left on device"),
            (folder.path(), "could not be opened", "Is a directory"),
            (&missing, "could not be opened", "No such file or directory"),
        ] {
            let error = format!("{:#}", write(path, b"bytes").unwrap_err());
            assert!(error.contains(step) && error.contains(reason), "{error}");
        }
    }
}
