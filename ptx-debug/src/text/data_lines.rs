//! Bytes of a section as `.b8` lines.

use alloc::string::String;
use core::fmt::Write as _;

use super::Dialect;

/// Appends bytes that belong together, such as a string, as `.b8` lines.
pub(super) fn put_bytes(out: &mut String, dialect: Dialect, bytes: &[u8]) {
    for line in bytes.chunks(dialect.bytes_in_line()) {
        let mut separator = ".b8 ";
        for byte in line {
            let _ = write!(out, "{separator}{byte}"); // a String takes everything
            separator = ",";
        }
        out.push('\n');
    }
}
