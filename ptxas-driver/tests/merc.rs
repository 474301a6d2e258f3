//! `merc`: the two halves of cubins for sm_100 and later, and what is refused. Its command line is
//! in `cli/merc.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "the figures")]

use crate::support;
use crate::support::driver::program;
use crate::support::json;
use crate::support::oracle;
use nv_debug_sections::cubin::{Contents, Cubin, SHF_MERCURY, sht};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn pair(name: &str) -> PathBuf {
    support::repository().join("ptxas-driver/tests/pairs").join(name)
}

fn merc(arguments: &[&str], files: &[&Path]) -> Output {
    program().arg("merc").args(arguments).args(files).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Bytes by name and position among those of the name, of the sections of one space. What capsules
/// of code begin with is the number of a section.
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
        assert_eq!(made.status.code(), Some(2), "{command} {name}");
        let said = text(&made.stderr);
        assert!(said.contains(name), "{command} {name}: {said}");
        assert!(!output.exists(), "{command} {name}");
    }
}

/// Cubins for sm_100 and later: our own, and those of the corpus.
fn cubins() -> Vec<PathBuf> {
    let mut all = vec![
        pair("own_sections.sm_100.g.cubin"),
        pair("own_sections.sm_100.g.c.cubin"),
        pair("call_site_elsewhere.sm_100.lineinfo.cubin"),
    ];
    let corpus = support::corpus(|entry| entry.ok && entry.sm() >= 100);
    all.extend(corpus.into_iter().filter_map(|entry| entry.cubin));
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
        let document = json::only(&json);
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
        let document = json::only(&made);
        if document["error"].is_string() {
            continue;
        }
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
