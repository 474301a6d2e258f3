//! JSON documents: what all of them begin with, and the one where there is no answer.

use super::JSON_VERSION;
use super::each::{shown_name, without_name};
use crate::plain::write_json;
use anyhow::Result;
use nv_debug_sections::cubin::Cubin;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// A document of a schema.
#[derive(Serialize)]
struct Document<'a, A> {
    schema: &'static str,
    schema_version: u32,
    #[serde(flatten)]
    answer: &'a A,
}

/// What a document says of one cubin.
#[derive(Serialize)]
struct OfCubin<'a, A> {
    file: &'a str,
    sm: u32,
    #[serde(flatten)]
    answer: &'a A,
}

/// Says why there is no answer, in place of it.
#[derive(Serialize)]
struct Refusal<'a> {
    file: &'a str,
    error: &'a str,
}

/// Writes the document of a schema: its name and version, then the members of `answer`.
///
/// # Errors
///
/// `out` cannot be written.
pub(in crate::commands) fn write_document(
    out: &mut dyn Write,
    schema: &'static str,
    answer: &impl Serialize,
) -> Result<()> {
    Ok(write_json(out, &Document { schema, schema_version: JSON_VERSION, answer })?)
}

/// As [`write_document`], of the cubin called `name`, whose `file` and `sm` go before the members of `answer`.
///
/// # Errors
///
/// `out` cannot be written.
pub(in crate::commands) fn write_cubin_document(
    out: &mut dyn Write,
    schema: &'static str,
    (name, cubin): (&str, &Cubin<'_>),
    answer: &impl Serialize,
) -> Result<()> {
    write_document(out, schema, &OfCubin { file: name, sm: cubin.header.sm(), answer })
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
        write_document(out, schema, &Refusal { file: &file, error })?;
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
