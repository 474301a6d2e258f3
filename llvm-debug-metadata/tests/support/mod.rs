//! What the tests share: LLVM 19's `opt` and `clang`, and modules that they make of
//! `tests/sources`.
//!
//! A test that lacks a tool says `skipped: ...` and passes; with `REQUIRE_ORACLES` set it fails.
#![allow(dead_code, unreachable_pub, reason = "each test program uses its own part")]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stderr, reason = "says what was not tried")]

pub mod python_modules;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

/// A program of LLVM 19, which `tools/llvm.sh` installs.
pub fn tool(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        assert!(env::var_os("REQUIRE_ORACLES").is_none(), "{name} is required and not there");
        eprintln!("skipped: no {name} here (tools/llvm.sh installs LLVM 19)");
    }
    found
}

/// Runs a program on a text in a file and returns what it prints.
pub fn run_on<S: AsRef<OsStr>>(program: &Path, arguments: &[S], text: &str) -> Output {
    let file = tempfile::Builder::new().suffix(".ll").tempfile().unwrap();
    fs::write(file.path(), text).unwrap();
    let command = &mut Command::new(program);
    command.args(arguments).arg(file.path()).args(["-o", "-"]).stdin(Stdio::null()).output().unwrap()
}

/// What a program prints that succeeds, without the lines that name the file.
pub fn printed<S: AsRef<OsStr>>(program: &Path, arguments: &[S], text: &str) -> String {
    let output = run_on(program, arguments, text);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    without_names(&String::from_utf8(output.stdout).unwrap())
}

/// A text without the lines that name its file.
pub fn without_names(text: &str) -> String {
    let is_name = |line: &&str| line.starts_with("; ModuleID") || line.starts_with("source_filename");
    text.split_inclusive('\n').filter(|line| !is_name(line)).collect()
}

/// One way to compile a source.
#[derive(Debug, Clone, Copy)]
pub struct Mode {
    pub optimisation: &'static str,
    pub debug: &'static [&'static str],
}

/// Modes of `tests/sources`: each debug option at each optimisation, with and without names.
pub fn modes() -> Vec<Mode> {
    const DEBUG: [&[&str]; 5] = [
        &["-g"],
        &["-g1"],
        &["-gline-tables-only"],
        &["-g", "--cuda-noopt-device-debug"],
        &["-g", "--cuda-noopt-device-debug", "-fno-discard-value-names"],
    ];
    let optimisations = ["-O0", "-O1", "-O2", "-O3"].into_iter();
    optimisations.flat_map(|optimisation| DEBUG.map(|debug| Mode { optimisation, debug })).collect()
}

/// The CUDA sources, sorted.
pub fn sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
    paths.sort();
    paths
}

/// A module that `opt-19 -S` printed, and its name.
#[derive(Debug, Clone)]
pub struct Sample {
    pub name: String,
    pub text: String,
}

/// The sources compiled in a part of all modes, so that each mode is there, or with `NVDWARF_ALL`
/// in all modes; and what numba and Triton make, where they are. They are made once.
pub fn samples() -> Option<Vec<Sample>> {
    static SAMPLES: OnceLock<Option<Vec<Sample>>> = OnceLock::new();
    SAMPLES.get_or_init(made_samples).clone()
}

fn made_samples() -> Option<Vec<Sample>> {
    let (clang, opt) = (tool("clang-19")?, tool("opt-19")?);
    let is_all = env::var_os("NVDWARF_ALL").is_some();
    let modes = modes();
    let mut wanted = Vec::new();
    for (at, source) in sources().into_iter().enumerate() {
        for (index, mode) in modes.iter().enumerate() {
            if is_all || (at + index) % 7 == 0 {
                wanted.push((source.clone(), *mode));
            }
        }
    }
    let mut samples = in_parallel(&wanted, |(source, mode)| {
        let output = Command::new(&clang)
            .args("-x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_90 -w".split(' '))
            .args(["-S", "-emit-llvm", mode.optimisation])
            .args(mode.debug)
            .arg(source)
            .args(["-o", "-"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = printed(&opt, &["-S"], &String::from_utf8(output.stdout).unwrap());
        let stem = source.file_stem().unwrap().to_string_lossy();
        Sample { name: format!("{stem} {} {}", mode.optimisation, mode.debug.join(" ")), text }
    });
    let others = [python_modules::numba(), python_modules::triton()].into_iter().flatten();
    let others: Vec<Sample> = others.flat_map(|(_, modules)| modules).collect();
    samples.extend(in_parallel(&others, |sample| Sample {
        name: sample.name.clone(),
        text: printed(&opt, &["-S"], &python_modules::as_llvm_19(&sample.text)),
    }));
    Some(samples)
}

/// The results of `make` for all inputs, made on all cores.
pub fn in_parallel<I: Sync, O: Send>(inputs: &[I], make: impl Fn(&I) -> O + Sync) -> Vec<O> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut made = Vec::new();
        while let Some((index, input)) = Some(next.fetch_add(1, Ordering::Relaxed))
            .and_then(|index| inputs.get(index).map(|input| (index, input)))
        {
            made.push((index, make(input)));
        }
        made
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut all: Vec<(usize, O)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, made)| made).collect()
}

/// A file of `tests/data`.
pub fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
