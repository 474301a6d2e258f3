//! `check` against ptxas 13.0.88 on random modules: the same verdict, with and without debug
//! options and `-c`.
//!
//! The modules come from the grammar of PTX and DWARF, and up to two random changes are made to
//! each. The test command tries a few; `tools/campaign verdicts` tries as many as one likes.
//! `NVDWARF_SEED` and `NVDWARF_COUNT` are the seed and the number of modules, `NVDWARF_RELEASE` is
//! the release of ptxas (13.0), and `NVDWARF_FINDINGS` is a folder for those on which the two do
//! not agree.
// Helpers outside `#[test]` functions; a panic is a test's way to fail, standard error its way to
// say what it saw.
#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::indexing_slicing, unreachable_pub)]

mod dwarf;
mod minimise;
mod module;
mod mutate;
mod oracle;
#[path = "../support/mod.rs"]
mod support;
mod words;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, thread};

use fastrand::Rng;
use oracle::{Oracle, WAYS, Way, disagreement, general, is_of_code, verdict};
use ptx_syntax::Release;
use ptx_syntax::check::Verdict;

/// How many modules of each kind are made smaller.
const KEPT: usize = 3;
/// How many of ptxas' reasons to refuse are shown.
const SHOWN: usize = 12;
/// How often ptxas runs where it did not agree: what it does with memory that it should not read
/// changes.
const AGAIN: usize = 5;

/// Seed and count of the run of `cargo test`.
const DEFAULT_RUN: (u64, u64) = (1, 300);

/// The modules of that run on which the two are known not to agree: faults of `check` that are
/// still to be found. A verdict that comes right goes from this list.
const KNOWN: &[(u64, &str)] = &[];

/// A module on which the two do not agree.
struct Finding {
    number: u64,
    way: Way,
    kind: String,
    text: String,
    /// ptxas did not do the same on each run.
    unstable: bool,
}

#[derive(Default)]
struct Outcome {
    rejected: u64,
    of_code: u64,
    not_known: u64,
    /// How often ptxas refused for what.
    reasons: BTreeMap<String, u64>,
    findings: Vec<Finding>,
}

/// The text of a module and how it is tried.
fn subject(seed: u64, number: u64, release: Release) -> (String, Way) {
    let mut random = Rng::with_seed(seed.wrapping_shl(32).wrapping_add(number));
    let mut lines = module::module(&mut random);
    mutate::mutate(&mut random, &mut lines);
    let text: String = lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect();
    let way = WAYS[random.usize(..WAYS.len())];
    (of_release(text, release), way)
}

/// An older release refuses most modules for their `.version` alone, if that is not lowered.
fn of_release(text: String, release: Release) -> String {
    let (major, minor) = release.newest_ptx();
    if (major, minor) >= (9, 0) {
        return text;
    }
    let text = text.replace(".version 9.0", &format!(".version {major}.{minor}"));
    if release == Release::OLDEST { text.replace("sm_90", "sm_86") } else { text }
}

fn number(name: &str) -> Option<u64> {
    Some(env::var(name).ok()?.parse().unwrap())
}

#[test]
fn random_modules_have_the_verdict_of_ptxas() {
    let asked = env::var("NVDWARF_RELEASE").ok();
    let release = asked.map_or(Release::V13_0, |name| Release::of_version(&name).unwrap());
    let Some(ptxas) = support::ptxas_of(release) else { return };
    let (seed, count) =
        (number("NVDWARF_SEED").unwrap_or(DEFAULT_RUN.0), number("NVDWARF_COUNT").unwrap_or(DEFAULT_RUN.1));
    let outcome = Mutex::new(Outcome::default());
    let next = AtomicU64::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work((&ptxas, release), seed, count, &next, &outcome));
        }
    });
    let mut outcome = outcome.into_inner().unwrap();
    outcome.findings.sort_by_key(|finding| finding.number);
    report((&ptxas, release), seed, count, &outcome);
    let stable = || outcome.findings.iter().filter(|finding| !finding.unstable);
    if (seed, count, release) == (DEFAULT_RUN.0, DEFAULT_RUN.1, Release::V13_0) {
        let found: Vec<_> = stable().map(|finding| (finding.number, finding.kind.as_str())).collect();
        assert_eq!(found, KNOWN);
    } else {
        let stable = stable().count() as u64;
        assert!(stable * 1000 <= count, "{stable} of {count} verdicts differ: more than 0.1 %");
    }
}

fn work(
    (ptxas, release): (&Path, Release),
    seed: u64,
    count: u64,
    next: &AtomicU64,
    outcome: &Mutex<Outcome>,
) {
    let folder = tempfile::tempdir().unwrap();
    let oracle = Oracle { ptxas, release, folder: folder.path().to_owned() };
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= count {
            return;
        }
        let (text, way) = subject(seed, number, release);
        let run = oracle.run(&text, way);
        let ours = verdict(&text, way, release);
        let kind = disagreement(&run, &ours);
        let unstable = kind.is_some() && (1..AGAIN).any(|_| oracle.run(&text, way).accepts != run.accepts);
        let mut outcome = outcome.lock().unwrap();
        outcome.rejected += u64::from(!run.accepts);
        outcome.of_code += u64::from(is_of_code(&run));
        outcome.not_known += u64::from(matches!(ours, Verdict::NotKnown(_)));
        if !run.accepts {
            *outcome.reasons.entry(general(&run.reason)).or_default() += 1;
        }
        outcome.findings.extend(kind.map(|kind| Finding { number, way, kind, text, unstable }));
    }
}

fn report((ptxas, release): (&Path, Release), seed: u64, count: u64, outcome: &Outcome) {
    let Outcome { rejected, of_code, not_known, reasons, findings } = outcome;
    let mut kinds: BTreeMap<(bool, &str), Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        kinds.entry((finding.unstable, &finding.kind)).or_default().push(finding);
    }
    eprintln!(
        "seed {seed}: {count} verdicts, {rejected} rejected by ptxas ({of_code} for the code alone), {not_known} not known, {} disagreements of {} kinds",
        findings.len(),
        kinds.len()
    );
    let mut reasons: Vec<_> = reasons.iter().collect();
    reasons.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    for (reason, count) in reasons.into_iter().take(SHOWN) {
        eprintln!("{count:6}  refused: {reason}");
    }
    let folder = env::var_os("NVDWARF_FINDINGS").map(PathBuf::from);
    for ((unstable, kind), of_kind) in kinds {
        let unstable = if unstable { " (ptxas does not do the same each time)" } else { "" };
        eprintln!("{:6}  {kind}{unstable}", of_kind.len());
        let Some(folder) = &folder else { continue };
        for finding in of_kind.iter().take(KEPT) {
            save((ptxas, release), folder, seed, finding);
        }
    }
}

fn save((ptxas, release): (&Path, Release), folder: &Path, seed: u64, finding: &Finding) {
    let Finding { number, way, kind, text, unstable } = finding;
    let work = tempfile::tempdir().unwrap();
    let oracle = Oracle { ptxas, release, folder: work.path().to_owned() };
    fs::write(folder.join(format!("{number:06}-whole.ptx")), text).unwrap();
    let text = if *unstable { text.clone() } else { minimise::minimise(&oracle, text, *way, kind) };
    let options = way.ptxas().join(" ");
    let name = format!("{number:06}.ptx");
    let head = format!("// seed {seed}, number {number}: ptxas {options}: {kind}\n");
    fs::write(folder.join(&name), text + &head).unwrap();
    eprintln!("        {name} ({options})");
}
