//! ptxas and `check` on one module in one way, and whether they agree.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use ptx_syntax::check::{CheckContext, Mode, Verdict, check};
use ptx_syntax::{Release, parse};

/// How both are called.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub mode: Mode,
    pub relocatable: bool,
}

/// All ways.
pub const WAYS: [Way; 6] = [
    Way { mode: Mode::None, relocatable: false },
    Way { mode: Mode::Lineinfo, relocatable: false },
    Way { mode: Mode::G, relocatable: false },
    Way { mode: Mode::None, relocatable: true },
    Way { mode: Mode::Lineinfo, relocatable: true },
    Way { mode: Mode::G, relocatable: true },
];

impl Way {
    /// The options of ptxas.
    pub fn ptxas(self) -> Vec<&'static str> {
        let mode = match self.mode {
            Mode::None => None,
            Mode::Lineinfo => Some("-lineinfo"),
            Mode::G => Some("-g"),
        };
        mode.into_iter().chain(self.relocatable.then_some("-c")).collect()
    }
}

/// What ptxas did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub accepts: bool,
    /// The first line that refuses, without file and line; `signal N` or `hangs`.
    pub reason: String,
}

/// A ptxas and a folder of its own.
pub struct Oracle<'p> {
    pub ptxas: &'p Path,
    pub release: Release,
    pub folder: PathBuf,
}

/// Longer than any of these modules takes.
const PATIENCE: Duration = Duration::from_secs(5);

impl Oracle<'_> {
    pub fn run(&self, text: &str, way: Way) -> Run {
        fs::write(self.folder.join("a.ptx"), text).unwrap();
        let errors = self.folder.join("errors");
        let mut child = Command::new(self.ptxas)
            .args([arch(self.release), "a.ptx", "-o", "a.cubin"])
            .args(way.ptxas())
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(&errors).unwrap())
            .spawn()
            .unwrap();
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > PATIENCE {
                child.kill().unwrap();
                child.wait().unwrap();
                return Run { accepts: false, reason: "hangs".to_owned() };
            }
            sleep(Duration::from_millis(1));
        };
        let words = String::from_utf8_lossy(&fs::read(&errors).unwrap()).into_owned();
        let reason = match status.code() {
            Some(_) => reason(&words),
            None => "a signal".to_owned(),
        };
        Run { accepts: status.success(), reason }
    }
}

/// The `-arch` for modules whose `.target` is sm_90, where the release has that.
fn arch(release: Release) -> &'static str {
    if release == Release::OLDEST { "-arch=sm_86" } else { "-arch=sm_90" }
}

/// The first message that refuses.
fn reason(words: &str) -> String {
    let refuses = |line: &&str| line.contains("error   : ") || line.contains("fatal   : ");
    let line = words.lines().find(refuses).or(words.lines().next()).unwrap_or("");
    line.rsplit_once("   : ").map_or(line, |(_, text)| text).to_owned()
}

/// What ptxas says of modules that it refuses for their code, which `check` does not judge.
const OF_CODE: &[&str] = &[
    "Arguments mismatch for instruction",
    "Unexpected instruction types specified",
    "Unknown symbol",
    "Unknown field",
    "Unknown modifier",
    "Illegal modifier",
    "Illegal operand type",
    "Label expected for",
    "Result register required",
    "Array indexing on non-array",
    "as address operand",
    "Immediate addresses allowed",
    "State space mismatch between instruction and address",
    // Of registers, 4,294,967,295 of one name.
    "Memory allocation failure",
    "Comparison qualifier",
    "Predicate expression expected",
    "must be register",
    "Type of ",
    "Address expected for",
    "SM version specified by .target is higher",
    "Instruction '",
    "Modifier '",
    "requires .target",
    "Invalid instruction",
    "Illegal vector",
    "not supported on .target",
    "cannot be compiled ",
];

/// The verdict of `check` for a release.
pub fn verdict(text: &str, way: Way, release: Release) -> Verdict {
    let context = CheckContext { release, relocatable: way.relocatable, ..CheckContext::default() };
    check(&parse(text), &context).verdict(way.mode)
}

/// The kind of a disagreement: what ptxas said, names and numbers left out, and our rule. None
/// where both agree, where our verdict is that it is not known, or where ptxas refuses for the
/// code.
pub fn disagreement(run: &Run, verdict: &Verdict) -> Option<String> {
    let is_same = run.accepts == (*verdict == Verdict::Accept) || matches!(verdict, Verdict::NotKnown(_));
    if is_same || OF_CODE.iter().any(|words| run.reason.contains(words)) {
        return None;
    }
    let theirs = if run.accepts { "accepted".to_owned() } else { format!("\"{}\"", general(&run.reason)) };
    Some(format!("{theirs}, we {verdict}"))
}

/// A message without names and numbers.
pub fn general(reason: &str) -> String {
    let mut quoted = false;
    let kept = reason.chars().filter(|&c| {
        quoted ^= c == '\'';
        (c == '\'' || !quoted) && !c.is_ascii_digit()
    });
    kept.collect()
}

/// Whether ptxas was stopped by the code alone.
pub fn is_of_code(run: &Run) -> bool {
    OF_CODE.iter().any(|words| run.reason.contains(words))
}
