//! What a person has at a terminal: completions that load, manual pages that are read, colours, and
//! no binary.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a tool; `None`, said on standard error, where it is not installed.
fn tool(name: &str, args: &[&str], folder: &Path) -> Option<Output> {
    let output =
        Command::new(name).args(args).current_dir(folder).env("LC_ALL", "C").env("MANWIDTH", "80").output();
    if output.is_err() {
        support::skip(name, "REQUIRE_SHELLS");
    }
    output.ok()
}

fn driver(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ptxas-driver")).args(args).output().unwrap()
}

/// Files of all pages and completions.
fn made() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh"] {
        let script = driver(&["completions", shell]);
        assert!(script.status.success());
        fs::write(folder.path().join(format!("_ptxas-driver.{shell}")), script.stdout).unwrap();
    }
    assert!(driver(&["man", "-o", folder.path().join("man1").to_str().unwrap()]).status.success());
    folder
}

#[test]
fn bash_completes_commands_and_options() {
    let folder = made();
    for (words, expected) in [
        ("ver", "verify"),
        ("merc self", "self-check"),
        ("compile -linei", "-lineinfo"),
        ("compile --code", "--code"),
        ("compile -arch sm_121a", "sm_121a"),
        ("lines --color al", "always"),
        ("compile --color", ""),
        ("completions z", "zsh"),
    ] {
        // As readline calls it: command, word, the word before.
        let script = format!(
            "source _ptxas-driver.bash; COMP_WORDS=(ptxas-driver {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
             function=$(complete -p ptxas-driver | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
             $function ptxas-driver \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"
             echo \"${{COMPREPLY[*]}}\""
        );
        let Some(output) = tool("bash", &["--norc", "-c", &script], folder.path()) else { return };
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words}");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{words}");
    }
}

#[test]
fn zsh_loads_the_completions() {
    let folder = made();
    fs::create_dir(folder.path().join("functions")).unwrap();
    fs::rename(folder.path().join("_ptxas-driver.zsh"), folder.path().join("functions/_ptxas-driver"))
        .unwrap();
    let script = "fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -d dump
        autoload +X _ptxas-driver; echo $_comps[ptxas-driver] $+functions[_ptxas-driver]; zsh -n functions/_ptxas-driver";
    let Some(output) = tool("zsh", &["-f", "-c", script], folder.path()) else { return };
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "_ptxas-driver 1\n");
}

#[test]
fn man_shows_every_page_without_a_warning() {
    let folder = made();
    let pages = fs::read_dir(folder.path().join("man1")).unwrap();
    let mut names: Vec<String> =
        pages.map(|entry| format!("man1/{}", entry.unwrap().file_name().to_str().unwrap())).collect();
    names.sort();
    assert!(names.len() > 15 && names.contains(&"man1/ptxas-driver-merc-plan.1".to_owned()), "{names:?}");
    for name in &names {
        let Some(output) = tool("man", &["--warnings", "-l", name], folder.path()) else { return };
        assert!(output.status.success());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("SYNOPSIS") && text.contains("OPTIONS"), "{name}: {text}");
    }
}

/// What a command line prints on a terminal.
fn on_terminal(command: &str, folder: &Path) -> Option<String> {
    let command = command.replace("ptxas-driver", env!("CARGO_BIN_EXE_ptxas-driver"));
    let mut script = Command::new("script");
    script
        .args(["-qec", &command, "/dev/null"])
        .current_dir(folder)
        .env("TERM", "xterm")
        .env_remove("NO_COLOR");
    let Ok(output) = script.output() else {
        support::skip("script", "REQUIRE_SHELLS");
        return None;
    };
    Some(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
}

#[test]
fn help_fits_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    for columns in [80, 100] {
        for command in [
            "", "compile", "check", "lines", "dump", "diff", "sections", "coverage", "extract", "strip",
            "vars",
        ] {
            let command = format!("stty cols {columns} rows 40; NO_COLOR=1 ptxas-driver {command} --help");
            let Some(text) = on_terminal(&command, folder.path()) else { return };
            let is_long = |line: &&str| line.chars().count() > columns && line.contains(' ');
            assert_eq!(text.lines().find(is_long), None, "{command}");
            assert!(text.contains("Exit status"), "{command}: {text}");
        }
    }
}

#[test]
fn a_terminal_has_colours_and_gets_no_binary() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(support::repository().join("examples/saxpy/saxpy.cubin"), folder.path().join("k.cubin"))
        .unwrap();
    fs::copy(support::repository().join("examples/saxpy/saxpy.ptx"), folder.path().join("k.ptx")).unwrap();
    let Some(text) = on_terminal("ptxas-driver lines none.cubin", folder.path()) else { return };
    assert_eq!(text, "\x1b[1m\x1b[91merror\x1b[0m: none.cubin: No such file or directory (os error 2)\n");
    for command in [
        "ptxas-driver strip k.cubin -o -",
        "ptxas-driver strip k.cubin -o /dev/stdout",
        "ptxas-driver compile -arch sm_90 -lineinfo --code none k.ptx -o /dev/stdout",
    ] {
        let text = on_terminal(command, folder.path()).unwrap();
        assert!(text.contains("it is a terminal, and this is not text"), "{command}: {text:?}");
        assert!(!text.contains('\0'), "{command}: {text:?}");
    }
}

/// A pipe that is filled late stands for long work: while it is awaited the other two files have
/// been looked at.
#[test]
fn long_work_has_a_progress_bar() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(support::repository().join("examples/saxpy/saxpy.ptx"), folder.path().join("k.ptx")).unwrap();
    let check = |options: &str| {
        let late = "mkfifo late.ptx; (sleep 1.2; cat k.ptx > late.ptx) &";
        let command = format!("rm -f late.ptx; {late} ptxas-driver {options} check k.ptx late.ptx k.ptx");
        on_terminal(&command, folder.path())
    };
    let Some(text) = check("") else { return };
    assert!(text.contains("1/3") || text.contains("2/3"), "{text:?}");
    // What is left on the terminal is the answers: the bar is gone.
    let last = text.rsplit("\x1b[2K").next().unwrap();
    assert!(!last.contains("/3"), "{text:?}");
    assert_eq!(text.matches(".ptx: 5 notes").count(), 3, "{text:?}");
    let quiet = check("-q").unwrap();
    assert!(!quiet.contains("/3") && quiet.matches(".ptx: 5 notes").count() == 3, "{quiet:?}");
}
