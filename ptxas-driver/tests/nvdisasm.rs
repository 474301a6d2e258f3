//! NVIDIA's own readers on our files: nvdisasm prints the same annotated listing as for ptxas'
//! file, cuobjdump reads them.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support;
use crate::support::driver;
use crate::support::{Entry, oracle};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// What nvdisasm is asked to print: source lines with their inline chains, or PTX lines.
const LISTINGS: &[[&str; 2]] = &[["-c", "-gi"], ["-c", "-gp"]];

/// How the pairs fared with one kind of listing.
#[derive(Default)]
struct Tally {
    same: usize,
    /// Originals that nvdisasm does not read.
    unread: usize,
    /// Listings that name a line, so that the comparison says something.
    annotated: usize,
    differing: Vec<String>,
}

impl Tally {
    /// `listing` runs the tool.
    fn compare(&mut self, name: &str, listing: impl Fn(&[u8]) -> Output, ours: &[u8], original: &[u8]) {
        let expected = listing(original);
        if !expected.status.success() {
            self.unread += 1;
            return;
        }
        let text = String::from_utf8_lossy(&expected.stdout);
        self.annotated += usize::from(text.contains("//## File"));
        let found = listing(ours);
        if found.status.success() && found.stdout == expected.stdout {
            self.same += 1;
        } else {
            let found = String::from_utf8_lossy(&found.stdout);
            let line = found.lines().zip(text.lines()).find(|(found, expected)| found != expected);
            self.differing.push(format!("{name}: {line:?}"));
        }
    }
}

/// Runs a tool on `bytes`; the file has the same name each time, because listings may show it.
fn read(tool: &Path, options: &[&str], folder: &TempDir, bytes: &[u8]) -> Output {
    let path = folder.path().join("in.cubin");
    fs::write(&path, bytes).unwrap();
    Command::new(tool).args(options).arg(path).output().unwrap()
}

/// nvdisasm prints the same, where it reads the original; cuobjdump reads what it reads of ptxas.
fn readers_agree(title: &str, entries: &[Entry]) {
    let (Some(nvdisasm), Some(cuobjdump)) = (oracle::tool("nvdisasm"), oracle::tool("cuobjdump")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut tallies: Vec<Tally> = LISTINGS.iter().map(|_| Tally::default()).collect();
    let (mut identical, mut dumped) = (0, 0);
    for entry in entries {
        let cubin = entry.cubin.as_ref().unwrap();
        let mut command = driver::compile_entry(entry);
        let ours =
            driver::made(command.arg("--code").arg(driver::code_of(cubin)), &folder.path().join("out.cubin"));
        let original = fs::read(cubin).unwrap();
        // Identical files have identical listings; the first one is read all the same, to see that
        // there is something to compare.
        if ours == original {
            identical += 1;
            if identical > 1 {
                continue;
            }
        }
        for (options, tally) in LISTINGS.iter().zip(&mut tallies) {
            tally.compare(&entry.name(), |bytes| read(&nvdisasm, options, &folder, bytes), &ours, &original);
        }
        // cuobjdump cannot read some of ptxas' own location lists.
        let dump = |bytes: &[u8]| read(&cuobjdump, &["-elf"], &folder, bytes);
        let ours_read = dump(&ours);
        if ours_read.status.success() && ours_read.stderr.is_empty() {
            dumped += 1;
        } else {
            let message = driver::messages(&ours_read);
            assert!(!dump(&original).status.success(), "cuobjdump, {}: {message}", entry.name());
        }
    }
    println!("{title}: {identical} of {} identical as files; of the others and one of those:", entries.len());
    println!("  cuobjdump -elf reads {dumped}");
    for (options, Tally { same, unread, annotated, differing }) in LISTINGS.iter().zip(&tallies) {
        println!(
            "  nvdisasm {options:?}: {same} the same, {annotated} with lines, {unread} originals not read"
        );
        assert!(differing.is_empty(), "listings differ: {differing:#?}");
        assert!(*same > 0 && *annotated > 0);
    }
}

#[test]
fn sm_75_and_sm_80() {
    let entries = support::simple_pairs();
    readers_agree("sm_75 and sm_80", &entries);
}

#[test]
fn sm_90() {
    let entries = driver::sm_90_pairs();
    readers_agree("sm_90", &entries);
}
