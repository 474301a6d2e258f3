//! The messages about a command line of `compile`, worded as those of ptxas.

use super::Input;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// The four severities of ptxas' messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The message gives information, or a hint of this program.
    Info,
    /// The message says that something on the command line was ignored.
    Warning,
    /// The message is an error: compilation fails with exit code 255.
    Error,
    /// The message is an error that ends the program at once, with exit code 255.
    Fatal,
}

/// One message about the command line of `compile`, displayed as ptxas does after its own name:
/// `fatal   : Unknown option 'foo'`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The severity of the message: info, warning, error or fatal.
    pub severity: Severity,
    /// The text of the message, in the words of ptxas if ptxas has this message.
    pub text: String,
}

/// The error for an invalid command line of `compile` (exit code 255): every message to print, in
/// order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageError {
    /// The messages to print: warnings that came before, then the error, then perhaps a hint. Not
    /// empty.
    pub messages: Vec<Message>,
    /// The inputs that were named before the error.
    pub inputs: Vec<Input>,
    /// The options files that were named before the error.
    pub options_files: Vec<PathBuf>,
    /// What a ptxas is to be asked, where its lines about this command line are wanted; `None`
    /// where the fault is one of this program's own options.
    pub question: Option<PtxasQuestion>,
}

/// A wrong command line for a ptxas, which says in its own words what is wrong (`--messages
/// ptxas`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PtxasQuestion {
    /// The command line up to the error, without the options that ptxas does not have. Options
    /// files are replaced by their words.
    pub words: Vec<PtxasWord>,
    /// The number of the architecture that was given, else of the default.
    pub arch: u32,
    /// Whether the error is that there is no input. ptxas prints its help then, and succeeds.
    pub has_no_input: bool,
}

/// One part of a command line for a ptxas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PtxasWord {
    /// A word as it was typed.
    Typed(OsString),
    /// The option `-o` with the name of its file.
    Output(OsString),
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
