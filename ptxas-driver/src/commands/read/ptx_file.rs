//! A PTX file as text, whatever its bytes are.

use super::cubin_file::read_any;
use anyhow::{Result, bail};
use ptx_syntax::{raw_byte, raw_byte_as_char};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A PTX file.
pub(in crate::commands) struct PtxFile {
    /// Where it is; `-` for standard input.
    pub(in crate::commands) path: PathBuf,
    /// The name to show.
    pub(in crate::commands) name: String,
    /// Its text. A byte that is no UTF-8 is a character of [`ptx_syntax::raw_byte`], so that nothing is lost; where the
    /// file has such a character itself, each byte of it is one.
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
        if bytes.starts_with(b"\x7fELF") {
            bail!("{name}: an ELF file, expected PTX text");
        }
        let path = path.to_path_buf();
        let (text, escaped) = match String::from_utf8(bytes) {
            Ok(text) if !has_escapes(&text) => (text, false),
            Ok(text) => (decode(text.as_bytes()), true),
            Err(error) => (decode(error.as_bytes()), true),
        };
        Ok(Self { path, name, text, escaped })
    }

    pub(in crate::commands) fn is_stdin(&self) -> bool {
        self.path == Path::new("-")
    }

    /// The bytes of a text made from this one.
    pub(in crate::commands) fn bytes_of<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        if !self.escaped {
            return text.as_bytes().into();
        }
        let mut bytes = Vec::with_capacity(text.len());
        for c in text.chars() {
            match raw_byte(c) {
                Some(byte) => bytes.push(byte),
                None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        bytes.into()
    }

    /// A text made from this one as other programs may read it: U+FFFD for a byte that is no UTF-8.
    pub(in crate::commands) fn shown<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.escaped { with_replacements(text).into() } else { text.into() }
    }
}

/// U+FFFD in place of each byte that is no UTF-8, which is as long.
fn with_replacements(text: &str) -> String {
    text.chars().map(|c| raw_byte(c).map_or(c, |_| char::REPLACEMENT_CHARACTER)).collect()
}

fn has_escapes(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(|c| raw_byte(c).is_some())
}

/// Text for bytes that are no UTF-8, from which they can be had again.
fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if raw_byte(c).is_some() {
                text.extend(c.encode_utf8(&mut [0; 4]).bytes().map(raw_byte_as_char));
            } else {
                text.push(c);
            }
        }
        text.extend(chunk.invalid().iter().map(|&byte| raw_byte_as_char(byte)));
    }
    text
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
        let private = "\u{f7e9} \u{f700}".as_bytes().to_vec();
        for bytes in [every.clone(), b"// caf\xe9 \xc3\xa9".to_vec(), mixed, private] {
            std::fs::write(&path, &bytes).unwrap();
            let file = PtxFile::read(&path).unwrap();
            assert!(file.escaped);
            assert_eq!(*file.bytes_of(&file.text), *bytes);
        }
    }
}
