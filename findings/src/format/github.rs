//! The format `github`: workflow commands of GitHub Actions, which turn findings into annotations.
//!
//! GitHub Docs, "Workflow commands for GitHub Actions", error, warning and notice messages; escapes
//! as `@actions/core` has them.

use super::Words;
use crate::{FindingFile, LocatedFinding, Severity};
use std::fmt;

/// Writes a finding as a workflow command of GitHub Actions, `::error
/// file=FILE,line=LINE,col=COLUMN,title=CODE NAME::MESSAGE`. GitHub shows a finding without a line
/// at the first line.
#[derive(Debug, Clone, Copy)]
pub struct Github<'f>(pub &'f LocatedFinding);

/// The error for an unreadable file, written as a workflow command of GitHub Actions.
#[derive(Debug, Clone, Copy)]
pub struct GithubFault<'f>(pub &'f FindingFile, pub &'f str);

impl fmt::Display for Github<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LocatedFinding { code, name, severity, place, related, help, .. } = self.0;
        let command = match severity {
            Severity::Note => "notice",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "::{command} file={}", property(&place.file.path))?;
        if let Some(region) = place.region {
            write!(f, ",line={},col={}", region.line, region.column)?;
        }
        write!(f, ",title={}::{}", property(&format!("{code} {name}")), message(&Words(self.0).to_string()))?;
        if let Some((region, words)) = related {
            write!(f, "{}", message(&format!("\nline {}: {words}", region.line)))?;
        }
        help.iter().try_for_each(|help| write!(f, "{}", message(&format!("\nhelp: {help}"))))
    }
}

impl fmt::Display for GithubFault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(file, error) = self;
        let image = file.image.as_ref().map(|image| format!("{image}: ")).unwrap_or_default();
        write!(f, "::error file={}::{}", property(&file.path), message(&format!("{image}{error}")))
    }
}

/// A message in a workflow command: `%` and line ends are escaped.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property, such as `file`, in a workflow command of GitHub.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::{of_image, of_text};

    #[test]
    fn a_finding_is_an_annotation() {
        let text = Github(&of_text()).to_string();
        let expected = "::error file=a b/k%2C1.ptx,line=3,col=5,title=A001 first::100%25 wrong,%0Aand: more\
                        %0Aline 1: first one%0Ahelp: drop it";
        assert_eq!(text, expected);
        let image =
            "::notice file=lib.a,title=A101 third::sm_90:2: .debug_line+0x10: _Z3addPf: 0; expected 1";
        assert_eq!(Github(&of_image()).to_string(), image);
        let file = of_image().place.file;
        assert_eq!(GithubFault(&file, "50%\r\n").to_string(), "::error file=lib.a::sm_90:2: 50%25%0D%0A");
    }
}
