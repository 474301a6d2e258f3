//! The result of a check: its findings, and the messages of ptxas.

use super::ptxas_transcript::Transcript;
use super::{Finding, MinVersion, Mode, PtxasLines, RuleId, Severity, UnlistedFindings, Verdict};
use cuda_releases::Release;

/// The result of [`check`](super::check): the findings, and the messages of ptxas.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The listed findings in text order: at most
    /// [`MAX_FINDINGS_PER_RULE`](super::MAX_FINDINGS_PER_RULE) of each rule and severity.
    pub findings: Vec<Finding>,
    /// The findings that are not listed, in the order of [`RULES`](super::RULES).
    pub more: Vec<UnlistedFindings>,
    /// The number of findings that were left out because a baseline has them; `None` without a
    /// baseline.
    pub in_baseline: Option<usize>,
    /// The release of the ptxas that the verdicts are of.
    pub release: Release,
    /// The least `.version` for the directives used.
    pub min_version: MinVersion,
    pub(super) transcript: Transcript,
}

impl Report {
    /// Returns whether the ptxas of the release accepts the module: that of
    /// [`CheckContext::release`](super::CheckContext::release).
    ///
    /// The verdict is that of ptxas 13.0.88, but for the differences that
    /// [`Details::releases`](super::Details::releases) and the table of releases have. Where a
    /// release is known to do otherwise, and not when, it is [`Verdict::NotKnown`].
    ///
    /// The module is judged by its debug directives, its grammar, and its declarations and their
    /// linkage: opcodes, operand types, registers and initial values are not looked at.
    pub fn verdict(&self, mode: Mode) -> Verdict {
        self.transcript.verdict(mode)
    }

    /// Returns the lines that ptxas 13.0.88 writes to standard error, each ended by `\n`. `file` is
    /// the name that it is given. For another release, the lines that refuse are those of its
    /// verdict, in the words of ptxas 13.0.88.
    pub fn ptxas_messages(&self, mode: Mode, file: &str, lines: &PtxasLines<'_>) -> String {
        self.transcript.print(mode, file, lines)
    }

    /// Whether the ptxas of the release rejects the module because of a finding of this rule, even
    /// if it would report another finding first. A module at which ptxas crashes is not rejected.
    pub fn is_rejected_for(&self, mode: Mode, rule: RuleId) -> bool {
        self.transcript.refuses(mode, rule)
    }

    /// Iterates over the warnings and remarks that ptxas 13.0.88 prints, each without the prefix
    /// `ptxas`.
    pub fn ptxas_remarks(&self, mode: Mode) -> impl Iterator<Item = &str> {
        self.transcript.remarks(mode)
    }

    /// The highest severity among the findings; `None` if there are none.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}
