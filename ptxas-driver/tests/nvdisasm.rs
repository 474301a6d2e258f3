//! NVIDIA's own readers on our files: nvdisasm prints the same annotated listing as for ptxas' file, cuobjdump reads them.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

#[path = "support/driver.rs"]
mod driver;
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::{Entry, oracle};
use tempfile::TempDir;

/// One of the tools with its options, and how it fared.
struct Reader {
    tool: PathBuf,
    options: &'static [&'static str],
    same: usize,
    /// Originals that the tool does not read.
    unread: usize,
    /// Listings that name a source line, so that the comparison says something.
    annotated: usize,
    differing: Vec<String>,
}

impl Reader {
    fn new(tool: &Path, options: &'static [&'static str]) -> Self {
        Self { tool: tool.to_path_buf(), options, same: 0, unread: 0, annotated: 0, differing: Vec::new() }
    }

    /// The tool's listing of `bytes`; the file has the same name each time, because listings may show it.
    fn read(&self, folder: &TempDir, bytes: &[u8]) -> Output {
        let path = folder.path().join("in.cubin");
        fs::write(&path, bytes).unwrap();
        Command::new(&self.tool).args(self.options).arg(path).output().unwrap()
    }

    fn compare(&mut self, folder: &TempDir, entry: &Entry, ours: &[u8], original: &[u8]) {
        let expected = self.read(folder, original);
        if !expected.status.success() {
            self.unread += 1;
            return;
        }
        let found = self.read(folder, ours);
        let listing = String::from_utf8_lossy(&expected.stdout);
        self.annotated += usize::from(listing.contains("//## File"));
        if found.status.success() && found.stdout == expected.stdout {
            self.same += 1;
        } else {
            let found = String::from_utf8_lossy(&found.stdout).into_owned();
            let line = found.lines().zip(listing.lines()).find(|(found, expected)| found != expected);
            self.differing.push(format!("{}: {line:?}", entry.name()));
        }
    }

    fn print(&self, total: usize) {
        let Self { options, same, unread, annotated, .. } = self;
        let tool = self.tool.file_name().unwrap().display();
        println!("  {tool} {options:?}: {same} of {total} the same, {annotated} with source lines, {unread} originals not read");
    }
}

/// `nvdisasm -c -gi` and `-gp` print the same, where they read the original; `cuobjdump -elf` reads all.
fn listings_are_the_same(title: &str, entries: &[Entry]) {
    let (Some(nvdisasm), Some(cuobjdump)) = (oracle::tool("nvdisasm"), oracle::tool("cuobjdump")) else { return };
    let mut readers = [
        Reader::new(&nvdisasm, &["-c", "-gi"]),
        Reader::new(&nvdisasm, &["-c", "-gp"]),
        Reader::new(&cuobjdump, &["-elf"]),
    ];
    let folder = tempfile::tempdir().unwrap();
    for entry in entries {
        let cubin = entry.cubin.as_ref().unwrap();
        let mut command = driver::compile_entry(entry);
        let ours = driver::made(command.arg("--code").arg(driver::code_of(cubin)), &folder.path().join("out.cubin"));
        let original = fs::read(cubin).unwrap();
        for reader in &mut readers {
            reader.compare(&folder, entry, &ours, &original);
        }
    }
    println!("{title}:");
    for reader in &readers {
        reader.print(entries.len());
        assert!(reader.differing.is_empty(), "listings differ: {:#?}", reader.differing);
        assert!(reader.same > 0);
    }
    let [with_lines, ..] = &readers;
    assert!(with_lines.annotated > 0, "no listing names a source line");
}

#[test]
fn sm_75_and_sm_80() {
    let Some(entries) = support::simple_pairs() else { return };
    listings_are_the_same("sm_75 and sm_80", &entries);
}

#[test]
fn sm_90() {
    let Some(entries) = driver::sm_90_pairs() else { return };
    listings_are_the_same("sm_90", &entries);
}
