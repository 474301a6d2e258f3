//! Damaged cubins through the read commands as a user runs them: an answer or an error, no panic.
//! The libraries that they use have many more in `fuzz/tests/read.rs`; here it is what the commands
//! write.
//!
//! `NVDWARF_MUTATIONS=N` damages N files.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::cubins::checked_in;
use crate::support::driver::program;
use crate::support::json;
use crate::support::random::Random;
use nv_debug_sections::catalog::is_debug_section;
use nv_debug_sections::cubin::{Contents, Cubin};
use std::env;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The commands, `FILE` for the damaged file and `WHOLE` for the one before.
const COMMANDS: [&str; 17] = [
    "lines FILE",
    "lines FILE --json",
    "lines FILE --mercury --json",
    "lines FILE 0x0 0x20 --json",
    "lines FILE 0x10 --style llvm",
    "lines FILE --at .:1-1000 --json",
    "dump FILE",
    "dump FILE --json",
    "dump FILE --style ptxas",
    "vars FILE",
    "vars FILE --json",
    "verify FILE",
    "verify FILE --json",
    "coverage FILE --by file",
    "coverage FILE --json",
    "sections FILE --json",
    "diff WHOLE FILE --json",
];

/// How many files are damaged without `NVDWARF_MUTATIONS`.
const MUTATIONS: usize = 25;

/// A command that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(30);

/// Damages files, the same on every run.
struct Damager(Random);

impl Damager {
    fn below(&mut self, end: usize) -> usize {
        self.0.index(end)
    }

    /// Changes some bytes, most to numbers that are a limit of something.
    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            match self.below(8) {
                0 => bytes.truncate(at),
                1 => {
                    let part = bytes[at..bytes.len().min(at + 24)].repeat(self.below(8));
                    bytes.splice(at..at, part);
                }
                _ => {
                    let value = [0, 1, 0x7f, 0x80, 0xff, self.below(256) as u8][self.below(6)];
                    let run = [1, 2, 4, 8][self.below(4)];
                    bytes.iter_mut().skip(at).take(run).for_each(|byte| *byte = value);
                }
            }
        }
    }

    /// Damages debug sections, or now and then the file around them.
    fn damaged(&mut self, original: &[u8]) -> Vec<u8> {
        let mut bytes = original.to_vec();
        if self.below(5) == 0 {
            self.mutate(&mut bytes);
            return bytes;
        }
        let mut cubin = Cubin::parse(original).unwrap();
        let debug: Vec<usize> = cubin
            .iter()
            .filter(|(_, name, _)| is_debug_section(name))
            .map(|(at, ..)| at.as_usize())
            .collect();
        for _ in 0..=self.below(2) {
            match &mut cubin.sections[debug[self.below(debug.len())]].contents {
                Contents::Bytes(bytes) => self.mutate(bytes.to_mut()),
                Contents::Relocations(all) if !all.is_empty() => {
                    let at = self.below(all.len());
                    all[at].offset = self.below(1 << 16) as u64;
                }
                _ => {}
            }
        }
        cubin.write().unwrap_or(bytes)
    }
}

/// Runs one command; its exit code, and how long it took.
fn run(command: &str, whole: &Path, file: &Path) -> (i32, Duration) {
    let words = command.split(' ').map(|word| match word {
        "FILE" => file.as_os_str(),
        "WHOLE" => whole.as_os_str(),
        word => word.as_ref(),
    });
    let start = Instant::now();
    let mut driver = program();
    let output = driver.args(words).stdin(Stdio::null()).output().unwrap();
    let took = start.elapsed();
    let messages = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code().unwrap_or_else(|| panic!("{command}: {:?}, {messages}", output.status));
    assert!(!messages.contains("panicked") && code != 101, "{command}: {messages}");
    assert!(!output.stdout.is_empty() || !messages.is_empty(), "{command} says nothing");
    if command.ends_with("--json") && !output.stdout.is_empty() {
        let document = json::parse(&output.stdout);
        assert!(document.is_ok(), "{command}: {document:?}");
    }
    (code, took)
}

#[test]
fn damaged_files_end_in_answers_or_errors() {
    let count = env::var("NVDWARF_MUTATIONS").map_or(MUTATIONS, |count| count.parse().unwrap());
    let (seeds, folder) = (checked_in(), tempfile::tempdir().unwrap());
    let file = folder.path().join("damaged.cubin");
    let mut random = Damager(Random(0x9e37_79b9_7f4a_7c15));
    let (mut runs, mut failures, mut slowest) = (0, 0, (Duration::ZERO, String::new()));
    for number in 0..count {
        let whole = &seeds[random.below(seeds.len())];
        fs::write(&file, random.damaged(&fs::read(whole).unwrap())).unwrap();
        for command in COMMANDS {
            let (code, took) = run(command, whole, &file);
            let what = || format!("{command}: file {number}, of {}", whole.display());
            assert!(code <= 2, "{}: exit code {code}", what());
            assert!(took < LIMIT, "{}: {took:?}", what());
            if took > slowest.0 {
                slowest = (took, what());
            }
            runs += 1;
            failures += usize::from(code != 0);
        }
    }
    let _ = writeln!(
        io::stderr(),
        "damaged: {count} files, {runs} runs of commands, {failures} of them with exit code 1 or 2; slowest {:?}, {}",
        slowest.0,
        slowest.1
    );
}
