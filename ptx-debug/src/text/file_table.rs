//! `.file` lines: the files of a module with their numbers.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

/// The files that `.loc` lines name, each path once.
#[derive(Debug, Clone, Default)]
pub(super) struct FileTable {
    numbers: BTreeMap<Vec<u8>, u32>,
    /// By number, from 1 on.
    paths: Vec<Vec<u8>>,
}

impl FileTable {
    /// Returns the number of a path, from 1 on in the order of first use.
    pub(super) fn number(&mut self, path: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(path) {
            return *number;
        }
        self.paths.push(path.into());
        let number = self.paths.len() as u32; // a model has fewer files than that
        self.numbers.insert(path.into(), number);
        number
    }

    /// Appends the `.file` lines, which stand after the last function.
    pub(super) fn write(&self, out: &mut String) {
        for (number, path) in (1u32..).zip(&self.paths) {
            let _ = write!(out, "\t.file\t{number} \"");
            for byte in path {
                put_quoted(out, *byte);
            }
            out.push_str("\"\n");
        }
    }
}

/// Appends a byte of a quoted string: as LLVM writes it, with an escape where it is not printable
/// ASCII.
fn put_quoted(out: &mut String, byte: u8) {
    let escape = match byte {
        b'"' | b'\\' => byte,
        b'\x08' => b'b',
        b'\x0c' => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        b' '..=b'~' => return out.push(byte.into()),
        _ => {
            let _ = write!(out, "\\{byte:03o}");
            return;
        }
    };
    out.push('\\');
    out.push(escape.into());
}
