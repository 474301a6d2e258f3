//! `--version`: what programs that call a ptxas find in it. Without a ptxas, and with Triton's two:
//! `cli/code.md`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::calls::linked;
use crate::support::driver;
use crate::support::oracle;
use std::path::Path;
use std::process::Command;

const DRIVER: &str = env!("CARGO_BIN_EXE_ptxas-driver");

/// Standard output for an option.
fn printed(program: &Path, options: &[&str], more: &[(&str, &Path)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(program);
    command.args(options).env_clear().env("PATH", folder.path()).envs(more.iter().copied());
    let run = command.output().unwrap();
    assert!(run.status.success(), "{}", driver::messages(&run));
    String::from_utf8(run.stdout).unwrap()
}

/// The first numbers after `release `, as Triton's `.*release (\d+\.\d+).*` finds them, and the
/// first `V1.2.3` that is a word, as XLA's `\bV(\d+)\.(\d+)\.(\d+)\b` does.
fn found_in(text: &str) -> (Option<&str>, Option<&str>) {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let release = text.split("release ").skip(1).find_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (major, minor) = rest[..end].split_once('.')?;
        (is_number(major) && is_number(minor)).then_some(&rest[..end])
    });
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    let mut version = words.filter_map(|word| word.strip_prefix('V'));
    let version = version.find(|word| word.split('.').count() == 3 && word.split('.').all(is_number));
    (release, version)
}

/// Called by the name `ptxas` we print all that ptxas prints first, so that what is looked for is
/// found, and found first; by our own name our own line comes first.
#[test]
fn of_the_ptxas_that_makes_the_code() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let (_folder, link) = linked();
    let variables: [(&str, &Path); 1] = [("PTXAS", &ptxas)];
    for option in ["--version", "-V"] {
        let theirs = printed(&ptxas, &[option], &[]);
        let ours = printed(&link, &[option], &variables);
        let rest = ours.strip_prefix(theirs.trim_end()).unwrap().trim();
        assert!(rest.starts_with("ptxas-driver ") && rest.lines().count() == 1, "{ours}");
        assert!(!rest.contains("release"), "{rest}");
        for options in [&[option][..], &["compile", option]] {
            let text = printed(Path::new(DRIVER), options, &variables);
            let (first, rest) = text.split_once('\n').unwrap();
            assert!(first.starts_with("ptxas-driver ") && rest.trim_end() == theirs.trim_end(), "{text}");
        }
        assert_eq!(found_in(&theirs), found_in(&ours));
        assert_eq!(found_in(&ours), (Some("13.0"), Some("13.0.88")));
    }
    assert_eq!(printed(&link, &["--list-version"], &variables), printed(&ptxas, &["--list-version"], &[]));
}
