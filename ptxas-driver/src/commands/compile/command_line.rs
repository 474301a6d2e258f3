//! Calls of `compile` that end at their command line: in whose words that is said.

use super::code::exit_code;
use super::messages::forward;
use super::saved_call::{MESSAGES, STDOUT, SavedCall};
use super::{FAILURE, say};
use crate::cleanup::child::Captured;
use crate::options::{Message, MessageStyle, PtxasQuestion, UsageError};
use crate::provider::ptxas;
use std::io::Write as _;

/// Says what is wrong with a command line. Returns in words where the code would have come from,
/// and the exit code.
pub(super) fn refuse(error: &UsageError, saved: Option<&SavedCall>) -> (String, u8) {
    if let Some(saved) = saved {
        saved.keep_inputs(error.inputs.iter(), 0);
        saved.keep_options_files(&error.options_files);
    }
    if let Some((source, answer)) = error.question.as_ref().and_then(ask) {
        if let Some(saved) = saved {
            saved.keep(MESSAGES, &answer.stderr);
            saved.keep(STDOUT, &answer.stdout);
        }
        let exit = if answer.status.success() { 0 } else { exit_code(ptxas::code_of(answer.status)) };
        return (source, if tell(&answer) { exit } else { FAILURE });
    }
    error.messages.iter().for_each(say);
    if let Some(saved) = saved {
        saved.keep(MESSAGES, text_of(&error.messages).as_bytes());
    }
    (String::new(), FAILURE)
}

/// Messages about a command line as they are printed.
pub(super) fn text_of(messages: &[Message]) -> String {
    let lines: Vec<String> = messages.iter().map(|message| format!("ptxas {message}")).collect();
    lines.join("\n") + "\n"
}

/// What a ptxas says of a command line, after the words where it is; `None` without a ptxas, and
/// where it finds nothing wrong.
fn ask(question: &PtxasQuestion) -> Option<(String, Captured)> {
    let found = ptxas::find(Some(question.arch)).ok()?;
    let answer = ptxas::answer(&found.path, &question.words).ok()?;
    let is_answer = question.has_no_input || !answer.status.success();
    is_answer.then(|| (found.source(), answer))
}

/// Prints what a ptxas has said. Whether standard output took it; a reader that went away is not a
/// failure.
fn tell(answer: &Captured) -> bool {
    let lines = answer.stderr.strip_suffix(b"\n").unwrap_or(&answer.stderr);
    for line in lines.split(|byte| *byte == b'\n').filter(|_| !lines.is_empty()) {
        forward(line, MessageStyle::Ptxas);
    }
    let mut stdout = std::io::stdout();
    let written = stdout.write_all(&answer.stdout).and_then(|()| stdout.flush());
    written.is_ok() || written.is_err_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
