//! Where a file goes that a command changed: in the place of the old one, into another file, or to
//! standard output.

use crate::output::{self, Together};
use crate::stderr::note;
use anyhow::Result;
use std::io::Write;
use std::path::Path;

/// Where a changed file goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target<'o> {
    Stdout,
    /// A file, which is the one that was read where no other is named.
    File(&'o Path),
}

impl<'o> Target<'o> {
    /// The target for the file `read`, or for the file that `-o` names.
    pub(super) fn of(read: &'o Path, output: Option<&'o Path>) -> Self {
        let path = output.unwrap_or(read);
        if path == Path::new("-") { Self::Stdout } else { Self::File(path) }
    }

    /// Why a file cannot be written in the place of `read`, if it cannot.
    pub(super) fn fault_in_place(self, read: &'o Path) -> Option<&'static str> {
        let in_place = self == Self::File(read);
        let is_other = read.exists() && !read.is_file() && !read.is_dir();
        (in_place && is_other)
            .then_some("the input is not a plain file, so it cannot be replaced; -o FILE names another")
    }
}

/// Writes `bytes` to `target`, together with `others`: all files, or none. `target` is `None` for a
/// file that stays as it is. A new file can be executed by those who could execute `read`.
///
/// # Errors
///
/// A file or standard output cannot be written.
pub(super) fn write_together(
    others: &[(&Path, &[u8])],
    target: Option<Target<'_>>,
    bytes: &[u8],
    read: &Path,
    out: &mut dyn Write,
) -> Result<()> {
    let mut files = Together::lasting();
    let mut names = Vec::new();
    let file = match target {
        Some(Target::File(path)) => Some((path, bytes)),
        Some(Target::Stdout) | None => None,
    };
    for (path, bytes) in others {
        files.add(path, bytes)?;
        names.push((*path, output::other_names(path)));
    }
    if let Some((path, bytes)) = file {
        files.add_as(path, bytes, Some(read))?;
        names.push((path, output::other_names(path)));
    }
    if target == Some(Target::Stdout) {
        output::write_stdout(out, bytes)?;
    }
    files.commit()?;
    for (path, others) in names.into_iter().filter(|(_, others)| *others > 0) {
        let path = path.display();
        note(format_args!("{path}: other names of the file (hard links: {others}) keep what it was"));
    }
    Ok(())
}
