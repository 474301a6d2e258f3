//! Reporting: commands give their answers as text or as one JSON document, with one exit status.
//! `compile` writes its JSON document in this way; its text and exit status are those of ptxas.
//!
//! A command makes an [`Answer`] for each file or image and adds it to the [`Answers`]. The rule of
//! the exit status: a query fails when no image answers it; what is wrong with a file or an image
//! itself fails always.

mod answers;
mod cubin_kind;
mod document;
mod form;
mod input_name;
mod no_answer;
mod schema;
mod status;
mod stream;

pub use answers::{Answers, is_of_stdout, report, report_to_end};
pub use cubin_kind::CubinKind;
pub use document::{DocumentHead, write_document, write_document_line};
pub use form::Form;
pub use input_name::InputName;
pub use no_answer::{NoAnswer, UnansweredInput};
pub use schema::DocumentSchema;
pub use status::{Exit, Status};
pub use stream::Stream;

use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// The result that a command has for one file or image, which can be written as text and as JSON.
pub trait Answer: Serialize + JsonSchema {
    /// Name of the JSON document that it is a part of, such as `nvdwarf.lines` (docs/json.md).
    const SCHEMA: &'static str;

    /// Writes it for people.
    ///
    /// # Errors
    ///
    /// `out` cannot be written.
    fn text(&self, out: &mut dyn Write) -> io::Result<()>;

    /// What it makes of the exit status. Asked after it was written, since some answers are made
    /// while they are.
    fn status(&self) -> Status {
        Status::default()
    }
}
