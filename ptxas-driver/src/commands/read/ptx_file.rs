//! Reads a PTX file as text, whatever its bytes are.

use super::cubin_file::read_any;
use crate::foreign_files;
use anyhow::{Result, bail};
use ptx_syntax::raw_text;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A PTX file.
pub(in crate::commands) struct PtxFile {
    /// Where it is; `-` for standard input.
    pub(in crate::commands) path: PathBuf,
    /// The name to show.
    pub(in crate::commands) name: String,
    /// Its text, as [`raw_text::decode`] gives it: nothing is lost.
    pub(in crate::commands) text: String,
    /// Whether it has such characters.
    escaped: bool,
}

impl PtxFile {
    /// Reads a file, or standard input.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is evidently something else: a folder, an ELF file.
    pub(in crate::commands) fn read(path: &Path) -> Result<Self> {
        let (name, bytes) = read_any(path, "PTX text")?;
        Self::of(path, name, bytes)
    }

    /// The text in the bytes of the file at `path`, which is shown as `name`.
    ///
    /// # Errors
    ///
    /// It is evidently something else.
    pub(in crate::commands) fn of(path: &Path, name: String, bytes: Vec<u8>) -> Result<Self> {
        if let Some((what, how)) = foreign_files::not_ptx(&bytes, &name) {
            bail!("{name}: {what}, expected PTX text; {how}");
        }
        let path = path.to_path_buf();
        let (text, escaped) = raw_text::decode(bytes);
        Ok(Self { path, name, text, escaped })
    }

    pub(in crate::commands) fn is_stdin(&self) -> bool {
        self.path == Path::new("-")
    }

    /// The bytes of a text made from this one.
    pub(in crate::commands) fn bytes_of<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        if self.escaped { raw_text::bytes(text).into() } else { text.as_bytes().into() }
    }

    /// A text made from this one as other programs may read it: U+FFFD for a byte that is not
    /// UTF-8.
    pub(in crate::commands) fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.escaped { raw_text::with_replacements(text).into() } else { text.into() }
    }
}
