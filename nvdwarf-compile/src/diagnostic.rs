//! Diagnostics: messages about a PTX text, with their severity and position.

use ptx_syntax::TextRange;
pub use ptx_syntax::check::Severity;

/// One message about the PTX text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is. With an error nothing is written.
    pub severity: Severity,
    /// The fault, and what was expected.
    pub message: String,
    /// Bytes of the text it is about; `None` for the text as a whole.
    pub range: Option<TextRange>,
    /// The code of the rule it breaks.
    pub code: Option<&'static str>,
    /// Another place that belongs to it, and what that place is.
    pub related: Option<(TextRange, String)>,
    /// The way to fix it.
    pub help: Option<String>,
    /// Whether ptxas gives the same message: `-Werror` makes an error of such a warning alone.
    pub is_ptxas: bool,
}

impl Diagnostic {
    /// Creates an error about `range`.
    pub fn error(range: impl Into<Option<TextRange>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, range.into(), message.into())
    }

    /// Creates a warning about `range`.
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
