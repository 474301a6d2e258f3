//! libNVVM 13.0.88, which `tools/oracle.sh` installs, asked through `tools/libnvvm.py`.
#![allow(dead_code, unreachable_pub, reason = "each test program uses its own part")]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use llvm_debug_metadata::IrDialect;
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// How long libNVVM may work on a module before it is taken to be lost in a circle. It needs less
/// than a second.
const PATIENCE: Duration = Duration::from_secs(5);

/// The folder of NVIDIA's tools.
pub fn toolkit() -> Option<PathBuf> {
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let place = env::var_os("NVDWARF_ORACLE").map(PathBuf::from);
    let place = place.unwrap_or_else(|| home.join(".cache/nvdwarf/oracle-13.0.88"));
    let versions = fs::read_dir(place.join("lib")).into_iter().flatten().flatten();
    let folders = versions.map(|version| version.path().join("site-packages/nvidia/cu13"));
    let found = folders.into_iter().find(|folder| folder.join("lib/libnvvm.so.4").is_file());
    if found.is_none() {
        assert!(env::var_os("REQUIRE_ORACLES").is_none(), "libNVVM is required and not there");
        #[allow(clippy::print_stderr, reason = "says what was not tried")]
        {
            eprintln!("skipped: no libNVVM here (tools/oracle.sh installs it)");
        }
    }
    found
}

/// How libNVVM ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It returned this code.
    Code(i32),
    /// It died of this signal.
    Signal(i32),
    /// It was still at it when patience ran out.
    Never,
}

/// What libNVVM did with a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub ended: Ended,
    /// Its log and what it wrote to standard error.
    pub words: String,
    pub ptx: String,
}

impl Asked {
    /// How many `.loc` the PTX has.
    pub fn locs(&self) -> usize {
        self.ptx.lines().filter(|line| line.trim_start().starts_with(".loc\t")).count()
    }

    /// The sentences about the module, each once and without the nodes and places after them.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences: Vec<String> = Vec::new();
        for line in self.words.trim_end_matches('\0').lines() {
            let line = match line.split_once(": parse ").or_else(|| line.split_once(": error: incompatible"))
            {
                Some((place, words)) if place.ends_with(')') => words.to_owned(),
                Some((_, words)) => format!("error: incompatible{words}"),
                None => line.to_owned(),
            };
            let is_sentence = !line.is_empty()
                && !line.contains(" is a kernel, so overriding ")
                && (line.starts_with("!dbg attachment") || !line.starts_with([' ', '!', '#', '@', '<']))
                && !["ptr ", "void ", "i32 ", "i64 ", "label ", "null", "distinct ", "error: Error"]
                    .iter()
                    .any(|part| line.starts_with(part))
                && !line.bytes().all(|byte| byte.is_ascii_digit());
            let line =
                if line.trim() == "Invalid address space for global variable" { line.trim() } else { &line };
            if (is_sentence || line.starts_with("Invalid address"))
                && !sentences.iter().any(|said| said == line)
            {
                sentences.push(line.to_owned());
            }
        }
        sentences
    }
}

/// The call of libNVVM on a file, for an architecture that reads its dialect; its options follow.
pub fn libnvvm(toolkit: &Path, module: &Path, dialect: IrDialect) -> Command {
    let mut command = Command::new("python3");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/libnvvm.py"));
    command.arg(toolkit.join("lib/libnvvm.so.4")).arg(module);
    command.arg(match dialect {
        IrDialect::TypedPointers => "-arch=compute_90",
        IrDialect::OpaquePointers => "-arch=compute_100",
    });
    command
}

/// Asks libNVVM about a module, for an architecture that reads its dialect.
pub fn ask(toolkit: &Path, text: &str, dialect: IrDialect) -> Asked {
    let folder = tempfile::tempdir().unwrap();
    let (module, words) = (folder.path().join("module.ll"), folder.path().join("words"));
    let ptx = folder.path().join("module.ptx");
    fs::write(&module, text).unwrap();
    let mut child = libnvvm(toolkit, &module, dialect)
        .stdin(Stdio::null())
        .stdout(fs::File::create(&ptx).unwrap())
        .stderr(fs::File::create(&words).unwrap())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let ended = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status.code().map_or_else(|| Ended::Signal(status.signal().unwrap_or(0)), Ended::Code);
        }
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            break Ended::Never;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let read = |path: &Path| {
        let mut bytes = Vec::new();
        fs::File::open(path).unwrap().read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Asked { ended, words: read(&words), ptx: read(&ptx) }
}
