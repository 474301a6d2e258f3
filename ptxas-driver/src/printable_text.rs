//! Escapes in text, so that no name in a file or on a command line can control a terminal.
//!
//! All that is printed goes through [`printable`]: messages and text by [`Plain`], JSON by
//! [`write_json`], which has escapes of its own for the same characters. Exceptions are bytes that
//! are data for other programs: PTX text, cubins and patches.

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{self, BufWriter, IntoInnerError, Write};

/// Whether a terminal does not show a character but obeys it, or shows nothing: control characters
/// except the tab, and characters that reorder text, end a line, or are invisible.
pub fn is_steering(c: char) -> bool {
    c.is_control() && c != '\t'
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Returns text as one printable line, with escapes for characters that control a terminal or are
/// invisible.
pub fn printable(text: &str) -> Cow<'_, str> {
    if is_harmless(text.as_bytes()) || !text.contains(is_steering) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_steering(c) { escaped.extend(c.escape_default()) } else { escaped.push(c) }
    }
    escaped.into()
}

/// Whether all bytes are printable ASCII or tabs, as nearly all text is.
fn is_harmless(text: &[u8]) -> bool {
    // Neither `all` nor `||`: these stop early, and so take one byte at a time.
    let is_odd = |byte: &u8| u8::from(!matches!(byte, b' '..=b'~')) & u8::from(*byte != b'\t');
    text.iter().fold(0, |odd, byte| odd | is_odd(byte)) == 0
}

/// The same of lines.
fn are_harmless(lines: &[u8]) -> bool {
    let is_odd = |byte: &u8| {
        u8::from(!matches!(byte, b' '..=b'~')) & u8::from(*byte != b'\t') & u8::from(*byte != b'\n')
    };
    lines.iter().fold(0, |odd, byte| odd | is_odd(byte)) == 0
}

/// Returns text of several lines, each made [`printable`].
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    if text.split('\n').all(|line| matches!(printable(line), Cow::Borrowed(_))) {
        return text.into();
    }
    let lines: Vec<_> = text.split('\n').map(printable).collect();
    lines.join("\n").into()
}

/// Writes one line and makes it [`printable`], since names in it may have control characters.
///
/// # Errors
///
/// `out` cannot be written.
pub fn write_line(out: &mut dyn Write, line: fmt::Arguments<'_>) -> io::Result<()> {
    OneLine(&mut *out).write_fmt(line)?;
    out.write_all(b"\n")
}

/// A writer of parts of one line. Each write must hold whole characters.
struct OneLine<'o>(&'o mut dyn Write);

impl Write for OneLine<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if is_harmless(bytes) {
            self.0.write_all(bytes)?;
        } else {
            self.0.write_all(printable(&String::from_utf8_lossy(bytes)).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A writer of lines that makes each line [`printable`]. Each write must hold complete characters.
#[derive(Debug)]
pub struct Plain<W>(pub W);

impl<W: Write> Write for Plain<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if are_harmless(bytes) {
            self.0.write_all(bytes)?;
        } else {
            self.0.write_all(printable_lines(&String::from_utf8_lossy(bytes)).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A writer of JSON. Characters that steer can only be in its strings, and are escaped as these
/// are.
struct PlainJson<W>(W);

impl<W: Write> Write for PlainJson<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if are_harmless(bytes) {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let mut escaped = String::with_capacity(bytes.len());
        for c in String::from_utf8_lossy(bytes).chars() {
            if is_steering(c) && c != '\n' {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(escaped, "\\u{unit:04x}");
                }
            } else {
                escaped.push(c);
            }
        }
        self.0.write_all(escaped.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes a JSON document and a line end.
///
/// # Errors
///
/// `out` cannot be written.
pub fn write_json(out: &mut dyn Write, document: &(impl Serialize + ?Sized)) -> io::Result<()> {
    write_json_value(out, PrettyFormatter::new(), document)?;
    writeln!(out)
}

/// Writes a JSON value over several lines without a line end. `formatter` indents it.
///
/// # Errors
///
/// `out` cannot be written.
pub fn write_json_value(
    out: &mut dyn Write,
    formatter: PrettyFormatter<'_>,
    value: &(impl Serialize + ?Sized),
) -> io::Result<()> {
    // The serializer writes a few bytes at a time.
    let mut buffer = BufWriter::new(PlainJson(out));
    value.serialize(&mut Serializer::with_formatter(&mut buffer, formatter))?;
    // `flush` would also flush what is below.
    buffer.into_inner().map(drop).map_err(IntoInnerError::into_error)
}

/// Writes a JSON value on one line, and a line end.
///
/// # Errors
///
/// `out` cannot be written.
pub fn write_json_line(out: &mut dyn Write, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
    // The serializer writes a few bytes at a time.
    let mut buffer = BufWriter::new(PlainJson(&mut *out));
    serde_json::to_writer(&mut buffer, value)?;
    buffer.into_inner().map(drop).map_err(IntoInnerError::into_error)?;
    out.write_all(b"\n")
}

/// Returns a JSON value on one line.
///
/// # Errors
///
/// The value cannot be serialized.
pub fn json_line(value: &(impl Serialize + ?Sized)) -> io::Result<String> {
    let mut bytes = Vec::new();
    serde_json::to_writer(PlainJson(&mut bytes), value)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Control characters of C0 and C1, DEL, bidirectional controls, line ends, invisible ones.
    const STEERING: [char; 10] = [
        '\u{1b}',
        '\u{7f}',
        '\u{9b}',
        '\r',
        '\u{202e}',
        '\u{2066}',
        '\u{2028}',
        '\u{200f}',
        '\u{feff}',
        '\u{e0041}',
    ];

    #[test]
    fn what_steers_is_escaped_and_all_else_stays() {
        for c in STEERING {
            let text = format!("a{c}b");
            assert_eq!(printable(&text), format!("a{}b", c.escape_default()));
            let mut lines = Vec::new();
            write!(Plain(&mut lines), "{text}\n\tcaf\u{e9} \u{4e2d}\n").unwrap();
            let lines = String::from_utf8(lines).unwrap();
            assert_eq!(lines, format!("a{}b\n\tcaf\u{e9} \u{4e2d}\n", c.escape_default()));
        }
        assert_eq!(printable("a\nb"), "a\\nb");
        assert!(matches!(printable("caf\u{e9}\t\u{4e2d}\u{1f600}"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_has_its_own_escapes_and_the_same_value() {
        let text: String = STEERING.iter().chain(&['\u{e9}', '\n', '"', '\\']).collect();
        let mut document = Vec::new();
        write_json(&mut document, &[&text]).unwrap();
        let document = String::from_utf8(document).unwrap();
        assert!(!document.trim_end().replace('\n', "").contains(is_steering), "{document:?}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&document).unwrap(), [&*text]);
        assert_eq!(serde_json::from_str::<String>(&json_line(&text).unwrap()).unwrap(), text);
    }
}
