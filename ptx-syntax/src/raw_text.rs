//! Conversion between files that need not be UTF-8 and text, without loss.

use crate::raw_byte::{raw_byte, raw_byte_as_char};

/// Converts bytes to text without loss, and returns whether any byte was escaped. A byte that is
/// not UTF-8 is escaped: it becomes the character that [`raw_byte`] converts back. If the bytes
/// have such a character themselves, each of its bytes is escaped.
pub fn decode(bytes: Vec<u8>) -> (String, bool) {
    let is_raw = |text: &str| !text.is_ascii() && text.chars().any(|c| raw_byte(c).is_some());
    match String::from_utf8(bytes) {
        Ok(text) if !is_raw(&text) => (text, false),
        Ok(text) => (escaped(text.as_bytes()), true),
        Err(error) => (escaped(error.as_bytes()), true),
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if raw_byte(c).is_some() {
                text.extend(c.encode_utf8(&mut [0; 4]).bytes().map(raw_byte_as_char));
            } else {
                text.push(c);
            }
        }
        text.extend(chunk.invalid().iter().map(|&byte| raw_byte_as_char(byte)));
    }
    text
}

/// Converts a text that [`decode`] has made back to bytes. The text may have been edited.
pub fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match raw_byte(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// Returns a text that [`decode`] has made with U+FFFD in place of each escaped byte. Offsets stay
/// the same, since both characters take three bytes.
pub fn with_replacements(text: &str) -> String {
    text.chars().map(|c| raw_byte(c).map_or(c, |_| char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_utf8_survive() {
        let every: Vec<u8> = (1..=255).collect();
        let mixed = [&every, "caf\u{e9} \u{f7e9}".as_bytes()].concat();
        let private = "\u{f7e9} \u{f700}".as_bytes().to_vec();
        for all in [every.clone(), b"// caf\xe9 \xc3\xa9".to_vec(), mixed, private] {
            let (text, is_raw) = decode(all.clone());
            assert!(is_raw);
            assert_eq!(bytes(&text), all);
        }
        assert_eq!(decode(b"// caf\xc3\xa9".to_vec()), ("// caf\u{e9}".to_owned(), false));
    }
}
