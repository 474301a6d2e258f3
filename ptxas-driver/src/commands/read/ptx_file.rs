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
    /// Its text. A byte that is no UTF-8 is a private-use character, so that nothing is lost; where the file has such
    /// characters itself, each of its bytes is a character (Latin-1).
    pub(in crate::commands) text: String,
    /// How many bytes each character stands for.
    encoding: Encoding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    /// Bytes that are no UTF-8 are U+F780 to U+F7FF.
    Escaped,
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
        let (text, encoding) = match String::from_utf8(bytes) {
            Ok(text) => (text, Encoding::Utf8),
            Err(error) => decode(error.as_bytes()),
        };
        Ok(Self { path, name, text, encoding })
    }

    pub(in crate::commands) fn is_stdin(&self) -> bool {
        self.path == Path::new("-")
    }

    /// The bytes of a text made from this one.
    pub(in crate::commands) fn bytes_of(&self, text: &str) -> Vec<u8> {
        let escaped =
            |c: char| u8::try_from(u32::from(c).wrapping_sub(ESCAPE)).ok().filter(|byte| *byte >= 0x80);
        match self.encoding {
            Encoding::Utf8 => text.as_bytes().to_vec(),
            Encoding::Escaped => {
                let mut bytes = Vec::with_capacity(text.len());
                for c in text.chars() {
                    match escaped(c) {
                        Some(byte) => bytes.push(byte),
                        None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                    }
                }
                bytes
            }
            // Repairs write ASCII only.
            Encoding::Latin1 => text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect(),
        }
    }
}

/// The private-use character of byte 0.
const ESCAPE: u32 = 0xf700;

/// Text for bytes that are no UTF-8, from which they can be had again.
fn decode(bytes: &[u8]) -> (String, Encoding) {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        if chunk.valid().chars().any(|c| (ESCAPE..=ESCAPE + 0xff).contains(&u32::from(c))) {
            return (bytes.iter().map(|&byte| char::from(byte)).collect(), Encoding::Latin1);
        }
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().filter_map(|&byte| char::from_u32(ESCAPE + u32::from(byte))));
    }
    (text, Encoding::Escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_utf8_survive() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ptx");
        let every: Vec<u8> = (1..=255).collect();
        let mixed = [&every, "caf\u{e9} \u{f7e9}".as_bytes()].concat();
        for (bytes, encoding) in [
            (every.clone(), Encoding::Escaped),
            (b"// caf\xe9 \xc3\xa9".to_vec(), Encoding::Escaped),
            (mixed, Encoding::Latin1),
        ] {
            std::fs::write(&path, &bytes).unwrap();
            let file = PtxFile::read(&path).unwrap();
            assert_eq!(file.encoding, encoding);
            assert_eq!(file.bytes_of(&file.text), bytes);
        }
    }
}
