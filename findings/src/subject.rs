//! What a finding is about, in words that stay the same when lines and numbers move.

use crate::MAX_SUBJECT;

/// Returns the subject of a finding in a text: the line that it is on, without blanks at its ends.
/// A long line is cut to its beginning and a checksum.
pub fn subject_of_line(line: &str) -> String {
    bounded(line.trim())
}

/// Returns a key for a finding in a binary file: its function or section, and its message with `N`
/// for each number. The key stays the same when the code changes and numbers in the message with
/// it.
pub fn subject_of_words(place: &str, words: &str) -> String {
    let mut subject = format!("{place}: ");
    let is_in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '%');
    let mut rest = words;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c| !is_in_word(c)).unwrap_or(rest.len());
        let is_number = first.is_ascii_digit();
        let end = if word == 0 { first.len_utf8() } else { word };
        let (word, after) = rest.split_at(end);
        // The dot that ends a sentence is not part of a number.
        let stop = if word.ends_with('.') { "." } else { "" };
        if is_number {
            subject.extend(["N", stop]);
        } else {
            subject.push_str(word);
        }
        rest = after;
    }
    bounded(&subject)
}

fn bounded(text: &str) -> String {
    match text.char_indices().nth(MAX_SUBJECT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}... {:016x}", &text[..end], fnv1a(&[text])),
    }
}

/// FNV-1a of 64 bits over texts, with a byte between them that none has. It tells findings apart,
/// and guards nothing.
pub(crate) fn fnv1a(texts: &[&str]) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    texts.iter().fold(0xcbf2_9ce4_8422_2325, |hash, text| step(text.bytes().fold(hash, step), 0xff))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_move_are_not_part_of_a_subject() {
        let subject = |words| subject_of_words("f", words);
        assert_eq!(subject("row at 0x1f0 of %rd12, 12-20 bytes"), "f: row at N of %rd12, N-N bytes");
        assert_eq!(subject("sm_90 has .text._Z3addPf at 7."), "f: sm_90 has .text._Z3addPf at N.");
        assert_eq!(subject("caf\u{e9} \u{4e2d}1 -5"), "f: caf\u{e9} \u{4e2d}1 -N");
        assert_eq!(subject(""), "f: ");
    }

    #[test]
    fn a_long_line_is_cut_and_still_differs_from_another() {
        let line = |end: char| subject_of_line(&format!("  {}{end}  ", "\u{e9}".repeat(5000)));
        assert_eq!(line('a').chars().count(), MAX_SUBJECT + 4 + 16);
        assert_ne!(line('a'), line('b'));
        assert_eq!(subject_of_line("\t.loc 1 2 3\r"), ".loc 1 2 3");
    }

    #[test]
    fn the_checksum_is_fnv1a() {
        // Of "foobar" it is 85944171f73967e8 (draft-eastlake-fnv); the byte that ends a text
        // follows.
        let foobar = 0x8594_4171_f739_67e8_u64;
        assert_eq!(fnv1a(&["foobar"]), (foobar ^ 0xff).wrapping_mul(0x0100_0000_01b3));
    }
}
