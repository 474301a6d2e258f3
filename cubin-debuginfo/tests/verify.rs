//! Findings of `verify`: none that is an error in what the tools write, and the right one in what
//! is damaged.
#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use cubin_debuginfo::verify::{RULES, Severity, verify};
use nv_debug_sections::cubin::Cubin;
use std::fs;

/// The tools' own files have no errors; what they have is printed by code.
#[test]
fn files_of_the_tools_have_no_errors() {
    let (mut files, mut counts) = (0, vec![(0, 0, String::new()); RULES.len()]);
    let mut errors = Vec::new();
    let paths = support::cubins();
    for path in paths {
        let bytes = fs::read(&path).unwrap();
        let report = verify(&Cubin::parse(&bytes).unwrap());
        files += 1;
        for (rule, (with, all, _)) in RULES.iter().zip(&mut counts) {
            *with += usize::from(report.count(rule.id) > 0);
            *all += report.count(rule.id);
        }
        for finding in report.findings() {
            let first = &mut counts[finding.rule.id as usize].2;
            if first.is_empty() {
                *first = format!("{}: {finding}", path.file_name().unwrap().display());
            }
            if finding.rule.severity == Severity::Error {
                errors.push(format!("{}: {finding}", path.display()));
            }
        }
    }
    for (rule, (with, all, first)) in RULES.iter().zip(&counts).filter(|(_, (_, all, _))| *all > 0) {
        eprintln!("{} {}: {all} in {with} of {files} files; {first}", rule.code, rule.name);
    }
    // Known faults of the tools are there, so findings are looked for.
    assert!(counts.iter().any(|(with, ..)| *with > 0), "no finding at all in {files} files");
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors[..errors.len().min(50)].join("\n"));
}
