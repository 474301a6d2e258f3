//! `.nv.tileir.debug_txt.NAME`: a text of the intermediate language that a compiler has between its
//! source and PTX.
//!
//! The section holds the text of a `.code_block` of the PTX as it is: lines ended by a line feed,
//! the last by the end of the section. No public specification;
//! docs/formats/intermediate-lines.md; observed: ptxas 13.4.92 and 13.5.37, sm_75-sm_120.

use crate::catalog::SectionKind;
use std::borrow::Cow;
use std::iter;

/// Returns the name of the section with the text of a file, by the path in `.file`. What follows
/// the last `/` is the name of the file.
pub fn section_name(path: &str) -> String {
    let file = path.rsplit_once('/').map_or(path, |(_, file)| file);
    format!("{}.{file}", SectionKind::TileirDebugTxt.name())
}

/// Returns the name of the file that a section's text is of; `None` for the name of another
/// section. A line table whose rows are of such a text has the section's name as that of the file.
pub fn file_name(section: &[u8]) -> Option<&[u8]> {
    section.strip_prefix(SectionKind::TileirDebugTxt.name().as_bytes())?.strip_prefix(b".")
}

/// Iterates over the lines of a text, without their ends. An empty text has none.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = (!text.is_empty()).then_some(text);
    iter::from_fn(move || {
        let text = rest?;
        let end = memchr::memchr(b'\n', text);
        rest = end.and_then(|end| text.get(end + 1..));
        Some(end.and_then(|end| text.get(..end)).unwrap_or(text))
    })
}

/// A text whose lines are found by number, in constant time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedLines<'d> {
    data: Cow<'d, [u8]>,
    /// The byte offset of the start of each line.
    starts: Vec<usize>,
}

impl<'d> NumberedLines<'d> {
    /// Indexes the contents of a text section by line number.
    pub fn new(data: impl Into<Cow<'d, [u8]>>) -> Self {
        let data = data.into();
        let ends = memchr::memchr_iter(b'\n', &data);
        let starts = iter::once(0).chain(ends.map(|end| end + 1)).filter(|_| !data.is_empty()).collect();
        Self { data, starts }
    }

    /// Returns the line of a 1-based number, without its end; `None` if the text has no such line.
    pub fn line(&self, number: u32) -> Option<&[u8]> {
        let index = (number as usize).checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).map_or(self.data.len(), |next| next - 1);
        self.data.get(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_have_the_name_of_a_file() {
        for (path, name) in [
            ("./ab", "ab"),
            ("/q/r.s/ab", "ab"),
            ("ab", "ab"),
            ("a b.c", "a b.c"),
            ("d\\e", "d\\e"),
            ("d/", ""),
        ] {
            let section = section_name(path);
            assert_eq!(section, format!(".nv.tileir.debug_txt.{name}"));
            assert_eq!(file_name(section.as_bytes()), Some(name.as_bytes()));
        }
        assert_eq!(file_name(b"a.py"), None);
    }

    #[test]
    fn the_last_line_needs_no_end() {
        let all = |text: &'static [u8]| lines(text).collect::<Vec<_>>();
        assert_eq!(all(b"a\n\n b"), [&b"a"[..], b"", b" b"]);
        assert_eq!(all(b"a\n"), [&b"a"[..], b""]);
        let numbered = NumberedLines::new(&b"a\n\n b"[..]);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|number| numbered.line(number)),
            [None, Some(&b"a"[..]), Some(b""), Some(b" b"), None]
        );
        assert_eq!(NumberedLines::new(&b""[..]).line(1), None);
        assert!(all(b"").is_empty());
    }
}
