//! A small checker with rules of its own: blanks at the ends of lines, tabs, and lines that are too
//! long.
//!
//! `cargo run -p findings --example source_style [FILE...]`
#![allow(clippy::print_stdout, reason = "this is a program")]

use findings::{Finding, Report, Rule, RuleTable, Severity};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    LongLine,
    Tab,
    BlankAtEnd,
}

static RULES: [Rule<Style>; 3] = [
    rule(Style::LongLine, "S001", "long-line", Severity::Warning, "A line has at most 80 characters."),
    rule(Style::Tab, "S002", "tab", Severity::Error, "Lines are indented with blanks."),
    rule(Style::BlankAtEnd, "S003", "blank-at-end", Severity::Note, "A line does not end with a blank."),
];

const fn rule(
    id: Style,
    code: &'static str,
    name: &'static str,
    severity: Severity,
    summary: &'static str,
) -> Rule<Style> {
    Rule { id, code, name, severity, summary, details: () }
}

impl RuleTable for Style {
    type Details = ();
    const SUBJECTS: &'static [(char, &'static str)] = &[('S', "source text")];

    fn rules() -> &'static [Rule<Self>] {
        &RULES
    }

    fn index(self) -> usize {
        self as usize
    }
}

fn check(file: &str, text: &str, report: &mut Report<Style>) {
    let mut offset = 0;
    for line in text.lines() {
        let mut push = |rule: Style, found: String, expected: &str| {
            let (rule, section, expected) = (rule.rule(), file.to_owned(), expected.to_owned());
            report.push(Finding { rule, section, offset, function: None, found, expected });
        };
        let characters = line.chars().count();
        if characters > 80 {
            push(Style::LongLine, format!("{characters} characters"), "80 or fewer");
        }
        if line.contains('\t') {
            push(Style::Tab, "a tab".to_owned(), "blanks");
        }
        if line.ends_with(' ') {
            push(Style::BlankAtEnd, "a blank".to_owned(), "the end of the line");
        }
        offset += line.len() as u64 + 1;
    }
}

fn report(files: &[String]) -> std::io::Result<String> {
    let mut report = Report::default();
    for file in files {
        check(file.rsplit('/').next().unwrap_or(file), &std::fs::read_to_string(file)?, &mut report);
    }
    let mut lines: Vec<String> = report.findings().iter().map(ToString::to_string).collect();
    lines.extend(report.more().map(|(rule, count)| format!("{count} more of {} ({})", rule.code, rule.name)));
    let of = |severity| report.count_of(severity);
    let (errors, warnings, notes) = (of(Severity::Error), of(Severity::Warning), of(Severity::Note));
    lines.push(format!("{errors} errors, {warnings} warnings, {notes} notes"));
    Ok(lines.join("\n"))
}

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy/saxpy.ptx");

fn main() -> std::io::Result<()> {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        files.push(EXAMPLE.to_owned());
    }
    println!("{}", report(&files)?);
    Ok(())
}

#[test]
fn the_table_is_sound_and_finds_tabs() {
    assert_eq!(findings::rule_table_faults::<Style>(), [""; 0]);
    let out = report(&[EXAMPLE.to_owned()]).unwrap();
    assert!(out.starts_with("error[S002]: saxpy.ptx+0xc7: a tab; expected blanks\n"), "{out}");
    assert!(out.ends_with("23 more of S002 (tab)\n123 errors, 0 warnings, 0 notes"), "{out}");
}
