//! `check`: the right answers of ../shared/bugs, and the command line.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn driver(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

fn check(args: &[&str]) -> Output {
    driver(&[&["check"], args].concat(), b"")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// A module with a kernel; `body` stands in it, `tail` behind it.
fn module(version: &str, target: &str, body: &str, tail: &str) -> String {
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n.file 1 \"a.cu\", 5, 7\n.visible .entry k()\n{{\n{body}ret;\n}}\n{tail}"
    )
}

const CLEAN: (&str, &str, &str, &str) = ("8.0", "sm_90", ".loc 1 1 1\n", "");

fn clean() -> String {
    let (version, target, body, tail) = CLEAN;
    module(version, target, body, tail)
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

// ---- right answers from ../shared/bugs ----

/// Of every PTX input: the number, and the rule that its EXPECT.md calls for, with the line it names (0: any).
const BUGS: [(&str, &str, u64); 16] = [
    ("01", "D005", 58),
    ("03", "V111", 57),
    ("05", "D008", 57),
    ("07", "T001", 2),
    ("09", "F008", 8),
    ("11", "F001", 23),
    ("13", "L010", 13),
    ("15", "S006", 23),
    ("17", "W002", 0),
    ("19", "P002", 22),
    ("21", "L014", 17),
    ("23", "L014", 12),
    ("25", "F007", 0),
    ("27", "L007", 0),
    ("36", "W021", 73),
    ("46", "F011", 0),
];

/// Inputs that are sound as PTX; what is wrong in them is for readers of cubins to see.
const SOUND: [&str; 8] = ["28", "30", "32", "34", "38", "40", "46", "48"];

fn bug(number: &str) -> Option<PathBuf> {
    let found = fs::read_dir(support::shared()?.join("bugs")).unwrap().map(|entry| entry.unwrap().path());
    let mut found = found.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(number));
    Some(found.next().unwrap().join("input.ptx"))
}

fn document(path: &Path) -> Value {
    let output = check(&["--json", path.to_str().unwrap()]);
    let document: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&document["schema"], &document["schema_version"]), (&"nvdwarf.check".into(), &1.into()));
    document
}

#[test]
fn bugs_have_their_finding() {
    for (number, code, line) in BUGS {
        let Some(path) = bug(number) else { return };
        let document = document(&path);
        let findings = document["files"][0]["findings"].as_array().unwrap();
        let found =
            findings.iter().any(|finding| finding["code"] == code && (line == 0 || finding["line"] == line));
        assert!(found, "{number}: no {code} on line {line} in {findings:#?}");
    }
    for number in SOUND {
        let Some(path) = bug(number) else { return };
        let document = document(&path);
        let findings = document["files"][0]["findings"].as_array().unwrap();
        assert!(findings.iter().all(|finding| finding["severity"] != "error"), "{number}: {findings:#?}");
        assert_eq!(document["files"][0]["verdict"]["g"], Value::Null, "{number}");
    }
}

/// Bug 42: line information without asking is said, and is no finding.
#[test]
fn lines_without_option_is_a_note() {
    let Some(path) = bug("42") else { return };
    let document = document(&path);
    let findings = document["files"][0]["findings"].as_array().unwrap();
    let note = findings.iter().find(|finding| finding["code"] == "L016").unwrap();
    assert_eq!(note["severity"], "note");
}

// ---- the command line ----

#[test]
fn exit_codes() {
    let folder = Folder::new();
    let (good, bad) = (folder.file("good.ptx", clean()), folder.file("bad.ptx", "not PTX"));
    assert_eq!(code(&check(&[&good])), 0);
    assert_eq!(code(&check(&[&bad])), 1);
    assert_eq!(code(&check(&[&good, &bad])), 1);
    assert_eq!(code(&check(&[&good, "/does/not/exist.ptx"])), 2);
    assert_eq!(code(&check(&[])), 2);
    assert_eq!(code(&check(&["--nonsense", &good])), 2);
    assert_eq!(code(&check(&["--verdict", "maybe", &good])), 2);
    assert_eq!(code(&check(&["--allow", "Z999", &good])), 2);
    assert_eq!(code(&check(&["--help"])), 0);
    assert_eq!(code(&check(&[folder.0.path().to_str().unwrap()])), 2, "a folder");
}

#[test]
fn findings_show_the_line_with_a_caret() {
    let folder = Folder::new();
    let text = module("7.0", "sm_80", ".loc 1 1 1\n", ".section .debug_str {\nA:\n.b8 1\nB:\n.b32 B-A\n}\n");
    let path = folder.file("in.ptx", text);
    let output = check(&[&path]);
    let shown = stdout(&output);
    assert_eq!(code(&output), 1);
    assert!(
        shown.contains("error[V111]: a difference of labels needs PTX 7.5, the module has 7.0"),
        "{shown}"
    );
    assert!(shown.contains(&format!("--> {path}:14:6")), "{shown}");
    assert!(shown.contains("14 | .b32 B-A") && shown.contains("|      ^^^"), "{shown}");
    let summary = shown.lines().last().unwrap();
    assert!(summary.starts_with(&format!("{path}: 1 error")), "{summary}");
}

#[test]
fn verdict_and_messages() {
    let folder = Folder::new();
    let tail = ".section .debug_loc {\n.b32 A-B\n}\n";
    let path = folder.file("in.ptx", module("8.0", "sm_90", "", tail));
    let good = folder.file("good.ptx", clean());
    let none = check(&["--verdict", "none", &path, &good]);
    assert_eq!((code(&none), stdout(&none)), (0, format!("{path}: accept\n{good}: accept\n")));
    let g = check(&["--verdict", "g", &path, &good]);
    assert_eq!((code(&g), stdout(&g)), (1, format!("{path}: reject D008\n{good}: accept\n")));
    let said = check(&["--ptxas-messages", "--mode", "g", &path]);
    assert_eq!(
        stdout(&said),
        "ptxas warning :  .debug_abbrev section not found\n\
         ptxas warning :  .debug_info section not found\n\
         ptxas error   : label 'A' invalid\n\
         ptxas error   : label 'B' invalid\n"
    );
}

#[test]
fn least_version() {
    let folder = Folder::new();
    let path = folder.file("in.ptx", module("8.0", "sm_50", "", ".section .debug_str {\nA: .b8 -1\n}\n"));
    let output = check(&["--min-version", &path]);
    let shown = stdout(&output);
    assert!(shown.starts_with(&format!("{path}: 7.5 (PTX ISA: 7.5)\n")), "{shown}");
    assert!(shown.contains("line 10: Defining labels in .section needs 7.0 (PTX ISA: 7.2)"), "{shown}");
    assert_eq!(code(&output), 0);
}

#[test]
fn rules_can_be_left_out_and_listed() {
    let folder = Folder::new();
    let path = folder.file("in.ptx", module("8.0", "sm_90", ".loc 1 0 0\n", ""));
    assert_eq!(code(&check(&[&path])), 1);
    for rule in ["L004", "l004", "line-zero"] {
        assert_eq!(code(&check(&["--allow", rule, &path])), 0, "{rule}");
    }
    let rules = check(&["--rules"]);
    assert!(code(&rules) == 0 && stdout(&rules).contains("L004 line-zero (warning)"));
    let table: Value = serde_json::from_str(&stdout(&check(&["--rules", "--json"]))).unwrap();
    assert!(table["rules"].as_array().unwrap().iter().any(|rule| rule["code"] == "L004"));
}

#[test]
fn standard_input_and_odd_bytes() {
    let piped = driver(&["check", "-"], clean().as_bytes());
    assert_eq!(code(&piped), 0, "{}", stdout(&piped));
    assert!(stdout(&piped).starts_with("note") || stdout(&piped).starts_with("<stdin>: "));
    let folder = Folder::new();
    let latin1 = folder.file("latin1.ptx", [clean().as_bytes(), b"// caf\xe9\n"].concat());
    let output = check(&["--verdict", "g", &latin1]);
    assert_eq!(stdout(&output), format!("{latin1}: reject P002\n"));
    let elf = folder.file("a.cubin", b"\x7fELF\x02\x01");
    let output = check(&[&elf]);
    assert_eq!(
        (code(&output), stderr(&output)),
        (2, format!("error: {elf}: an ELF file, expected PTX text\n"))
    );
    let empty = folder.file("empty.ptx", "");
    assert_eq!(stdout(&check(&["--verdict", "none", &empty])), format!("{empty}: reject V001\n"));
}

/// The lines of a source beside the PTX are counted, and only asked for.
#[test]
fn lines_past_the_end_of_a_source() {
    let folder = Folder::new();
    folder.file("a.cu", "one\ntwo\nthree");
    let path = folder.file("in.ptx", module("8.0", "sm_90", ".loc 1 3 1\nmembar.gl;\n.loc 1 4 1\n", ""));
    let shown = stdout(&check(&[&path]));
    assert!(shown.contains("warning[L014]: line 4 is past the end of a.cu, which has 3 lines"), "{shown}");
    assert_eq!(shown.matches("L014").count(), 1, "{shown}");
    assert_eq!(code(&check(&["--no-sources", &path])), 0);
}

/// Names in a file cannot steer a terminal.
#[test]
fn control_characters_are_escaped() {
    let folder = Folder::new();
    let text = clean().replace("a.cu", "\x1b[31m<stdin>");
    let path = folder.file("in.ptx", text);
    let shown = stdout(&check(&["--color", "never", &path]));
    assert!(!shown.contains('\x1b'), "{shown:?}");
}

// ---- repairs ----

const GAP: &str = ".loc 3 1 1\nmembar.gl;\n.loc 3 1 1\n";

fn with_gap() -> String {
    module("8.0", "sm_90", GAP, ".file 3 \"b.cu\", 5, 7\n")
}

#[test]
fn repairs_in_place_and_once() {
    let folder = Folder::new();
    let text = with_gap();
    let path = folder.file("in.ptx", &text);
    let diff = check(&["--diff", &path]);
    assert_eq!(code(&diff), 1);
    let shown = stdout(&diff);
    assert!(shown.contains("\n-.file 3 \"b.cu\", 5, 7\n+.file 2 \"b.cu\", 5, 7\n"), "{shown}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "--diff writes nothing");

    let fixed = check(&["--fix", &path]);
    assert_eq!(code(&fixed), 0, "{}", stdout(&fixed));
    let after = fs::read_to_string(&path).unwrap();
    assert!(after.contains(".loc 2 1 1\nmembar.gl;\nret;") && after.contains(".file 2 \"b.cu\""), "{after}");
    assert!(stdout(&fixed).contains(&format!("{path}: repaired by renumber-files: 3")), "{}", stdout(&fixed));
    assert_eq!(stdout(&check(&["--diff", &path])), "");
    check(&["--fix", &path]);
    assert_eq!(fs::read_to_string(&path).unwrap(), after);
}

#[test]
fn repairs_by_name() {
    let folder = Folder::new();
    let path = folder.file("in.ptx", with_gap());
    let only = check(&["--fix=drop-redundant-locs", &path]);
    assert_eq!(code(&only), 1, "the gap is left");
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        with_gap().replacen("membar.gl;\n.loc 3 1 1\n", "membar.gl;\n", 1)
    );
    check(&["--fix=default,path-map", "--path-map", "b.cu=src/b.cu", &path]);
    assert!(fs::read_to_string(&path).unwrap().contains(".file 2 \"src/b.cu\""));
    check(&["--fix=strip-all", &path]);
    let stripped = fs::read_to_string(&path).unwrap();
    assert!(!stripped.contains(".loc") && !stripped.contains(".file"), "{stripped}");
    assert_eq!(code(&check(&["--fix=nonsense", &path])), 2);
    assert!(stdout(&check(&["--repairs"])).contains("strip-all (by name)"));
}

#[test]
fn repairs_of_standard_input_go_to_standard_output() {
    let fixed = driver(&["check", "--fix", "-"], with_gap().as_bytes());
    assert_eq!(code(&fixed), 0);
    assert!(
        stdout(&fixed).starts_with(".version 8.0\n") && stdout(&fixed).ends_with(".file 2 \"b.cu\", 5, 7\n")
    );
    assert!(stderr(&fixed).contains("<stdin>: repaired by renumber-files"));
    let json = driver(&["check", "--fix", "--json", "-"], with_gap().as_bytes());
    let document: Value = serde_json::from_str(&stdout(&json)).unwrap();
    let fix = &document["files"][0]["fix"];
    assert_eq!(fix["changed"], true);
    assert_eq!(fix["text"].as_str().unwrap(), stdout(&fixed));
}

/// Bytes that are no text stay as they are beside a repair.
#[test]
fn repairs_leave_odd_bytes_alone() {
    let folder = Folder::new();
    let odd = |text: &str| [text.as_bytes(), b"// caf\xe9 \x01\r\n"].concat();
    let path = folder.file("in.ptx", odd(&with_gap()));
    check(&["--fix=renumber-files", &path]);
    assert_eq!(
        fs::read(&path).unwrap(),
        odd(&with_gap().replace(".loc 3", ".loc 2").replace(".file 3", ".file 2"))
    );
}

/// A byte that is no UTF-8 shows as itself, and is repaired as itself.
#[test]
fn odd_bytes_show_as_themselves() {
    let folder = Folder::new();
    let text = |name: &[u8]| [clean().as_bytes(), b".file 2 \"", name, b".cu\", 1, 1\n"].concat();
    for (name, shown, fixed) in
        [(&b"\xe9"[..], r"\xe9", "%E9"), ("\u{f7e9}".as_bytes(), r"\xef\x9f\xa9", "%EF%9F%A9")]
    {
        let path = folder.file("in.ptx", text(name));
        let found = stdout(&check(&[&path]));
        assert!(found.contains(&format!("found \"{shown}\"")) && !found.contains('\u{f7e9}'), "{found}");
        let diff = check(&["--diff", &path]).stdout;
        assert!(diff.windows(name.len()).any(|window| window == name));
        let json = stdout(&check(&["--json", "--diff", &path]));
        assert!(!json.contains(['\u{f7e9}', '\u{f7ef}']), "{json}");
        check(&["--fix", &path]);
        assert_eq!(fs::read(&path).unwrap(), text(fixed.as_bytes()));
    }
}

#[test]
fn long_names_and_lines_are_cut() {
    let folder = Folder::new();
    let name = "n".repeat(100_000);
    let path = folder.file("in.ptx", format!("{}.func {name};\n.func {name};\n", "\u{e9}".repeat(100_000)));
    let output = check(&[&path]);
    assert!(output.stdout.len() < 10_000, "{}", output.stdout.len());
}

#[test]
fn what_is_no_ptx_is_not_repaired() {
    let folder = Folder::new();
    for other in ["// caf\u{e9}\nprint(\"x\")\n", "", ".text\n# \u{e9}\n"] {
        let path = folder.file("in.ptx", other);
        let output = check(&["--fix", &path]);
        assert_eq!(code(&output), 2);
        assert_eq!(
            stderr(&output),
            format!("error: {path}: not repaired: no PTX: expected `.version` first\n")
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), other);
        assert!(!stdout(&check(&[&path])).contains("--fix"));
    }
    let path = folder.file("in.ptx", format!("\u{feff}// caf\u{e9}\n{}", clean()));
    assert!(stdout(&check(&[&path])).contains("; --fix has repairs"));
    assert_eq!(code(&check(&["--fix", &path])), 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("// caf\\u{{e9}}\n{}", clean()));
}

/// The hint at --fix is there only where it does something.
#[test]
fn repairs_are_promised_only_where_they_fit() {
    let folder = Folder::new();
    let body = ".file 1 \"a.cu\", 5, 7\n.loc 1 1 1\nmembar.gl;\n";
    let path = folder.file("in.ptx", module("8.0", "sm_90", body, ""));
    let shown = stdout(&check(&[&path]));
    assert_eq!(shown.contains("--fix has"), !stdout(&check(&["--diff", &path])).is_empty(), "{shown}");
    let path = folder.file("in.ptx", clean().replace(" k(", " k.1("));
    let shown = stdout(&check(&[&path]));
    assert_eq!(shown.contains("--fix has"), !stdout(&check(&["--diff", &path])).is_empty(), "{shown}");
}

#[test]
fn several_locs_on_a_line() {
    let folder = Folder::new();
    let found = |body: &str| {
        let path = folder.file("in.ptx", module("8.0", "sm_90", body, ""));
        stdout(&check(&["--no-notes", &path]))
    };
    let three = found(".loc 1 5 1 membar.gl; .loc 1 6 1 membar.gl; .loc 1 7 1 membar.gl;\n");
    assert!(
        three.contains("[L019]: line 5 and another is lost") && three.contains("that of line 7"),
        "{three}"
    );
    assert!(found(".loc 1 5 1\nmembar.gl; .loc 1 6 1 membar.gl;\n").contains("line 5 is lost"));
    let back = found(".loc 1 5 1\nmembar.gl; .loc 1 6 1 membar.gl; .loc 1 5 1 membar.gl;\n");
    assert!(back.contains("line 6 is lost"), "{back}");
    // Code of line 0 counts to the code before, and takes nothing from the others of its PTX line.
    let of_line_0 = found(".loc 1 5 1\nmembar.gl;\n.loc 1 0 1 membar.gl; .loc 1 6 1 membar.gl;\n");
    assert!(of_line_0.contains("line 5, to which code of line 0 counts, is lost"), "{of_line_0}");
    for lost in [
        ".loc 1 5 1 membar.gl; .loc 1 0 1 membar.gl; .loc 1 6 1 membar.gl;\n",
        ".loc 1 5 1 membar.gl; .loc 1 6 1 membar.gl; .loc 1 0 1 membar.gl;\n",
    ] {
        let shown = found(lost);
        assert!(
            shown.contains("line 5") && shown.contains("is lost") && shown.contains("that of line 6"),
            "{shown}"
        );
    }
    for none in [
        ".loc 1 5 1 membar.gl; .loc 1 0 1 membar.gl;\n",
        ".loc 1 5 1 membar.gl; .loc 1 0 1 membar.gl; .loc 1 5 1 membar.gl;\n",
        ".loc 1 5 1\nmembar.gl;\n.loc 1 0 1 membar.gl; .loc 1 5 1 membar.gl;\n",
        ".loc 1 0 1 membar.gl; .loc 1 6 1 membar.gl;\n",
        ".loc 1 5 1 membar.gl;\n.loc 1 6 1 membar.gl;\n",
        ".loc 1 5 1 membar.gl; .loc 1 5 9 membar.gl;\n",
        ".loc 1 5 1 .loc 1 6 1 membar.gl;\n",
        "membar.gl; .loc 1 6 1\nmembar.gl;\n",
    ] {
        let shown = found(none);
        assert!(!shown.contains("L019"), "{none}{shown}");
    }
}

#[test]
fn one_fault_is_found_once_and_where_it_is() {
    let folder = Folder::new();
    let utf16: Vec<u8> =
        [&[0xff, 0xfe][..], &clean().bytes().flat_map(|byte| [byte, 0]).collect::<Vec<_>>()].concat();
    let shown = stdout(&check(&[&folder.file("utf16.ptx", utf16)]));
    assert!(shown.contains("looks like UTF-16") && !shown.contains("P003"), "{shown}");
    let body = ".loc 1 2 3 prologue_end\nmov.u32 %r1, 1;\n";
    let shown = stdout(&check(&[&folder.file("in.ptx", module("8.0", "sm_90", body, ""))]));
    assert!(
        shown.contains("error[P001]") && shown.contains("the line before has a word too many"),
        "{shown}"
    );
    assert!(!shown.contains("D005"), "{shown}");
}

/// What is in ../shared/bugs and has a repair is accepted by the real ptxas afterwards.
#[test]
fn repaired_bugs_are_accepted() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = Folder::new();
    for number in ["01", "03", "07", "09", "11", "19"] {
        let Some(input) = bug(number) else { return };
        let path = folder.file("in.ptx", fs::read(&input).unwrap());
        let target = fs::read_to_string(&path).unwrap();
        let arch = target.split("sm_").nth(1).unwrap().split(|c: char| !c.is_ascii_digit()).next().unwrap();
        for options in [["-lineinfo"], ["-g"]] {
            // Not a copy: the bugs are read-only files, which --fix does not replace.
            fs::write(&path, fs::read(&input).unwrap()).unwrap();
            let before = assemble(&ptxas, arch, &options, &path);
            assert!(!before, "{number} {options:?} was accepted before");
            check(&["--fix", &path]);
            assert!(assemble(&ptxas, arch, &options, &path), "{number} {options:?}");
        }
    }
}

fn assemble(ptxas: &Path, arch: &str, options: &[&str], input: &str) -> bool {
    let run = Command::new(ptxas)
        .arg(format!("-arch=sm_{arch}"))
        .args(options)
        .args([input, "-o"])
        .arg(format!("{input}.cubin"))
        .output();
    run.unwrap().status.success()
}
