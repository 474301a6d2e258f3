//! What commands say on standard error.

use crate::plain::printable;
use std::fmt;
use std::io::{self, Write};

/// Says that standard output takes nothing.
pub fn complain_of_stdout(error: &dyn fmt::Display) {
    complain(format_args!("Standard output could not be written: {error}"));
}

/// Says what is wrong. Standard error that takes nothing is no reason to panic, as `eprintln!` would.
pub fn complain(message: fmt::Arguments<'_>) {
    say("error", message);
}

/// Says what is odd, but wrong with nothing that was asked; or has no answer here, which another cubin may have.
pub fn note(message: fmt::Arguments<'_>) {
    say("note", message);
}

/// One line, whatever the names in it are: files choose those of functions and sections.
fn say(kind: &str, message: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{kind}: {}", printable(&message.to_string()));
}
