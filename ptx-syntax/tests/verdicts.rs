//! `check` against the verdicts and messages of ptxas 13.0.88 on `../shared/cases`.
// Helpers outside `#[test]` functions; a panic is a test's way to fail, standard error its way to say what it saw.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ptx_syntax::check::{Context, Mode, PtxasLines, Report, Verdict, check};
use ptx_syntax::{LineIndex, parse};
use serde_json::Value;

const MODES: [(&str, Mode); 3] = [("none", Mode::None), ("lineinfo", Mode::Lineinfo), ("g", Mode::G)];

fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases");
    let found = folder.is_dir();
    if !found {
        assert!(std::env::var_os("REQUIRE_SHARED").is_none(), "../shared is required and not there");
        eprintln!("skipped: no ../shared/cases here");
    }
    found.then_some(folder)
}

struct Case {
    id: String,
    report: Report,
    messages: [BTreeSet<String>; 3],
}

fn run(folder: &Path, id: &str) -> Case {
    let name = format!("{id}.ptx");
    let bytes = fs::read(folder.join(&name)).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let parsed = parse(&text);
    let report = check(&parsed, &Context::default());
    let index = LineIndex::new(&text);
    let lines = PtxasLines::new(&text, &index);
    let messages = MODES.map(|(_, mode)| {
        report.ptxas_messages(mode, &name, &lines).lines().map(str::to_owned).collect()
    });
    Case { id: id.to_owned(), report, messages }
}

/// The entry of a mode, with `same_as` followed.
fn mode<'j>(case: &'j Value, name: &str) -> &'j Value {
    let entry = &case["modes"][name];
    match entry["same_as"].as_str() {
        Some(other) => mode(case, other),
        None => entry,
    }
}

/// Warnings about code and variables, which `check` does not look at.
fn is_of_code(line: &str) -> bool {
    line.starts_with("ptxas warning : Unresolved extern variable")
}

#[test]
fn shared_cases() {
    let Some(folder) = shared() else { return };
    let all: Value = serde_json::from_slice(&fs::read(folder.join("cases.json")).unwrap()).unwrap();
    let (mut verdicts, mut wrong, mut said, mut other_words) = (0, Vec::new(), 0, Vec::new());
    for case in all["cases"].as_array().unwrap() {
        let checked = run(&folder, case["id"].as_str().unwrap());
        for (at, (name, mode_)) in MODES.into_iter().enumerate() {
            let expected = case["expected"][name].as_str().unwrap();
            let verdict = checked.report.verdict(mode_);
            verdicts += 1;
            if (expected == "accept") != (verdict == Verdict::Accept) {
                wrong.push(format!("{} {name}: {expected}, not {verdict}", checked.id));
            }
            let entry = mode(case, name);
            if entry["unstable"].is_array() || expected == "crash" {
                continue;
            }
            let real: BTreeSet<String> = entry["message"].as_str().unwrap().lines().filter(|line| !is_of_code(line)).map(str::to_owned).collect();
            said += 1;
            if real != checked.messages[at] {
                other_words.push(format!("{} {name}:\n  ptxas {real:?}\n  we    {:?}", checked.id, checked.messages[at]));
            }
        }
    }
    eprintln!("{verdicts} verdicts, {} wrong; {said} messages, {} other", wrong.len(), other_words.len());
    assert!(wrong.is_empty() && other_words.is_empty(), "{}\n{}", wrong.join("\n"), other_words.join("\n"));
}
