//! `check` against ptxas 13.0.88 on `tests/snippets.json`: small modules with the exit status and
//! the words of the real tool (`ptxas -arch=sm_90`, one run per mode; with `-c` where it says
//! `relocatable`). `BLESS=1` asks it again, and adds what it says of new texts.
// Helpers outside `#[test]` functions; a panic is a test's way to fail, standard error its way to
// say what it saw.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use ptx_syntax::check::{CheckContext, Mode, PtxasLines, Verdict, check};
use ptx_syntax::{LineIndex, parse};
use serde_json::{Value, json};

const MODES: [(&str, Mode, &[&str]); 3] =
    [("none", Mode::None, &[]), ("lineinfo", Mode::Lineinfo, &["-lineinfo"]), ("g", Mode::G, &["-g"])];

/// ptxas is asked about every third text; about all of them, which takes over a
/// minute beside other tests, with `NVDWARF_ALL=1`.
const SAMPLE: usize = 3;

fn table() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snippets.json")
}

fn snippets() -> Vec<Value> {
    serde_json::from_slice(&fs::read(table()).unwrap()).unwrap()
}

/// What ptxas does with a text: -1 for a crash, else its exit status; and its words.
fn ask(ptxas: &Path, folder: &Path, text: &str, options: &[&str]) -> Value {
    fs::write(folder.join("a.ptx"), text).unwrap();
    let run = Command::new(ptxas)
        .args(["-arch=sm_90", "a.ptx", "-o", "a.cubin"])
        .args(options)
        .current_dir(folder)
        .output()
        .unwrap();
    json!({"status": run.status.code().unwrap_or(-1), "words": String::from_utf8_lossy(&run.stderr)})
}

/// Whether ptxas is called with -c.
fn is_relocatable(snippet: &Value) -> bool {
    snippet["relocatable"] == true
}

/// What the table has for a mode: where it is that of `none`, it stands there.
fn of<'s>(snippet: &'s Value, mode: &str) -> &'s Value {
    snippet.get(mode).unwrap_or(&snippet["none"])
}

fn lines(words: &str) -> BTreeSet<&str> {
    words.lines().collect()
}

#[test]
fn snippets_are_judged_as_ptxas_does() {
    let (mut verdicts, mut wrong) = (0, Vec::new());
    for snippet in snippets() {
        let text = snippet["text"].as_str().unwrap();
        let context = CheckContext { relocatable: is_relocatable(&snippet), ..CheckContext::default() };
        let report = check(&parse(text), &context);
        let index = LineIndex::new(text);
        let ptxas_lines = PtxasLines::new(text, &index);
        for (name, mode, _) in MODES {
            verdicts += 1;
            let theirs = of(&snippet, name);
            let verdict = report.verdict(mode);
            let words = report.ptxas_messages(mode, "a.ptx", &ptxas_lines);
            let real = theirs["words"].as_str().unwrap();
            if (theirs["status"] == 0) != (verdict == Verdict::Accept) {
                wrong.push(format!("{text}{name}: {theirs}, not {verdict}"));
            } else if theirs["status"] != -1 && lines(real) != lines(&words) {
                wrong.push(format!("{text}{name}:\n  ptxas {real:?}\n  we    {words:?}"));
            }
        }
    }
    eprintln!("{verdicts} verdicts, {} wrong", wrong.len());
    assert!(verdicts >= 600, "{verdicts}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_real_tool_still_says_so() {
    let Some(ptxas) = support::ptxas() else { return };
    let folder = env::temp_dir().join(format!("snippets-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let bless = env::var_os("BLESS").is_some();
    let step = if bless || env::var_os("NVDWARF_ALL").is_some() { 1 } else { SAMPLE };
    let mut all = snippets();
    for snippet in all.iter_mut().step_by(step) {
        let text = snippet["text"].as_str().unwrap().to_owned();
        for (name, _, options) in MODES {
            let relocatable: &[&str] = if is_relocatable(snippet) { &["-c"] } else { &[] };
            let now = ask(&ptxas, &folder, &text, &[options, relocatable].concat());
            if bless {
                snippet.as_object_mut().unwrap().remove(name);
                if name == "none" || now != snippet["none"] {
                    snippet[name] = now;
                }
            } else if now["status"] == -1 {
                assert_eq!(of(snippet, name)["status"], -1, "{text}{name}"); // a crash may come between two words
            } else {
                assert_eq!(of(snippet, name), &now, "{text}{name}");
            }
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    if bless {
        let lines: Vec<String> = all.iter().map(Value::to_string).collect();
        fs::write(table(), format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
    }
}
