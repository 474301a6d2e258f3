//! Fuzz target: any text through the rules of `check`. Findings ascend and lie in the text.
//!
//! Each verdict agrees with the words that ptxas is said to print, and its rule has a finding.

use crate::Target;
use crate::seeds::files;
use ptx_syntax::check::{
    CheckContext, MAX_FINDINGS_PER_RULE, Mode, PtxasLines, RULES, RuleId, SourceState, Verdict, check,
};
use ptx_syntax::{LineIndex, Release, parse};

/// Crashes of ptxas, which come without a word.
const CRASHES: [RuleId; 4] =
    [RuleId::FileNameLength, RuleId::FileTimeCrash, RuleId::AtDwarfWithoutSection, RuleId::FileNameCrash];

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(5_000, 200);
    target.run_on_damaged(10_000, &files("ptx"));
}

/// Checks `data` (bytes that are not UTF-8 are replaced), with a source of three lines for every
/// file.
pub(crate) fn run(data: &[u8]) {
    let text = &*String::from_utf8_lossy(data);
    let parsed = parse(text);
    let report = check(
        &parsed,
        &CheckContext { source_lines: Some(&|_| SourceState::Lines(3)), ..CheckContext::default() },
    );
    assert!(report.findings.is_sorted_by_key(|finding| finding.range));
    assert!(report.findings.len() <= RULES.len() * 3 * MAX_FINDINGS_PER_RULE);
    for finding in &report.findings {
        assert!(finding.severity <= finding.rule.severity, "{finding:?}");
        assert!(!finding.message.is_empty());
        for range in finding.related.iter().map(|(range, _)| *range).chain([finding.range]) {
            assert!(text.get(range.start as usize..range.end as usize).is_some(), "{finding:?}");
        }
    }
    assert!(parsed.errors.is_empty() || !report.findings.is_empty());
    assert!(report.min_version.enforced() <= report.min_version.documented());

    let index = LineIndex::new(text);
    let lines = PtxasLines::new(text, &index);
    for mode in [Mode::None, Mode::Lineinfo, Mode::G] {
        let said = report.ptxas_messages(mode, "a.ptx", &lines);
        let refuses =
            said.contains("error   : ") || said.contains("fatal   : ") || said.contains("Error in ");
        match report.verdict(mode) {
            Verdict::Accept => assert!(!refuses, "{said}"),
            Verdict::Reject(rule) => {
                assert!(
                    refuses || CRASHES.contains(&rule.id) || rule.code.starts_with('W'),
                    "{}: {said}",
                    rule.code
                );
                let is_found = report.findings.iter().any(|finding| finding.rule == rule);
                assert!(is_found, "{} refuses without a finding", rule.code);
            }
            Verdict::NotKnown(rule) => panic!("{} is not known for 13.0", rule.code),
        }
    }
    // One of the other releases, whichever.
    if let Some(release) = Release::all().nth(text.len() % Release::all().count()) {
        let report = check(&parsed, &CheckContext { release, ..CheckContext::default() });
        assert_eq!(report.release, release);
        let _ = report.verdict(Mode::G);
    }
}
