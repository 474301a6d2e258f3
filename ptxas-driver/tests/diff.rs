//! `diff`: with code of ptxas, encodings, and large files. What each change is called is in
//! `cli/diff.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::driver::example;
use crate::support::driver::program;
use crate::support::json;
use nv_debug_sections::cubin::{Contents, Cubin, Relocation, SymbolIndex};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

fn diff<'a>(arguments: impl IntoIterator<Item = &'a OsStr>) -> Output {
    program().arg("diff").args(arguments).output().unwrap()
}

fn compare(a: &Path, b: &Path, options: &[&str]) -> (i32, String) {
    let files = [a.as_os_str(), b.as_os_str()];
    let run = diff(files.into_iter().chain(options.iter().map(OsStr::new)));
    (run.status.code().unwrap(), String::from_utf8(run.stdout).unwrap())
}

/// Differences of two files as `(key, subject)`.
fn keys(a: &Path, b: &Path) -> Vec<(String, String)> {
    let (_, text) = compare(a, b, &["--json"]);
    let document = json::parse(text.as_bytes()).unwrap();
    assert_eq!(document["schema"], "nvdwarf.diff");
    let all = document["differences"].as_array().unwrap();
    let word = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    all.iter().map(|row| (word(row, "key"), word(row, "subject"))).collect()
}

/// The example with one change.
fn changed(change: impl FnOnce(&mut Cubin<'_>)) -> tempfile::NamedTempFile {
    let data = std::fs::read(example("saxpy/saxpy-debug.cubin")).unwrap();
    let mut cubin = Cubin::parse(&data).unwrap();
    change(&mut cubin);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, cubin.write().unwrap()).unwrap();
    file
}

fn section<'c>(cubin: &'c mut Cubin<'_>, name: &str) -> &'c mut Vec<u8> {
    let index = cubin.section_by_name(name).unwrap().as_usize();
    match &mut cubin.sections[index].contents {
        Contents::Bytes(bytes) => bytes.to_mut(),
        _ => panic!("{name} has no bytes"),
    }
}

/// "Did asking for line info change the code?"
#[test]
fn lines_change_no_code() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let make = |name: &str, option: Option<&str>, arch: &str| {
        let path = folder.path().join(format!("{name}.{arch}"));
        let mut command = Command::new(&ptxas);
        command.arg(example("saxpy/saxpy.ptx")).args(["-arch", arch]).args(option).arg("-o").arg(&path);
        assert!(command.status().unwrap().success());
        path
    };
    for arch in ["sm_90", "sm_100"] {
        // Without an option ptxas makes lines too, since the PTX has `.loc`.
        let plain = make("plain", Some("--suppress-debug-info"), arch);
        let lines = make("lines", Some("-lineinfo"), arch);
        let (code, text) = compare(&plain, &lines, &["--only", "code,data,registers,frame"]);
        assert_eq!(code, 0, "{arch}: {text}");
        let (code, text) = compare(&plain, &lines, &[]);
        assert!(code == 1 && text.contains("lines of saxpy"), "{arch}: {text}");
    }
}

/// What is only laid out in another way is not a difference: other line opcodes, another order of
/// strings.
#[test]
fn encodings_do_not_count() {
    let original = example("saxpy/saxpy-debug.cubin");
    let padded = changed(|cubin| {
        // A set_address that comes twice, at the end: an unused abbreviation.
        let abbrev = section(cubin, ".debug_abbrev");
        let end = abbrev.len() - 1;
        abbrev.splice(end..end, [0x70, 0x34, 0, 0, 0]);
    });
    assert_eq!(keys(&original, padded.path()), []);
}

/// Many facts of one name take no quadratic time; more long facts than a file of that size can have
/// are refused.
#[test]
fn many_and_long_facts() {
    let original = example("saxpy/saxpy-debug.cubin");
    let many = changed(|cubin| {
        let symtab = cubin.symtab().unwrap().as_usize();
        let Contents::Symbols(symbols) = &mut cubin.sections[symtab].contents else { panic!() };
        symbols.extend([*symbols.last().unwrap()].repeat(50_000));
    });
    let found = keys(&original, many.path());
    assert_eq!(found.iter().filter(|(key, _)| key == "symbols").count(), 50_000);
    let long = changed(|cubin| {
        let symtab = cubin.symtab().unwrap().as_usize();
        let strings = cubin.sections[symtab].link as usize;
        let Contents::Strings(strings) = &mut cubin.sections[strings].contents else { panic!() };
        let name = strings.push(&"q".repeat(200_000)).unwrap();
        let Contents::Symbols(symbols) = &mut cubin.sections[symtab].contents else { panic!() };
        symbols.last_mut().unwrap().name = name;
        let symbol = SymbolIndex(symbols.len() as u32 - 1);
        for section in &mut cubin.sections {
            if let Contents::Relocations(all) = &mut section.contents {
                all.extend([Relocation { symbol, ..all[0] }].repeat(1000));
            }
        }
    });
    let run = diff([original.as_os_str(), long.path().as_os_str()]);
    let message = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.code() == Some(2) && message.contains("too many places"), "{message}");
}
