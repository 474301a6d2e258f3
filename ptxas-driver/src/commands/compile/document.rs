//! The JSON document of `compile`: output files, messages and statistics.

use super::Compile;
use crate::options::Input;
use crate::report::{Answer, DocumentSchema, Exit, Form, InputName, Status, report};
use crate::stderr::complain_of_stdout;
use nvdwarf_compile::{Message, Severity, Statistics};
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// Who gives our own messages.
pub(super) const NVDWARF: &str = "nvdwarf";

/// The name of the JSON schema of `compile`.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_files::<Compiled<'_>>();

/// What `compile` did. Its exit status is that of ptxas: 0 where a file was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Compiled<'a> {
    /// The GPU that was compiled for, such as `sm_90a`.
    arch: String,
    /// The inputs after the first one, which is `file`. Absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    more_inputs: Vec<String>,
    /// Where the machine code comes from, in words. Empty where that was not decided.
    code_from: &'a str,
    #[serde(flatten)]
    written: Option<&'a Written>,
    /// How much debug information was written. Absent where none was, and where ptxas wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<Statistics>,
    /// Wall time in milliseconds.
    milliseconds: f64,
    /// The messages about the PTX, in the order in which they came; at most 1000 lines of ptxas.
    messages: &'a [ReportedMessage],
    /// Why nothing was written. Absent where a file was.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// A file that was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Written {
    /// The file that was written. Absent where none was.
    pub(super) output: String,
    /// The size of the output file in bytes. Absent where none was written.
    pub(super) output_bytes: usize,
}

/// A message, and who gave it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ReportedMessage {
    /// The tool that gave the message.
    #[schemars(extend("enum" = ["nvdwarf", "ptxas"]))]
    pub(super) from: &'static str,
    #[serde(flatten)]
    pub(super) message: Message,
}

impl ReportedMessage {
    /// A line that ptxas printed. The word before ` : ` is its severity, as in `ptxas k.ptx, line
    /// 5; warning : ...`.
    pub(super) fn of_ptxas(line: &str) -> Self {
        let before = line.split_once(" :").map_or("", |(before, _)| before);
        let severity = match before.split_whitespace().next_back() {
            Some("error" | "fatal") => Severity::Error,
            Some("warning") => Severity::Warning,
            _ => Severity::Note,
        };
        Self { from: "ptxas", message: Message::of_text(severity, line.to_owned()) }
    }
}

impl Answer for Compiled<'_> {
    const SCHEMA: &'static str = "nvdwarf.compile";

    /// Nothing: `compile` prints what ptxas prints.
    fn text(&self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn status(&self) -> Status {
        Status { has_findings: self.error.is_some(), ..Status::default() }
    }
}

impl Compile<'_> {
    /// The bytes of the document.
    pub(super) fn document(&self, error: Option<&str>) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Memory takes it.
        let _ = self.write_document_to(&mut bytes, error);
        bytes
    }

    /// Writes the document to standard output. Whether that took it; a reader that went away is not
    /// a failure.
    pub(super) fn write_document(&self, error: Option<&str>) -> bool {
        let mut out = io::stdout().lock();
        let written = self.write_document_to(&mut out, error);
        let written = written.and_then(|exit: Exit| Ok(out.flush().map(|()| exit)?));
        match written {
            Ok(_) => true,
            Err(error) if crate::output::is_closed_pipe(&error) => true,
            Err(error) => {
                complain_of_stdout(&error);
                false
            }
        }
    }

    fn write_document_to(&self, out: &mut dyn Write, error: Option<&str>) -> anyhow::Result<Exit> {
        let options = self.options;
        let compiled = Compiled {
            arch: options.virtual_arch.clone().unwrap_or_else(|| options.compile.arch.to_string()),
            more_inputs: options.more_inputs.iter().map(Input::name).collect(),
            code_from: &self.code,
            written: self.written.as_ref(),
            statistics: self.statistics,
            milliseconds: (self.stats.elapsed().as_secs_f64() * 1e6).round() / 1e3,
            messages: &self.messages,
            error,
        };
        let name = options.input.name();
        let image = InputName { name: name.clone(), ..InputName::default() };
        report(out, Form::Json, Compiled::SCHEMA, &name, |answers| Ok(answers.add(&image, &compiled)?))
    }
}
