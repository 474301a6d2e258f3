//! `lines --json=lines`: for each query a JSON document on a line of its own.

use crate::report::{DocumentSchema, write_document_line};
use cubin_debuginfo::lines::AddressAnswer;
use nv_debug_sections::cubin::CodeLocation;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// The JSON schema of these documents.
pub(super) const SCHEMA: DocumentSchema = DocumentSchema::of::<QueryLine<'_, '_, '_>>("nvdwarf.lines.query");

/// What `lines --json=lines` says to one query: a document on one line, as soon as the query came.
/// Each query has exactly one, also an empty line and what cannot be read as a query.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct QueryLine<'q, 'a, 's> {
    /// The query, as the user gave it, without blanks around it. What is not UTF-8 is U+FFFD. A
    /// query of more than 1 MiB is not looked up, and is cut here. A line of more than 1 GiB ends
    /// the program, since it may never end.
    pub(super) query: &'q str,
    /// The name of the file as given, `<stdin>` for `-`. If the file has several cubins, the name
    /// by which an operand selects the one that answers, such as `a.out:sm_90:2`. Absent where
    /// several cubins were asked and none has the function, or not only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<&'q str>,
    /// The SM number of the cubin: 90 for sm_90. Absent without `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sm: Option<u32>,
    /// Where the machine code of the cubin is. Absent without `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<CodeLocation>,
    /// With `--mercury`: sections and offsets are those of the code of the capsule. Absent without
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["mercury"]))]
    pub(super) space: Option<&'static str>,
    /// With `--load` and `--load-csv`: the address at run time that the query is. Absent for other
    /// queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) address: Option<u64>,
    /// One answer for each address that the query means: an offset without a function may be in
    /// several functions. Empty where the query means no address.
    pub(super) answers: &'a [AddressAnswer<'a, 's>],
    /// Why the query has no answer, or no further one. Absent if nothing is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl QueryLine<'_, '_, '_> {
    /// Writes the document.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write_document_line(out, SCHEMA.name, self)
    }
}
