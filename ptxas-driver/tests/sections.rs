//! `sections`: against the list of sections of the corpus, and against what ptxas makes. Its
//! command line is in `cli/sections.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::driver;
use crate::support::driver::program;
use crate::support::json;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};
use std::{fs, io};

fn sections<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Output {
    let mut command = program();
    command.current_dir(support::repository());
    command.arg("sections").args(args).output().unwrap()
}

fn text<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> String {
    let output = sections(args);
    assert!(output.status.success(), "{}", driver::messages(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn json<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Value {
    let output = sections(args);
    assert!(output.status.success(), "{}", driver::messages(&output));
    let document = json::document(&output);
    if document["files"].is_array() { json::only(&output) } else { document }
}

fn say(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// The manifest's list was made by another reader (`cubin_info.py`).
#[test]
fn names_and_sizes_are_those_of_the_manifest() {
    let corpus = support::corpus_root::root();
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(corpus.join("manifest.json")).unwrap()).unwrap();
    let (mut files, mut all, mut aliases) = (0, 0, 0);
    for entry in manifest["entries"].as_array().unwrap() {
        let Some(cubin) = entry["cubin"]["path"].as_str() else { continue };
        let document = json([corpus.join(cubin).as_os_str(), OsStr::new("--json"), OsStr::new("--check")]);
        let ours: BTreeMap<&str, u64> = document["sections"]
            .as_array()
            .unwrap()
            .iter()
            .map(|section| (section["name"].as_str().unwrap(), section["size"].as_u64().unwrap()))
            .collect();
        let theirs: BTreeMap<&str, u64> = entry["debug_sections"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, size)| (&**name, size.as_u64().unwrap()))
            .collect();
        assert_eq!(ours, theirs, "{cubin}");
        let total = document["file_bytes"].as_u64().unwrap();
        assert_eq!(total, entry["cubin"]["bytes"].as_u64().unwrap());
        assert!(document["debug_bytes"].as_u64().unwrap() < total, "{cubin}");
        files += 1;
        all += ours.len();
        aliases += document["sections"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|s| s.get("same_bytes_as").is_some())
            .count();
    }
    say(format_args!(
        "sections: {all} sections of {files} cubins, {aliases} with bytes of others; none missing, extra or odd"
    ));
    let at_least = support::corpus_root::at_least;
    assert!(files > at_least(600) && aliases > at_least(100));
}

#[test]
fn what_the_ptx_leads_to_expect_is_what_ptxas_wrote() {
    let pairs = support::corpus(|entry| {
        entry.ok && entry.written_by_ptxas_13_0 && entry.cubin.is_some() && entry.ptx.is_some()
    });
    let mut wrong = Vec::new();
    for entry in &pairs {
        let mut command = program();
        command
            .arg("sections")
            .arg("--check")
            .args(driver::mode_options(entry))
            .arg("--ptx")
            .arg(entry.ptx.as_ref().unwrap());
        let output = command.arg(entry.cubin.as_ref().unwrap()).output().unwrap();
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stdout).into_owned() + &driver::messages(&output);
            let faults = text.lines().filter(|line| {
                ["missing", "extra", "odd", "error"].iter().any(|word| line.starts_with(word))
            });
            wrong.push(format!("{}: {}", entry.name(), faults.collect::<Vec<_>>().join("; ")));
        }
    }
    say(format_args!(
        "sections: {} of {} cubins have what their PTX and options lead to expect",
        pairs.len() - wrong.len(),
        pairs.len()
    ));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Of the hand-made modules: ptxas loses `.debug_info` whose labels are used twice with the same
/// expression (behaviour/FINDINGS.md).
const LOST: [&str; 3] = ["700-", "701-", "703-"];

#[test]
fn hand_made_modules_give_what_ptxas_gives() {
    let (Some(shared), Some(ptxas)) = (support::shared(), support::oracle::tool("ptxas")) else { return };
    let mut cases: Vec<_> =
        fs::read_dir(shared.join("cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    cases.retain(|path| {
        !LOST.iter().any(|lost| path.file_name().unwrap().to_str().unwrap().starts_with(lost))
    });
    cases.sort();
    let folder = tempfile::tempdir().unwrap();
    let cubin = folder.path().join("case.cubin");
    let (mut accepted, mut wrong) = (0, Vec::new());
    for (number, case) in cases.iter().enumerate() {
        // Each module in one of twelve ways.
        let arch = ["sm_90", "sm_100"][number % 2];
        let level = [None, Some("-lineinfo"), Some("-g")][number / 2 % 3];
        let options: Vec<&str> = level.into_iter().chain((number / 6 % 2 == 1).then_some("-c")).collect();
        let _ = fs::remove_file(&cubin);
        let run = Command::new(&ptxas)
            .arg("-arch")
            .arg(arch)
            .args(&options)
            .arg(case)
            .arg("-o")
            .arg(&cubin)
            .output();
        if !run.unwrap().status.success() {
            continue;
        }
        accepted += 1;
        // By the PTX, and by the file alone.
        let by_ptx = [&["--arch", arch], &*options, &["--ptx", case.to_str().unwrap()]].concat();
        for known in [by_ptx, Vec::new()] {
            let output =
                sections(["--check"].iter().chain(&known).map(OsStr::new).chain([cubin.as_os_str()]));
            if !output.status.success() {
                let text = String::from_utf8_lossy(&output.stdout);
                wrong.push(format!("{} {arch} {options:?} {known:?}: {text}", case.display()));
            }
        }
    }
    say(format_args!(
        "sections: {} of {accepted} hand-made modules have what ptxas writes",
        accepted - wrong.len()
    ));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(accepted > 200);
}

/// Cases where sections have references that compilers' have not, or names of inlined functions
/// without `.debug_str`.
const UNUSUAL: [(&str, &str, &[&str]); 5] = [
    ("435-label-ref-kernel-b64.ptx", "sm_90", &["-g"]),
    ("523-atdwarf-quad-code-label.ptx", "sm_89", &["-g"]),
    ("667-container-own-label-debug-str.ptx", "sm_90", &["-g", "-c"]),
    ("501-label-spec-debug-info-b16ok.ptx", "sm_90", &["-g", "-c"]),
    ("246-inline-no-debug-str.ptx", "sm_90", &["-g"]),
];

#[test]
fn nothing_unusual_is_taken_for_wrong() {
    let (Some(shared), Some(ptxas)) = (support::shared(), support::oracle::tool("ptxas")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let cubin = folder.path().join("case.cubin");
    for (case, arch, options) in UNUSUAL {
        let mut command = Command::new(&ptxas);
        let input = shared.join("cases").join(case);
        driver::made(command.args(["-arch", arch]).args(options).arg(input), &cubin);
        let output = sections([OsStr::new("--check"), cubin.as_os_str()]);
        assert!(output.status.success(), "{case}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

/// A function that nobody calls.
const LIBRARY: &str = "\
.version 8.0
.target sm_80
.address_size 64
.file 1 \"a.cu\"
.func unused(.param .b32 x)
{
    .reg .b32 %r1;
    .loc 1 3 0
    ld.param.b32 %r1, [x];
    .loc 1 4 0
    trap;
}
";
const KERNEL: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";

/// nvlink keeps the rows of a function that nobody calls, but no relocations for them.
#[test]
fn rows_without_code_in_linked_files_miss_no_relocations() {
    let (Some(ptxas), Some(nvlink)) = (support::oracle::tool("ptxas"), support::oracle::tool("nvlink"))
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for arch in ["sm_80", "sm_90", "sm_100"] {
        for (name, text) in [("a", LIBRARY), ("b", KERNEL)] {
            let input = path(&format!("{name}.ptx"));
            fs::write(&input, text).unwrap();
            let mut command = Command::new(&ptxas);
            driver::made(
                command.args(["-c", "-lineinfo", "-arch", arch]).arg(input),
                &path(&format!("{name}.o")),
            );
        }
        let mut command = Command::new(&nvlink);
        driver::made(command.args(["-arch", arch]).args([path("a.o"), path("b.o")]), &path("ab.cubin"));
        let text = text([Path::new("--check"), &path("ab.cubin")]);
        assert!(text.contains("linked file, level lines") && !text.contains(".debug_line\n"), "{text}");
    }
}
