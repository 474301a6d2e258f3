//! What commands say on standard error, and when they use colours.

use crate::plain::printable;
use crate::progress::without_bar;
use crate::quiet::is_quiet;
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use std::fmt;
use std::io::{self, Write};

/// Whether a stream takes colours: as `--color` has it; without that on a terminal, if NO_COLOR, CLICOLOR,
/// CLICOLOR_FORCE and TERM let it.
pub fn has_colors(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Says that standard output takes nothing.
pub fn complain_of_stdout(error: &dyn fmt::Display) {
    complain(format_args!("Standard output could not be written: {error}"));
}

/// Says what is wrong. Standard error that takes nothing is not a reason to panic, as `eprintln!` would.
pub fn complain(message: fmt::Arguments<'_>) {
    say("error", AnsiColor::BrightRed, message);
}

/// Says what is odd, but wrong with nothing that was asked; or has no answer here, which another cubin may have.
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
