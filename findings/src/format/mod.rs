//! Findings in the formats of other programs: editors, GitHub, and readers of SARIF.
//!
//! Texts here are as files have them. Whoever writes lines to a terminal escapes what steers it.

mod concise;
mod github;
pub mod sarif;

pub use concise::Concise;
pub use github::{Github, GithubFault};

use crate::LocatedFinding;
use std::fmt;

/// The message of a finding, with the parts of its place that are not a line of the file: image,
/// section, function.
struct Words<'f>(&'f LocatedFinding);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LocatedFinding { place, message, .. } = self.0;
        place.file.image.iter().try_for_each(|image| write!(f, "{image}: "))?;
        place.section.iter().try_for_each(|at| write!(f, "{}+{:#x}: ", at.section, at.offset))?;
        place.function.iter().try_for_each(|function| write!(f, "{function}: "))?;
        f.write_str(message)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::{
        FindingFile, FindingPosition, LocatedFinding, Region, SectionOffset, Severity, subject_of_line,
        subject_of_words,
    };

    /// A finding in text.
    pub(crate) fn of_text() -> LocatedFinding {
        LocatedFinding {
            code: "A001",
            name: "first",
            severity: Severity::Error,
            message: "100% wrong,\nand: more".to_owned(),
            place: FindingPosition {
                file: FindingFile::new("./a b/k,1.ptx", None),
                region: Some(Region { line: 3, column: 5, end_line: 3, end_column: 9 }),
                ..FindingPosition::default()
            },
            related: Some((
                Region { line: 1, column: 1, end_line: 1, end_column: 2 },
                "first one".to_owned(),
            )),
            help: Some("drop it".to_owned()),
            subject: subject_of_line("    text\n"),
        }
    }

    /// A finding in an image of an archive.
    pub(crate) fn of_image() -> LocatedFinding {
        LocatedFinding {
            code: "A101",
            name: "third",
            severity: Severity::Note,
            message: "0; expected 1".to_owned(),
            place: FindingPosition {
                file: FindingFile::of_image("lib.a:sm_90:2", "sm_90:2", None),
                region: None,
                section: Some(SectionOffset { section: ".debug_line".to_owned(), offset: 16 }),
                function: Some("_Z3addPf".to_owned()),
            },
            related: None,
            help: None,
            subject: subject_of_words("_Z3addPf", "0; expected 1"),
        }
    }
}
