//! Diagnostics: messages about a PTX text, with their severity and position.

use ptx_syntax::TextRange;
pub use ptx_syntax::check::Severity;

/// A message about a PTX text, with its severity and position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity of the diagnostic. With an error no cubin is written.
    pub severity: Severity,
    /// What is wrong with the PTX, and what was expected.
    pub message: String,
    /// The bytes of the PTX text that the diagnostic is about; `None` for the text as a whole.
    pub range: Option<TextRange>,
    /// The code of the rule that the PTX breaks.
    pub code: Option<&'static str>,
    /// Another range of the PTX text that belongs to the diagnostic, and what is there.
    pub related: Option<(TextRange, String)>,
    /// A sentence on how to fix the PTX.
    pub help: Option<String>,
    /// Whether ptxas prints the same message. With `-Werror` a warning is an error only if ptxas
    /// prints it too.
    pub is_ptxas: bool,
}

impl Diagnostic {
    /// Creates an error about a range of the text.
    pub fn error(range: impl Into<Option<TextRange>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, range.into(), message.into())
    }

    /// Creates a warning about a range of the text.
    pub fn warning(range: impl Into<Option<TextRange>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, range.into(), message.into())
    }

    /// Creates a note about the text as a whole.
    pub fn note(message: impl Into<String>) -> Self {
        Self::new(Severity::Note, None, message.into())
    }

    /// Creates a warning that ptxas prints too.
    pub fn ptxas_warning(message: impl Into<String>) -> Self {
        Self { is_ptxas: true, ..Self::warning(None, message) }
    }

    /// Whether the diagnostic prevents the output.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    fn new(severity: Severity, range: Option<TextRange>, message: String) -> Self {
        Self { severity, message, range, code: None, related: None, help: None, is_ptxas: false }
    }
}
