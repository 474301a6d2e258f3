//! Signals at random moments of every command that writes files: no file is half written, nothing
//! stays behind, no program that we started goes on, and the exit status is the signal's.
//!
//! The test command kills each command a few times, at moments of a fixed seed; `tools/campaign
//! kills` does it more often. `$NVDWARF_KILLS` is how often, `$NVDWARF_SEED` the seed,
//! `$NVDWARF_KILLED` another program than ours to compare with.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support::driver;
use crate::support::oracle;
use crate::support::random::Random;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// How often each command is killed by the test command.
const KILLS: u64 = 4;
const SEED: u64 = 19;
const SIGNALS: [Signal; 3] = [Signal::INT, Signal::TERM, Signal::HUP];
/// How long a program may take to end after it was killed.
const LIMIT: Duration = Duration::from_secs(10);

/// A ptxas that takes a while, has a child of its own, and gives what is beside it.
const SLOW_PTXAS: &str = r#"#!/bin/sh
sleep 300 &
child=$!
while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done
sleep 0.15
cp "$(dirname "$0")/made.cubin" "$out"
kill $child
"#;

/// Files by their paths in a folder.
type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A command that writes files.
struct Case {
    name: &'static str,
    /// The command line, without the program.
    args: &'static [&'static str],
    /// Name of the file that is standard input.
    stdin: Option<&'static str>,
    /// Whether all files are as before or all as after a whole run.
    is_together: bool,
}

const fn case(name: &'static str, args: &'static [&'static str]) -> Case {
    Case { name, args, stdin: None, is_together: true }
}

const CASES: [Case; 15] = [
    case("compile, slow ptxas", &["-lineinfo", "-arch", "sm_90", "k.ptx", "-o", "out"]),
    Case {
        stdin: Some("k.ptx"),
        ..case("compile, standard input", &["-lineinfo", "-arch", "sm_90", "-", "-o", "out"])
    },
    case("compile, several inputs", &["-arch", "sm_90", "k.ptx", "k.ptx", "-o", "out"]),
    case("compile, no ptxas", &["--code", "none", "-lineinfo", "-arch", "sm_90", "big.ptx", "-o", "out"]),
    case(
        "compile, a cubin",
        &["--code", "cubin:k.cubin", "-lineinfo", "-arch", "sm_90", "k.ptx", "-o", "out"],
    ),
    case("check --fix", &["check", "--fix", "--no-sources", "faulty.ptx"]),
    case("strip", &["strip", "k.cubin"]),
    case("strip --split", &["strip", "k.cubin", "--split", "k.debug"]),
    case("strip -o", &["strip", "k.cubin", "-o", "out"]),
    case("merc clone", &["merc", "clone", "merc.cubin"]),
    case("merc finalise", &["merc", "finalise", "merc.cubin"]),
    case("merc strip-capsule", &["merc", "strip-capsule", "merc.cubin"]),
    case("merc keep-capsule-only", &["merc", "keep-capsule-only", "merc.cubin"]),
    Case { is_together: false, ..case("extract -o", &["extract", "k.fatbin", "k.cubin", "-o", "folder"]) },
    case("print -o", &["print", "--normalise", "big.ptx", "-o", "out"]),
];

/// What came of the kills of a command.
#[derive(Debug, Default)]
struct Tally {
    /// Ended by the signal.
    killed: u64,
    /// Done before it.
    done: u64,
    /// What must not be.
    faults: Vec<String>,
}

/// A folder with the inputs of all cases, and a slow ptxas.
struct Inputs {
    files: Files,
    ptxas: PathBuf,
    _folder: tempfile::TempDir,
}

impl Inputs {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let pair = |name: &str| fs::read(Path::new("tests/pairs").join(name)).unwrap();
        let ptx = fs::read(driver::example("saxpy/saxpy.ptx")).unwrap();
        let big = [&ptx[..], &b"// a comment, to make it longer\n".repeat(100_000)].concat();
        // A wrong index, which `--fix` repairs.
        let text = String::from_utf8(ptx.clone()).unwrap();
        let file = text.lines().find(|line| line.trim_start().starts_with(".file")).unwrap().to_owned();
        let faulty = format!("{}{file}\n", String::from_utf8(big.clone()).unwrap());
        let files: [(&str, Vec<u8>); 6] = [
            ("k.ptx", ptx),
            ("big.ptx", big),
            ("faulty.ptx", faulty.into_bytes()),
            ("k.cubin", fs::read(driver::example("saxpy/saxpy.cubin")).unwrap()),
            ("k.fatbin", fs::read(driver::example("saxpy/saxpy.fatbin")).unwrap()),
            ("merc.cubin", pair("own_sections.sm_100.g.cubin")),
        ];
        let files = files.map(|(name, bytes)| (PathBuf::from(name), bytes));
        fs::copy(driver::example("saxpy/saxpy.cubin"), folder.path().join("made.cubin")).unwrap();
        let ptxas = folder.path().join("ptxas");
        fs::write(&ptxas, SLOW_PTXAS).unwrap();
        fs::set_permissions(&ptxas, fs::Permissions::from_mode(0o755)).unwrap();
        Self { files: files.into_iter().collect(), ptxas, _folder: folder }
    }
}

/// A folder in which a command runs.
struct Bench {
    folder: tempfile::TempDir,
    original: Files,
}

impl Bench {
    fn new(inputs: &Inputs, case: &Case) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tmp")).unwrap();
        let words = || case.args.iter().chain(&case.stdin).map(|word| word.trim_start_matches("cubin:"));
        let is_used = |path: &Path| words().any(|word| path == Path::new(word));
        for (path, bytes) in inputs.files.iter().filter(|(path, _)| is_used(path)) {
            fs::write(folder.path().join(path), bytes).unwrap();
        }
        let original = files_in(folder.path());
        Self { folder, original }
    }

    fn start(&self, case: &Case, ptxas: &Path) -> Child {
        let program = env::var_os("NVDWARF_KILLED");
        let mut command = Command::new(program.unwrap_or_else(|| env!("CARGO_BIN_EXE_ptxas-driver").into()));
        command.args(case.args).current_dir(self.folder.path());
        command.env("TMPDIR", self.folder.path().join("tmp")).env("PTXAS", ptxas);
        let stdin = case.stdin.map(|name| fs::File::open(self.folder.path().join(name)).unwrap());
        command.stdin(stdin.map_or_else(Stdio::null, Stdio::from));
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Programs that run in our name: all that we start have our folder for temporary files.
    fn orphans(&self) -> Vec<String> {
        let mark = format!("TMPDIR={}\0", self.folder.path().join("tmp").display());
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let is_ours = |path: &PathBuf| {
            let environment = fs::read(path.join("environ")).unwrap_or_default();
            environment.windows(mark.len()).any(|window| window == mark.as_bytes())
        };
        let name = |path: PathBuf| fs::read_to_string(path.join("cmdline")).unwrap_or_default();
        processes.map(|entry| entry.path()).filter(is_ours).map(name).collect()
    }

    fn has_orphans(&self) -> Option<Vec<String>> {
        // They were killed, but may not have noticed.
        let started = Instant::now();
        loop {
            let orphans = self.orphans();
            if orphans.is_empty() {
                return None;
            }
            if started.elapsed() > Duration::from_secs(1) {
                return Some(orphans);
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// All files in a folder.
fn files_in(folder: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(folder).unwrap().to_path_buf(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn wait(mut child: Child) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if started.elapsed() > LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("does not end");
        }
        thread::sleep(Duration::from_millis(1));
    }
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

fn kill_at_random(case: &Case, inputs: &Inputs, ptxas: &Path, kills: u64, random: &mut Random) -> Tally {
    let whole = Bench::new(inputs, case);
    let started = Instant::now();
    let status = wait(whole.start(case, ptxas));
    // Later runs may be faster, when the machine has less to do.
    let mut time = started.elapsed();
    let last = files_in(whole.folder.path());
    let mut tally = Tally::default();
    // `check` and `diff` have a status for what they found.
    assert!(matches!(status.code(), Some(0 | 1)), "{}: {status}", case.name);
    for _ in 0..kills {
        let bench = Bench::new(inputs, case);
        let child = bench.start(case, ptxas);
        let moment = random.below(1000);
        thread::sleep(time * moment / 1000);
        let signal = random.pick(&SIGNALS);
        kill_process(Pid::from_child(&child), signal).unwrap();
        let ended = wait(child);
        let when = format!("{}, {signal:?} after {moment}/1000 of {time:?}", case.name);
        match (ended.signal(), ended.code()) {
            (Some(by), _) if by == signal.as_raw() => {
                tally.killed += 1;
                time = time * 51 / 50;
            }
            // It had ended before.
            (None, code) if code == status.code() => {
                tally.done += 1;
                time = time * 9 / 10;
            }
            _ => tally.faults.push(format!("{when}: {ended}")),
        }
        if let Some(orphans) = bench.has_orphans() {
            tally.faults.push(format!("{when}: still runs: {orphans:?}"));
        }
        let left = files_in(bench.folder.path());
        for (path, bytes) in &left {
            let is = |files: &Files| files.get(path) == Some(bytes);
            if !is(&bench.original) && !is(&last) {
                tally.faults.push(format!("{when}: {} ({} bytes)", path.display(), bytes.len()));
            }
        }
        if case.is_together && left != bench.original && left != last {
            tally.faults.push(format!("{when}: neither as before nor as after: {:?}", left.keys()));
        }
        if fs::read_dir(bench.folder.path().join("tmp")).unwrap().next().is_some() {
            tally.faults.push(format!("{when}: a temporary folder stays"));
        }
    }
    tally
}

#[test]
fn nothing_is_left_behind() {
    let kills = number("NVDWARF_KILLS").unwrap_or(KILLS);
    let mut random = Random(number("NVDWARF_SEED").unwrap_or(SEED));
    let inputs = Inputs::new();
    let real = oracle::tool("ptxas");
    let real_cases = real.map(|ptxas| (case("compile, ptxas 13.0.88", CASES[0].args), ptxas));
    let with_slow = CASES.into_iter().map(|case| (case, inputs.ptxas.clone()));
    let (mut killed, mut faults) = (0, Vec::new());
    for (case, ptxas) in with_slow.chain(real_cases) {
        let tally = kill_at_random(&case, &inputs, &ptxas, kills, &mut random);
        let (by_signal, done, bad) = (tally.killed, tally.done, tally.faults.len());
        println!(
            "{:26} {kills:4} kills: {by_signal:4} ended by the signal, {done:4} were done, {bad:3} faults",
            case.name
        );
        killed += tally.killed;
        faults.extend(tally.faults);
    }
    assert!(faults.is_empty(), "{} faults: {faults:#?}", faults.len());
    // Where signals are ignored for us, nothing was shown.
    assert!(killed > 0, "no command was ended by a signal");
}

/// A `compile` that waits for its ptxas, a script that has said that it runs.
fn started(inputs: &Inputs, script: &str, launch: &[&str]) -> (Bench, Child) {
    let bench = Bench::new(inputs, &CASES[0]);
    let ptxas = bench.folder.path().join("tmp/ptxas");
    let path = |name: &str| bench.folder.path().join(name);
    // Another process writes it: a descriptor that is open for writing could be inherited by a
    // child of another test.
    let write = r#"printf %s "$1" > "$0" && chmod 755 "$0""#;
    let script = format!("#!/bin/sh\n{script}\n");
    assert!(Command::new("sh").args(["-c", write]).arg(&ptxas).arg(script).status().unwrap().success());
    let program = [launch, &[env!("CARGO_BIN_EXE_ptxas-driver")]].concat();
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).args(CASES[0].args).current_dir(bench.folder.path());
    command.env("TMPDIR", path("tmp")).env("PTXAS", &ptxas).env("READY", path("ready"));
    let child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !path("ready").exists() {
        assert!(begun.elapsed() < LIMIT, "the ptxas does not start");
        thread::sleep(Duration::from_millis(1));
    }
    (bench, child)
}

/// SIGKILL leaves us no time, but the kernel ends the ptxas.
#[test]
fn a_ptxas_ends_with_a_driver_that_is_killed() {
    if cfg!(not(target_os = "linux")) {
        return;
    }
    let (bench, mut child) = started(&Inputs::new(), ": > \"$READY\"; exec sleep 300", &[]);
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(Signal::KILL.as_raw()));
    assert_eq!(bench.has_orphans(), None);
    // Nothing that looks like an output file.
    assert!(!bench.folder.path().join("out").exists());
}

/// A ptxas that does not listen, and somebody who asks again.
#[test]
fn a_second_interrupt_is_no_worse_than_one() {
    let script = "trap '' HUP INT TERM; : > \"$READY\"; sleep 300";
    let (bench, child) = started(&Inputs::new(), script, &[]);
    for _ in 0..3 {
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(wait(child).signal(), Some(Signal::TERM.as_raw()));
    assert_eq!(bench.has_orphans(), None);
    assert_eq!(driver::names_in(&bench.folder.path().join("tmp")), ["ptxas"]);
}

/// As under `nohup`.
#[test]
fn a_signal_that_is_ignored_for_us_stays_ignored() {
    let script = format!(": > \"$READY\"; {}", SLOW_PTXAS.lines().skip(1).collect::<Vec<_>>().join("\n"));
    let inputs = Inputs::new();
    let script = script.replace(
        "$(dirname \"$0\")/made.cubin",
        &inputs.ptxas.with_file_name("made.cubin").display().to_string(),
    );
    let (bench, child) = started(&inputs, &script, &["sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""]);
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    assert_eq!(wait(child).code(), Some(0));
    assert!(bench.folder.path().join("out").exists());
}
