//! The architectures that a ptxas makes code for. Also used by the tests of other crates.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use std::path::Path;
use std::process::Command;

/// The names of `ptxas --help`, option `--gpu-name`: `sm_75`, `sm_100f`.
pub(crate) fn of(ptxas: &Path) -> Vec<String> {
    let output = Command::new(ptxas).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let names = help.split('\'').filter(|word| word.starts_with("sm_"));
    let mut found: Vec<String> = names.map(str::to_owned).collect();
    found.sort();
    found.dedup(); // one is also named as the default
    assert!(found.len() > 20, "{found:?}");
    found
}

/// Their numbers, each once: 100 for `sm_100f`.
pub(crate) fn numbers(ptxas: &Path) -> Vec<u32> {
    let digits = |name: &str| name.chars().filter(char::is_ascii_digit).collect::<String>();
    let mut found: Vec<u32> = of(ptxas).iter().map(|name| digits(name).parse().unwrap()).collect();
    found.sort_unstable();
    found.dedup();
    found
}
