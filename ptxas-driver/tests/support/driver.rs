//! Runs the driver as a user does, and what tests look at afterwards.
#![allow(dead_code, unreachable_pub, reason = "each test program uses its own part")]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::Entry;
use nv_debug_sections::catalog::is_debug_section;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line;
use nv_debug_sections::relocated::RelocatedCubin;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// ptxas' exit code for every failure, and ours.
pub const FAILURE: i32 = 255;

/// The driver, without arguments and without standard input.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    command.stdin(Stdio::null());
    command
}

/// The driver's `compile`, without arguments.
pub fn compile() -> Command {
    let mut command = program();
    command.arg("compile");
    command
}

/// The driver's `compile` on a corpus entry with the entry's own options, without `-o` and
/// `--code`.
///
/// Times and sizes of source files are those that the entry's cubin records.
pub fn compile_entry(entry: &Entry) -> Command {
    let (ptx, cubin) = (entry.ptx.as_ref().unwrap(), entry.cubin.as_ref().unwrap());
    let mut command = compile();
    command.arg(ptx).arg("-arch").arg(arch(entry, ptx));
    command.args(mode_options(entry));
    for stat in recorded_stats(ptx, cubin) {
        command.arg("--file-stat").arg(stat);
    }
    command
}

/// The options that decide how much debug information the entry's cubin has, and `-c` where it is
/// relocatable.
pub fn mode_options(entry: &Entry) -> Vec<&'static str> {
    let level = match &*entry.mode {
        "lineinfo-suppress" => Some("--suppress-debug-info"),
        "lineinfo-as-g" => Some("-g"),
        "G-dopt" => Some("-lineinfo"),
        mode => match mode.split('-').next().unwrap() {
            "G" | "g" | "gO0" | "debug" => Some("-g"),
            "lineinfo" | "glmt" => Some("-lineinfo"),
            _ => None,
        },
    };
    let cubin = fs::read(entry.cubin.as_ref().unwrap()).unwrap();
    let relocatable = Cubin::parse(&cubin).unwrap().header.is_relocatable();
    level.into_iter().chain(relocatable.then_some("-c")).collect()
}

/// The entry's architecture, with the letter of the PTX's `.target`.
pub fn arch(entry: &Entry, ptx: &Path) -> String {
    let text = fs::read_to_string(ptx).unwrap();
    let parsed = ptx_syntax::parse(&text);
    let target = parsed.module.target().and_then(|target| target.arch()).map_or("", |name| name.text);
    if target.starts_with(&entry.arch) { target.to_owned() } else { entry.arch.clone() }
}

/// `--code cubin:PATH` as one argument after `--code`.
pub fn code_of(cubin: &Path) -> OsString {
    let mut code = OsString::from("cubin:");
    code.push(cubin);
    code
}

/// Runs the driver without standard input.
pub fn run(args: &[&str]) -> Output {
    program().args(args).output().unwrap()
}

/// What a command says of a file.
pub fn answer(command: &str, file: &Path, args: &[&str]) -> Output {
    program().args(command.split(' ')).arg(file).args(args).output().unwrap()
}

/// What a run prints on standard output.
pub fn printed(run: &Output) -> String {
    String::from_utf8(run.stdout.clone()).unwrap()
}

/// Printed bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Path of a small input that does harm, from the folder that tests run in.
pub fn hostile(name: &str) -> String {
    format!("tests/hostile/{name}")
}

/// What a run prints on standard error.
pub fn messages(run: &Output) -> String {
    text(&run.stderr)
}

/// Runs `command`.
///
/// # Panics
///
/// On failure, with the messages.
pub fn succeed(command: &mut Command) {
    let run = command.output().unwrap();
    assert!(run.status.success(), "{command:?}: {}\n{}", run.status, messages(&run));
}

/// Runs `command` with `-o output` and returns the file it wrote.
///
/// # Panics
///
/// On failure, with the messages.
pub fn made(command: &mut Command, output: &Path) -> Vec<u8> {
    let run = command.arg("-o").arg(output).output().unwrap();
    assert!(run.status.success(), "{command:?}: {}\n{}", run.status, messages(&run));
    fs::read(output).unwrap()
}

/// Time and size of each source file as a cubin's file table has them: entries follow `.file` by
/// increasing index.
pub fn recorded_stats(ptx: &Path, cubin: &Path) -> Vec<String> {
    let text = fs::read_to_string(ptx).unwrap();
    let parsed = ptx_syntax::parse(&text);
    let mut files: Vec<_> = parsed.module.files().map(|file| (file.index, file.path)).collect();
    files.sort_unstable();
    let data = fs::read(cubin).unwrap();
    let cubin = Cubin::parse(&data).unwrap();
    let Some(index) = cubin.section_by_name(".debug_line") else { return Vec::new() };
    let bytes = cubin.bytes(index).unwrap();
    let tables = line::decode(".debug_line", &bytes).unwrap();
    let recorded = tables.iter().flat_map(|table| &table.files);
    files
        .iter()
        .zip(recorded)
        .map(|((_, path), file)| format!("{path}={},{}", file.mtime, file.size))
        .collect()
}

/// The names in a folder, sorted: what a failed run may have left behind.
pub fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A file of `examples/`, such as `saxpy/saxpy.ptx`.
pub fn example(path: &str) -> PathBuf {
    crate::support::repository().join("examples").join(path)
}

/// The pairs of [`crate::support::simple_pairs`] for sm_90, whose line tables come from Mercury
/// ones.
pub fn sm_90_pairs() -> Vec<Entry> {
    pairs(|sm| sm == 90)
}

/// The pairs of [`crate::support::simple_pairs`] for other SMs.
pub fn pairs(passes: impl Fn(u32) -> bool) -> Vec<Entry> {
    crate::support::corpus(|entry| {
        entry.ok
            && ["cuda", "nvrtc"].contains(&&*entry.producer)
            && ["lineinfo", "G"].contains(&&*entry.mode)
            && passes(entry.sm())
            && entry.ptx.is_some()
            && entry.cubin.is_some()
    })
}

/// A file with each debug section as readers see it: bytes under a RELA entry are stale in ptxas'
/// files (docs/formats/relocations.md, fields).
pub fn as_read(file: &[u8]) -> Vec<(String, Vec<u8>)> {
    let cubin = Cubin::parse(file).unwrap();
    let view = RelocatedCubin::new(&cubin);
    let bytes = |(index, name, _)| {
        let relocated = is_debug_section(name).then(|| view.section(index).unwrap().bytes.into_owned());
        relocated.unwrap_or_else(|| cubin.bytes(index).unwrap().into_owned())
    };
    cubin.iter().map(|section| (section.1.to_owned(), bytes(section))).collect()
}

/// What a run says, without what is ours and without times; and what it writes.
#[derive(Debug, PartialEq)]
pub struct Ran {
    pub exit: Option<i32>,
    pub messages: String,
    pub file: Option<Vec<u8>>,
}

impl Ran {
    /// Runs ptxas, or us in its place, whose output is that file.
    pub fn of(command: &mut Command, output: &Path) -> Self {
        let _ = fs::remove_file(output);
        let run = command.output().unwrap();
        let ours = ["did you mean", "several inputs: "];
        let is_ours =
            |line: &&str| line.starts_with("nvdwarf ") || ours.iter().any(|words| line.contains(words));
        let messages = messages(&run);
        let lines = messages.lines().filter(|line| !is_ours(line));
        let untimed = lines.map(|line| line.split("Compile time = ").next().unwrap().to_owned() + "\n");
        Self { exit: run.status.code(), messages: untimed.collect(), file: fs::read(output).ok() }
    }
}
