//! What `compile --code none` makes has no code: every reader says so, and says it of no side file of a cubin.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::driver;
use crate::support::json;
use crate::support::oracle;
use nv_debug_sections::cubin::{CodePlace, Cubin};
use nv_debug_sections::tkinfo;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What readers call it.
const WORDS: &str = concat!("a debug-only object of nvdwarf ", env!("CARGO_PKG_VERSION"));

fn run(args: &[&str], file: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ptxas-driver")).args(args).arg(file).output().unwrap()
}

/// Standard output, then standard error.
fn text(run: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&run.stdout), driver::messages(run))
}

/// The object of an example's PTX.
fn object(folder: &Path, example: &str, options: &[&str]) -> PathBuf {
    let path = folder.join("k.debug");
    let mut command = driver::compile();
    driver::made(command.args(["--code", "none"]).args(options).arg(driver::example(example)), &path);
    path
}

/// `strip --split`: the stripped file and its side file.
fn split(folder: &Path, file: &Path) -> [PathBuf; 2] {
    let paths = ["stripped", "side"].map(|name| folder.join(name));
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    driver::made(command.arg("strip").arg(file).arg("--split").arg(&paths[1]), &paths[0]);
    paths
}

/// The commands that say it in the text, and where.
const READERS: [&[&str]; 7] =
    [&["verify"], &["coverage"], &["extract"], &["sections"], &["dump"], &["lines"], &["vars"]];

/// `code` of a document, or of the one file or image in it.
fn code_of(document: &Value) -> &Value {
    let file = &document["files"][0];
    let image = file["images"].get(0).unwrap_or(file);
    &image["code"]
}

/// Every form of the object, for a native and a Mercury chip; stripped and split it is a debug-only object still.
#[test]
fn every_reader_says_that_there_is_no_code() {
    let folder = tempfile::tempdir().unwrap();
    for (example, options) in [
        ("saxpy/saxpy.ptx", &["-lineinfo", "-arch", "sm_90"][..]),
        ("saxpy/saxpy-debug.ptx", &["-g", "-arch", "sm_75"]),
        ("saxpy/saxpy.ptx", &["-arch", "sm_120"]),
    ] {
        let object = object(folder.path(), example, options);
        let [stripped, side] = split(folder.path(), &object);
        for file in [&object, &stripped, &side] {
            for reader in READERS {
                let said = text(&run(reader, file));
                let by = if reader == ["sections"] { "written by nvdwarf " } else { WORDS };
                assert!(
                    said.contains("no code") && said.contains(by),
                    "{reader:?} {}: {said}",
                    file.display()
                );
                let json = run(&[reader, &["--json"]].concat(), file);
                let document = json::document(&json);
                assert_eq!(code_of(&document), "none", "{reader:?} {}", file.display());
            }
            let verified = run(&["verify"], file);
            assert!(verified.status.success(), "{}", text(&verified));
            for minimum in ["--min-lines", "--min-vars"] {
                let covered = run(&["coverage", minimum, "0"], file);
                let said = driver::messages(&covered);
                assert_eq!(covered.status.code(), Some(1), "{said}");
                assert!(
                    said.contains("no code that minima could hold for") && said.contains(WORDS),
                    "{said}"
                );
            }
        }
    }
}

/// The note is that of ptxas' files, with our name; other readers of notes find it.
#[test]
fn the_note_names_who_made_it() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(object(folder.path(), "saxpy/saxpy.ptx", &["-lineinfo", "-arch", "sm_90"])).unwrap();
    let cubin = Cubin::parse(&bytes).unwrap();
    let note = cubin.bytes(cubin.section_by_name(tkinfo::NAME).unwrap()).unwrap();
    let [tool] = *tkinfo::decode(&note).unwrap() else { panic!() };
    assert_eq!((tool.tool, tool.version_number()), (&b"nvdwarf"[..], Some(env!("CARGO_PKG_VERSION"))));
    let elf = object::File::parse(&*bytes).unwrap();
    let section = object::Object::section_by_name(&elf, tkinfo::NAME).unwrap();
    assert_eq!(object::ObjectSection::data(&section).unwrap(), &*note);
}

/// Objects of versions that wrote no note, and side files of cubins, which have code sections without bytes too.
#[test]
fn objects_without_a_note_and_side_files_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let object = object(folder.path(), "saxpy/saxpy.ptx", &["-lineinfo", "-arch", "sm_90"]);
    let bytes = fs::read(&object).unwrap();
    let mut cubin = Cubin::parse(&bytes).unwrap();
    let last = cubin.sections.len() - 1;
    let note = cubin.section_by_name(tkinfo::NAME).unwrap();
    assert_eq!(note.as_usize(), last);
    cubin.sections.pop();
    let old = folder.path().join("old.debug");
    fs::write(&old, cubin.write().unwrap()).unwrap();
    let said = text(&run(&["verify"], &old));
    assert!(said.contains("no code: a debug-only object\n"), "{said}");

    for cubin in ["saxpy/saxpy.cubin", "saxpy/saxpy-debug.cubin"] {
        let whole = driver::example(cubin);
        let [stripped, side] = split(folder.path(), &whole);
        for (file, code) in
            [(&whole, CodePlace::Here), (&stripped, CodePlace::Here), (&side, CodePlace::OtherFile)]
        {
            assert_eq!(Cubin::parse(&fs::read(file).unwrap()).unwrap().code_place(), code);
            for reader in READERS {
                let said = text(&run(reader, file));
                assert!(!said.contains("no code") && !said.contains("debug-only"), "{reader:?}: {said}");
                let json = run(&[reader, &["--json"]].concat(), file);
                let document = json::document(&json);
                assert_eq!(code_of(&document), code.word(), "{reader:?}");
            }
        }
    }
}

/// Where the code is is a fact of the file that `diff` compares.
#[test]
fn diff_says_which_has_no_code() {
    let folder = tempfile::tempdir().unwrap();
    let object = object(folder.path(), "saxpy/saxpy.ptx", &["-lineinfo", "-arch", "sm_90"]);
    let whole = driver::example("saxpy/saxpy.cubin");
    let compared = run(&["diff", "--only", "header", object.to_str().unwrap()], &whole);
    let said = text(&compared);
    assert!(said.contains("  code\n  - none\n  + here\n"), "{said}");
    let compared = run(&["diff", "--json", object.to_str().unwrap()], &whole);
    let document = json::document(&compared);
    let is_code = |found: &&Value| found["key"] == "header" && found["place"] == "code";
    let found = document["differences"].as_array().unwrap().iter().find(is_code).unwrap();
    assert_eq!((&found["a"], &found["b"]), (&"none".into(), &"here".into()));
}

/// In a fatbin beside a cubin, compressed or not, and with whatever the entry says of it.
#[test]
fn in_a_fatbin() {
    let Some(fatbinary) = oracle::tool("nvcc").map(|nvcc| nvcc.with_file_name("fatbinary")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let object = object(folder.path(), "saxpy/saxpy.ptx", &["-lineinfo", "-arch", "sm_100"]);
    let cubin = driver::example("saxpy/saxpy.cubin");
    for options in [&[][..], &["--compress-all"], &["--compress-all", "-g"]] {
        let fatbin = folder.path().join("k.fatbin");
        let mut command = Command::new(&fatbinary);
        command.args(options).arg(format!("--create={}", fatbin.display()));
        for (sm, file) in [(100, &object), (90, &cubin)] {
            command.arg(format!("--image3=kind=elf,sm={sm},file={}", file.display()));
        }
        let made = command.output().unwrap();
        assert!(made.status.success(), "{}", driver::messages(&made));
        let listed = text(&run(&["extract"], &fatbin));
        let without: Vec<&str> = listed.lines().filter(|line| line.contains("no code")).collect();
        assert!(without.len() == 1 && without[0].contains("sm_100"), "{options:?}: {listed}");
        let covered = run(&["coverage", "--min-lines", "1"], &fatbin);
        let said = driver::messages(&covered);
        assert_eq!((covered.status.code(), said.matches("error:").count()), (Some(1), 1), "{said}");
        assert!(said.contains(":sm_100") && said.contains(WORDS), "{said}");
    }
}
