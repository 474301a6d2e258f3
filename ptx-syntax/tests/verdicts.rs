//! `check` against the verdicts and messages of ptxas 13.0.88: on `tests/cases`, and on all of
//! `../shared/cases`.
// Helpers outside `#[test]` functions; a panic is a test's way to fail, standard error its way to
// say what it saw.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ptx_syntax::check::{CheckContext, Mode, PtxasLines, Report, Severity, Verdict, check};
use ptx_syntax::{LineIndex, parse};
use serde_json::Value;

const MODES: [(&str, Mode); 3] = [("none", Mode::None), ("lineinfo", Mode::Lineinfo), ("g", Mode::G)];

/// A kind of ptxas' messages, and the codes of the rules that may stand for it.
const KINDS: [(&str, &[&str]); 29] = [
    ("Parsing error near", &["P001", "P004", "D005", "F008", "F015", "L003", "S001"]),
    ("Unexpected non-ASCII", &["P002"]),
    ("Unexpected EOF", &["P003"]),
    ("Constant overflow", &["P005"]),
    ("Duplicate definition of label", &["D006", "P010"]),
    ("Duplicate file index", &["F001"]),
    ("Missing .version", &["V001"]),
    ("Missing .target", &["V004"]),
    ("Target architecture not defined", &["V005"]),
    ("Unsupported .target", &["V006"]),
    ("Feature '.section directive'", &["V103"]),
    ("Feature 'debug'", &["V102"]),
    ("Feature 'timestamp and filesize", &["V106"]),
    ("Feature 'labels + imm", &["V107"]),
    ("Feature 'Defining labels", &["V109"]),
    ("Feature 'Line information of inline", &["V110"]),
    ("Feature 'labels1 - labels2", &["V111"]),
    ("Feature 'Negative numbers", &["V112"]),
    ("Deprecated feature: '@@DWARF", &["V105"]),
    ("Value out of range", &["D001"]),
    ("Illegal type for dwarf data", &["D003", "D004"]),
    ("must be used in a preceding .loc", &["L008"]),
    ("used in function_name attribute", &["L010"]),
    ("must be defined in the same section", &["D009"]),
    ("' invalid", &["D008"]),
    ("Debug information not found", &["T001"]),
    ("overlapping non-identical data", &["S002", "S003", "S007"]),
    ("Attempted to", &["W"]),
    ("", &["W"]),
];

/// What ptxas did with one file in one mode.
struct Outcome {
    result: String,
    message: String,
    /// Five runs did not agree.
    unstable: bool,
}

struct Case {
    path: PathBuf,
    name: String,
    outcomes: [Outcome; 3],
}

fn all_cases() -> Option<Vec<Case>> {
    Some(load(&support::shared("cases")?, "cases.json"))
}

fn own() -> Vec<Case> {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"), "expected.json")
}

fn load(folder: &Path, table: &str) -> Vec<Case> {
    let all: Value = serde_json::from_slice(&fs::read(folder.join(table)).unwrap()).unwrap();
    let cases = all["cases"].as_array().unwrap().iter().map(|case| {
        let name = format!("{}.ptx", case["id"].as_str().unwrap());
        let outcomes = MODES.map(|(mode, _)| {
            let entry = entry_of(case, mode);
            // The whole table keeps what is expected apart from what each run did.
            let expected = case["expected"][mode].as_str().or(entry["result"].as_str());
            Outcome {
                result: expected.unwrap().to_owned(),
                message: entry["message"].as_str().unwrap_or_default().to_owned(),
                unstable: entry["unstable"].is_array(),
            }
        });
        Case { path: folder.join(&name), name, outcomes }
    });
    cases.collect()
}

/// The entry of a mode, with `same_as` followed.
fn entry_of<'j>(case: &'j Value, mode: &str) -> &'j Value {
    let entry = &case["modes"][mode];
    match entry["same_as"].as_str() {
        Some(other) => entry_of(case, other),
        None => entry,
    }
}

/// The report of a file, and what it says ptxas prints.
fn run(case: &Case) -> (Report, [BTreeSet<String>; 3]) {
    let bytes = fs::read(&case.path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let report = check(&parse(&text), &CheckContext::default());
    let index = LineIndex::new(&text);
    let lines = PtxasLines::new(&text, &index);
    let said = MODES.map(|(_, mode)| sorted(&report.ptxas_messages(mode, &case.name, &lines)));
    (report, said)
}

/// The lines without order and number: ptxas repeats some for each table it writes.
fn sorted(messages: &str) -> BTreeSet<String> {
    messages.lines().map(str::to_owned).collect()
}

/// The kind of the first message that refuses.
fn kind_of(message: &str) -> &'static [&'static str] {
    let refusing = message.lines().find(|line| line.contains("error   :") || line.contains("fatal   :"));
    let line = refusing.unwrap_or(message);
    KINDS.iter().find(|(words, _)| line.contains(words)).map_or(&[], |(_, codes)| codes)
}

fn compare(cases: &[Case]) {
    let (mut verdicts, mut rejected, mut said) = (0, 0, 0);
    let mut wrong = Vec::new();
    for case in cases {
        let (report, words) = run(case);
        for ((mode_name, mode), (outcome, ours)) in MODES.into_iter().zip(case.outcomes.iter().zip(words)) {
            let place = format!("{} {mode_name}", case.name);
            let verdict = report.verdict(mode);
            verdicts += 1;
            if (outcome.result == "accept") != (verdict == Verdict::Accept) {
                wrong.push(format!("{place}: {}, not {verdict}", outcome.result));
                continue;
            }
            if outcome.unstable || outcome.result == "crash" {
                continue;
            }
            if let Verdict::Reject(rule) = verdict {
                rejected += 1;
                if !kind_of(&outcome.message).iter().any(|code| rule.code.starts_with(code)) {
                    wrong.push(format!("{place}: {} for {:?}", rule.code, outcome.message));
                }
            }
            said += 1;
            let real = sorted(&outcome.message);
            if real != ours {
                wrong.push(format!("{place}:\n  ptxas {real:?}\n  we    {ours:?}"));
            }
        }
    }
    eprintln!(
        "{} files: {verdicts} verdicts, {rejected} rejections by rule, {said} times the same words; {} wrong",
        cases.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn own_cases() {
    let cases = own();
    assert_eq!(cases.len(), 100);
    compare(&cases);
}

#[test]
fn shared_cases() {
    let Some(cases) = all_cases() else { return };
    assert!(cases.len() >= 516, "{}", cases.len());
    compare(&cases);
}

/// Where ptxas crashes, a rule refuses.
#[test]
fn crashes_have_a_rule() {
    let Some(cases) = all_cases() else { return };
    let mut codes = BTreeSet::new();
    for case in cases.iter().filter(|case| case.outcomes.iter().any(|outcome| outcome.result == "crash")) {
        let (report, _) = run(case);
        for (_, mode) in MODES {
            let Verdict::Reject(rule) = report.verdict(mode) else { panic!("{} is accepted", case.name) };
            codes.insert(rule.code);
        }
    }
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), ["F005", "F009", "S005"]);
}

/// What a real producer wrote and some ptxas compiled has no error of ours.
#[test]
fn corpus_has_no_errors() {
    let corpus = support::corpus_root::root();
    let manifest = fs::read(corpus.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let mut checked = 0;
    for entry in manifest["entries"].as_array().unwrap() {
        let (Some(path), true) = (entry["ptx"]["path"].as_str(), entry["cubin"].is_object()) else {
            continue;
        };
        let text = fs::read_to_string(corpus.join(path)).unwrap();
        let relocatable = entry["command"]
            .as_array()
            .is_some_and(|c| c.iter().any(|word| word == "-c" || word == "-rdc=true"));
        let report = check(&parse(&text), &CheckContext { relocatable, ..CheckContext::default() });
        let errors: Vec<_> = report.findings.iter().filter(|f| f.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{path}: {errors:?}");
        if entry["writer"] == "ptxas-13.0.88" {
            let mode = if entry["command"].as_array().is_some_and(|c| c.iter().any(|word| word == "-g")) {
                Mode::G
            } else {
                Mode::None
            };
            assert_eq!(report.verdict(mode), Verdict::Accept, "{path}");
        }
        checked += 1;
    }
    eprintln!("{checked} modules that were compiled");
    assert!(checked > 500);
}
