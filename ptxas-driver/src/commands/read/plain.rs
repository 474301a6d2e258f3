//! Text that no name in a file can steer a terminal with.

use crate::cli::printable;
use std::io::{self, Write};

/// Escapes control characters, as [`printable`] does, in what is written: text, a whole number of characters at a time.
pub(in crate::commands) struct Plain<'o>(pub(in crate::commands) &'o mut dyn Write);

impl Write for Plain<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            match std::str::from_utf8(text) {
                Ok(text) => self.0.write_all(printable(text).as_bytes())?,
                Err(_) => self.0.write_all(text)?,
            }
            self.0.write_all(line.get(text.len()..).unwrap_or_default())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
