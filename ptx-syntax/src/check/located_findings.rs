//! The findings of a report with their places as lines and columns, and which of them count.

use super::Report;
use crate::line_index::LineIndex;
use crate::text_range::TextRange;
use findings::{
    FindingFile, FindingPosition, KnownFindings, LocatedFinding, Region, Selection, Severity, subject_of_line,
};

impl Report {
    /// Removes the findings of rules that are not selected.
    pub fn select(&mut self, selection: &Selection) {
        self.findings.retain(|finding| selection.has(finding.rule.code));
        self.more.retain(|more| selection.has(more.rule.code));
    }

    /// Removes the findings that a baseline has. `text` is the checked text, and `file` its name in
    /// the baseline.
    pub fn remove_known(&mut self, file: &str, text: &str, lines: &LineIndex, known: &mut KnownFindings) {
        let before = known.taken();
        let mut subjects = Subjects::new(text, lines);
        self.findings.retain(|finding| {
            !known.take(file, finding.rule.code, subjects.of(lines.line(finding.range.start)))
        });
        // A baseline counts those of a rule without their severities: the mildest, which come
        // first, are known first.
        for more in &mut self.more {
            more.count = known.take_unlisted(file, more.rule.code, more.count);
        }
        self.more.retain(|more| more.count > 0);
        self.in_baseline = Some(known.taken() - before);
    }

    /// Returns the listed findings with their positions in a file named `file`. `text` is the text
    /// that was checked.
    pub fn located(&self, file: &FindingFile, text: &str, lines: &LineIndex) -> Vec<LocatedFinding> {
        let mut subjects = Subjects::new(text, lines);
        let findings = self.findings.iter().map(|finding| {
            let region = region(lines, finding.range);
            LocatedFinding {
                code: finding.rule.code,
                name: finding.rule.name,
                severity: finding.severity,
                message: finding.message.clone(),
                place: FindingPosition {
                    file: file.clone(),
                    region: Some(region),
                    ..FindingPosition::default()
                },
                related: finding
                    .related
                    .as_ref()
                    .map(|(range, what)| (self::region(lines, *range), what.clone())),
                help: finding.help.clone(),
                subject: subjects.of(region.line).to_owned(),
            }
        });
        findings.collect()
    }

    /// The number of findings of a severity, listed or not.
    pub fn count(&self, severity: Severity) -> usize {
        let listed = self.findings.iter().filter(|finding| finding.severity == severity).count();
        let more = self.more.iter().filter(|more| more.severity == severity).map(|more| more.count);
        more.fold(listed, usize::saturating_add)
    }
}

fn region(lines: &LineIndex, range: TextRange) -> Region {
    let (line, column) = lines.line_col(range.start);
    let (end_line, end_column) = lines.line_col(range.end);
    Region { line, column, end_line, end_column }
}

/// The subjects of findings, by line. Many findings may be on one line, which may be long: it is
/// read once.
struct Subjects<'t> {
    text: &'t str,
    lines: &'t LineIndex,
    last: Option<(u32, String)>,
}

impl<'t> Subjects<'t> {
    fn new(text: &'t str, lines: &'t LineIndex) -> Self {
        Self { text, lines, last: None }
    }

    fn of(&mut self, line: u32) -> &str {
        let Self { text, lines, last } = self;
        if last.as_ref().is_none_or(|(of, _)| *of != line) {
            *last = None;
        }
        let subject = || (line, subject_of_line(lines.line_range(line).slice(text)));
        &last.get_or_insert_with(subject).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CheckContext, check};
    use crate::fix::catalog;
    use crate::parse;
    use findings::BaselineBuilder;

    fn report(text: &str) -> (Report, LineIndex) {
        (check(&parse(text), &CheckContext::default()), LineIndex::new(text))
    }

    #[test]
    fn findings_have_lines_columns_and_subjects() {
        let text = ".version 8.5\n.target sm_90\n.address_size 64\n.file 1 \"a.cu\"\n  .file 1 \"b.cu\"\n";
        let (report, lines) = report(text);
        let located = report.located(&FindingFile::new("./k.ptx", None), text, &lines);
        let again = located.iter().find(|finding| finding.code == "F001").unwrap();
        assert_eq!(again.place.region.map(|region| (region.line, region.end_line)), Some((5, 5)));
        assert_eq!((again.subject.as_str(), again.place.file.path.as_str()), (".file 1 \"b.cu\"", "k.ptx"));
        assert_eq!(again.related.as_ref().map(|(region, _)| region.line), Some(4));
    }

    #[test]
    fn known_findings_are_left_out_wherever_their_lines_are() {
        let head = ".version 8.5\n.target sm_90\n.address_size 64\n.file 1 \"a.cu\"\n";
        let old = format!("{head}.file 1 \"b.cu\"\n");
        let new = format!("// moved\n{head}    .file 1 \"b.cu\"\n.file 1 \"b.cu\"\n");
        let file = FindingFile::new("k.ptx", None);
        let mut builder = BaselineBuilder::default();
        let (before, lines) = report(&old);
        for finding in &before.located(&file, &old, &lines) {
            builder.add(finding);
        }
        let (mut after, lines) = report(&new);
        after.select(&Selection::new(&catalog(), &["F001"], &[""; 0]).unwrap());
        assert_eq!(after.findings.len(), 2);
        let mut known = builder.finish("check").known();
        after.remove_known("k.ptx", &new, &lines, &mut known);
        // The second of two that are the same is new.
        let left: Vec<u32> = after.findings.iter().map(|finding| lines.line(finding.range.start)).collect();
        assert_eq!((left, after.in_baseline), (vec![7], Some(1)));
    }

    #[test]
    fn findings_that_are_only_counted_are_known_by_their_number() {
        let again = ".file 1 \"b.cu\"\n".repeat(super::super::MAX_FINDINGS_PER_RULE + 5);
        let text = format!(".version 8.5\n.target sm_90\n.address_size 64\n.file 1 \"a.cu\"\n{again}");
        let (first, lines) = report(&text);
        let more = first.more.iter().find(|more| more.rule.code == "F001").unwrap().count;
        let mut builder = BaselineBuilder::default();
        for finding in &first.located(&FindingFile::new("k.ptx", None), &text, &lines) {
            builder.add(finding);
        }
        builder.add_unlisted("k.ptx", "F001", more);
        let baseline = builder.finish("check");
        let left = |text: &str| {
            let (mut report, lines) = report(text);
            report.select(&Selection::new(&catalog(), &["F001"], &[""; 0]).unwrap());
            report.remove_known("k.ptx", text, &lines, &mut baseline.known());
            report.count(Severity::Error)
        };
        assert_eq!((left(&text), left(&format!("{text}.file 1 \"c.cu\"\n"))), (0, 1));
    }
}
