//! `lines FILE -` as programs use it that keep a symbolizer open: one query, one answer, before the
//! next query is sent. A test waits for ever where an answer does not come.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::driver::{example, program};
use crate::support::host_program::HostProgram;
use crate::support::json::kinds;
use crate::support::{self, json};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

/// A process that answers, and the two ends of its pipes that are ours.
struct Coprocess {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

/// How the end of an answer is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnswerEnd {
    /// An empty line.
    EmptyLine,
    /// The answer is one line.
    OneLine,
    /// Function and line, for each of so many frames.
    Frames(usize),
}

impl Coprocess {
    fn start(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, stdin, stdout }
    }

    fn lines(args: &[&str]) -> Self {
        let mut command = program();
        command.arg("lines").args(args);
        Self::start(command)
    }

    fn send(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Waits for one answer.
    fn receive(&mut self, end: AnswerEnd) -> String {
        let mut answer = String::new();
        for count in 1.. {
            let start = answer.len();
            assert!(self.stdout.read_line(&mut answer).unwrap() > 0, "no whole answer: {answer:?}");
            let is_end = match end {
                AnswerEnd::EmptyLine => &answer[start..] == "\n",
                AnswerEnd::OneLine => true,
                AnswerEnd::Frames(frames) => count == 2 * frames,
            };
            if is_end {
                break;
            }
        }
        answer
    }

    fn ask(&mut self, query: &[u8], end: AnswerEnd) -> String {
        self.send(&[query, b"\n"].concat());
        self.receive(end)
    }

    /// Closes standard input, and returns the exit status and what else came.
    fn end(mut self) -> (ExitStatus, String, String) {
        drop(self.stdin.take());
        let (mut out, mut err) = (String::new(), String::new());
        self.stdout.read_to_string(&mut out).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        (self.child.wait().unwrap(), out, err)
    }
}

fn saxpy() -> String {
    example("saxpy/saxpy.cubin").to_str().unwrap().to_owned()
}

/// Lines that have no answer, each for another reason.
fn odd_lines() -> Vec<Vec<u8>> {
    let mut odd: Vec<Vec<u8>> = [
        &b""[..],
        b" ",
        b"\r",
        b"nosuch",
        b"saxpy+0x99999",
        b"saxpy+zz",
        b"\0",
        b"saxpy+0x10\0",
        b"\xff\xfe+0x10",
        b"99999999999999999999",
        b"-1",
        b"CODE",
        b"CODE nosuch.cubin 0x10",
        b"nosuch.cubin 0x10",
        b"\"nosuch 0x10",
        b"CODE - 0x10",
        b"\x1b[2J",
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    odd.push(vec![b'x'; 3 << 20]);
    odd
}

// ---- one query, one answer ----

#[test]
fn each_query_has_one_answer_before_the_next_is_sent() {
    use AnswerEnd::{EmptyLine, Frames, OneLine};
    let file = saxpy();
    let forms: [(&[&str], AnswerEnd, AnswerEnd); 5] = [
        (&[], EmptyLine, EmptyLine),
        (&["--json=lines"], OneLine, OneLine),
        (&["--style", "gnu"], Frames(2), Frames(1)),
        (&["--style", "llvm"], EmptyLine, EmptyLine),
        (&["--style", "json"], OneLine, OneLine),
    ];
    for (form, known, unknown) in forms {
        let mut process = Coprocess::lines(&[&[&*file, "-"], form].concat());
        let answer = process.ask(b"saxpy+0xe0", known);
        assert!(answer.contains("fused.cuh"), "{form:?}: {answer}");
        for odd in odd_lines() {
            let said = process.ask(&odd, unknown);
            assert!(!said.contains("fused.cuh"), "{form:?}: {:?}: {said}", &odd[..odd.len().min(80)]);
            // Nobody has lost step.
            assert_eq!(process.ask(b" saxpy+0xe0 \r", known), answer, "{form:?}: after {said}");
        }
        // The last line need not end.
        process.send(b"saxpy+0xe0");
        let (status, rest, _) = process.end();
        // Some of these lines name a file that cannot be read.
        assert_eq!((status.code(), rest), (Some(2), answer), "{form:?}");
    }
}

#[test]
fn a_burst_is_answered_as_one_by_one() {
    let file = saxpy();
    let queries: Vec<String> = (0..4000).map(|number| format!("saxpy+{:#x}\n", number % 0x60 * 16)).collect();
    for form in [&["--json=lines"][..], &["--style", "llvm"], &[]] {
        let end = if form == ["--json=lines"] { AnswerEnd::OneLine } else { AnswerEnd::EmptyLine };
        let arguments = [&[&*file, "-"], form].concat();
        let (mut one_by_one, mut burst) = (Coprocess::lines(&arguments), Coprocess::lines(&arguments));
        for queries in queries.chunks(100) {
            let answers: Vec<String> =
                queries.iter().map(|query| one_by_one.ask(query.trim_end().as_bytes(), end)).collect();
            burst.send(queries.concat().as_bytes());
            let together: Vec<String> = queries.iter().map(|_| burst.receive(end)).collect();
            assert_eq!(answers, together);
        }
        for process in [one_by_one, burst] {
            let (status, rest, messages) = process.end();
            assert_eq!((status.code(), &*rest, &*messages), (Some(0), "", ""));
        }
    }
}

/// A client may never read standard error: 64 KB of it would stop us.
#[test]
fn messages_do_not_fill_a_pipe() {
    let mut process = Coprocess::lines(&[&saxpy(), "-", "--style", "llvm"]);
    let long = vec![b'x'; 10_000];
    for _ in 0..1000 {
        assert_eq!(process.ask(&long, AnswerEnd::EmptyLine), "??\n??:0:0\n\n");
    }
    let (_, _, messages) = process.end();
    assert_eq!(messages.lines().count(), 21);
    assert!(messages.len() < 32_000, "{}", messages.len());
}

// ---- how it ends ----

#[cfg(unix)]
#[test]
fn a_signal_ends_it_at_once_and_a_closed_pipe_in_silence() {
    use rustix::process::{Pid, Signal, kill_process};
    use std::os::unix::process::ExitStatusExt as _;
    for signal in [Signal::INT, Signal::TERM] {
        let mut process = Coprocess::lines(&[&saxpy(), "-"]);
        process.ask(b"saxpy", AnswerEnd::EmptyLine);
        kill_process(Pid::from_child(&process.child), signal).unwrap();
        let status = process.child.wait().unwrap();
        assert_eq!(status.signal(), Some(signal.as_raw()));
        let (_, rest, messages) = process.end();
        assert_eq!((&*rest, &*messages), ("", ""));
    }
    let Coprocess { mut child, stdin, stdout } = Coprocess::lines(&[&saxpy(), "-"]);
    drop(stdout);
    // It may have ended at the first of them.
    let _ = stdin.unwrap().write_all(&b"saxpy+0x10\n".repeat(1000));
    let mut messages = String::new();
    child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
    assert_eq!((child.wait().unwrap().code(), &*messages), (Some(0), ""));
}

#[test]
fn a_file_that_a_query_names_is_opened_once() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("a b.cubin");
    fs::copy(saxpy(), &copy).unwrap();
    let query = format!("CODE \"{}\" 0xe0", copy.display());
    let mut process = Coprocess::lines(&["--style", "llvm"]);
    let answer = process.ask(query.as_bytes(), AnswerEnd::EmptyLine);
    assert!(answer.contains("fused.cuh"), "{answer}");
    // What was opened is kept, and so is that a file was not there.
    fs::remove_file(&copy).unwrap();
    assert_eq!(process.ask(query.as_bytes(), AnswerEnd::EmptyLine), answer);
    let other = folder.path().join("other.cubin");
    let query = format!("'{}' saxpy+0xe0", other.display());
    assert_eq!(process.ask(query.as_bytes(), AnswerEnd::EmptyLine), "??\n??:0:0\n\n");
    fs::copy(saxpy(), &other).unwrap();
    assert_eq!(process.ask(query.as_bytes(), AnswerEnd::EmptyLine), "??\n??:0:0\n\n");
    let (status, _, messages) = process.end();
    assert_eq!(status.code(), Some(2));
    assert!(messages.contains("other.cubin"), "{messages}");
}

// ---- other tools ----

/// What a tool says to these lines, one after the other.
fn step_by_step(mut command: Command, lines: &[String], end: AnswerEnd) -> Vec<String> {
    command.args::<[&str; 0], &str>([]);
    let mut process = Coprocess::start(command);
    lines.iter().map(|line| process.ask(line.as_bytes(), end)).collect()
}

/// Lines with a file and an address: of inlined code, or of code about which nothing is known.
fn protocol(file: &str, address: &str, unknown_address: &str) -> Vec<String> {
    let known = [
        "CODE FILE ADDRESS",
        "FILE ADDRESS",
        "\"FILE\" ADDRESS",
        "CODE 'FILE' ADDRESS",
        "CODE \"FILE\" ADDRESS",
    ];
    let unknown = [
        "",
        "CODE",
        "nosuch",
        "\"FILE ADDRESS",
        "CODE nosuch ADDRESS",
        "nosuch ADDRESS",
        "CODE FILE UNKNOWN",
        "DATA FILE UNKNOWN",
        "FRAME FILE UNKNOWN",
        "DATA nosuch 0x10",
        "FRAME nosuch 0x10",
    ];
    let lines = known.iter().chain(&unknown);
    lines
        .map(|line| {
            line.replace("FILE", file).replace("ADDRESS", address).replace("UNKNOWN", unknown_address)
        })
        .collect()
}

/// Answers without the names in them: what is known, and which kind of line it is.
fn shape(answer: &str) -> String {
    let shape = |line: &str| match line {
        "" | "??" | "??:?" | "0 0" | "??:0:0" | "??:0" => line.to_owned(),
        line => match line.rsplit(':').take_while(|part| part.parse::<u32>().is_ok()).count() {
            0 => "name".to_owned(),
            numbers => format!("file and {numbers} numbers"),
        },
    };
    answer.lines().map(shape).collect::<Vec<_>>().join("\n")
}

#[test]
fn llvm_symbolizer_answers_the_same_lines_in_the_same_form() {
    let Some(host) = HostProgram::with_an_inlined_call() else { return };
    let Some(symbolizer) = symbolizer_19() else { return };
    let theirs = protocol(host.path.to_str().unwrap(), &host.inlined, "0x1");
    let ours = protocol(&saxpy(), "0xe0", "0x99999999");
    let own = |style: &str| {
        let mut command = program();
        command.args(["lines", "--style", style]);
        command
    };
    let mut tool = Command::new(&symbolizer);
    tool.arg("--inlines");
    let theirs_text = step_by_step(tool, &theirs, AnswerEnd::EmptyLine);
    let ours_text = step_by_step(own("llvm"), &ours, AnswerEnd::EmptyLine);
    for ((line, theirs), ours) in ours.iter().zip(&theirs_text).zip(&ours_text) {
        assert_eq!(shape(ours), shape(theirs), "{line:?}");
    }
    let mut tool = Command::new(symbolizer);
    tool.args(["--inlines", "--output-style=JSON"]);
    let theirs_json = step_by_step(tool, &theirs, AnswerEnd::OneLine);
    let ours_json = step_by_step(own("json"), &ours, AnswerEnd::OneLine);
    for ((line, theirs), ours) in ours.iter().zip(&theirs_json).zip(&ours_json) {
        // A line without an address is told as it is, where LLVM leaves the member out.
        let mut ours: Value = serde_json::from_str(ours).unwrap();
        let theirs: Value = serde_json::from_str(theirs).unwrap();
        if theirs.get("Address").is_none() {
            ours.as_object_mut().unwrap().remove("Address");
        }
        if line.starts_with("nosuch 0x") {
            // The second time LLVM has forgotten that it could not open the file.
            assert!(theirs["Symbol"].as_array().unwrap().is_empty() && ours["Error"].is_object(), "{ours}");
            continue;
        }
        assert_eq!(kinds(&ours), kinds(&theirs), "{line:?}");
    }
}

#[test]
fn addr2line_reads_the_same_numbers() {
    let Some(host) = HostProgram::with_an_inlined_call() else { return };
    let mut tool = Command::new("addr2line");
    tool.args(["-fi", "-e", host.path.to_str().unwrap()]);
    let digits = host.inlined.trim_start_matches("0x");
    let lines =
        |address: &str| ["0xADDRESS", "ADDRESS", " ADDRESS \r"].map(|line| line.replace("ADDRESS", address));
    let mut own = program();
    own.args(["lines", "--style", "gnu", &saxpy(), "-f", "saxpy"]);
    let theirs = step_by_step(tool, &lines(digits), AnswerEnd::Frames(2));
    let ours = step_by_step(own, &lines("e0"), AnswerEnd::Frames(2));
    for (theirs, ours) in theirs.iter().zip(&ours) {
        assert_eq!(shape(ours), shape(theirs));
    }
    assert!(ours.iter().all(|answer| *answer == ours[0] && answer.contains("fused")), "{ours:?}");
    // What is not known is two lines, also what is no number.
    let mut tool = Command::new("addr2line");
    tool.args(["-fi", "-e", host.path.to_str().unwrap()]);
    let mut own = program();
    own.args(["lines", "--style", "gnu", &saxpy(), "-f", "saxpy"]);
    let odd = ["", "zz", "ffffffff"].map(str::to_owned);
    let (theirs, ours) =
        (step_by_step(tool, &odd, AnswerEnd::Frames(1)), step_by_step(own, &odd, AnswerEnd::Frames(1)));
    assert_eq!(ours, theirs);
}

/// llvm-symbolizer of LLVM 19, whose forms are ours.
fn symbolizer_19() -> Option<PathBuf> {
    let names = ["llvm-symbolizer-19", "llvm-symbolizer"];
    let is_19 = |name: &&str| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("version 19."))
    };
    let found = names.into_iter().find(is_19).map(PathBuf::from);
    if found.is_none() {
        support::skip("llvm-symbolizer of LLVM 19", "REQUIRE_ORACLES");
    }
    found
}

// ---- JSON ----

#[test]
fn lines_of_json_have_the_answers_of_the_document() {
    let file = saxpy();
    let queries = ["saxpy+0xe0", "saxpy+0x10", "nosuch", ".text.saxpy:0x20"];
    let document = json::answer("lines", file.as_ref(), &queries);
    let mut process = Coprocess::lines(&[&file, "-", "--json=lines"]);
    for (number, query) in queries.iter().enumerate() {
        let line: Value = serde_json::from_str(&process.ask(query.as_bytes(), AnswerEnd::OneLine)).unwrap();
        support::schemas::check(&line).unwrap();
        assert_eq!(line["schema"], "nvdwarf.lines.query");
        for member in ["query", "answers", "error"] {
            assert_eq!(line.get(member), document["queries"][number].get(member), "{query}");
        }
        assert_eq!((&line["file"], &line["sm"]), (&document["file"], &document["sm"]));
    }
}
