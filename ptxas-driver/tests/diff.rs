//! `diff`: what it finds, what it does not care about, and how it ends.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::driver;
use crate::support::driver::example;
use nv_debug_sections::cubin::{Contents, Cubin, Relocation, SymbolIndex};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

fn diff<'a>(arguments: impl IntoIterator<Item = &'a OsStr>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ptxas-driver")).arg("diff").args(arguments).output().unwrap()
}

fn compare(a: &Path, b: &Path, options: &[&str]) -> (i32, String) {
    let files = [a.as_os_str(), b.as_os_str()];
    let run = diff(files.into_iter().chain(options.iter().map(OsStr::new)));
    (run.status.code().unwrap(), String::from_utf8(run.stdout).unwrap())
}

/// Differences of two files as `(key, subject)`.
fn keys(a: &Path, b: &Path) -> Vec<(String, String)> {
    let (_, text) = compare(a, b, &["--json"]);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&document["schema"], &document["schema_version"]), (&"nvdwarf.diff".into(), &1.into()));
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

#[test]
fn a_file_is_as_itself() {
    for name in ["saxpy/saxpy.cubin", "saxpy/saxpy-debug.cubin", "block_sum/block_sum.cubin"] {
        let file = example(name);
        assert_eq!(compare(&file, &file, &[]), (0, "no difference\n".to_owned()), "{name}");
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

#[test]
fn each_change_has_its_key() {
    let original = example("saxpy/saxpy-debug.cubin");
    let keys_of = |change: fn(&mut Cubin<'_>)| keys(&original, changed(change).path());
    let one = |key: &str, subject: &str| vec![(key.to_owned(), subject.to_owned())];
    let code = keys_of(|cubin| section(cubin, ".text.saxpy")[0x20] ^= 1);
    assert_eq!(code, one("code", ".text.saxpy"));
    assert_eq!(keys_of(|cubin| cubin.header.e_type = 1).first(), one("header", "").first());
    let symbol = keys_of(|cubin| {
        let symtab = cubin.symtab().unwrap().as_usize();
        let Contents::Symbols(symbols) = &mut cubin.sections[symtab].contents else { panic!() };
        symbols.last_mut().unwrap().size += 16;
    });
    assert!(symbol.iter().any(|(key, _)| key == "symbols"), "{symbol:?}");
    let entry = keys_of(|cubin| {
        let info = section(cubin, ".debug_info");
        let name = info.windows(6).position(|bytes| bytes == b"fused\0").unwrap();
        info[name] = b'q';
    });
    assert!(!entry.is_empty() && entry.iter().all(|(key, _)| key == "entries"), "{entry:?}");
}

/// What stands in a section header or a record beside what is shown of it.
#[test]
fn what_is_not_shown_is_compared() {
    let original = example("saxpy/saxpy-debug.cubin");
    let keys_of = |change: fn(&mut Cubin<'_>)| keys(&original, changed(change).path());
    let sections = vec![("sections".to_owned(), String::new())];
    let registers = keys_of(|cubin| {
        let text = cubin.section_by_name(".text.saxpy").unwrap().as_usize();
        cubin.sections[text].info += 1 << 24;
    });
    assert_eq!(registers, sections);
    let target = keys_of(|cubin| {
        let rela = cubin.section_by_name(".rel.debug_line").unwrap().as_usize();
        cubin.sections[rela].info += 1;
    });
    assert_eq!(target.first(), sections.first(), "{target:?}");
    let parameter = keys_of(|cubin| {
        let info = section(cubin, ".nv.info.saxpy");
        // EIFMT_SVAL, EIATTR_KPARAM_INFO, 12 bytes, of which the first four are `Index`.
        let record = info.windows(4).position(|bytes| bytes == [4, 0x17, 12, 0]).unwrap();
        info[record + 4] ^= 1;
    });
    assert_eq!(parameter, [("info".to_owned(), ".nv.info.saxpy".to_owned())]);
}

/// Mercury code's sections have no other words: there the places of relocations count.
/// Blanks around a line of PTX are shown where they are the difference, and left out where more is.
#[test]
fn a_difference_can_be_seen() {
    let shown = |from: &[u8], to: &[u8]| {
        let file = changed(|cubin| {
            let text = section(cubin, ".nv_debug_ptx_txt");
            let at = text.windows(from.len()).position(|window| window == from).unwrap();
            text.splice(at..at + from.len(), to.iter().copied());
        });
        let (_, text) =
            compare(&example("saxpy/saxpy-debug.cubin"), file.path(), &["--json", "--only", "ptx-text"]);
        let document: Value = serde_json::from_str(&text).unwrap();
        let row = &document["differences"][0];
        [&row["a"], &row["b"]].map(|side| side.as_str().unwrap().to_owned())
    };
    assert_eq!(shown(b"\0ret;\0", b"\0 ret;\0"), ["ret;", " ret;"]);
    assert_eq!(shown(b"\0ret;\0", b"\0 exit;\0"), ["ret;", "exit;"]);
}

#[test]
fn places_of_mercury_relocations_count() {
    let pair = support::repository().join("ptxas-driver/tests/pairs/flag_stays.sm_100.lineinfo.cubin");
    let data = std::fs::read(&pair).unwrap();
    let mut cubin = Cubin::parse(&data).unwrap();
    let name = ".nv.merc.rela.debug_line";
    let rela = cubin.section_by_name(name).unwrap().as_usize();
    let Contents::Relocations(relocations) = &mut cubin.sections[rela].contents else { panic!() };
    relocations[0].offset += 1;
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, cubin.write().unwrap()).unwrap();
    let found = keys(&pair, file.path());
    assert!(
        !found.is_empty() && found.iter().all(|row| *row == ("mercury".into(), name.into())),
        "{found:?}"
    );
}

/// What is only laid out otherwise is no difference: other line opcodes, another order of strings.
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

/// Many facts of one name take no quadratic time; more long facts than a file of that size can have are refused.
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

#[test]
fn command_lines_that_are_wrong() {
    let file = example("saxpy/saxpy.cubin");
    let [file, ptx] = [file, example("saxpy/saxpy.ptx")].map(std::path::PathBuf::into_os_string);
    let words = OsStr::new;
    for (arguments, message) in [
        (vec![&*file], "required"),
        (vec![&file, words("nosuch.cubin")], "nosuch.cubin"),
        (vec![&file, &ptx], "PTX text, expected a cubin"),
        (vec![&file, words("/")], "folder"),
        (vec![&file, &file, words("--only"), words("colour")], "the keys are header"),
        (
            vec![&file, &file, words("--only"), words("code"), words("--ignore"), words("data")],
            "cannot be used with",
        ),
        (vec![words("-"), words("-")], "standard input can be read once only"),
    ] {
        let run = diff(arguments.iter().copied());
        assert_eq!(run.status.code(), Some(2), "{arguments:?}");
        let said = driver::messages(&run);
        assert!(said.contains(message), "{arguments:?}: {said}");
    }
}
