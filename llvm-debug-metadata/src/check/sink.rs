//! Collects findings and the sentences of libNVVM.

use super::answer::LibNvvmAnswer;
use super::finding::{Finding, MoreFindings, Report};
use super::rules::RuleId;
use crate::{IrDialect, TextRange};
use findings::{Counts, MAX_FINDINGS, RuleTable as _, Severity};
use std::collections::{BTreeMap, HashSet};

/// The severities, each at its own number.
const SEVERITIES: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Error];

/// Collects findings and the sentences of libNVVM.
#[derive(Debug)]
pub(super) struct Sink {
    findings: Vec<Finding>,
    /// By severity, each with a limit of its own: many notes of a rule must not hide a warning.
    counts: [Counts<RuleId>; SEVERITIES.len()],
    /// Each sentence once, in the order in which they came.
    sentences: Vec<String>,
    said: HashSet<String>,
}

impl Sink {
    pub(super) fn new() -> Self {
        Self {
            findings: Vec::new(),
            counts: SEVERITIES.map(|_| Counts::new(MAX_FINDINGS)),
            sentences: Vec::new(),
            said: HashSet::new(),
        }
    }

    /// Adds a finding with the severity of its rule, about which libNVVM says `sentence`, or
    /// nothing.
    pub(super) fn find(&mut self, rule: RuleId, range: TextRange, sentence: &str, message: String) {
        self.find_as(rule.rule().severity, rule, range, sentence, message);
    }

    /// Adds a finding with a severity of its own.
    pub(super) fn find_as(
        &mut self,
        severity: Severity,
        rule: RuleId,
        range: TextRange,
        sentence: &str,
        message: String,
    ) {
        if !sentence.is_empty() {
            self.say(sentence);
        }
        if self.counts[severity as usize].add(rule) {
            let rule = rule.rule();
            let libnvvm = sentence.to_owned();
            self.findings.push(Finding { rule, severity, range, message, libnvvm, related: None });
        }
    }

    /// Adds another place to the last finding, which `message` says something of.
    pub(super) fn relate(&mut self, range: TextRange, message: &str) {
        if let Some(finding) = self.findings.last_mut() {
            finding.related.get_or_insert_with(|| (range, message.to_owned()));
        }
    }

    /// Adds a sentence of libNVVM.
    pub(super) fn say(&mut self, sentence: &str) {
        if self.said.insert(sentence.to_owned()) {
            self.sentences.push(sentence.to_owned());
        }
    }

    /// Takes back what libNVVM says about the findings after the first `count`, which it does not
    /// come to.
    pub(super) fn forget_words_after(&mut self, count: usize) {
        for finding in self.findings.iter_mut().skip(count) {
            finding.libnvvm.clear();
        }
    }

    /// How many findings are listed so far.
    pub(super) fn listed(&self) -> usize {
        self.findings.len()
    }

    /// The sentences since the last call.
    pub(super) fn take_sentences(&mut self) -> Vec<String> {
        self.said.clear();
        std::mem::take(&mut self.sentences)
    }

    /// Whether a rule has a finding.
    pub(super) fn has(&self, rule: RuleId) -> bool {
        self.counts.iter().any(|counts| counts.of(rule) > 0)
    }

    /// The report of all that was found.
    pub(super) fn into_report(self, dialect: IrDialect, libnvvm: LibNvvmAnswer) -> Report {
        let mut findings = self.findings;
        findings.sort_by_key(|finding| (finding.range.start, finding.rule.code));
        let more: BTreeMap<(&str, usize), MoreFindings> = SEVERITIES
            .iter()
            .zip(&self.counts)
            .flat_map(|(severity, counts)| {
                counts.more().map(|(rule, count)| {
                    ((rule.code, *severity as usize), MoreFindings { rule, severity: *severity, count })
                })
            })
            .collect();
        Report { dialect, findings, more: more.into_values().collect(), libnvvm }
    }
}
