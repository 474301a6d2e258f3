//! Findings of any command with their places in files. Output formats, baselines and exit codes are
//! made from them.

use crate::{FindingFile, ListedFinding, Severity, subject_of_words};

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
    /// [`subject_of_line`](crate::subject_of_line) or
    /// [`subject_of_words`](crate::subject_of_words).
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
