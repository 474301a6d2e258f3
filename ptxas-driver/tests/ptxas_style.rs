//! `dump --style ptxas`: against the text that cuobjdump has of the same sections.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::driver::program;
use crate::support::oracle;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{fs, io};

fn dump(file: &Path, args: &[&str]) -> Output {
    let mut command = program();
    command.arg("dump").arg(file).args(args).stdin(Stdio::null()).output().unwrap()
}

/// The text of the two sections in what `cuobjdump -elf` prints. Registers that are no names are bytes there.
fn theirs(text: &str) -> String {
    let section = |name: &str| {
        let (_, rest) = text.split_once(&format!("\n.section {name}\n"))?;
        let end = rest.find("\n\n.section ").map_or(rest.len(), |end| end + 1);
        Some(format!(".section {name}\n{}", &rest[..end]))
    };
    let both = [".debug_abbrev", ".debug_info"].map(section);
    both.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

#[test]
fn every_entry_is_as_cuobjdump_has_it() {
    let Some(cuobjdump) = oracle::tool("cuobjdump") else { return };
    let Some(entries) = support::corpus(|entry| entry.ok && entry.cubin.is_some()) else { return };
    let (mut files, mut lines) = (0, 0);
    for entry in &entries {
        let path = entry.cubin.as_ref().unwrap();
        if memchr::memmem::find(&fs::read(path).unwrap(), b".debug_info\0").is_none() {
            continue;
        }
        let run = Command::new(&cuobjdump).arg("-elf").arg(path).output().unwrap();
        let theirs = theirs(&String::from_utf8_lossy(&run.stdout));
        if theirs.is_empty() {
            continue;
        }
        let native = ["--section", ".debug_abbrev", "--section", ".debug_info", "--style", "cuobjdump"];
        let ours = dump(path, &native);
        let ours = String::from_utf8_lossy(&ours.stdout).into_owned();
        let first = ours.lines().zip(theirs.lines()).find(|(ours, theirs)| ours != theirs);
        assert!(ours == theirs, "{}: {first:?}", entry.name());
        (files, lines) = (files + 1, lines + ours.lines().count());
    }
    let _ = writeln!(
        io::stderr(),
        "dump --style cuobjdump: {lines} lines of {files} cubins as cuobjdump has them"
    );
    assert!(files > 50);
}

/// Reviewed by hand: the lines that seed 001 states, and the values against `dump` in words.
#[test]
fn as_documented() {
    let file = support::repository().join("examples/block_sum/block_sum-debug.cubin");
    let shown = dump(&file, &["--style", "ptxas"]);
    assert!(shown.status.success());
    let text = String::from_utf8(shown.stdout).unwrap();
    insta::assert_snapshot!("ptxas_style", text);
    let observed = dump(&file, &["--style", "cuobjdump"]);
    let without = text.lines().filter(|line| *line != " (nill) ");
    assert!(String::from_utf8(observed.stdout).unwrap().lines().eq(without));
}

/// A copy of the example's cubin with bytes of its debug sections replaced.
fn patched(folder: &Path, old: &[u8], new: &[u8]) -> std::path::PathBuf {
    let mut bytes = fs::read(support::repository().join("examples/block_sum/block_sum-debug.cubin")).unwrap();
    let at = memchr::memmem::find(&bytes, old).unwrap();
    bytes[at..at + new.len()].copy_from_slice(new);
    let path = folder.join("patched.cubin");
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn faults_are_said_and_their_bytes_shown() {
    let folder = tempfile::tempdir().unwrap();
    // The attributes of abbreviation 9, as the other test's snapshot has them.
    let nine = [9, 5, 0, 2, 0x0a, 0x33, 0x0b, 3, 8, 0x3a, 0x0b, 0x3b, 0x0b, 0x49, 0x13, 0, 0];
    let with = |at: usize, value: u8| {
        let mut new = nine;
        new[at] = value;
        patched(folder.path(), &nine, &new)
    };
    let bad_form = dump(&with(12, 0x50), &["--style", "ptxas"]);
    assert_eq!(bad_form.status.code(), Some(1));
    let (text, message) =
        (String::from_utf8_lossy(&bad_form.stdout), String::from_utf8_lossy(&bad_form.stderr));
    assert!(text.contains("   DW_AT_decl_line(0x3b)          (0x50)\n"), "{text}");
    assert!(message.contains(".debug_info+0xfc: form is 0x50"), "{message}");
    // From the entry that has it on, to the end of the unit.
    assert!(text.contains("\n  0x00eb  09 06 90 b1"), "{text}");

    let unknown = dump(&with(11, 0x70), &["--style", "cuobjdump"]);
    assert!(unknown.status.success());
    let text = String::from_utf8_lossy(&unknown.stdout);
    assert!(text.contains("   (0x70)          DW_FORM_data1(0xb)\n") && text.contains("\n         \t0xe\n"));

    let forms = [(0x11, "<e>"), (0x0c, "14"), (0x0d, "14"), (0x0f, "14"), (0x15, "14")];
    for (form, want) in forms {
        let text = dump(&with(12, form), &["--style", "ptxas"]).stdout;
        let line = format!("      DW_AT_decl_line   \t{want}\n");
        assert!(String::from_utf8_lossy(&text).contains(&line), "{form:#x}");
    }
}

#[test]
fn more_attributes_than_any_entry_has() {
    use nv_debug_sections::cubin::{DebugSection, debug_only};
    use nv_debug_sections::release::Release;
    let file = tempfile::NamedTempFile::new().unwrap();
    for (count, code) in [(256, 0), (257, 1)] {
        let attributes = [0x3a, 0x0b].repeat(count);
        let section = DebugSection {
            name: ".debug_abbrev".to_owned(),
            bytes: [&[1, 0x11, 0][..], &attributes, &[0, 0, 0]].concat(),
            rel: Vec::new(),
            rela: Vec::new(),
        };
        let mut cubin = debug_only(Release::V13_0.target(90), &[], &[]).unwrap().cubin;
        cubin.set_debug_sections(vec![section]).unwrap();
        fs::write(file.path(), cubin.write().unwrap()).unwrap();
        let shown = dump(file.path(), &["--style", "ptxas"]);
        assert_eq!(shown.status.code(), Some(code), "{count}");
        let message = String::from_utf8_lossy(&shown.stderr).into_owned();
        let limit = "unexpectedly too many dwarf attributes for any DW_TAG entry!";
        assert_eq!(message.contains(limit), code == 1, "{message}");
    }
}

#[test]
fn the_item_at_an_offset() {
    let file = support::repository().join("examples/block_sum/block_sum-debug.cubin");
    let shown = |place: &str| {
        let run = dump(&file, &["--offset", place]);
        (run.status.code(), String::from_utf8(run.stdout).unwrap(), String::from_utf8(run.stderr).unwrap())
    };
    // Of the entry at 0xeb the first byte, and the last one.
    for at in ["0xeb", "0x100"] {
        let (code, text, _) = shown(&format!(".debug_info+{at}"));
        assert_eq!(code, Some(0));
        let entries: Vec<&str> = text.lines().filter(|line| line.contains("DW_TAG_")).collect();
        assert!(matches!(&*entries, [entry] if entry.contains("0x00eb")), "{text}");
    }
    let (_, header, _) = shown(".debug_info+6");
    assert!(header.contains("unit at 0x0") && !header.contains("DW_TAG_"), "{header}");
    assert!(shown(".debug_abbrev+0").1.contains("1 DW_TAG_compile_unit"));
    for (place, code, want) in [
        (".debug_info+0x100000", 1, "none at 0x100000"),
        (".debug_frame+0xd90", 1, ".debug_frame has 0xd90 bytes, none at 0xd90"),
        (".debug_nosuch+0", 1, "no section '.debug_nosuch'"),
        (".debug_info", 2, "expected a section and an offset"),
    ] {
        let (status, _, message) = shown(place);
        assert!(status == Some(code) && message.contains(want), "{place}: {message}");
    }
}
