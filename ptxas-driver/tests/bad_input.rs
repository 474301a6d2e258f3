//! Bad input of `compile`, cut and with wrong bytes: exit code 255, a message that says where,
//! nothing written, no panic. Single faults and their words are in `cli/compile.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support::driver;
use crate::support::driver::FAILURE;
use crate::support::random::Random;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What the output file holds before a run that must not touch it.
const KEPT: &[u8] = b"an older file";
/// A run of a file this small that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(30);

/// A folder with an output file in it, and a folder for temporary files.
struct Bench {
    folder: TempDir,
}

/// How a run ended.
struct Ended {
    code: Option<i32>,
    messages: String,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Runs `compile ARGS` in the folder; panics if it panics or hangs.
    fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Ended {
        let messages = self.path("messages");
        let mut command: Command = driver::compile();
        command.args(args).current_dir(self.folder.path()).env("TMPDIR", self.path("tmp"));
        // A file, so that a long message cannot fill a pipe that nobody reads.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&messages).unwrap());
        let started = Instant::now();
        let mut child = command.spawn().unwrap();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > LIMIT {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("{command:?} hangs");
            }
            std::thread::sleep(Duration::from_micros(500));
        };
        let text = String::from_utf8_lossy(&fs::read(&messages).unwrap()).into_owned();
        fs::remove_file(messages).unwrap();
        assert!(!text.contains("panicked"), "{command:?} panicked:\n{text}");
        Ended { code: status.code(), messages: text }
    }

    /// Runs `compile -o out.cubin ARGS` on an output that exists; a failure must leave everything
    /// as it was.
    fn attempt<S: AsRef<OsStr>>(&self, args: &[S]) -> Ended {
        let output = self.file("out.cubin", KEPT);
        let before = driver::names_in(self.folder.path());
        let mut all: Vec<&OsStr> = vec![OsStr::new("-o"), OsStr::new("out.cubin")];
        all.extend(args.iter().map(AsRef::as_ref));
        let ended = self.run(&all);
        assert_eq!(driver::names_in(self.folder.path()), before, "files were left behind");
        assert_eq!(driver::names_in(&self.path("tmp")), [""; 0], "temporary files were left behind");
        let untouched = fs::read(&output).unwrap() == KEPT;
        match ended.code {
            Some(0) => assert!(!untouched, "success, but nothing was written:\n{}", ended.messages),
            Some(FAILURE) => assert!(untouched, "a failed run wrote its output:\n{}", ended.messages),
            code => panic!("exit code {code:?}:\n{}", ended.messages),
        }
        ended
    }

    /// The same, where only failure is right. Returns the messages.
    fn refused<S: AsRef<OsStr>>(&self, args: &[S]) -> String {
        let ended = self.attempt(args);
        assert_eq!(ended.code, Some(FAILURE), "not refused:\n{}", ended.messages);
        ended.messages
    }
}

/// An example and how it was made.
struct Example {
    ptx: &'static str,
    cubin: &'static str,
    arch: &'static str,
    level: &'static str,
}

const SAXPY: Example = example("saxpy/saxpy.ptx", "saxpy/saxpy.cubin", "sm_90", "-lineinfo");
const EXAMPLES: &[Example] = &[
    SAXPY,
    example("saxpy/saxpy-debug.ptx", "saxpy/saxpy-debug.cubin", "sm_75", "-g"),
    example("block_sum/block_sum.ptx", "block_sum/block_sum.cubin", "sm_90", "-lineinfo"),
    example("block_sum/block_sum-debug.ptx", "block_sum/block_sum-debug.cubin", "sm_75", "-g"),
];

const fn example(ptx: &'static str, cubin: &'static str, arch: &'static str, level: &'static str) -> Example {
    Example { ptx, cubin, arch, level }
}

/// The first `NAME:LINE:COLUMN` of the messages.
fn place(messages: &str, name: &str) -> Option<(usize, usize)> {
    messages.match_indices(&format!("{name}:")).find_map(|(at, name)| {
        let mut numbers = messages[at + name.len()..].splitn(2, ':');
        let line = numbers.next()?.parse().ok()?;
        let column = numbers.next()?;
        let digits = column.find(|c: char| !c.is_ascii_digit()).unwrap_or(column.len());
        Some((line, column[..digits].parse().ok()?))
    })
}

/// The messages name a place in the text that exists, and show its line.
fn assert_shows_place(messages: &str, name: &str, text: &str) -> (usize, usize) {
    let (line, column) =
        place(messages, name).unwrap_or_else(|| panic!("no {name}:LINE:COLUMN in\n{messages}"));
    // At the end of the text the place is after the last line.
    let content = text.split('\n').nth(line.checked_sub(1).expect("lines count from 1")).unwrap_or_default();
    assert!(
        (1..=content.len() + 1).contains(&column),
        "column {column} is outside of {content:?}:\n{messages}"
    );
    // Tabs are shown as blanks, and long lines in part.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let start: String = words(content).chars().take(60).collect();
    assert!(words(messages).contains(&start), "line {line}, {content:?}, is not shown:\n{messages}");
    (line, column)
}

/// Cut anywhere, a module is either a whole shorter one or refused at a place that exists.
#[test]
fn truncated_ptx() {
    let bench = Bench::new();
    let (mut accepted, mut refused) = (0, 0);
    for example in EXAMPLES {
        let text = fs::read_to_string(driver::example(example.ptx)).unwrap();
        let step = (text.len() / 120).max(1) | 1;
        for end in (0..text.len()).step_by(step).chain(text.len().saturating_sub(8)..text.len()) {
            let text = &text[..end];
            bench.file("in.ptx", text);
            let ended = bench.attempt(&[example.level, "-arch", example.arch, "--code", "none", "in.ptx"]);
            if ended.code == Some(0) {
                accepted += 1;
                let count = |c| text.matches(c).count();
                assert_eq!(count('{'), count('}'), "{} cut at {end} was accepted:\n{text}", example.ptx);
            } else {
                refused += 1;
                assert_shows_place(&ended.messages, "in.ptx", text);
            }
        }
    }
    println!("truncated PTX: {refused} refused, {accepted} accepted");
    assert!(refused > 300 && accepted > 0);
}

/// A damaged cubin's message says which file, and a section or an offset.
fn assert_names_offset(messages: &str, name: &str) {
    let rest = messages.split_once(&format!("{name}: ")).map_or("", |(_, rest)| rest);
    let names_place = rest.contains("offset 0x") || rest.contains("+0x");
    assert!(names_place, "no file, section and offset:\n{messages}");
}

#[test]
fn truncated_cubin() {
    let bench = Bench::new();
    let mut refused = 0;
    for example in EXAMPLES {
        let data = fs::read(driver::example(example.cubin)).unwrap();
        let ptx = driver::example(example.ptx);
        for end in (0..data.len()).step_by((data.len() / 100).max(1) | 1).chain([data.len() - 1]) {
            bench.file("in.cubin", &data[..end]);
            let messages = bench.refused(&[
                example.level,
                "-arch",
                example.arch,
                "--code=cubin:in.cubin",
                ptx.to_str().unwrap(),
            ]);
            assert_names_offset(&messages, "in.cubin");
            refused += 1;
        }
    }
    println!("truncated cubins: {refused} refused");
}

#[test]
fn one_wrong_byte_in_a_cubin() {
    let bench = Bench::new();
    let mut random = Random(0x6e76_6477_6172_6631);
    let (mut accepted, mut refused) = (0, 0);
    for example in EXAMPLES {
        let data = fs::read(driver::example(example.cubin)).unwrap();
        let ptx = driver::example(example.ptx);
        let args = [example.level, "-arch", example.arch, "--code=cubin:in.cubin", ptx.to_str().unwrap()];
        // Half of the bytes are code and text, where nothing can go wrong: every third is from the
        // header or the tables at the end.
        let tables = data.len() * 3 / 4;
        for round in 0..120 {
            let at = match round % 3 {
                0 => random.index(data.len()),
                1 => random.index(64),
                _ => tables + random.index(data.len() - tables),
            };
            let mut data = data.clone();
            data[at] ^= 1 + random.index(255) as u8;
            bench.file("in.cubin", &data);
            let ended = bench.attempt(&args);
            if ended.code == Some(0) {
                accepted += 1;
            } else {
                refused += 1;
                assert!(
                    ended.messages.contains("in.cubin: "),
                    "byte {at:#x} of {}:\n{}",
                    example.cubin,
                    ended.messages
                );
            }
        }
    }
    println!("one wrong byte in a cubin: {refused} refused, {accepted} accepted");
    assert!(refused > 50 && accepted > 50);
}

#[test]
fn one_wrong_byte_in_ptx() {
    let bench = Bench::new();
    let mut random = Random(0x7074_7831_7074_7832);
    let interesting = b"{}()[];,.@\"'\\/*-+<>09aZ$%_: \n\t\r\0\x7f\x80\xff";
    let (mut accepted, mut refused) = (0, 0);
    for example in EXAMPLES {
        let data = fs::read(driver::example(example.ptx)).unwrap();
        let cubin = format!("cubin:{}", driver::example(example.cubin).display());
        for round in 0..120 {
            let code = if round % 2 == 0 { "none" } else { &cubin };
            let mut data = data.clone();
            let at = random.index(data.len());
            data[at] = interesting[random.index(interesting.len())];
            bench.file("in.ptx", &data);
            let ended = bench.attempt(&[example.level, "-arch", example.arch, "--code", code, "in.ptx"]);
            if ended.code == Some(0) {
                accepted += 1;
            } else {
                refused += 1;
                let says_where =
                    place(&ended.messages, "in.ptx").is_some() || ended.messages.contains("another PTX");
                assert!(says_where, "byte {at:#x} of {}:\n{}", example.ptx, ended.messages);
            }
        }
    }
    println!("one wrong byte in PTX: {refused} refused, {accepted} accepted");
    assert!(refused > 50 && accepted > 50);
}
