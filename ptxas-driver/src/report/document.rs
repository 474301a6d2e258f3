//! JSON documents: their common head, and the array of files that most have.

use crate::printable_text::{write_json, write_json_line, write_json_value};
use nv_debug_sections::cubin::CodeLocation;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::ser::{Formatter as _, PrettyFormatter};
use std::io::{self, Write};

/// Version of the documents. Raised when a member goes or changes its meaning; `docs/json.md` tells
/// how to come from one to the next.
pub(super) const SCHEMA_VERSION: u32 = 2;
const _: () = assert!(SCHEMA_VERSION == findings::BASELINE_VERSION);

/// A document of a schema.
#[derive(Serialize)]
struct Document<'a, A> {
    schema: &'static str,
    schema_version: u32,
    #[serde(flatten)]
    answer: &'a A,
}

/// Writes a JSON document without an array of files: the name and version of its schema, then the
/// members of `answer`.
///
/// # Errors
///
/// `out` cannot be written.
pub fn write_document(out: &mut dyn Write, schema: &'static str, answer: &impl Serialize) -> io::Result<()> {
    write_json(out, &Document { schema, schema_version: SCHEMA_VERSION, answer })
}

/// Writes a JSON document without an array of files on one line.
///
/// # Errors
///
/// `out` cannot be written.
pub fn write_document_line(
    out: &mut dyn Write,
    schema: &'static str,
    answer: &impl Serialize,
) -> io::Result<()> {
    write_json_line(out, &Document { schema, schema_version: SCHEMA_VERSION, answer })
}

/// The head of a JSON document: the members that come before its array `files`.
#[derive(Debug, Clone, Copy)]
pub struct DocumentHead<'c, C> {
    /// The name of the document's schema, such as `nvdwarf.lines`.
    pub schema: &'static str,
    /// The members that the command adds before `files`, such as the limits that it was given.
    pub members: &'c C,
}

impl DocumentHead<'static, Option<()>> {
    /// Creates the head of a document to which the command adds no members.
    pub const fn of(schema: &'static str) -> Self {
        Self { schema, members: &None }
    }
}

/// A document with an array `files`, written element by element as these come.
pub(super) struct Files {
    /// The document up to the array, until that is begun.
    head: Option<Vec<u8>>,
}

impl Files {
    /// A document that begins so.
    pub(super) fn new(
        DocumentHead { schema, members }: DocumentHead<'_, impl Serialize>,
    ) -> io::Result<Self> {
        let mut head = Vec::new();
        write_document(&mut head, schema, members)?;
        // Until the end of the object.
        head.truncate(head.len().saturating_sub("\n}\n".len()));
        head.extend(b",\n  \"files\": [");
        Ok(Self { head: Some(head) })
    }

    /// Writes an element.
    pub(super) fn element(&mut self, out: &mut dyn Write, element: &impl Serialize) -> io::Result<()> {
        match self.head.take() {
            Some(head) => out.write_all(&head)?,
            None => out.write_all(b",")?,
        }
        out.write_all(b"\n    ")?;
        // In an object and an array.
        let mut formatter = PrettyFormatter::new();
        formatter.begin_object(&mut io::sink())?;
        formatter.begin_array(&mut io::sink())?;
        write_json_value(out, formatter, element)
    }

    /// Writes the end.
    pub(super) fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match self.head.take() {
            Some(head) => {
                out.write_all(&head)?;
                out.write_all(b"]\n}\n")
            }
            None => out.write_all(b"\n  ]\n}\n"),
        }
    }
}

/// An element of `files` about a cubin.
#[derive(Serialize, JsonSchema)]
pub(super) struct OfCubin<'a, A> {
    /// The name of the file as given, `<stdin>` for `-`. If the file has several cubins, the name
    /// by which an operand selects this one, such as `a.out:sm_90:2`.
    pub(super) file: &'a str,
    /// The SM number of the cubin: 90 for sm_90.
    pub(super) sm: u32,
    /// Where the machine code of the cubin is.
    pub(super) code: CodeLocation,
    #[serde(flatten)]
    pub(super) answer: &'a A,
}

/// An element of `files` about a file other than a cubin.
#[derive(Serialize, JsonSchema)]
pub(super) struct OfFile<'a, A> {
    /// The name of the file as given, `<stdin>` for `-`.
    pub(super) file: &'a str,
    #[serde(flatten)]
    pub(super) answer: &'a A,
}

/// The reason why there is no answer, at the place of the answer.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "NoAnswer")]
pub(super) struct Refusal<'a> {
    /// The name of the file or cubin; of a fault between the images of a file the name of the file.
    pub(super) file: &'a str,
    /// Why the file or cubin cannot be read, or why it has no answer.
    pub(super) error: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_written_in_parts_is_that_written_at_once() {
        #[derive(Serialize)]
        struct Command {
            limit: u32,
        }
        #[derive(Serialize)]
        struct All<'a> {
            limit: u32,
            files: &'a [Option<[&'a str; 2]>],
        }
        let all = [None, Some(["a", "\u{1b}"]), None];
        for files in [&all[..0], &all[..1], &all] {
            let mut whole = Vec::new();
            write_document(&mut whole, "s", &All { limit: 3, files }).unwrap();
            let mut parts = Vec::new();
            let mut document =
                Files::new(DocumentHead { schema: "s", members: &Command { limit: 3 } }).unwrap();
            for file in files {
                document.element(&mut parts, file).unwrap();
            }
            document.end(&mut parts).unwrap();
            assert_eq!(String::from_utf8(parts).unwrap(), String::from_utf8(whole).unwrap());
        }
    }
}
