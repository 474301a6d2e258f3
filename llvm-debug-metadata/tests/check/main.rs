//! What `check` says of modules is what libNVVM 13.0.88 does with them.
//!
//! `tests/data/check/measured.txt` holds what it did with two modules or more for each rule. One
//! test compares `check` with that file, everywhere; one asks libNVVM again where it is. `BLESS=1`
//! writes the file anew.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "says how much was compared")]

mod cases;
#[path = "../support/libnvvm.rs"]
mod libnvvm;
mod mutations;
#[path = "../support/mod.rs"]
mod support;

use cases::{Case, cases};
use findings::{RuleTable as _, Severity};
use libnvvm::{Asked, Ended, ask, toolkit};
use llvm_debug_metadata::check::{LibNvvmAnswer, LibNvvmOutcome, RULES, Report, RuleId, check};
use llvm_debug_metadata::fix::{REPAIRS, Repair, fix};
use llvm_debug_metadata::{IrDialect, Module};
use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};
use support::in_parallel;

const MEASURED: &str = include_str!("../data/check/measured.txt");

/// What `check` expects of libNVVM, as the measurement is written.
fn said(answer: &LibNvvmAnswer) -> String {
    let outcome = match answer.outcome {
        LibNvvmOutcome::Returns => format!("returns {}", answer.return_code.unwrap()),
        LibNvvmOutcome::Aborts => "aborts".to_owned(),
        LibNvvmOutcome::NeverReturns => "never returns".to_owned(),
        LibNvvmOutcome::Undefined => return "undefined\n".to_owned(),
    };
    block(&outcome, answer.has_lines, &answer.sentences)
}

/// What libNVVM did. A death without a word is what is not defined.
fn done(asked: &Asked) -> String {
    /// SIGABRT
    const ABORTED: i32 = 6;
    let outcome = match asked.ended {
        Ended::Code(code) => format!("returns {code}"),
        Ended::Signal(ABORTED) => "aborts".to_owned(),
        Ended::Signal(_) => return "undefined\n".to_owned(),
        Ended::Never => "never returns".to_owned(),
    };
    block(&outcome, asked.locs() > 0, &asked.sentences())
}

fn block(outcome: &str, has_lines: bool, sentences: &[String]) -> String {
    let lines = if has_lines { "lines" } else { "no lines" };
    let sorted: BTreeSet<&String> = sentences.iter().collect();
    let mut text = format!("{outcome}, {lines}\n");
    for sentence in sorted {
        text += "    ";
        text += sentence;
        text.push('\n');
    }
    text
}

fn heading(case: &Case) -> String {
    let dialect = match case.dialect {
        IrDialect::TypedPointers => "typed",
        IrDialect::OpaquePointers => "modern",
    };
    format!("{} {dialect}: {}", case.rule.rule().code, case.name)
}

/// The measurement of a case.
fn measured(case: &Case) -> &'static str {
    let heading = format!("{}\n  ", heading(case));
    let (_, rest) = MEASURED.split_once(&*heading).unwrap_or_else(|| panic!("{heading} is not measured"));
    let end = rest.match_indices('\n').find(|(at, _)| !rest[at + 1..].starts_with("    "));
    &rest[..end.map_or(rest.len(), |(at, _)| at + 1)]
}

#[test]
fn check_says_what_was_measured() {
    let mut different = Vec::new();
    for case in cases() {
        let report = check(&Module::parse(&case.text));
        assert_eq!(report.dialect, case.dialect, "{}", heading(&case));
        let codes: Vec<&str> = report.findings.iter().map(|finding| finding.rule.code).collect();
        if !codes.contains(&case.rule.rule().code) || said(&report.libnvvm) != measured(&case) {
            let said = said(&report.libnvvm);
            different.push(format!("{}: {codes:?} {said}libNVVM {}", heading(&case), measured(&case)));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn each_rule_has_two_modules() {
    let cases = cases();
    let names: BTreeSet<String> = cases.iter().map(heading).collect();
    let blocks: BTreeSet<String> =
        MEASURED.lines().filter(|line| !line.starts_with(' ')).map(str::to_owned).collect();
    assert_eq!(names, blocks, "the measured cases are others");
    assert_eq!(names.len(), cases.len(), "two cases have one name");
    for rule in &RULES {
        let count = cases.iter().filter(|case| case.rule == rule.id).count();
        assert!(count >= 2, "{} has {count} modules", rule.code);
    }
}

/// A sound module has no findings but notes.
#[test]
fn sound_modules_have_no_findings() {
    for dialect in [IrDialect::TypedPointers, IrDialect::OpaquePointers] {
        for text in [cases::sound(dialect), &cases::directives_only(dialect)] {
            let report = check(&Module::parse(text));
            let findings: Vec<&str> = report
                .findings
                .iter()
                .filter(|finding| finding.severity > Severity::Note)
                .map(|finding| &*finding.message)
                .collect();
            assert_eq!(findings, [""; 0], "{dialect:?}");
            assert!(report.libnvvm.has_lines && report.libnvvm.sentences.is_empty());
        }
    }
}

/// Asks about a third of the cases, or with `NVDWARF_ALL` or `BLESS` about all.
#[test]
fn libnvvm_does_what_was_measured() {
    let Some(toolkit) = toolkit() else { return };
    let is_blessed = env::var_os("BLESS").is_some();
    let is_all = is_blessed || env::var_os("NVDWARF_ALL").is_some();
    let asked: Vec<Case> = cases().into_iter().step_by(if is_all { 1 } else { 3 }).collect();
    let answers = in_parallel(&asked, |case| done(&ask(&toolkit, &case.text, case.dialect)));
    let answers: Vec<(&Case, String)> = asked.iter().zip(answers).collect();
    if is_blessed {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/check/measured.txt");
        let blocks = answers.iter().map(|(case, answer)| format!("{}\n  {answer}", heading(case)));
        fs::write(path, blocks.collect::<Vec<_>>().concat()).unwrap();
        return;
    }
    let different: Vec<String> = answers
        .iter()
        .filter(|(case, answer)| measured(case) != *answer)
        .map(|(case, answer)| format!("{}: {answer}", heading(case)))
        .collect();
    println!("{} of {} as measured", answers.len() - different.len(), answers.len());
    assert!(different.is_empty(), "{different:#?}");
}

/// What libNVVM writes, and no word says, where the silent rules are broken.
#[test]
fn silent_rules_are_proved_by_the_ptx() {
    let Some(toolkit) = toolkit() else { return };
    let cases: Vec<Case> =
        cases().into_iter().filter(|case| case.rule.rule().details.libnvvm.starts_with("silent")).collect();
    let ptxs = in_parallel(&cases, |case| ask(&toolkit, &case.text, case.dialect).ptx);
    for (case, ptx) in cases.iter().zip(ptxs) {
        let locs = |ptx: &str| ptx.lines().filter(|line| line.trim_start().starts_with(".loc\t")).count();
        let count = |part: &str| ptx.matches(part).count();
        let sound = || ask(&toolkit, cases::sound(case.dialect), case.dialect).ptx;
        let is_proved = match case.rule {
            RuleId::DebugInfoVersion => locs(&ptx) == 0,
            RuleId::UnitWithoutLines
            | RuleId::LocationWithoutSubprogram
            | RuleId::FunctionWithoutSubprogram
            | RuleId::FunctionWithoutLocation => {
                // A function that is added takes no line from another.
                let had = if case.name == "of one that is added" { locs(&ptx) + 1 } else { locs(&sound()) };
                locs(&ptx) < had
            }
            RuleId::OptimizedDebugging => {
                ptx.lines().any(|line| line.starts_with(".target") && line.ends_with("debug"))
            }
            RuleId::SeveralNamesTables => count(".section\t.debug_pubnames") == 2,
            RuleId::LinkageName => {
                let names = ptx.split_once("$L__info_string0:").map_or("", |(_, names)| names);
                count("function_name") > 0 && names.trim_start().starts_with(".b8 0")
            }
            RuleId::SubprogramFile => count("\"<stdin>\"") == 1,
            RuleId::AddressClass => {
                // `DW_AT_address_class` follows three attributes of one byte, and comes before
                // `DW_OP_addr`.
                let class = if case.name == "of none" { 77 } else { 5 };
                let bytes = format!("\n.b8 {class}\n.b8 9\n.b8 3\n.b64 ");
                let plain: String = ptx.lines().map(|line| line.trim().to_owned() + "\n").collect();
                plain.contains(&bytes)
            }
            _ => false,
        };
        assert!(is_proved, "{}:\n{ptx}", heading(case));
    }
}

/// Without options libNVVM takes a version of NVVM IR alone, which is why it is a note.
#[test]
fn options_ask_for_a_debug_version() {
    let Some(toolkit) = toolkit() else { return };
    for dialect in [IrDialect::TypedPointers, IrDialect::OpaquePointers] {
        let text = cases::sound(dialect).replace("i32 0, i32 3, i32 1}", "i32 0}");
        let text = text.replace("i32 0, i32 3, i32 2}", "i32 0}");
        let file = tempfile::Builder::new().suffix(".ll").tempfile().unwrap();
        fs::write(file.path(), text).unwrap();
        let code = |options: &[&str]| {
            libnvvm::libnvvm(&toolkit, file.path(), dialect).args(options).output().unwrap().status.code()
        };
        let codes = [&[][..], &["-g"], &["-generate-line-info"]].map(code);
        assert_eq!(codes, [Some(0), Some(3), Some(3)], "{dialect:?}");
    }
}

/// A repair takes the findings of its rules away, brings no other, and changes nothing twice.
#[test]
fn repairs_remove_their_findings() {
    for case in cases().iter().filter(|case| case.rule.rule().details.fixable) {
        let repaired = repaired(case);
        let report = check(&Module::parse(&repaired));
        let codes = codes_beyond_notes(&report);
        // A unit that is a file is told, and not replaced.
        if heading(case).ends_with("a file") {
            assert_eq!(repaired, case.text, "{}", heading(case));
            continue;
        }
        assert!(!codes.contains(&case.rule.rule().code), "{}: {codes:?}", heading(case));
        assert_eq!(repaired, fix(&repaired, &all_repairs()).text, "{}", heading(case));
        let before = check(&Module::parse(&case.text));
        let old = codes_beyond_notes(&before);
        // A module that is dropped whole is not looked at further.
        let is_dropped = case.rule == RuleId::DebugInfoVersion;
        let new: Vec<&&str> = codes.iter().filter(|code| !old.contains(code)).collect();
        assert!(new.is_empty() || is_dropped, "{}: {new:?}", heading(case));
    }
}

#[test]
fn libnvvm_takes_what_was_repaired() {
    let Some(toolkit) = toolkit() else { return };
    let fixable: Vec<Case> = cases()
        .into_iter()
        .filter(|case| case.rule.rule().details.fixable && !heading(case).ends_with("a file"))
        .collect();
    let refused = in_parallel(&fixable, |case| {
        let asked = ask(&toolkit, &repaired(case), case.dialect);
        let is_taken = asked.ended == Ended::Code(0) && asked.locs() > 0 && asked.sentences().is_empty();
        (!is_taken).then(|| format!("{}: {:?} {}", heading(case), asked.ended, asked.words))
    });
    let refused: Vec<String> = refused.into_iter().flatten().collect();
    println!("{} of {} taken", fixable.len() - refused.len(), fixable.len());
    assert!(refused.is_empty(), "{refused:#?}");
}

fn codes_beyond_notes(report: &Report) -> Vec<&'static str> {
    let findings = report.findings.iter().filter(|finding| finding.severity > Severity::Note);
    findings.map(|finding| finding.rule.code).collect()
}

fn all_repairs() -> Vec<Repair> {
    REPAIRS.iter().map(|info| info.repair).collect()
}

fn repaired(case: &Case) -> String {
    fix(&case.text, &all_repairs()).text
}

/// Modules that are damaged at random: no answer differs from libNVVM's.
#[test]
fn damaged_modules_are_judged_as_by_libnvvm() {
    let Some(toolkit) = toolkit() else { return };
    let count = if env::var_os("NVDWARF_ALL").is_some() { 2000 } else { 80 };
    let damaged = mutations::damaged(count);
    let judged = in_parallel(&damaged, |(dialect, text)| {
        let report = check(&Module::parse(text));
        let expected = said(&report.libnvvm);
        if expected == "undefined\n" {
            return (true, None);
        }
        let asked = ask(&toolkit, text, *dialect);
        let found = done(&asked);
        (false, (found != expected).then(|| format!("{expected}libNVVM {found}{text}")))
    });
    let undefined = judged.iter().filter(|(undefined, _)| *undefined).count();
    let different: Vec<&String> = judged.iter().filter_map(|(_, different)| different.as_ref()).collect();
    println!(
        "{} of {count} equal, of {undefined} what happens is not defined",
        count - different.len() - undefined
    );
    let answers: Vec<&str> =
        different.iter().map(|one| one.split_once("target ").map_or("", |(answers, _)| answers)).collect();
    assert!(different.is_empty(), "{} differ: {answers:#?}\nthe first: {}", different.len(), different[0]);
    assert!(undefined * 10 < count, "{undefined} of {count} have no answer");
}
