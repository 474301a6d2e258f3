//! Inputs and surroundings that would do harm: names that steer terminals, files that become
//! shorter, pipes that nobody reads. Full devices, endless input and paths that lead out are in
//! `cli/surroundings.md`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::cubins::with_sections;
use crate::support::driver;
use crate::support::driver::program;
use crate::support::driver::{hostile, text};
use crate::support::fatbins::{BLOCK, ZSTD, entry, fatbin, zstd_frame};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// What a terminal obeys, or shows nothing for: escape, CSI of 8 bits, DEL, and what reorders text
/// or ends a line.
const STEERING: [char; 6] = ['\u{1b}', '\u{9b}', '\u{7f}', '\u{202e}', '\u{2066}', '\u{2028}'];

fn run_in(folder: &Path, args: &[&str]) -> Output {
    program().args(args).stdin(Stdio::null()).current_dir(folder).output().unwrap()
}

fn example(name: &str) -> String {
    driver::example(name).to_str().unwrap().to_owned()
}

/// A script that stands for a ptxas; `made` is what it gives.
fn ptxas(folder: &Path, body: &str) -> PathBuf {
    let path = folder.join("ptxas");
    let script =
        format!("#!/bin/sh\nwhile [ $# -gt 1 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n{body}\n");
    // Another process writes it: a descriptor that is open for writing could be inherited by a
    // child of another test.
    let write = r#"printf %s "$1" > "$0" && chmod 755 "$0""#;
    assert!(Command::new("sh").args(["-c", write]).arg(&path).arg(script).status().unwrap().success());
    path
}

/// F13
#[test]
fn nothing_that_steers_a_terminal_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let steering: String = STEERING.iter().collect();
    let odd = |name: &str| format!("{name}{steering}");
    let ptx = fs::read_to_string(driver::example("saxpy/saxpy.ptx")).unwrap();
    let in_names =
        ptx.replacen(".file", &format!(".file\t7 \"a{steering}.cu\"\n.file\t7 \"b.cu\"\n.file"), 1);
    fs::write(folder.path().join(odd("k.ptx")), &in_names).unwrap();
    fs::write(folder.path().join("k.ptx"), &in_names).unwrap();
    fs::write(folder.path().join("words"), odd("--no-such")).unwrap();
    for name in ["esc.cubin", "damaged.a"] {
        fs::copy(hostile(name), folder.path().join(name)).unwrap();
        fs::copy(hostile(name), folder.path().join(odd(name))).unwrap();
    }
    fs::copy(driver::example("saxpy/saxpy.cubin"), folder.path().join(odd("s.cubin"))).unwrap();
    let files = [
        "esc.cubin".to_owned(),
        odd("esc.cubin"),
        odd("damaged.a"),
        odd("s.cubin"),
        odd("none"),
        odd("k.ptx"),
    ];
    let commands: [&[&str]; 16] = [
        &["lines"],
        &["lines", "--json"],
        &["vars"],
        &["vars", "--json"],
        &["dump"],
        &["dump", "--json"],
        &["dump", "--style", "ptxas"],
        &["sections"],
        &["sections", "--json"],
        &["coverage"],
        &["coverage", "--json"],
        &["verify"],
        &["verify", "--json"],
        &["extract"],
        &["extract", "--json"],
        &["merc", "self-check"],
    ];
    let mut runs: Vec<Vec<String>> = Vec::new();
    for file in &files {
        for command in commands {
            runs.push(command.iter().map(|word| (*word).to_owned()).chain([file.clone()]).collect());
        }
        runs.push(vec!["diff".to_owned(), file.clone(), odd("s.cubin")]);
    }
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for file in [&odd("s.cubin"), "esc.cubin"] {
        runs.push(words(&["lines", file, &odd("query")]));
        runs.push(words(&["lines", file, "--style", "llvm", &odd("query")]));
        runs.push(words(&["lines", file, "--at", &odd("file:1")]));
        runs.push(words(&["vars", file, &odd("name")]));
        runs.push(words(&["vars", file, "-f", &odd("name")]));
        runs.push(words(&["dump", file, "-f", &odd("name")]));
        runs.push(words(&["dump", file, "--section", &odd(".debug")]));
        runs.push(words(&["merc", "plan", file]));
    }
    runs.push(words(&["check", &odd("k.ptx")]));
    runs.push(words(&["check", "--json", &odd("k.ptx")]));
    runs.push(words(&["check", "--min-version", &odd("k.ptx")]));
    runs.push(words(&["check", "--verdict", "g", &odd("k.ptx")]));
    runs.push(words(&["check", "--ptxas-messages", &odd("k.ptx")]));
    runs.push(words(&["--code", "none", "-lineinfo", "-arch", "sm_90", &odd("k.ptx"), "-o", "out"]));
    runs.push(words(&["--code", "none", "-lineinfo", "-arch", &odd("sm_90"), "k.ptx", "-o", "out"]));
    runs.push(words(&["--code", "none", &odd("--odd"), "k.ptx"]));
    runs.push(words(&["--code", &odd("cubin:none"), "k.ptx"]));
    runs.push(words(&["--options-file", "words", "k.ptx"]));
    runs.push(words(&["--options-file", &odd("none"), "k.ptx"]));
    runs.push(words(&["--code", "none", "-lineinfo", &example("saxpy/saxpy.ptx"), "-o", &odd("no/such")]));
    runs.push(words(&["lines", &odd("--odd")]));
    runs.push(vec![odd("verb")]);
    for args in runs {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = run_in(folder.path(), &args);
        for printed in [&output.stdout, &output.stderr] {
            let printed = text(printed);
            assert!(!printed.contains(STEERING), "{args:?}: {printed:?}");
        }
    }
}

/// A pipe whose other end was closed before the program starts: a pipe holds 64 KiB, so that a fast
/// program may be done before.
///
/// On Unix it is a socket: a child that another test starts at this moment has a copy of each file
/// until it runs its program, and a pipe whose reader has a copy is not closed.
#[cfg(unix)]
fn closed_pipe() -> Stdio {
    use std::net::Shutdown;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    let (reader, writer) = UnixStream::pair().unwrap();
    reader.shutdown(Shutdown::Both).unwrap();
    OwnedFd::from(writer).into()
}

#[cfg(not(unix))]
fn closed_pipe() -> Stdio {
    io::pipe().unwrap().1.into()
}

/// A closed pipe is not a failure of a listing, but half a cubin is one. No command panics.
#[test]
fn a_closed_pipe_ends_quietly() {
    let (cubin, ptx) = (example("saxpy/saxpy.cubin"), example("saxpy/saxpy.ptx"));
    let merc = "tests/pairs/own_sections.sm_100.g.cubin";
    for (args, code) in [
        (&["--help"][..], 0),
        (&["compile", "--help"], 0),
        (&["lines", &cubin], 0),
        (&["dump", &cubin], 0),
        (&["dump", "--json", &cubin], 0),
        (&["print", &ptx], 0),
        (&["strip", &cubin, "-o", "-"], 2),
        (&["merc", "strip-capsule", merc, "-o", "-"], 2),
    ] {
        let output = program().args(args).stdin(Stdio::null()).stdout(closed_pipe()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", text(&output.stderr));
        assert!(!text(&output.stderr).contains("panicked"), "{args:?}: {}", text(&output.stderr));
        assert!(code != 0 || output.stderr.is_empty(), "{args:?}: {}", text(&output.stderr));
    }
}

/// The output is what is in the file, not a file beside it.
#[cfg(target_os = "linux")]
#[test]
fn standard_output_may_be_a_file_without_a_name() {
    use std::io::{Read as _, Seek as _};
    let folder = tempfile::tempdir().unwrap();
    let (ptx, cubin) = (example("saxpy/saxpy.ptx"), example("saxpy/saxpy.cubin"));
    for args in [
        &["--code", "none", "-lineinfo", "-arch", "sm_90", &ptx, "-o", "/dev/stdout"][..],
        &["print", &ptx, "-o", "/dev/stdout"],
        &["strip", &cubin, "-o", "/dev/stdout"],
    ] {
        let mut output = tempfile::tempfile_in(folder.path()).unwrap();
        let stdout = Stdio::from(output.try_clone().unwrap());
        let run = program().args(args).stdin(Stdio::null()).stdout(stdout).output().unwrap();
        assert!(run.status.success(), "{args:?}: {}", text(&run.stderr));
        assert_eq!(driver::names_in(folder.path()), [""; 0], "{args:?}");
        let mut bytes = Vec::new();
        output.rewind().unwrap();
        output.read_to_end(&mut bytes).unwrap();
        let named = folder.path().join("named");
        let mut same = args.to_vec();
        *same.last_mut().unwrap() = named.to_str().unwrap();
        assert!(run_in(folder.path(), &same).status.success());
        assert!(!bytes.is_empty() && bytes == fs::read(&named).unwrap(), "{args:?}");
        fs::remove_file(named).unwrap();
    }
}

/// F9: no signal, whatever becomes of a file while it is read.
#[test]
fn a_file_that_becomes_shorter_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.cubin");
    let cubin = fs::read(driver::example("saxpy/saxpy.cubin")).unwrap();
    for moment in 0..12 {
        fs::write(&path, &cubin).unwrap();
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(64 << 20).unwrap();
        let mut child =
            program().arg("lines").arg(&path).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(moment));
        file.set_len(1000).unwrap();
        let status = child.wait().unwrap();
        assert!(matches!(status.code(), Some(0 | 2)), "after {moment} ms: {status}");
    }
}

/// F17: what a ptxas prints is forwarded as it comes, and not kept.
#[test]
fn a_ptxas_that_prints_a_lot_takes_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(driver::example("saxpy/saxpy.cubin"), folder.path().join("made.cubin")).unwrap();
    let body = r#"yes 'ptxas info    : 1234567890' | head -c 200000000 >&2
cp "$(dirname "$0")/made.cubin" "$out""#;
    let ptxas = ptxas(folder.path(), body);
    let ptx = example("saxpy/saxpy.ptx");
    let script = r#"ulimit -v 600000; exec "$0" "$@""#;
    let output = folder.path().join("out");
    let mut command = Command::new("sh");
    command.args([
        "-c",
        script,
        env!("CARGO_BIN_EXE_ptxas-driver"),
        "-lineinfo",
        "-arch",
        "sm_90",
        &ptx,
        "-o",
    ]);
    let mut child = command.arg(&output).env("PTXAS", ptxas).stderr(Stdio::piped()).spawn().unwrap();
    let printed = io::copy(&mut child.stderr.take().unwrap(), &mut io::sink()).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(printed >= 200_000_000, "{printed}");
    assert!(output.is_file());
}

/// Bytes after their count.
fn counted(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

/// Files that ask for more memory than their size allows are refused, with their name:
/// `docs/reliability.md`.
#[test]
fn files_that_ask_for_too_much_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    // Entries of one byte.
    let unit = [&[2, 0, 0, 0, 0, 0, 8, 1][..], &vec![2; 3 << 20], &[0]].concat();
    let abbrev = vec![1, 0x11, 1, 0, 0, 2, 0x34, 0, 0, 0, 0];
    let entries = [(".debug_abbrev", abbrev), (".debug_info", counted(&unit))];
    fs::write(folder.path().join("entries.cubin"), with_sections(&entries)).unwrap();
    // Many files in a directory with a long name.
    let files: Vec<u8> = (0..1000).flat_map(|file| format!("{file}\0\u{1}\0\0").into_bytes()).collect();
    let params = [1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1];
    let header = [&params[..], &[b'd'; 10_000], &[0, 0], &files, &[0]].concat();
    let program = [&[0, 9, 2][..], &[0; 8], &[0x4b, 0, 1, 1]].concat();
    let table = counted(&[&[2, 0][..], &counted(&header), &program].concat());
    fs::write(folder.path().join("files.cubin"), with_sections(&[(".debug_line", table)])).unwrap();
    for (file, commands, words) in [
        ("entries.cubin", &["vars", "verify", "coverage"][..], "entries with so few bytes"),
        ("files.cubin", &["lines --all", "verify", "coverage", "dump"], "the paths of the 1000 files have"),
    ] {
        for command in commands {
            let args: Vec<_> = command.split(' ').chain([file]).collect();
            let out = run_in(folder.path(), &args);
            let said = [text(&out.stdout), text(&out.stderr)].concat();
            assert!(matches!(out.status.code(), Some(1 | 2)), "{command}: {said}");
            assert!(said.contains(words) && said.contains(file), "{command}: {said}");
            assert!(said.len() < 1 << 20);
        }
    }
}

/// Runs a command in so much address space; what it prints is not kept.
#[cfg(target_os = "linux")]
fn within(kibibytes: u64, args: &[&str]) -> Output {
    let script = format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\" > /dev/null");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_ptxas-driver")]).args(args).stdin(Stdio::null());
    command.output().unwrap()
}

/// N18 of `tools/campaign limits`: the text of one expression, here 68 MB, is not held.
#[cfg(target_os = "linux")]
#[test]
fn the_text_of_a_long_expression_takes_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.cubin");
    let expression = vec![0x31; 4 << 20];
    let unit = [&[2, 0, 0, 0, 0, 0, 8, 1][..], &counted(&expression)].concat();
    // DW_TAG_compile_unit with DW_AT_location as DW_FORM_block4.
    let abbrev = vec![1, 0x11, 0, 2, 4, 0, 0, 0];
    fs::write(&path, with_sections(&[(".debug_abbrev", abbrev), (".debug_info", counted(&unit))])).unwrap();
    for style in ["ptxas", "cuobjdump"] {
        let output = within(64_000, &["dump", "--style", style, path.to_str().unwrap()]);
        assert!(output.status.success(), "{style}: {}", text(&output.stderr));
    }
}

/// F5h of `tools/campaign limits`: of two images one is in memory, twice while it is decompressed.
#[cfg(target_os = "linux")]
#[test]
fn diff_holds_one_image_at_a_time() {
    const BLOCKS: usize = 512;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zeros.fatbin");
    // A cubin in as many plain blocks as the bound on expansion asks for, then zeros.
    let mut image = fs::read(driver::example("saxpy/saxpy.cubin")).unwrap();
    image.resize(3 * BLOCK, 0);
    fs::write(&path, fatbin(&entry(90, ZSTD, &zstd_frame(&image, BLOCKS), BLOCK * BLOCKS))).unwrap();
    let file = path.to_str().unwrap();
    let room = 2 * (BLOCK * BLOCKS) as u64 / 1024 + 40_000;
    let output = within(room, &["diff", file, file]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let other = example("block_sum/block_sum.cubin");
    let output = within(room, &["diff", file, &other]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
}
