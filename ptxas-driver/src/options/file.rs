//! `--options-file`: the words of a command line in a file.
//!
//! Observed: ptxas 13.0.88. Blanks, tabs and ends of lines separate; quotation marks keep them,
//! anywhere in a word; a backslash takes the next character as it is, but `\"` gives nothing. There
//! are neither comments nor single quotes.

use super::value::os_string;
use std::ffi::OsString;

/// The words of an options file.
///
/// # Errors
///
/// ptxas' message for a quotation that does not end, and for a backslash at the end.
pub(super) fn words(bytes: &[u8]) -> Result<Vec<OsString>, String> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quoted = false;
    let mut bytes = bytes.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            b'\\' => {
                let Some(next) = bytes.next() else { return Err("Stray '' character".to_owned()) };
                word.get_or_insert_default().extend((next != b'"').then_some(next));
            }
            b' ' | b'\t' | b'\n' | b'\r' if !quoted => words.extend(word.take().map(os_string)),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    if quoted {
        return Err("Stray '\"' character".to_owned());
    }
    words.extend(word.map(os_string));
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Left: a file; right: what ptxas 13.0.88 made of it, seen in the names of the files that it
    /// wrote or missed.
    #[test]
    fn words_are_those_of_ptxas() {
        for (text, expected) in [
            ("-o x\"a b\"y.cubin t.ptx", Ok(&["-o", "xa by.cubin", "t.ptx"][..])),
            ("\"x\\\"y.cubin\" t.ptx", Ok(&["xy.cubin", "t.ptx"])),
            ("\"x\\\\y\" x\\\\y x\\ny x\\ y", Ok(&["x\\y", "x\\y", "xny", "x y"])),
            ("\"x\ny\" x\\\ny\tz\r\n", Ok(&["x\ny", "x\ny", "z"])),
            ("x\u{b}y 'x y'", Ok(&["x\u{b}y", "'x", "y'"])),
            ("x\"\"z \"\" // # c", Ok(&["xz", "", "//", "#", "c"])),
            ("", Ok(&[])),
            (" \n", Ok(&[])),
            ("a \"b", Err("Stray '\"' character")),
            ("a\\", Err("Stray '' character")),
        ] {
            let words = words(text.as_bytes());
            let words = words.as_ref().map(|words| words.iter().map(|word| word.to_str().unwrap()).collect());
            assert_eq!(words.map_err(String::as_str), expected.map(<[&str]>::to_vec), "{text:?}");
        }
    }

    proptest::proptest! {
        /// Each word in quotation marks, with backslashes doubled, is itself: only a quotation mark
        /// cannot be written.
        #[test]
        fn quoted_words_are_themselves(words in proptest::collection::vec("[^\"]{0,6}", 0..5)) {
            let doubled: Vec<String> = words.iter().map(|word| word.replace('\\', "\\\\")).collect();
            let text = if words.is_empty() { String::new() } else { format!("\"{}\"", doubled.join("\" \"")) };
            let read = super::words(text.as_bytes()).unwrap();
            proptest::prop_assert_eq!(read, words.iter().map(OsString::from).collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(0_u8.., 0..60)) {
            let _ = words(&bytes);
        }
    }
}
