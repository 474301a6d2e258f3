//! The collector of findings that all checks write to.

use super::{Finding, UnlistedFindings};
use std::fmt;

use super::bounded_text::bounded;
use super::ptxas_transcript::{Level, Modes, Phase, PtxasMessage};
use super::release_behaviour::{ReleaseBehaviour, behaviour_of};
use super::rules::RuleId;
use crate::limits::MAX_FINDINGS_PER_RULE;
use crate::text_range::TextRange;
use cuda_releases::Release;
use findings::{Counts, RuleTable as _, Severity};

/// The severities, each at its own number.
const SEVERITIES: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

/// Collects findings and ptxas' words.
#[derive(Debug)]
pub(super) struct Sink<'a> {
    pub(super) text: &'a str,
    /// Whose words are given, and who is named in messages.
    pub(super) release: Release,
    findings: Vec<Finding>,
    /// By severity, each with a limit of its own: a thousand notes of a rule must not hide its only
    /// warning.
    counts: [Counts<RuleId>; SEVERITIES.len()],
    said: Vec<PtxasMessage>,
}

impl<'a> Sink<'a> {
    pub(super) fn new(text: &'a str, release: Release) -> Self {
        Self {
            text,
            release,
            findings: Vec::new(),
            counts: SEVERITIES.map(|_| Counts::new(MAX_FINDINGS_PER_RULE)),
            said: Vec::new(),
        }
    }

    /// A finding of the rule's own severity.
    pub(super) fn error(&mut self, rule: RuleId, range: TextRange, message: fmt::Arguments<'_>) {
        self.find(rule, range, message);
    }

    /// A finding that is a warning here, though the rule's are errors.
    pub(super) fn warning(&mut self, rule: RuleId, range: TextRange, message: fmt::Arguments<'_>) {
        self.find_as(rule.rule().severity.min(Severity::Warning), rule, range, message);
    }

    /// A finding of the rule's own severity. The result takes related places and help, if it is
    /// listed at all.
    pub(super) fn find(
        &mut self,
        rule: RuleId,
        range: TextRange,
        message: fmt::Arguments<'_>,
    ) -> Option<&mut Finding> {
        self.find_as(rule.rule().severity, rule, range, message)
    }

    /// A finding of a given severity, at most the rule's.
    pub(super) fn find_as(
        &mut self,
        severity: Severity,
        rule: RuleId,
        range: TextRange,
        message: fmt::Arguments<'_>,
    ) -> Option<&mut Finding> {
        if !self.counts.get_mut(severity as usize)?.add(rule) {
            return None;
        }
        self.findings.push(Finding {
            rule: rule.rule(),
            severity,
            range,
            message: bounded(message),
            related: None,
            help: None,
        });
        self.findings.last_mut()
    }

    /// Whether a message of ptxas for this rule is still worth keeping.
    fn is_listed(&self, rule: RuleId) -> bool {
        self.counts.iter().all(|counts| counts.beyond_limit(rule) == 0)
    }

    /// `ptxas FILE, line N; error   : TEXT`
    pub(super) fn ptxas_error(&mut self, rule: RuleId, at: u32, text: fmt::Arguments<'_>) {
        self.ptxas_message_at(rule, at, Level::Error, Modes::ALL, text);
    }

    /// `ptxas FILE, line N; fatal   : TEXT`
    pub(super) fn ptxas_fatal(&mut self, rule: RuleId, at: u32, text: fmt::Arguments<'_>) {
        self.ptxas_message_at(rule, at, Level::Fatal, Modes::ALL, text);
    }

    /// Records a message of ptxas' parser, which has a line.
    pub(super) fn ptxas_message_at(
        &mut self,
        rule: RuleId,
        at: u32,
        level: Level,
        modes: Modes,
        text: fmt::Arguments<'_>,
    ) {
        if self.is_listed(rule) {
            let text = text.to_string();
            let phase = Phase::Parse;
            self.say(PtxasMessage { rule, phase, at, with_line: true, level, modes, text });
        }
    }

    /// A message of ptxas without a line, of a later step. `at` keeps the order of those of one
    /// step.
    pub(super) fn ptxas_message(
        &mut self,
        rule: RuleId,
        phase: Phase,
        at: u32,
        level: Level,
        modes: Modes,
        text: fmt::Arguments<'_>,
    ) {
        if self.is_listed(rule) {
            let text = text.to_string();
            self.say(PtxasMessage { rule, phase, at, with_line: false, level, modes, text });
        }
    }

    /// Records an error of a later phase of ptxas, with a line.
    pub(super) fn ptxas_late_error(&mut self, rule: RuleId, phase: Phase, at: u32, text: fmt::Arguments<'_>) {
        let text = text.to_string();
        let (level, modes) = (Level::Error, Modes::ALL);
        self.say(PtxasMessage { rule, phase, at, with_line: true, level, modes, text });
    }

    /// Records that the ptxas of the release may refuse the module, where ptxas 13.0.88 takes it.
    /// Nothing is recorded for a release that does as that one.
    pub(super) fn ptxas_may_refuse(&mut self, rule: RuleId, phase: Phase, at: u32, modes: Modes) {
        if self.behaviour(rule) == ReleaseBehaviour::NotKnown {
            self.ptxas_message(rule, phase, at, Level::NotKnown, modes, format_args!(""));
        }
    }

    /// What the ptxas of the release does about a rule.
    pub(super) fn behaviour(&self, rule: RuleId) -> ReleaseBehaviour {
        behaviour_of(rule.rule().details.releases, self.release)
    }

    /// Records a message of ptxas 13.0.88 as that of the release.
    fn say(&mut self, mut message: PtxasMessage) {
        if message.level.refuses() && self.behaviour(message.rule) == ReleaseBehaviour::NotKnown {
            message.level = Level::NotKnown;
        }
        self.said.push(message);
    }

    /// Findings in text order, how many are not listed, and ptxas' words.
    pub(super) fn finish(mut self) -> (Vec<Finding>, Vec<UnlistedFindings>, Vec<PtxasMessage>) {
        self.findings.sort_by_key(|finding| (finding.range, finding.rule.id));
        let mut more: Vec<UnlistedFindings> = SEVERITIES
            .iter()
            .zip(&self.counts)
            .flat_map(|(&severity, counts)| {
                counts.more().map(move |(rule, count)| UnlistedFindings { rule, severity, count })
            })
            .collect();
        more.sort_by_key(|unlisted| (unlisted.rule.id, unlisted.severity));
        (self.findings, more, self.said)
    }
}
