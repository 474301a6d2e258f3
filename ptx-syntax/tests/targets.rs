//! The first `.version` of each architecture that ptxas 13.0.88 makes code for, and ptxas itself
//! where it is installed.
// Helpers outside `#[test]` functions; a panic is a test's way to fail.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use ptx_syntax::check::{CheckContext, Mode, Verdict, check};
use ptx_syntax::parse;

/// The names of `ptxas --help`, `--gpu-name`, and the versions that ptxas takes.
const FIRST: [(&str, &str); 23] = [
    ("sm_75", "6.3"),
    ("sm_80", "7.0"),
    ("sm_86", "7.1"),
    ("sm_87", "7.4"),
    ("sm_88", "7.3"),
    ("sm_89", "7.8"),
    ("sm_90", "7.8"),
    ("sm_90a", "8.0"),
    ("sm_100", "8.6"),
    ("sm_100a", "8.6"),
    ("sm_100f", "8.8"),
    ("sm_103", "8.8"),
    ("sm_103a", "8.8"),
    ("sm_103f", "8.8"),
    ("sm_110", "9.0"),
    ("sm_110a", "9.0"),
    ("sm_110f", "9.0"),
    ("sm_120", "8.7"),
    ("sm_120a", "8.7"),
    ("sm_120f", "8.8"),
    ("sm_121", "8.8"),
    ("sm_121a", "8.8"),
    ("sm_121f", "8.8"),
];

/// Versions from before the first of these to the newest.
const VERSIONS: [&str; 13] =
    ["6.2", "6.3", "7.0", "7.1", "7.3", "7.4", "7.7", "7.8", "8.0", "8.6", "8.7", "8.8", "9.0"];

fn module(target: &str, version: &str) -> String {
    format!(".version {version}\n.target {target}\n.address_size 64\n.visible .entry k()\n{{\nret;\n}}\n")
}

#[test]
fn each_architecture_has_its_first_version() {
    for (target, first) in FIRST {
        let first = VERSIONS.iter().position(|version| *version == first).unwrap();
        for (at, version) in VERSIONS.iter().enumerate() {
            let text = module(target, version);
            let report = check(&parse(&text), &CheckContext::default());
            let is_taken = report.verdict(Mode::None) == Verdict::Accept;
            assert_eq!(is_taken, at >= first, "{target} with {version}: {:?}", report.findings);
        }
    }
}

#[test]
fn ptxas_has_the_same_first_versions() {
    let Some(ptxas) = support::ptxas() else { return };
    let mut names = FIRST.map(|(name, _)| name);
    names.sort_unstable();
    assert_eq!(support::architectures::of(&ptxas), names);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("targets.ptx");
    for (target, first) in FIRST {
        let at = VERSIONS.iter().position(|version| *version == first).unwrap();
        for (version, is_taken) in [(VERSIONS[at - 1], false), (VERSIONS[at], true)] {
            fs::write(&path, module(target, version)).unwrap();
            let mut command = Command::new(&ptxas);
            command.arg(format!("-arch={target}")).arg(&path).args(["-o", "/dev/null"]);
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.success(), is_taken, "{target} with {version}: {said}");
        }
    }
}
