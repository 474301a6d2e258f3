//! `merc`: plans, and the two halves of cubins for sm_100 and later.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "the figures")]

use crate::support;
use crate::support::oracle;
use nv_debug_sections::cubin::{Contents, Cubin, SHF_MERCURY, sht};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn pair(name: &str) -> PathBuf {
    support::repository().join("ptxas-driver/tests/pairs").join(name)
}

fn merc(arguments: &[&str], files: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ptxas-driver")).arg("merc").args(arguments).args(files).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Bytes by name and position among those of the name, of the sections of one space. What capsules of code begin with is the
/// number of a section.
fn sections(cubin: &Cubin<'_>, mercury: bool) -> BTreeMap<(String, usize), Vec<u8>> {
    let mut all = BTreeMap::new();
    for (index, name, section) in cubin.iter().filter(|(_, _, section)| section.is_mercury() == mercury) {
        let number = all.range((name.to_owned(), 0)..=(name.to_owned(), usize::MAX)).count();
        let skipped = if section.sh_type == sht::MERC_CODE { 4 } else { 0 };
        let is_of_names = matches!(section.contents, Contents::Strings(_) | Contents::Symbols(_))
            || section.relocations().is_some();
        if !is_of_names {
            let bytes = cubin.bytes(index).unwrap();
            all.insert((name.to_owned(), number), bytes.get(skipped..).unwrap_or_default().to_vec());
        }
    }
    all
}

#[test]
fn a_plan_has_a_row_for_each_clone() {
    let output = merc(&["plan"], &[&pair("own_sections.sm_100.g.cubin")]);
    assert!(output.status.success());
    let text = text(&output.stdout);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|w| !w.is_empty()).collect())
        .collect();
    assert_eq!(rows[0], ["section", "clone", "action", "in file", "otherwise"]);
    for row in [
        &[".debug_abbrev", ".nv.merc.debug_abbrev", "alias", "yes"][..],
        &[".notes", ".nv.merc.notes", "copy", "yes"],
        &[".debug_line", ".nv.merc.debug_line", "rewrite", "yes", "alias if equal"],
        &[".nv.callgraph", ".nv.merc.nv.callgraph", "copy", "no"],
        &[".text.kernel", ".nv.capmerc.text.kernel", "rewrite", "yes"],
    ] {
        assert!(rows.iter().any(|other| other == row), "{row:?} in {text}");
    }
    let json = merc(&["plan", "--json"], &[&pair("own_sections.sm_100.g.cubin")]);
    let document: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&document["schema"], &document["schema_version"]), (&"nvdwarf.merc_plan".into(), &1.into()));
    assert_eq!(document["clones"].as_array().unwrap().len(), rows.len() - 1);
}

#[test]
fn what_has_no_capsule_is_said_to_have_none() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.cubin");
    let old = pair("own_sections.sm_75.g.cubin");
    for (arguments, message) in [
        (&["plan"][..], "a cubin for sm_75, which has no capsule: expected sm_100 or later"),
        (&["self-check"], "a cubin for sm_75, which has no capsule: expected sm_100 or later"),
        (&["strip-capsule", "-o", output.to_str().unwrap()], "a cubin for sm_75 without a capsule"),
        (&["keep-capsule-only", "-o", output.to_str().unwrap()], "a cubin for sm_75 without a capsule"),
    ] {
        let made = merc(arguments, &[&old]);
        assert_eq!(made.status.code(), Some(1));
        let said = text(&made.stderr);
        assert!(said.contains(message), "{said}");
    }
    assert!(!output.exists());
}

#[test]
fn a_capsule_alone_is_not_stripped_to_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let [capsule, output] = ["capsule.cubin", "out.cubin"].map(|name| folder.path().join(name));
    let sound = pair("own_sections.sm_100.g.cubin");
    assert!(merc(&["keep-capsule-only", "-o", capsule.to_str().unwrap()], &[&sound]).status.success());
    for command in ["strip-capsule", "finalise"] {
        let made = merc(&[command, "-o", output.to_str().unwrap()], &[&capsule]);
        assert_eq!(made.status.code(), Some(1));
        let (said, name) = (text(&made.stderr), capsule.display());
        assert!(said.contains(&format!("{name}: there is no native code beside the capsule")), "{said}");
        assert!(!output.exists());
    }
}

#[test]
fn standard_input_stands_for_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.cubin");
    let sound = pair("own_sections.sm_100.g.cubin");
    for arguments in [
        &["merc", "clone", "-", "--maps-from", "-", "-o"][..],
        &["merc", "clone", "-", "--ptx", "-", "-o"],
        &["merc", "finalise", "-", "--maps-from", "-", "-o"],
        &["coverage", "-", "-"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
        command.args(arguments).args(arguments.last().filter(|last| **last == "-o").map(|_| &output));
        let made = command.stdin(std::fs::File::open(&sound).unwrap()).output().unwrap();
        let said = text(&made.stderr);
        assert!(!made.status.success(), "{arguments:?}");
        assert!(said.contains("standard input can be read once only"), "{arguments:?}: {said}");
        assert!(!output.exists());
    }
}

/// What makes a cubin a faulty one.
type Damage<'d> = &'d dyn Fn(&mut Cubin<'_>, &str);

#[test]
fn what_is_refused_is_named_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.cubin"), folder.path().join("out.cubin"));
    let sound = std::fs::read(pair("own_sections.sm_100.g.c.cubin")).unwrap();
    let flagged = |cubin: &mut Cubin<'_>, name: &str| {
        let index = cubin.section_by_name(name).unwrap();
        cubin.sections[index.as_usize()].flags ^= SHF_MERCURY;
    };
    let short = |cubin: &mut Cubin<'_>, name: &str| {
        let index = cubin.section_by_name(name).unwrap();
        let bytes = cubin.bytes(index).unwrap().into_owned();
        cubin.sections[index.as_usize()].contents = Contents::Bytes(bytes[..bytes.len() - 1].to_vec().into());
    };
    let rows: [(&str, &str, Damage<'_>); 4] = [
        ("clone", ".debug_line", &flagged),
        ("finalise", ".nv.merc.debug_line", &flagged),
        ("clone", ".debug_frame", &short),
        ("finalise", ".nv.merc.nv_debug_line_sass", &short),
    ];
    for (command, name, damage) in rows {
        let mut cubin = Cubin::parse(&sound).unwrap();
        damage(&mut cubin, name);
        std::fs::write(&input, cubin.write().unwrap()).unwrap();
        let made = merc(&[command, "-o", output.to_str().unwrap()], &[&input]);
        assert_eq!(made.status.code(), Some(1), "{command} {name}");
        let said = text(&made.stderr);
        assert!(said.contains(name), "{command} {name}: {said}");
        assert!(!output.exists(), "{command} {name}");
    }
}

/// nvdisasm and cuobjdump take it as it is.
#[test]
fn a_file_without_a_name_comes_through_both_ways() {
    let folder = tempfile::tempdir().unwrap();
    let [cloned, back, native] =
        ["cloned.cubin", "back.cubin", "native.cubin"].map(|name| folder.path().join(name));
    let (cubin, ptx) = (pair("nameless_inlined.sm_100.lineinfo.c.cubin"), pair("nameless_inlined.ptx"));
    let read = |path: &Path| std::fs::read(path).unwrap();
    assert!(merc(&["self-check"], &[&cubin]).status.success());
    let options = ["clone", "--ptx", ptx.to_str().unwrap(), "-o", cloned.to_str().unwrap()];
    assert!(merc(&options, &[&cubin]).status.success());
    assert!(read(&cloned) == read(&cubin));
    assert!(merc(&["finalise", "-o", back.to_str().unwrap()], &[&cubin]).status.success());
    assert!(merc(&["strip-capsule", "-o", native.to_str().unwrap()], &[&cubin]).status.success());
    assert!(read(&back) == read(&native));
}

/// Cubins for sm_100 and later: our own, and those of the corpus.
fn cubins() -> Vec<PathBuf> {
    let mut all = vec![
        pair("own_sections.sm_100.g.cubin"),
        pair("own_sections.sm_100.g.c.cubin"),
        pair("call_site_elsewhere.sm_100.lineinfo.cubin"),
    ];
    let corpus = support::corpus(|entry| entry.ok && entry.sm() >= 100);
    all.extend(corpus.into_iter().flatten().filter_map(|entry| entry.cubin));
    all
}

#[test]
fn both_halves_keep_their_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let [native, capsule] = ["native.cubin", "capsule.cubin"].map(|name| folder.path().join(name));
    let nvdisasm = oracle::tool("nvdisasm");
    let (mut count, mut listed) = (0, 0);
    for path in cubins() {
        for (command, output) in [("strip-capsule", &native), ("keep-capsule-only", &capsule)] {
            let made = merc(&[command, "-o", output.to_str().unwrap()], &[&path]);
            assert!(made.status.success(), "{}: {}", path.display(), text(&made.stderr));
        }
        let [whole, native_bytes, capsule_bytes] =
            [&path, &native, &capsule].map(|path| std::fs::read(path).unwrap());
        let [whole, without, only] =
            [&whole, &native_bytes, &capsule_bytes].map(|bytes| Cubin::parse(bytes).unwrap());
        assert_eq!(sections(&without, false), sections(&whole, false), "{}", path.display());
        assert_eq!(sections(&only, true), sections(&whole, true), "{}", path.display());
        assert!(!without.has_capsule() && only.has_capsule());
        // nvdisasm takes long: some of them.
        if let Some(nvdisasm) = nvdisasm.as_ref().filter(|_| count % 12 == 0) {
            listed += 1;
            let listing =
                |path: &Path| Command::new(nvdisasm).args(["-c", "-gi"]).arg(path).output().unwrap();
            let (before, after) = (listing(&path), listing(&native));
            assert_eq!(after.status.success(), before.status.success(), "{}", path.display());
            assert!(after.stdout == before.stdout, "{}: nvdisasm reads other code", path.display());
            let read = Command::new(nvdisasm).arg(&capsule).output().unwrap();
            assert!(read.status.success(), "{}: nvdisasm does not read the capsule", path.display());
        }
        count += 1;
    }
    println!("{count} cubins taken apart, {listed} of them read by nvdisasm");
}

#[test]
fn a_debug_section_without_its_clone_is_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(pair("own_sections.sm_100.g.c.cubin")).unwrap();
    let without = |native: &str| {
        let mut cubin = Cubin::parse(&bytes).unwrap();
        let (gone, rest): (Vec<_>, Vec<_>) =
            cubin.mercury_sections().unwrap().into_iter().partition(|section| section.native == native);
        assert_eq!(gone.len(), 1, "{native}");
        cubin.set_mercury_sections(rest).unwrap();
        let path = folder.path().join("without.cubin");
        std::fs::write(&path, cubin.write().unwrap()).unwrap();
        path
    };
    for native in [".debug_abbrev", ".debug_line"] {
        let path = without(native);
        let made = merc(&["self-check"], &[&path]);
        assert_eq!(made.status.code(), Some(1), "{native}");
        let lines = text(&made.stdout);
        let want = format!("{}: {native}: no clone: expected .nv.merc{native}", path.display());
        assert!(lines.lines().any(|line| line == want), "{lines}");
        let json = merc(&["self-check", "--json"], &[&path]);
        assert_eq!(json.status.code(), Some(1), "{native}");
        let document: Value = serde_json::from_slice(&json.stdout).unwrap();
        let verdicts = document["verdicts"].as_array().unwrap();
        let debug = verdicts.iter().find(|verdict| verdict["part"] == "debug").unwrap();
        // The call graph has none in what ptxas 13.0 writes.
        assert_eq!((&debug["without_clone"], &debug["different"]), (&2.into(), &0.into()), "{debug}");
    }
}

#[test]
fn files_of_the_tools_have_all_clones_that_they_must_have() {
    let (mut read, mut counts) = (0, BTreeMap::<String, usize>::new());
    for path in cubins() {
        let made = merc(&["self-check", "--json"], &[&path]);
        // Line tables that nvlink wrote may lead to no code: the check then has no result.
        let Ok(document) = serde_json::from_slice::<Value>(&made.stdout) else { continue };
        read += 1;
        for row in document["sections"].as_array().unwrap() {
            if row["outcome"] == "no clone" {
                assert!(row["difference"].is_null(), "{}: {row}", path.display());
                *counts.entry(row["native"].as_str().unwrap().to_owned()).or_default() += 1;
            }
        }
    }
    println!("{read} cubins; sections without clone: {counts:?}");
    assert!(read > 0);
}

#[test]
fn self_checks_name_what_differs() {
    let folder = tempfile::tempdir().unwrap();
    let sound = pair("own_sections.sm_100.g.c.cubin");
    let made = merc(&["self-check"], &[&sound]);
    assert_eq!(made.status.code(), Some(0));
    let lines = text(&made.stdout);
    assert!(lines.lines().all(|line| line.contains(" 0 different")) && lines.lines().count() == 3, "{lines}");

    // The line of a row of the Mercury table.
    let mut bytes = std::fs::read(&sound).unwrap();
    let cubin = Cubin::parse(&bytes).unwrap();
    let table = cubin.bytes(cubin.section_by_name(".nv.merc.debug_line").unwrap()).unwrap().into_owned();
    let at = bytes.windows(table.len()).position(|window| window == &*table).unwrap() + table.len() - 6;
    bytes[at] ^= 4;
    let damaged = folder.path().join("damaged.cubin");
    std::fs::write(&damaged, bytes).unwrap();
    let made = merc(&["self-check"], &[&damaged]);
    assert_eq!(made.status.code(), Some(1));
    assert!(
        text(&made.stdout)
            .starts_with(&format!("{}: .debug_line: different: .text.kernel, step ", damaged.display())),
        "{}",
        text(&made.stdout)
    );
    let json = merc(&["self-check", "--json"], &[&damaged]);
    let document: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(document["schema"], "nvdwarf.merc_self_check");
    let row =
        document["sections"].as_array().unwrap().iter().find(|row| row["outcome"] == "different").unwrap();
    assert_eq!((&row["native"], &row["part"]), (&".debug_line".into(), &"debug".into()));
}
