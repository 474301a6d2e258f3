//! `check` for other releases than 13.0: against `releases/observed.txt`, where their ptxas was
//! seen to do otherwise than ptxas 13.0.88, and against the ptxas of some releases where these are
//! installed. A verdict may be that it is not known; it is never another one.
// Helpers outside `#[test]` functions; a panic is a test's way to fail, standard error its way to
// say what it saw.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod support;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cuda_releases::arch::Arch;
use ptx_syntax::check::{CheckContext, Mode, Verdict, check};
use ptx_syntax::{Release, parse};
use serde_json::Value;

const MODES: [(&str, Mode, Option<&str>); 3] =
    [("none", Mode::None, None), ("lineinfo", Mode::Lineinfo, Some("-lineinfo")), ("g", Mode::G, Some("-g"))];

/// The part of verdicts on the cases that may be left open, in percent: of those of `../shared` and
/// of those of this crate. It is that much for the two releases that crash over inlined calls, else
/// below 5.
const MOST_OPEN: [usize; 2] = [9, 10];

/// Every how many cases the real tools are asked.
const SAMPLE: usize = 17;

/// A case with the verdicts of ptxas 13.0.88.
struct Case {
    name: String,
    text: Vec<u8>,
    is_accepted: [bool; 3],
}

/// The cases of `../shared/cases`, or those of `tests/cases` without it.
fn cases() -> Vec<Case> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let (folder, table) = match support::shared("cases") {
        Some(shared) => (shared, "cases.json"),
        None => (own, "expected.json"),
    };
    let all: Value = serde_json::from_slice(&fs::read(folder.join(table)).unwrap()).unwrap();
    let case = |case: &Value| {
        let name = case["id"].as_str().unwrap().to_owned();
        let text = fs::read(folder.join(format!("{name}.ptx"))).unwrap();
        let result = |mode: &str| {
            let mut entry = &case["modes"][mode];
            while let Some(same) = entry["same_as"].as_str() {
                entry = &case["modes"][same];
            }
            case["expected"][mode].as_str().or(entry["result"].as_str()).unwrap() == "accept"
        };
        Case { name, text, is_accepted: MODES.map(|(mode, ..)| result(mode)) }
    };
    all["cases"].as_array().unwrap().iter().map(case).collect()
}

/// A text with a `.version` and a `.target` that the release takes, as the campaign makes it.
fn of_release(text: &[u8], release: Release) -> Vec<u8> {
    let (major, minor) = release.newest_ptx();
    let mut text = text.to_owned();
    if (major, minor) < (9, 0) {
        let first = memchr_of(&text, b".version");
        if let Some(at) = first.and_then(|at| Some(at + memchr_of(&text[at..], b"9.0")?))
            && first.is_some_and(|first| text[first + 8..at].iter().all(u8::is_ascii_whitespace))
        {
            text[at..at + 3].copy_from_slice(format!("{major}.{minor}").as_bytes());
        }
    }
    if release == Release::OLDEST {
        while let Some(at) = memchr_of(&text, b"sm_90") {
            text[at..at + 5].copy_from_slice(b"sm_80");
        }
    }
    text
}

fn memchr_of(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn verdict(text: &[u8], release: Release, mode: Mode) -> Verdict {
    let text = String::from_utf8_lossy(text);
    check(&parse(&text), &CheckContext { release, ..CheckContext::default() }).verdict(mode)
}

/// What is wrong with a verdict: `None` where it is right or not known.
fn wrong(verdict: &Verdict, is_accepted: bool) -> Option<String> {
    let is_right = matches!(verdict, Verdict::NotKnown(_)) || (*verdict == Verdict::Accept) == is_accepted;
    (!is_right).then(|| format!("{verdict}, accepted: {is_accepted}"))
}

#[test]
fn verdicts_are_those_that_were_observed() {
    let table = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/releases/observed.txt"));
    let table = table.unwrap();
    let mut observed: HashMap<(&str, &str), [char; 3]> = HashMap::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [release, case, none, lineinfo, g] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let letters = [none, lineinfo, g].map(|letter| letter.chars().next().unwrap());
        assert!(observed.insert((release, case), letters).is_none(), "{line} again");
    }
    let cases = cases();
    let [of_shared, of_own] = MOST_OPEN;
    let most_open = if support::shared("cases").is_some() { of_shared } else { of_own };
    let (mut compared, mut differ, mut faults) = (0, 0, Vec::new());
    for release in Release::all().filter(|release| *release != Release::V13_0) {
        let (mut open, mut count) = (0, 0);
        for case in &cases {
            let text = of_release(&case.text, release);
            let letters = observed.get(&(release.name(), &case.name)).copied();
            for (at, (option, mode, _)) in MODES.into_iter().enumerate() {
                let found = verdict(&text, release, mode);
                let letter = letters.map(|letters| letters[at]);
                let is_open = matches!(found, Verdict::NotKnown(_));
                let is_accepted = letter.map_or(case.is_accepted[at], |letter| letter == 'a');
                differ += usize::from(is_accepted != case.is_accepted[at] || letter == Some('?'));
                open += usize::from(is_open);
                count += 1;
                let fault = match letter {
                    Some('?') => {
                        (!is_open).then(|| format!("{found}, and ptxas does not do the same each time"))
                    }
                    _ => wrong(&found, is_accepted),
                };
                faults.extend(fault.map(|fault| format!("{release} {} {option}: {fault}", case.name)));
            }
        }
        eprintln!("{release}: {open} of {count} are not known");
        if open * 100 > count * most_open {
            faults.push(format!("{release}: {open} of {count} are not known"));
        }
        compared += count;
    }
    eprintln!("{compared} verdicts, {differ} of them others than those of 13.0.88");
    assert!(differ > 0);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A ptxas and a folder to call it in.
struct Tool {
    release: Release,
    path: PathBuf,
    folder: tempfile::TempDir,
}

impl Tool {
    fn of(release: Release) -> Option<Self> {
        let path = support::ptxas_of(release)?;
        Some(Self { release, path, folder: tempfile::tempdir().unwrap() })
    }

    fn accepts(&self, text: &[u8], arch: &str, option: Option<&str>) -> bool {
        fs::write(self.folder.path().join("a.ptx"), text).unwrap();
        let mut command = Command::new(&self.path);
        command.args([&format!("-arch={arch}"), "a.ptx", "-o", "a.cubin"]).args(option);
        command.current_dir(self.folder.path()).output().unwrap().status.success()
    }
}

fn release(name: &str) -> Release {
    Release::of_version(name).unwrap()
}

/// The real tools of three releases say what `check` says, on a sample of the cases.
#[test]
fn real_tools_agree() {
    // These never end with some releases, or take all memory: `observed.txt` has them.
    const ENDLESS: &str = "554-dwarfcheck-length-max";
    let cases = cases();
    let (mut asked, mut faults) = (0, Vec::new());
    for tool in ["12.6", "12.9", "13.5"].into_iter().filter_map(|name| Tool::of(release(name))) {
        let sample = cases.iter().filter(|case| case.name != ENDLESS).step_by(SAMPLE);
        for (at, case) in sample.enumerate() {
            let text = of_release(&case.text, tool.release);
            let (name, mode, option) = MODES[at % MODES.len()];
            asked += 1;
            let found = verdict(&text, tool.release, mode);
            let fault = wrong(&found, tool.accepts(&text, "sm_90", option));
            faults.extend(fault.map(|fault| format!("{} {} {name}: {fault}", tool.release, case.name)));
        }
    }
    eprintln!("{asked} runs");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Text that is not ASCII: in a comment, in the name of a file, in a name, and before all.
#[test]
fn text_that_is_not_ascii() {
    let module = |comment: &str, file: &str, name: &str| {
        format!(
            ".version 7.7\n.target sm_80\n.address_size 64\n// {comment}\n.file 1 \"{file}.cu\"\n.visible .entry {name}()\n{{\nret;\n}}\n"
        )
    };
    let texts = [
        module("caf\u{e9}", "a", "k"),
        module("a", "caf\u{e9}", "k"),
        module("a", "a", "caf\u{e9}"),
        format!("\u{feff}{}", module("a", "a", "k")),
    ];
    // By release: which of the texts are accepted.
    let expected = |release: Release| match release.number() {
        (11, _) | (12, 0..=2) => [true, true, false, false],
        (12, 3..=6) => [true, false, false, false],
        (12, _) | (13, 0) => [false; 4],
        _ => [true, false, false, false],
    };
    for release in Release::all() {
        let tool = Tool::of(release);
        for (text, is_accepted) in texts.iter().zip(expected(release)) {
            let found = verdict(text.as_bytes(), release, Mode::None);
            assert_eq!(found == Verdict::Accept, is_accepted, "{release}: {found}\n{text}");
            assert!(!matches!(found, Verdict::NotKnown(_)), "{release}: {found}\n{text}");
            if let Some(tool) = &tool {
                assert_eq!(tool.accepts(text.as_bytes(), "sm_80", None), is_accepted, "{release}\n{text}");
            }
        }
    }
}

/// Addresses of 32 bits: before CUDA 12.1 it depends on `-arch`, which `check` does not know.
#[test]
fn addresses_of_32_bits() {
    let text = b".version 7.7\n.target sm_80\n.address_size 32\n.visible .entry k()\n{\nret;\n}\n";
    for release in Release::all() {
        let found = verdict(text, release, Mode::None);
        let is_open = release <= self::release("12.0");
        assert_eq!(matches!(found, Verdict::NotKnown(_)), is_open, "{release}: {found}");
        assert!(matches!(verdict(text, release, Mode::G), Verdict::Reject(_)), "{release}");
        if let Some(tool) = Tool::of(release).filter(|_| is_open || release == self::release("12.1")) {
            assert_eq!(tool.accepts(text, "sm_80", None), is_open, "{release}");
        }
    }
}

/// Each architecture with the first `.version` that the release takes it with, and the one before.
#[test]
fn first_versions_of_architectures() {
    let module = |target: Arch, (major, minor): (u32, u32)| {
        // ptxas compares the two when it has read an item, and stops at what follows.
        format!(".version {major}.{minor}\n.target {target}\n.visible .entry k() {{ ret; }}\n!!\n")
    };
    let versions: Vec<(u32, u32)> = (10..=95)
        .map(|version| (version / 10, version % 10))
        .filter(|version| Release::NEWEST.takes_ptx(*version))
        .collect();
    for name in ["11.8", "12.8", "13.0", "13.1", "13.5"] {
        let release = release(name);
        let tool = Tool::of(release);
        for target in Arch::all_targets() {
            let first = target.ptx_version_in(release.number());
            let at = versions.iter().position(|version| Some(*version) == first);
            let newest = versions.iter().position(|version| *version == release.newest_ptx());
            let tried = match at {
                Some(at) => [at.checked_sub(1), Some(at)],
                None => [None, newest],
            };
            for version in tried.into_iter().flatten().map(|at| versions[at]) {
                let text = module(target, version);
                let report = check(&parse(&text), &CheckContext { release, ..CheckContext::default() });
                let refuses = |code: &str| report.findings.iter().any(|finding| finding.rule.code == code);
                let is_taken = !refuses("V006") && !refuses("V007");
                assert_eq!(is_taken, Some(version) == first, "{release}: {target} with {version:?}");
                let Some(tool) = &tool else { continue };
                fs::write(tool.folder.path().join("a.ptx"), text).unwrap();
                let mut command = Command::new(&tool.path);
                command.args(["-arch=sm_80", "a.ptx", "-o", "a.cubin"]).current_dir(tool.folder.path());
                let said = String::from_utf8_lossy(&command.output().unwrap().stderr).into_owned();
                let theirs =
                    !said.contains("Unsupported .target") && !said.contains("does not support .target");
                assert_eq!(theirs, is_taken, "{release}: {target} with {version:?}: {said}");
            }
        }
    }
}
