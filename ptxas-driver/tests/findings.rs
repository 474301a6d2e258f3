//! `check`, `verify` and `coverage` in the forms of other programs: SARIF by its schema and by
//! another validator, `concise` as editors read it.
//!
//! `tests/data/sarif-2.1.0.json` is the schema of SARIF 2.1.0 (errata 01) as JSON Schema Store has
//! it (Apache-2.0), without its descriptions, and with a pattern for languages that is a regular
//! expression (an unpaired bracket is taken out).
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::calls::found_by;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// PTX with findings of each severity, a cubin with errors, an archive-like name with blanks, and
/// limits that are not kept.
const PTX: &str = "\
.version 8.0
.target sm_90
.address_size 64
.file 1 \"k.cu\"
.file 1 \"100%, other.cu\"
.visible .entry k() {
  .loc 7 2 3
  ret;
}
";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = support::repository();
    fs::create_dir(folder.path().join("a b")).unwrap();
    for name in ["k.ptx", "a b/1:2.ptx", "a b/caf\u{e9}.ptx"] {
        fs::write(folder.path().join(name), PTX).unwrap();
    }
    for from in ["ptxas-driver/tests/pairs/shared_info.sm_100.g.c.cubin", "examples/saxpy/saxpy-debug.cubin"]
    {
        let from = root.join(from);
        fs::copy(&from, folder.path().join("a b").join(from.file_name().unwrap())).unwrap();
    }
    folder
}

const RUNS: [&[&str]; 3] =
    [&["check"], &["verify"], &["coverage", "--min-lines", "100", "--min-vars", "100"]];

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ptxas-driver")).args(args).current_dir(folder).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Files and codes, each with how often: what all forms have to agree about.
type Counted = BTreeMap<(String, String), usize>;

fn count(found: impl Iterator<Item = (String, String)>) -> Counted {
    found.fold(Counted::new(), |mut counted, key| {
        *counted.entry(key).or_default() += 1;
        counted
    })
}

/// The findings of a JSON document.
fn of_json(document: &Value) -> Counted {
    let files = document["files"].as_array().unwrap();
    let all = files.iter().flat_map(|file| {
        let name = file["file"].as_str().unwrap().trim_start_matches("./").to_owned();
        let findings = file["findings"].as_array().unwrap();
        findings.iter().map(move |finding| (name.clone(), finding["code"].as_str().unwrap().to_owned()))
    });
    count(all)
}

#[test]
fn sarif_is_as_its_schema_says_and_has_all_findings() {
    let schema = fs::read(support::repository().join("ptxas-driver/tests/data/sarif-2.1.0.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_slice(&schema).unwrap()).unwrap();
    let folder = folder();
    for command in RUNS {
        let output = run(folder.path(), &[command, &["--format", "sarif", ".", "missing"]].concat());
        let log: Value = serde_json::from_slice(&output.stdout).unwrap();
        let errors: Vec<String> = schema.iter_errors(&log).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0], "{command:?}");

        let run = &log["runs"][0];
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["exitCode"].as_i64(), output.status.code().map(i64::from), "{command:?}");
        assert_eq!(output.status.code(), Some(2));
        let said = invocation["toolExecutionNotifications"].as_array().unwrap();
        assert!(said.iter().any(|said| said["level"] == "error"), "{command:?}: {said:?}");

        let results = run["results"].as_array().unwrap();
        assert!(!results.is_empty(), "{command:?}");
        let mut prints = Vec::new();
        for result in results {
            let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(rule["id"], result["ruleId"]);
            prints.push(result["partialFingerprints"]["primaryLocationLineHash"].as_str().unwrap());
        }
        prints.sort_unstable();
        assert!(prints.windows(2).all(|pair| pair[0] != pair[1]), "{command:?}: {prints:?}");
    }
}

#[test]
fn each_form_has_the_same_findings() {
    let folder = folder();
    for command in &RUNS[..2] {
        let run = |format| run(folder.path(), &[command, &["--format", format, "."] as &[&str]].concat());
        let json = of_json(&serde_json::from_slice(&run("json").stdout).unwrap());
        let concise = count(text(&run("concise")).lines().map(|line| {
            // What `errorformat` has as `%f:%l:%c: %m`.
            let (place, message) = line.split_once(": ").unwrap();
            let mut parts = place.rsplitn(3, ':');
            let [column, number, file] = std::array::from_fn(|_| parts.next().unwrap());
            assert!(column.parse::<u32>().unwrap() > 0 && number.parse::<u32>().unwrap() > 0, "{line}");
            let (severity, rest) = message.split_once('[').unwrap();
            assert!(["error", "warning", "note"].contains(&severity), "{line}");
            (file.to_owned(), rest.split_once("]: ").unwrap().0.to_owned())
        }));
        let github = count(text(&run("github")).lines().map(|line| {
            let (properties, _) = line.split_once(' ').unwrap().1.split_once("::").unwrap();
            let property = |name| {
                let found = properties.split(',').find_map(|property| property.strip_prefix(name));
                found.unwrap().replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
            };
            (property("file="), property("title=").split_once(' ').unwrap().0.to_owned())
        }));
        let sarif: Value = serde_json::from_slice(&run("sarif").stdout).unwrap();
        let sarif = sarif["runs"][0]["results"].as_array().unwrap().iter().map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            let path = uri.replace("%20", " ").replace("%3A", ":").replace("%C3%A9", "\u{e9}");
            (path, result["ruleId"].as_str().unwrap().to_owned())
        });
        assert_eq!(concise, json, "{command:?}");
        assert_eq!(github, json, "{command:?}");
        assert_eq!(count(sarif), json, "{command:?}");
    }
}

/// Files for the validator: clean ones, findings, faults, archives, fatbins and folders.
const VALIDATED: &[&[&str]] = &[
    &["check", "examples/saxpy/saxpy.ptx"],
    &["check", "--select", "L,F", "ptxas-driver/tests/pairs"],
    &["check", "ptxas-driver/tests/pairs/files.ptx", "missing.ptx"],
    &["check", "examples/saxpy/saxpy.cu"],
    &["verify", "examples"],
    &["verify", "examples/saxpy/saxpy.fatbin", "missing.cubin"],
    &["verify", "ptxas-driver/tests/pairs"],
    &["verify", "ptxas-driver/tests/hostile"],
    &["verify", "ptxas-driver/tests/hostile/damaged.a"],
    &["verify", "cubin-debuginfo/tests/data"],
    &["coverage", "examples/saxpy/saxpy.cubin"],
    &["coverage", "--min-lines", "100", "--min-vars", "100", "examples"],
    &[
        "coverage",
        "--min-lines",
        "100",
        "--min-own",
        "100",
        "--max-inherited",
        "0",
        "ptxas-driver/tests/pairs",
    ],
    &["coverage", "--min-lines", "1", "ptxas-driver/tests/hostile", "missing"],
];

/// Microsoft's validator, with its rules for GitHub's code scanning, misses only the address of a
/// page about the program.
#[test]
fn another_validator_has_no_complaint() {
    let Some(validator) = found_by("sarif.sh", "REQUIRE_SARIF") else { return };
    let folder = folder();
    let repository = support::repository();
    let runs = VALIDATED.iter().map(|args| run(&repository, &[*args, &["--format", "sarif"]].concat()));
    let odd = RUNS.iter().map(|args| run(folder.path(), &[*args, &["--format", "sarif", "."]].concat()));
    let logs = tempfile::tempdir().unwrap();
    for (number, output) in runs.chain(odd).enumerate() {
        fs::write(logs.path().join(format!("{number}.sarif")), output.stdout).unwrap();
    }
    let validated = Command::new(validator)
        .args(["validate", "*.sarif", "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning"])
        .args(["--output", "found.json"])
        .current_dir(logs.path())
        .output()
        .unwrap();
    assert!(validated.status.success(), "{validated:?}");
    let found: Value = serde_json::from_slice(&fs::read(logs.path().join("found.json")).unwrap()).unwrap();
    let results = found["runs"][0]["results"].as_array().unwrap();
    assert!(results.iter().all(|result| result["ruleId"] == "SARIF2005"), "{}", text(&validated));
    assert_eq!(results.len(), VALIDATED.len() + RUNS.len(), "{}", text(&validated));
}

/// Vim with its default `errorformat` finds file, line and column of each line.
#[test]
fn vim_reads_concise() {
    if Command::new("vim").arg("--version").output().is_err() {
        support::skip("vim", "REQUIRE_VIM");
        return;
    }
    let folder = folder();
    for command in RUNS {
        let lines = text(&run(folder.path(), &[command, &["--format", "concise", "."]].concat()));
        fs::write(folder.path().join("quickfix"), &lines).unwrap();
        let entry = "bufname(v:val.bufnr).':'.v:val.lnum.':'.v:val.col.':'.v:val.text";
        let write = format!("call writefile(map(filter(getqflist(), 'v:val.valid'), \"{entry}\"), 'read')");
        let vim = Command::new("vim")
            .args(["-es", "-u", "NONE", "-i", "NONE", "-c", "cgetfile quickfix", "-c", &write, "-c", "qa!"])
            .env("LC_ALL", "C.UTF-8")
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(vim.status.success(), "{vim:?}");
        assert_eq!(fs::read_to_string(folder.path().join("read")).unwrap(), lines, "{command:?}");
    }
}
