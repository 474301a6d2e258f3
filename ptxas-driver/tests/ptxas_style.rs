//! `dump --style ptxas`: against the text that cuobjdump has of the same sections. An example is
//! `cli/dump_ptxas_style.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::cubins::with_sections;
use crate::support::driver::answer;
use crate::support::oracle;
use std::io::Write as _;
use std::process::Command;
use std::{fs, io};

/// The text of the two sections in what `cuobjdump -elf` prints. Registers that are not names are
/// bytes there.
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
    let entries = support::corpus(|entry| entry.ok && entry.cubin.is_some());
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
        let ours = answer("dump", path, &native);
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

#[test]
fn more_attributes_than_any_entry_has() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for (count, code) in [(256, 0), (257, 1)] {
        let abbrev = [&[1, 0x11, 0][..], &[0x3a, 0x0b].repeat(count), &[0, 0, 0]].concat();
        fs::write(file.path(), with_sections(&[(".debug_abbrev", abbrev)])).unwrap();
        let shown = answer("dump", file.path(), &["--style", "ptxas"]);
        assert_eq!(shown.status.code(), Some(code), "{count}");
        let message = String::from_utf8_lossy(&shown.stderr).into_owned();
        let limit = "unexpectedly too many dwarf attributes for any DW_TAG entry!";
        assert_eq!(message.contains(limit), code == 1, "{message}");
    }
}
