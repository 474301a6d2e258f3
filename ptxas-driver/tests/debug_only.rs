//! What `compile --code none` makes has no code: its note, and fatbins with it. What readers say is
//! in `cli/debug_only.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::driver;
use crate::support::driver::program;
use crate::support::oracle;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::tkinfo;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What readers call it.
const WORDS: &str = concat!("a debug-only object of nvdwarf ", env!("CARGO_PKG_VERSION"));

fn run(args: &[&str], file: &Path) -> Output {
    program().args(args).arg(file).output().unwrap()
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

/// Objects of versions that wrote no note.
#[test]
fn objects_without_a_note_are_told() {
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
