//! Findings of any command with their places in files. Output formats, baselines and exit codes are
//! made from them.

use crate::{ListedFinding, MAX_SUBJECT, Severity};

/// A finding with its place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedFinding {
    /// Code of its rule.
    pub code: &'static str,
    /// Name of its rule.
    pub name: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The place of the finding.
    pub place: FindingPosition,
    /// Another place of the same file that belongs to it, and what that place is.
    pub related: Option<(Region, String)>,
    /// What to do about it.
    pub help: Option<String>,
    /// The part of the finding that stays the same when the file changes elsewhere:
    /// [`subject_of_line`] or [`subject_of_words`].
    pub subject: String,
}

/// The place of a finding: the file, and the lines, section or function in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FindingPosition {
    /// The file.
    pub file: FindingFile,
    /// The lines and columns; `None` if the file has no lines, or the finding is about all of it.
    pub region: Option<Region>,
    /// The byte of a section.
    pub section: Option<SectionOffset>,
    /// The function it is about, by the name of its symbol.
    pub function: Option<String>,
}

/// The names of a file that output formats need.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct FindingFile {
    /// To show: as the command line has it, and of several images of a file with what tells them
    /// apart.
    pub shown: String,
    /// The path of the file on the disk: from the folder that the command runs in if the file is
    /// below it, with `/`.
    pub path: String,
    /// Which image of the file it is, as `sm_90:2`; `None` where the file itself is meant.
    pub image: Option<String>,
}

/// A range of text. Lines and columns count from 1, columns in characters. The end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Region {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// A position in a binary file: a section and a byte offset in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionOffset {
    /// Name of the section.
    pub section: String,
    /// Byte offset in it.
    pub offset: u64,
}

impl FindingFile {
    /// Creates the name of a file. A path below `folder` is made relative to it.
    pub fn new(shown: &str, folder: Option<&str>) -> Self {
        Self { shown: shown.to_owned(), path: portable_path(shown, folder), image: None }
    }

    /// Creates the name of an image of a file. `shown` is the path of the file, a colon and the
    /// image.
    pub fn of_image(shown: &str, image: &str, folder: Option<&str>) -> Self {
        let path = shown.strip_suffix(image).and_then(|path| path.strip_suffix(':'));
        match path {
            Some(path) if !image.is_empty() => Self {
                shown: shown.to_owned(),
                path: portable_path(path, folder),
                image: Some(image.to_owned()),
            },
            _ => Self::new(shown, folder),
        }
    }

    /// The name in a baseline: the path, and for an image a colon and the image.
    pub fn stable(&self) -> String {
        match &self.image {
            Some(image) => format!("{}:{image}", self.path),
            None => self.path.clone(),
        }
    }
}

/// A path without detours, and without `folder` if it is below that.
fn portable_path(path: &str, folder: Option<&str>) -> String {
    let path = without_detours(path);
    match folder.and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/')) {
        Some(below) => below.to_owned(),
        None => path,
    }
}

/// A path without `.`, `..` after a name, and empty parts. Links are not looked at.
fn without_detours(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else if part != ".." || !path.starts_with('/') || !parts.is_empty() {
            parts.push(part);
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

impl ListedFinding {
    /// Puts the finding at its place in a file.
    pub fn located(&self, file: &FindingFile) -> LocatedFinding {
        let Self { code, name, severity, section, offset, function, .. } = self;
        let message = self.words();
        LocatedFinding {
            code,
            name,
            severity: *severity,
            place: FindingPosition {
                file: file.clone(),
                region: None,
                section: Some(SectionOffset { section: section.clone(), offset: *offset }),
                function: function.clone(),
            },
            related: None,
            help: None,
            subject: self.subject(),
            message,
        }
    }

    /// The part of the finding that stays the same when other parts of the file change: the
    /// function or section, and the message without numbers.
    pub fn subject(&self) -> String {
        subject_of_words(self.function.as_deref().unwrap_or(&self.section), &self.words())
    }
}

/// Returns the subject of a finding in text: its line, without blanks around it. A long line is cut
/// to its beginning and a checksum.
pub fn subject_of_line(line: &str) -> String {
    bounded(line.trim())
}

/// Returns the subject of a finding in a binary file: its function or section, and the message with
/// `N` for each number. Offsets and counts change when code before them does.
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
    fn a_path_is_the_same_from_wherever_it_is_named() {
        let path = |shown| FindingFile::new(shown, Some("/w")).path;
        for shown in
            ["a/b.ptx", "./a/b.ptx", ".//a//b.ptx", "/w/a/b.ptx", "/w/c/../a/./b.ptx", "c/../a/b.ptx"]
        {
            assert_eq!(path(shown), "a/b.ptx", "{shown}");
        }
        assert_eq!(
            [path("/wa/b"), path("../b"), path("../../b"), path("/../b")],
            ["/wa/b", "../b", "../../b", "/b"]
        );
        let image = FindingFile::of_image("./lib.a:sm_90:2", "sm_90:2", None);
        assert_eq!((image.path.as_str(), image.stable().as_str()), ("lib.a", "lib.a:sm_90:2"));
    }

    #[test]
    fn the_checksum_is_fnv1a() {
        // Of "foobar" it is 85944171f73967e8 (draft-eastlake-fnv); the byte that ends a text
        // follows.
        let foobar = 0x8594_4171_f739_67e8_u64;
        assert_eq!(fnv1a(&["foobar"]), (foobar ^ 0xff).wrapping_mul(0x0100_0000_01b3));
    }
}
