//! The text of messages, bounded whatever names and strings of the module it quotes.

use std::fmt::{self, Write};

use crate::limits::{MAX_MESSAGE, MAX_QUOTED_PIECE, MAX_QUOTED_RUN};
use crate::raw_byte::raw_byte;

/// The message, with long pieces cut, and `\xe9` for a byte that is not UTF-8.
pub(super) fn bounded(arguments: fmt::Arguments<'_>) -> String {
    let mut bounded = Bounded(String::new());
    let _ = bounded.write_fmt(arguments); // it stops where there is enough
    bounded.0
}

/// Characters outside ASCII in quotes, so that they can be told apart.
pub(super) fn quoted(run: &str) -> String {
    let mut chars = run.chars();
    let mut quoted = String::from("\"");
    for c in chars.by_ref().take(MAX_QUOTED_RUN) {
        match raw_byte(c) {
            Some(byte) => quoted.extend(std::ascii::escape_default(byte).map(char::from)),
            None => quoted.extend(c.escape_debug()),
        }
    }
    quoted.push('"');
    if chars.next().is_some() {
        quoted.push_str("...");
    }
    quoted
}

struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let mut end = MAX_QUOTED_PIECE.min(piece.len());
        while !piece.is_char_boundary(end) {
            end -= 1;
        }
        let kept = piece.get(..end).unwrap_or("");
        for c in kept.chars() {
            match raw_byte(c) {
                Some(byte) => self.0.extend(std::ascii::escape_default(byte).map(char::from)),
                None => self.0.push(c),
            }
        }
        if kept.len() < piece.len() {
            self.0.push_str("...");
        }
        if self.0.len() > MAX_MESSAGE { Err(fmt::Error) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_and_odd_bytes() {
        let name = "n".repeat(1000);
        let text = bounded(format_args!("`{name}` is \u{f7e9}"));
        assert_eq!(text, format!("`{}...` is \\xe9", &name[..MAX_QUOTED_PIECE]));
        let many = bounded(format_args!(
            "{name}{name}{name}{name}{name}{name}{name}{name}{name}{name}{name}{name}{name}{name}{name}"
        ));
        assert!(many.len() <= MAX_MESSAGE + MAX_QUOTED_PIECE + 3);
        assert_eq!(quoted("\u{e9}\u{f7e9}"), "\"\u{e9}\\xe9\"");
        assert_eq!(quoted(&"\u{e9}".repeat(50)), format!("\"{}\"...", "\u{e9}".repeat(40)));
    }
}
