//! The JSON document where there is no answer.

use super::JSON_VERSION;
use super::each::{shown_name, without_name};
use crate::plain::write_json;
use anyhow::Result;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// Says why there is no answer, in place of it.
#[derive(Debug, Serialize)]
struct Refusal<'a> {
    schema: &'static str,
    schema_version: u32,
    file: &'a str,
    error: &'a str,
}

/// Runs a command that writes to `out` a document of `schema` about `file`; `None` where it writes text. If it fails before it has
/// written anything, the document says why.
///
/// # Errors
///
/// Those of `run`, and `out` cannot be written.
pub(in crate::commands) fn with_document<T>(
    schema: Option<&'static str>,
    file: &Path,
    out: &mut dyn Write,
    run: impl FnOnce(&mut dyn Write) -> Result<T>,
) -> Result<T> {
    let mut watched = Watched { out, is_used: false };
    let done = run(&mut watched);
    if let (Err(error), Some(schema), false) = (&done, schema, watched.is_used) {
        let (file, error) = (shown_name(file), format!("{error:#}"));
        let error = without_name(&file, &error);
        let document = Refusal { schema, schema_version: JSON_VERSION, file: &file, error };
        write_json(out, &document)?;
    }
    done
}

/// Notes whether anything was written, or could not be.
struct Watched<'o> {
    out: &'o mut dyn Write,
    is_used: bool,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_used = true;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
