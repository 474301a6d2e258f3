//! Messages of commands on standard error, and the use of colours.

use crate::printable_text::printable;
use crate::progress::without_bar;
use crate::quiet::is_quiet;
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use std::fmt;
use std::io::{self, Write};

/// Whether to write colours to a stream, by `--color`. The default is only to a terminal, subject
/// to NO_COLOR, CLICOLOR, CLICOLOR_FORCE and TERM.
pub fn has_colors(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Reports on standard error that standard output cannot be written.
pub fn complain_of_stdout(error: &dyn fmt::Display) {
    complain(format_args!("Standard output could not be written: {error}"));
}

/// Prints an error message on standard error. If that cannot be written, it does not panic, as
/// `eprintln!` would.
pub fn complain(message: fmt::Arguments<'_>) {
    say("error", AnsiColor::BrightRed, message);
}

/// Prints a note on standard error: something is unusual but not wrong, or is missing in this cubin
/// and may be in another.
pub fn note(message: fmt::Arguments<'_>) {
    if !is_quiet() {
        say("note", AnsiColor::BrightGreen, message);
    }
}

/// One line, whatever the names in it are: files choose those of functions and sections.
fn say(kind: &str, color: AnsiColor, message: fmt::Arguments<'_>) {
    let mut stderr = io::stderr();
    let style = if has_colors(&stderr) { color.on_default().bold() } else { Style::new() };
    let _ = without_bar(|| writeln!(stderr, "{style}{kind}{style:#}: {}", printable(&message.to_string())));
}
