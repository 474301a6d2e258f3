//! The messages about a command line of `compile`, worded as those of ptxas.

use std::fmt;

/// The four severities of ptxas' messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// An aside, or a hint of ours.
    Info,
    /// Something was ignored.
    Warning,
    /// The exit code will be 255.
    Error,
    /// The end, exit code 255.
    Fatal,
}

/// One message line, displayed as ptxas does after its own name: `fatal   : Unknown option 'foo'`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// How bad.
    pub severity: Severity,
    /// ptxas' wording where ptxas has one.
    pub text: String,
}

/// The error for an invalid command line (exit code 255): every message to print, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageError {
    /// Warnings that came before, then the error, then perhaps a hint. Not empty.
    pub messages: Vec<Message>,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
            Severity::Fatal => "fatal",
        };
        write!(f, "{severity:<8}: {}", self.text)
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, message) in self.messages.iter().enumerate() {
            write!(f, "{}{message}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for UsageError {}
