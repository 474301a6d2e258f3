//! Findings of any command with their places in files. Output formats, baselines and exit codes are
//! made from them.

use super::finding_position::FindingPosition;
use super::region::Region;
use super::section_offset::SectionOffset;
use crate::{FindingFile, ListedFinding, Severity, subject_of_words};

/// A finding with its place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedFinding {
    /// The code of the broken rule.
    pub code: &'static str,
    /// The name of the broken rule.
    pub name: &'static str,
    /// The severity of the finding.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The place of the finding.
    pub place: FindingPosition,
    /// Another range of the same file that belongs to the finding, and what is there.
    pub related: Option<(Region, String)>,
    /// A sentence on what to do about the finding.
    pub help: Option<String>,
    /// The part of the finding that stays the same when the file changes elsewhere:
    /// [`subject_of_line`](crate::subject_of_line) or
    /// [`subject_of_words`](crate::subject_of_words).
    pub subject: String,
}

impl ListedFinding {
    /// Returns the finding with `file` as its place, in the form that all commands share.
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
