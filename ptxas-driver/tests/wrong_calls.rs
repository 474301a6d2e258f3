//! `--messages ptxas` where a call ends before there is anything to compile, and where the ptxas
//! fails without a reason: all that is printed, and the exit code, are those of ptxas.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support::driver;
use crate::support::oracle;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const DRIVER: &str = env!("CARGO_BIN_EXE_ptxas-driver");

/// Calls that fail or print help. There are `ok.ptx`, `warn.ptx`, `wrong.ptx` and the folder `dir`.
const WRONG: &[&str] = &[
    // A missing input and a bad option.
    "-arch sm_90 nosuch.ptx -foo",
    "-foo -arch sm_90 nosuch.ptx",
    "-arch sm_1 nosuch.ptx",
    "-arch sm_90 nosuch.ptx -g -O3",
    "-arch sm_90 nosuch.ptx -maxrregcount 300",
    "-arch sm_90 nosuch.ptx -maxrregcount xx",
    "-arch sm_90 nosuch.ptx -sanitize xx",
    "-arch sm_90 nosuch.ptx -regUsageLevel 11 -Werror",
    "-arch sm_90 nosuch.ptx -o nodir/x",
    "-arch sm_90 nosuch.ptx -g -lineinfo -O2 -O3",
    "-arch sm_90 nosuch.ptx ok.ptx",
    "-arch sm_90 nosuch.ptx wrong.ptx -maxrregcount xx",
    // A folder.
    "-arch sm_90 dir",
    "-arch sm_90 dir/",
    "-arch sm_90 dir -g -lineinfo",
    "-arch sm_90 dir ok.ptx",
    "-arch sm_90 ok.ptx dir",
    "-arch sm_90 ok.ptx dir -o nodir/x",
    // No place for the output.
    "-arch sm_90 ok.ptx -o nodir/x",
    "-arch sm_90 -v ok.ptx -o nodir/x",
    "-arch sm_90 warn.ptx -o nodir/x",
    "-arch sm_90 wrong.ptx -o nodir/x",
    "-arch sm_90 ok.ptx -o dir",
    "-arch sm_90 ok.ptx -o dir/",
    "-arch sm_90 ok.ptx -o new/",
    "-arch sm_90 ok.ptx -o ok.ptx/x",
    "-arch sm_90 ok.ptx -o=",
    "-arch compute_90 ok.ptx -o nodir/x",
    // No input.
    "-arch sm_90",
    "-g -lineinfo",
    "-g -O3",
    "-maxrregcount xx",
    "-O2 -O3",
    "-optf o.opt",
    // A bad option among others.
    "-O2 -O3 -foo",
    "-arch sm_90 ok.ptx -o a -o b -foo",
    "-arch sm_90 ok.ptx -o a -o a -foo",
    "-arch sm_90 -optf o.opt -foo",
    "-optf nosuch.opt ok.ptx",
    "-ias= -arch sm_90",
    "-m 32 ok.ptx",
    "ok.ptx -Ofc xx",
    // The last word misses its argument.
    "-arch sm_90 nosuch.ptx -e",
    "ok.ptx -o",
    "-o",
    "-ias",
];

/// The calls at the end of [`WRONG`] after which no word may follow.
const AT_THE_END: usize = 4;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let head = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() ";
    for (name, text) in [
        ("ok.ptx", format!("{head}{{ ret; }}\n")),
        ("wrong.ptx", format!("{head}{{ rot; }}\n")),
        ("warn.ptx", format!("{head}.maxntid 64 .minnctapersm 99 {{ ret; }}\n")),
        ("o.opt", "-O2\n-lineinfo".to_owned()),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::create_dir(folder.path().join("dir")).unwrap();
    folder
}

/// What there is to see of a run.
fn seen(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn what_ptxas_says_of_a_wrong_call() {
    let mut compared = 0;
    for ptxas in oracle::ptxas_of(&["12.8", "13.0", "13.5"]) {
        let folder = folder();
        let names = driver::names_in(folder.path());
        // As nvcc calls us: the environment has our option.
        let links = tempfile::tempdir().unwrap();
        let link = links.path().join("ptxas");
        std::os::unix::fs::symlink(DRIVER, &link).unwrap();
        let in_place_of_ptxas = |words: &[&str]| {
            let mut command = Command::new(&link);
            command.args(words).env("PTXAS", &ptxas).env("NVDWARF_OPTIONS", "--messages ptxas");
            seen(command.current_dir(folder.path()).output().unwrap())
        };
        assert_eq!(in_place_of_ptxas(&[]), seen(Command::new(&ptxas).output().unwrap()));
        for (number, line) in WRONG.iter().enumerate() {
            let words: Vec<&str> = line.split(' ').collect();
            let run = |mut command: Command| {
                let seen = seen(command.current_dir(folder.path()).env("PTXAS", &ptxas).output().unwrap());
                assert_eq!(driver::names_in(folder.path()), names, "{line}");
                seen
            };
            let theirs = run({
                let mut command = Command::new(&ptxas);
                command.args(&words);
                command
            });
            // Before the other words and after them.
            let ours = |words: &[&str]| {
                let mut command = Command::new(DRIVER);
                command.arg("compile").args(words);
                run(command)
            };
            let option = ["--messages", "ptxas"];
            assert_eq!(ours(&[&option[..], &words].concat()), theirs, "{} {line}", ptxas.display());
            if number + AT_THE_END < WRONG.len() {
                assert_eq!(ours(&[&words[..], &option].concat()), theirs, "{} {line}", ptxas.display());
            }
            assert_eq!(in_place_of_ptxas(&words), theirs, "{} {line}", ptxas.display());
            compared += 1;
        }
    }
    println!("{compared} wrong calls told as ptxas tells them");
}

/// What is wrong with an option of ours is told by us; ptxas is not asked, and writes nothing.
#[test]
fn what_we_say_of_our_own_options() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let folder = folder();
    let names = driver::names_in(folder.path());
    for (line, said) in [
        ("ok.ptx --path-map bad", "ptxas fatal   : 'bad': expected OLD=NEW after '--path-map'\n"),
        ("ok.ptx --debug-opt keep", "ptxas fatal   : --debug-opt keep goes with -g only\n"),
        ("ok.ptx --stats=1", "ptxas fatal   : no argument expected after '--stats'\n"),
        ("wrong.ptx --embed-ptx", "ptxas fatal   : argument expected after '--embed-ptx'\n"),
    ] {
        let mut command = Command::new(DRIVER);
        command.args(["compile", "--messages", "ptxas"]).args(line.split(' ')).env("PTXAS", &ptxas);
        let ours = seen(command.current_dir(folder.path()).output().unwrap());
        assert_eq!(ours, (Some(255), String::new(), said.to_owned()), "{line}");
        assert_eq!(driver::names_in(folder.path()), names, "{line}");
    }
    // Nor is it asked where none is to make the code.
    let mut command = Command::new(DRIVER);
    command.args(["compile", "--messages", "ptxas", "-foo", "--code", "none"]).env("PTXAS", &ptxas);
    let ours = seen(command.output().unwrap());
    assert_eq!(ours.2, "ptxas fatal   : Unknown option 'foo'\n");
}

/// Writes a program that acts as a ptxas. A child writes it: see `provider/ptxas/tests.rs`.
fn fake(path: &Path, script: &str) {
    let write = r#"printf %s "$1" > "$0" && chmod 755 "$0""#;
    let text = format!("#!/bin/sh\n{script}\n");
    assert!(Command::new("sh").args(["-c", write]).arg(path).arg(text).status().unwrap().success());
}

/// A ptxas that crashes, or fails and does not say why: nothing of ours follows its words.
#[test]
fn a_ptxas_that_fails_without_a_reason() {
    let folder = folder();
    let ptxas = folder.path().join("fake");
    fs::write(folder.path().join("fault.ptx"), ".version 8.0\n.target sm_75\n.entry k() { ret }\n").unwrap();
    fs::write(folder.path().join("bytes.ptx"), b"\xff").unwrap();
    for (script, exit, said) in [
        ("exit 1", 1, ""),
        ("exit 255", 255, ""),
        ("kill -SEGV $$", 128 + 11, ""),
        ("echo 'ptxas info    : so far' >&2; kill -SEGV $$", 128 + 11, "ptxas info    : so far\n"),
        ("echo 'ptxas info    : so far' >&2; exit 1", 1, "ptxas info    : so far\n"),
    ] {
        fake(&ptxas, script);
        for line in [
            "ok.ptx",
            "fault.ptx",
            "bytes.ptx",
            "-g -Werror ok.ptx",
            "--suppress-debug-info -Werror ok.ptx",
            "nosuch.ptx",
            "ok.ptx fault.ptx",
        ] {
            let run = |style| {
                let mut command = Command::new(DRIVER);
                command
                    .args(["compile", "--messages", style, "-arch", "sm_90", "-o", "k.cubin"])
                    .args(line.split(' '));
                seen(command.env("PTXAS", &ptxas).current_dir(folder.path()).output().unwrap())
            };
            assert_eq!(run("ptxas"), (Some(exit), String::new(), said.to_owned()), "{script}: {line}");
            // Who asks for both gets the reason that we know.
            let both = run("both");
            assert_eq!(both.0, Some(exit), "{script}: {line}");
            assert!(both.2.starts_with(said), "{script}: {line}: {}", both.2);
            let knows = ["fault.ptx", "bytes.ptx", "nosuch.ptx"].contains(&line);
            assert!(!knows || both.2.len() > said.len(), "{script}: {line}: {}", both.2);
        }
    }
}
