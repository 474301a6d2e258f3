//! A PTX file as text, whatever its bytes are.

use super::cubin_file::read_any;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// A PTX file.
pub(in crate::commands) struct PtxFile {
    /// Where it is; `-` for standard input.
    pub(in crate::commands) path: PathBuf,
    /// The name to show.
    pub(in crate::commands) name: String,
    /// Its text. Where the bytes are no UTF-8, each byte is a character (Latin-1), so that nothing is lost.
    pub(in crate::commands) text: String,
    /// How many bytes each character stands for.
    encoding: Encoding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Latin1,
}

impl PtxFile {
    /// Reads a file, or standard input.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is evidently something else: a folder, an ELF file.
    pub(in crate::commands) fn read(path: &Path) -> Result<Self> {
        let (name, bytes) = read_any(path, "PTX text")?;
        if bytes.starts_with(b"\x7fELF") {
            bail!("{name}: an ELF file, expected PTX text");
        }
        let path = path.to_path_buf();
        Ok(match String::from_utf8(bytes) {
            Ok(text) => Self { path, name, text, encoding: Encoding::Utf8 },
            Err(error) => {
                let text = error.as_bytes().iter().map(|&byte| char::from(byte)).collect();
                Self { path, name, text, encoding: Encoding::Latin1 }
            }
        })
    }

    pub(in crate::commands) fn is_stdin(&self) -> bool {
        self.path == Path::new("-")
    }

    /// The bytes of a text made from this one.
    pub(in crate::commands) fn bytes_of(&self, text: &str) -> Vec<u8> {
        match self.encoding {
            Encoding::Utf8 => text.as_bytes().to_vec(),
            // Repairs write ASCII only.
            Encoding::Latin1 => text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_utf8_survive() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ptx");
        let bytes: Vec<u8> = (1..=255).collect();
        std::fs::write(&path, &bytes).unwrap();
        let file = PtxFile::read(&path).unwrap();
        assert_eq!(file.encoding, Encoding::Latin1);
        assert_eq!(file.bytes_of(&file.text), bytes);
    }
}
