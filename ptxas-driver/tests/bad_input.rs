//! Bad input: exit code 255, a message that says where, nothing written, no panic.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support::driver;
use crate::support::driver::FAILURE;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
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

    /// Runs `compile -o out.cubin ARGS` on an output that exists; a failure must leave everything as it was.
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

    /// Compiles PTX without code. Returns the messages.
    fn refused_ptx(&self, name: &str, bytes: impl AsRef<[u8]>, arch: &str) -> String {
        self.file(name, bytes);
        self.refused(&["-lineinfo", "-arch", arch, "--code", "none", name])
    }

    /// Compiles the example with a file as its cubin. Returns the messages.
    fn refused_cubin(&self, name: &str) -> String {
        let ptx = driver::example(SAXPY.ptx);
        self.refused(&[
            OsStr::new("-lineinfo"),
            "-arch=sm_90".as_ref(),
            "--code".as_ref(),
            format!("cubin:{name}").as_ref(),
            ptx.as_ref(),
        ])
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
    // At the end of the text the place is behind the last line.
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

#[test]
fn not_ptx() {
    let bench = Bench::new();
    let c = "int main(void) {\n  return 0;\n}\n";
    for (name, text) in
        [("empty.ptx", ""), ("comment.ptx", "// nothing\n"), ("main.c", c), ("words", "hello, world\n")]
    {
        let messages = bench.refused_ptx(name, text, "sm_90");
        assert_shows_place(&messages, name, text);
        assert!(messages.contains(".version"), "what is expected is not said:\n{messages}");
    }
    let elf = fs::read(driver::example(SAXPY.cubin)).unwrap();
    let png = *b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01";
    let all: Vec<u8> = (0..=255).cycle().take(4096).collect();
    for (name, bytes, what) in [
        ("a.cubin", &*elf, "ELF"),
        ("a.png", &png, "not PTX"),
        ("bytes", &all, "not PTX"),
        ("nul", &[0; 64], ""),
    ] {
        let messages = bench.refused_ptx(name, bytes, "sm_90");
        assert!(place(&messages, name).is_some() && messages.contains(what), "{name}:\n{messages}");
    }
}

#[test]
fn missing_files_and_folders_in_the_way() {
    let bench = Bench::new();
    fs::create_dir(bench.path("folder")).unwrap();
    bench.file("file", "");
    let ptx = driver::example(SAXPY.ptx);
    let ptx = ptx.to_str().unwrap();
    for input in ["missing.ptx", "folder", "file/in.ptx"] {
        let messages = bench.refused(&["--code", "none", input]);
        assert!(messages.contains(&format!("'{input}'")), "{messages}");
    }
    for cubin in ["missing.cubin", "folder", "file/in.cubin"] {
        let messages = bench.refused(&["-arch=sm_90", "-lineinfo", &format!("--code=cubin:{cubin}"), ptx]);
        assert!(messages.contains(&format!("{cubin}: ")), "{messages}");
    }
    let before = driver::names_in(bench.folder.path());
    for output in ["missing/out.cubin", "folder", "file/out.cubin", "/dev/full"] {
        // Linux only.
        if output.starts_with("/dev") && !Path::new(output).exists() {
            continue;
        }
        let ended = bench.run(&["-arch=sm_90", "-lineinfo", "--code=none", ptx, "-o", output]);
        assert_eq!(ended.code, Some(FAILURE), "-o {output}:\n{}", ended.messages);
        assert!(ended.messages.contains(&format!("'{output}'")), "{}", ended.messages);
        assert_eq!(driver::names_in(bench.folder.path()), before);
        assert!(driver::names_in(&bench.path("folder")).is_empty());
    }
}

/// A module that `arch` cannot run: the message is at the `.target`.
#[test]
fn another_architecture() {
    let bench = Bench::new();
    for (target, arch) in [
        ("sm_90", "sm_75"),
        ("sm_121", "sm_120"),
        ("sm_90a", "sm_90"),
        ("sm_90a", "sm_100"),
        ("sm_90a", "sm_100a"),
        ("sm_100f", "sm_120"),
        ("sm_100a", "sm_100f"),
        ("sm_103f", "sm_100"),
        ("sm_73", "sm_75"),
        ("gfx90", "sm_90"),
    ] {
        let text =
            format!(".version 9.0\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}\n");
        let messages = bench.refused_ptx("in.ptx", &text, arch);
        assert_eq!(
            assert_shows_place(&messages, "in.ptx", &text),
            (2, 9),
            "{target} for {arch}:\n{messages}"
        );
    }
}

#[test]
fn faults_inside_ptx() {
    let head = ".version 8.0\n.target sm_75\n.address_size 64\n.file 1 \"a.cu\"\n";
    // The text, and the line of the fault.
    let faults = [
        (".visible .entry k() {\n.loc 1 x 1\nret;\n}\n", 6),
        (".visible .entry k() {\n.loc 1\nret;\n}\n", 6),
        (".visible .entry k() {\nret;\n", 7),
        (".visible .entry () {\nret;\n}\n", 5),
        (".file x \"b.cu\"\n", 5),
        (".file 2 b.cu\n", 5),
        (".file 2 \"b.cu\n", 5),
        (".section .debug_str {\n.b8 1, , 2\n}\n", 6),
        (".section .debug_str {\n.b8 1\n", 7),
        (".section .debug_str {\n.b9 1\n}\n", 6),
        ("}\n", 5),
        ("/* never closed\n", 5),
    ];
    let bench = Bench::new();
    for (tail, line) in faults {
        let text = format!("{head}{tail}");
        let messages = bench.refused_ptx("in.ptx", &text, "sm_75");
        let (found, _) = assert_shows_place(&messages, "in.ptx", &text);
        // ".loc 1" may be faulted where the next line begins.
        assert!((line..=line + 1).contains(&found), "line {found}, not {line}, for {tail:?}:\n{messages}");
    }
}

/// What ptxas 13.0.88 refuses with `Duplicate ...`, and what it takes: labels belong to blocks, a declaration is no definition.
#[test]
fn names_given_twice() {
    let head = ".version 8.0\n.target sm_75\n.address_size 64\n";
    let bench = Bench::new();
    for (tail, what) in [
        (".visible .entry k() { ret; }\n.visible .entry k() { ret; }\n", "function `k` is defined twice"),
        (".global .b32 a;\n.global .b32 a;\n.visible .entry k() { ret; }\n", "variable `a` is defined twice"),
        (".visible .entry k() {\nA: ret;\nA: ret;\n}\n", "label `A` is defined twice"),
        (".file 1 \"a\"\n.file 1 \"a\"\n.visible .entry k() { ret; }\n", "file index 1 is given twice"),
    ] {
        let text = format!("{head}{tail}");
        let messages = bench.refused_ptx("in.ptx", &text, "sm_75");
        assert!(messages.contains(what), "{messages}");
        assert_shows_place(&messages, "in.ptx", &text);
    }
    for tail in [
        ".func f();\n.func f() { ret; }\n.visible .entry k() { ret; }\n",
        ".visible .entry k() {\nA: { A: ret; }\n{ A: ret; }\nret;\n}\n.visible .entry k2() {\nA: ret;\n}\n",
        ".shared .b32 a;\n.visible .entry k() { .shared .b32 a; ret; }\n",
    ] {
        bench.file("in.ptx", format!("{head}{tail}"));
        let ended = bench.attempt(&["-lineinfo", "-arch", "sm_75", "--code", "none", "in.ptx"]);
        assert_eq!(ended.code, Some(0), "{tail}:\n{}", ended.messages);
    }
}

/// Values that their field cannot hold are said, not cut.
#[test]
fn values_that_do_not_fit() {
    let text = ".version 8.0\n.target sm_75, debug\n.address_size 64\n\
        .visible .entry k(.param .align 1 .b8 p[4294967295], .param .b32 q) { ret; }\n\
        .section .debug_abbrev {\n.b8 1,17,0,16,6,0,0,0\n}\n\
        .section .debug_info {\n.b32 12\n.b8 2,0\n.b32 .debug_abbrev\n.b8 8,1\n.b32 q\n}\n";
    let bench = Bench::new();
    let messages = bench.refused_ptx("in.ptx", text, "sm_75");
    assert!(messages.contains("does not fit .b32"), "{messages}");
    assert_shows_place(&messages, "in.ptx", text);
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

#[test]
fn not_a_cubin() {
    let bench = Bench::new();
    bench.file("empty", "");
    bench.file("text", "hello\n");
    bench.file("in.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    bench.file("magic", b"\x7fELF");
    for name in ["empty", "text", "in.png", "magic"] {
        let messages = bench.refused_cubin(name);
        assert!(messages.contains(&format!("{name}: offset 0x")), "{messages}");
    }
    // What `--code none` makes is an ELF file of the right machine, without code.
    let ptx = driver::example(SAXPY.ptx);
    let ptx = ptx.to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut command = driver::compile();
    command.args(["-lineinfo", "-arch", "sm_90", "--code", "none", ptx]);
    bench.file("debug-only", driver::made(&mut command, &folder.path().join("out")));
    let messages = bench.refused_cubin("debug-only");
    assert!(messages.contains("debug-only object"), "{messages}");
    // This test's own executable: an ELF file of another machine, where executables are ELF files.
    let own = std::env::current_exe().unwrap();
    if fs::read(&own).unwrap().starts_with(b"\x7fELF") {
        let messages = bench.refused_cubin(own.to_str().unwrap());
        assert!(messages.contains("offset 0x12") && messages.contains("CUDA"), "{messages}");
    }
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

/// Cubins that are whole, but not of this PTX and these options.
#[test]
fn cubin_that_does_not_fit() {
    let bench = Bench::new();
    let copy = |from, to| bench.file(to, fs::read(driver::example(from)).unwrap());
    copy("saxpy/saxpy-debug.cubin", "sm_75.cubin");
    let messages = bench.refused_cubin("sm_75.cubin");
    assert!(messages.contains("sm_75") && messages.contains("sm_90"), "{messages}");

    copy("block_sum/block_sum.cubin", "other.cubin");
    let messages = bench.refused_cubin("other.cubin");
    assert!(messages.contains("another PTX"), "{messages}");
    assert_names_offset(&messages, "other.cubin");

    let whole = copy(SAXPY.cubin, "whole.cubin");
    let mut data = fs::read(&whole).unwrap();
    let ptx = driver::example(SAXPY.ptx);
    let ptx = ptx.to_str().unwrap();
    let messages = bench.refused(&["-c", "-lineinfo", "-arch=sm_90", "--code=cubin:whole.cubin", ptx]);
    assert!(messages.contains("whole program") && messages.contains("without -c"), "{messages}");

    // e_type: ET_EXEC becomes ET_REL.
    assert_eq!(data[16], 2);
    data[16] = 1;
    bench.file("relocatable.cubin", &data);
    let messages = bench.refused_cubin("relocatable.cubin");
    assert!(messages.contains("relocatable") && messages.contains("with -c"), "{messages}");
}

#[test]
fn cubin_without_ptx_lines() {
    let bench = Bench::new();
    let mut data = fs::read(driver::example(SAXPY.cubin)).unwrap();
    let name = b".nv_debug_line_sass";
    let mut renamed = 0;
    for at in 0..data.len() - name.len() {
        if data[at..].starts_with(name) {
            // Another section of no meaning.
            data[at + 1] = b'x';
            renamed += 1;
        }
    }
    assert!(renamed > 0);
    bench.file("in.cubin", &data);
    let messages = bench.refused_cubin("in.cubin");
    assert!(messages.contains("-lineinfo") && messages.contains(".nv_debug_line_sass"), "{messages}");
}

/// PTX of the same functions with something changed: what a forgotten recompilation looks like.
#[test]
fn cubin_of_an_older_ptx() {
    let bench = Bench::new();
    let text = fs::read_to_string(driver::example(SAXPY.ptx)).unwrap();
    fs::copy(driver::example(SAXPY.cubin), bench.path("in.cubin")).unwrap();
    let body = text.find("\n{").unwrap() + 3;
    for (what, changed) in [
        ("a line more at the start", format!("\n{text}")),
        ("a line less at the start", text.replacen('\n', "", 1)),
        ("another name", text.replace("saxpy(", "sbxpy(").replace("saxpy_param", "sbxpy_param")),
        ("half of the lines", format!("{}ret;\n}}\n", &text[..body])),
    ] {
        bench.file("in.ptx", &changed);
        let messages = bench.refused(&["-lineinfo", "-arch=sm_90", "--code=cubin:in.cubin", "in.ptx"]);
        assert!(messages.contains("another PTX"), "{what}:\n{messages}");
    }
}

/// Numbers that look random and are the same on every run (xorshift64, Marsaglia 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
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
        // Half of the bytes are code and text, where nothing can go wrong: every third is from the header or the tables at
        // the end.
        let tables = data.len() * 3 / 4;
        for round in 0..120 {
            let at = match round % 3 {
                0 => random.below(data.len()),
                1 => random.below(64),
                _ => tables + random.below(data.len() - tables),
            };
            let mut data = data.clone();
            data[at] ^= 1 + random.below(255) as u8;
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
            let at = random.below(data.len());
            data[at] = interesting[random.below(interesting.len())];
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

/// A reader of our messages that goes away, as `head` does, or a full disk below them is no reason to panic.
#[test]
fn output_streams_that_take_nothing() {
    let full = || File::options().write(true).open("/dev/full");
    // Linux only.
    if full().is_err() {
        return;
    }
    let bench = Bench::new();
    bench.file("words", "hello, world\n");
    let ptx = driver::example(SAXPY.ptx);
    let good = ["-v", "-lineinfo", "-arch=sm_90", "--code=none", "-o", "out.cubin", ptx.to_str().unwrap()];
    let cases: [(&[&str], &[i32]); 4] = [
        (&["--help"], &[0, FAILURE]),
        (&["--version"], &[0, FAILURE]),
        (&["words"], &[FAILURE]),
        (&good, &[0]),
    ];
    for (args, codes) in cases {
        let mut command = driver::compile();
        command.args(args).current_dir(bench.folder.path()).stdin(Stdio::null());
        let status = command.stdout(full().unwrap()).stderr(full().unwrap()).status().unwrap();
        // A panic is 101.
        assert!(status.code().is_some_and(|code| codes.contains(&code)), "{args:?}: {status}");
    }
}
