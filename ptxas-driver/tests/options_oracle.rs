//! Our command line against ptxas' own: the same messages and exit code, for the same arguments.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support;
use crate::support::driver::{self, Ran};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Command lines; the file `t.ptx` exists, `nosuch.ptx` does not.
const SAME: &[&str] = &[
    "t.ptx",
    "t.ptx -arch sm_90 -o x.cubin",
    "-arch=sm_90 t.ptx",
    "--gpu-name=sm_90 t.ptx",
    "--arch sm_90 t.ptx",
    "-gpu-name sm_90 t.ptx",
    "-arch sm_30 t.ptx",
    "-arch= t.ptx",
    "-arch sm_90,sm_80 t.ptx",
    "-archsm_90 t.ptx",
    "-arch",
    "-arch -g t.ptx",
    "t.ptx -o",
    "-ox.cubin t.ptx",
    "-o -c t.ptx",
    "-O3 t.ptx",
    "-O=3 t.ptx",
    "-O t.ptx",
    "-Ox t.ptx",
    "-O-1 t.ptx",
    "-O08 t.ptx",
    "-O2.5 t.ptx",
    "-O0b11 t.ptx",
    "-O99999999999 t.ptx",
    "-O0xffffffff t.ptx",
    "--opt-level=2 t.ptx",
    "--opt-level 2 t.ptx",
    "--opt-level t.ptx",
    "--opt-level2 t.ptx",
    "-O3 -O3 -O2 -O2 t.ptx",
    "-O1 -O2 -O3 t.ptx",
    "-O3 -O2 -Werror t.ptx",
    "-O2 -O3 -foo",
    "-O2 --opt-level=0x2 t.ptx",
    "-m64 -m 64 -m=64 -m0x40 -m=0100 --machine=64 t.ptx",
    "-m 32 t.ptx",
    "-m= t.ptx",
    "-m t.ptx",
    "-mfoo t.ptx",
    "-m99999999999 t.ptx",
    "-o a -o b t.ptx",
    "-arch sm_90 -arch sm_80 t.ptx",
    "-c -c t.ptx",
    "-g=true t.ptx",
    "-gx t.ptx",
    "--device-debug=false t.ptx",
    "-lineinfo=1 t.ptx",
    "--lineinfo t.ptx",
    "-G t.ptx",
    "--foo t.ptx",
    "-foo=3 t.ptx",
    "-- t.ptx",
    "--- t.ptx",
    "-g -O1 t.ptx",
    "-g -O-1 t.ptx",
    "-g -O3 nosuch.ptx",
    "-g -lineinfo -O3 t.ptx",
    "-g -lineinfo -w t.ptx",
    "-g -lineinfo -Werror -w t.ptx",
    "-lineinfo -O0 t.ptx",
    "nosuch.ptx",
    "t.ptx -o nodir/x.cubin",
    "-arch sm_1 -foo",
    "-foo -arch sm_1",
    "-h -arch sm_1",
    "-g true t.ptx",
    "a.ptx b.ptx",
    "-fmad t.ptx",
    "-fmad=1 t.ptx",
    "-pic= t.ptx",
    "-split-compile 08 t.ptx",
    "-minnctapersm t.ptx",
    "-maxrregcount32 t.ptx",
    "--fmad false -fmad=false -pic xx",
    "-e",
    "-astoolspatch=1",
    "-dlcmca t.ptx",
    "-optf nosuch.opt t.ptx",
    "-optf options.opt",
    "-optf options.opt -arch sm_80",
    "--options-file=options.opt,empty.opt",
    "-optf open.opt x.cubin",
    "-optf cycle.opt t.ptx",
    "-optf quote.opt t.ptx",
    "-foo -optf nosuch.opt",
    "-arch compute_90 t.ptx",
    "-arch lto_90a -lineinfo t.ptx",
    "-arch compute_90b t.ptx",
];

/// Command lines with options of the code provider, which the ptxas that makes the code answers.
const PASSED: &[&str] = &[
    "--regAllocOptLevel=2 t.ptx",
    "-regAllocOptLevel 2 t.ptx -v",
    "-v -O2 -warn-spills t.ptx",
    "-Ofc xx t.ptx",
    "-maxrregcount xx t.ptx",
    "-maxrregcount 300 t.ptx",
    "-maxrregcount=16 -maxrregcount=32 t.ptx",
    "-regUsageLevel 11 -Werror t.ptx",
    "-sanitize xx t.ptx",
    "-dlcm xx t.ptx",
    "-e l t.ptx",
    "-e k -v t.ptx",
    "-foo=3 t.ptx",
    "-foo t.ptx",
    "-arch compute_90 -foo t.ptx",
    "-arch compute_90 -v t.ptx",
    "-arch compute_90 wrong.ptx",
    "--suppress-debug-info t.ptx",
    "--suppress-debug-info -Werror t.ptx",
    "-g -lineinfo -w t.ptx",
    "-g -lineinfo t.ptx",
    "-optf passed.opt t.ptx",
];

/// Exit code and messages, without the tool's name and our hints.
fn run(program: &Path, dir: &Path, line: &str) -> (Option<i32>, Vec<String>) {
    let run = Command::new(program).args(line.split(' ')).current_dir(dir).output().unwrap();
    let stderr = String::from_utf8(run.stderr).unwrap();
    let messages = stderr.lines().map(|line| line.split_once(' ').map_or(line, |(_, text)| text));
    (run.status.code(), messages.filter(|text| !text.starts_with("info ")).map(str::to_owned).collect())
}

/// A folder with the files that the command lines name.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("t.ptx", ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n"),
        ("wrong.ptx", ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { rot; }\n"),
        ("options.opt", "-arch sm_90\n\"t.ptx\" -w -o x\\ y.cubin"),
        ("empty.opt", " \n"),
        ("open.opt", "t.ptx -o"),
        ("cycle.opt", "-optf cycle.opt"),
        ("quote.opt", "\"t.ptx"),
        ("passed.opt", "-v -maxrregcount 32"),
    ] {
        fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

#[test]
fn the_same_messages_and_exit_code() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let dir = folder();
    let ours = Path::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    let differ: Vec<String> = SAME
        .iter()
        .map(|line| {
            (line, run(&ptxas, dir.path(), line), run(ours, dir.path(), &format!("--code=none {line}")))
        })
        .filter(|(_, theirs, ours)| theirs != ours)
        .map(|(line, theirs, ours)| format!("{line}\n  ptxas: {theirs:?}\n  ours:  {ours:?}"))
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// How two runs differ.
fn difference(theirs: &Ran, ours: &Ran) -> Option<String> {
    if (theirs.exit, &theirs.messages) != (ours.exit, &ours.messages) {
        return Some(format!(
            "\n  ptxas: {:?} {:?}\n  ours:  {:?} {:?}",
            theirs.exit, theirs.messages, ours.exit, ours.messages
        ));
    }
    match (&theirs.file, &ours.file) {
        (theirs, ours) if theirs == ours => None,
        (Some(theirs), Some(ours)) if theirs.len() == ours.len() => {
            let (theirs, ours) = (driver::as_read(theirs), driver::as_read(ours));
            let differ: Vec<_> = theirs.iter().zip(&ours).filter(|(theirs, ours)| theirs != ours).collect();
            let names: Vec<_> = differ.iter().map(|(theirs, _)| &theirs.0).collect();
            (!differ.is_empty()).then(|| format!(" {names:?}"))
        }
        (theirs, ours) => {
            let size = |file: &Option<Vec<u8>>| file.as_ref().map(Vec::len);
            Some(format!(" sizes {:?} and {:?}", size(theirs), size(ours)))
        }
    }
}

#[test]
fn options_of_the_code_provider_reach_it() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let dir = folder();
    let output = dir.path().join("x.cubin");
    let mut differ = Vec::new();
    for line in PASSED {
        let words = |program: &Path| {
            let mut command = Command::new(program);
            command.args(line.split(' ')).args(["-o", "x.cubin"]).current_dir(dir.path());
            command.env("PTXAS", &ptxas);
            Ran::of(&mut command, &output)
        };
        let (theirs, ours) = (words(&ptxas), words(Path::new(env!("CARGO_BIN_EXE_ptxas-driver"))));
        differ.extend(difference(&theirs, &ours).map(|how| format!("{line}:{how}")));
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// PTX like that of the recorded runs: without `.loc`, with `.loc`, and with DWARF sections
/// besides.
fn like_recorded(kind: &str, folder: &Path) -> PathBuf {
    let written = |text: &str| {
        let path = folder.join(format!("{kind}.ptx"));
        fs::write(&path, text).unwrap();
        path
    };
    let lines = fs::read_to_string(driver::example("saxpy/saxpy.ptx")).unwrap();
    match kind {
        "none" => {
            let code = lines.split("\t.section").next().unwrap();
            let lines = code.lines().filter(|line| !line.trim_start().starts_with(".loc"));
            written(&(lines.collect::<Vec<_>>().join("\n") + "\n"))
        }
        "lineinfo" => written(&lines),
        "G" => {
            let text = fs::read_to_string(driver::example("saxpy/saxpy-debug.ptx")).unwrap();
            written(&text.replace(".target sm_75", ".target sm_90"))
        }
        other => panic!("PTX of kind {other}"),
    }
}

/// Recorded messages about what is in the PTX that was recorded, which is not ours: of `-v` and
/// `-astoolspatch`.
fn depends_on_code(options: &str) -> bool {
    options.contains("-v") || options.contains("-astoolspatch")
}

/// Runs whose files are known to differ: on sm_90 with `-c` ptxas' pointers to CIEs are offsets in
/// its hidden Mercury `.debug_frame`.
const KNOWN: &[&str] = &["G -g -c: [\".debug_frame\", \".rela.debug_frame\"]"];

/// `behaviour/options.json`: each of its runs, as recorded, as ptxas does it here, and as we do it
/// in its place.
#[test]
fn recorded_runs() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let Some(shared) = support::shared() else { return };
    let text = fs::read_to_string(shared.join("behaviour/options.json")).unwrap();
    let runs: Value = serde_json::from_str(&text).unwrap();
    let runs = runs.as_array().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("x.cubin");
    let (mut differ, mut same_bytes, mut files) = (Vec::new(), 0, 0);
    for run in runs {
        let (kind, options) = (run["ptx"].as_str().unwrap(), run["options"].as_str().unwrap());
        let ptx = like_recorded(kind, dir.path());
        let words = |program: &Path| {
            let mut command = Command::new(program);
            command.args(options.split(' ')).args(["-arch", "sm_90"]).arg(&ptx).args(["-o", "x.cubin"]);
            Ran::of(command.current_dir(dir.path()).env("PTXAS", &ptxas), &output)
        };
        let (theirs, ours) = (words(&ptxas), words(Path::new(env!("CARGO_BIN_EXE_ptxas-driver"))));
        if !depends_on_code(options) {
            assert_eq!(Some(theirs.messages.as_str()), run["message"].as_str(), "{kind} {options}: recorded");
            assert_eq!(theirs.exit.map(i64::from), run["rc"].as_i64(), "{kind} {options}: recorded");
        }
        files += usize::from(theirs.file.is_some());
        same_bytes += usize::from(theirs.file.is_some() && theirs.file == ours.file);
        let how = difference(&theirs, &ours).map(|how| format!("{kind} {options}:{how}"));
        differ.extend(how.filter(|how| !KNOWN.contains(&how.as_str())));
    }
    println!("{} recorded runs, {files} files written, {same_bytes} of them byte for byte", runs.len());
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// Options that change the code, for the whole corpus.
#[rustfmt::skip]
const CODE_OPTIONS: &[&str] = &[
    "-Ofc max", "-maxrregcount 32", "-ewp", "-pic true", "-sanitize memcheck", "-dlcm=cg", "-no-bb-merge", "-ret-end",
    "-sp-bounds-check", "--fmad false", "--preserve-relocs", "-regUsageLevel 10", "-maxntid 64", "-annotate",
    "-device-stack-protector true", "--split-compile 2", "-disable-optimizer-consts", "-c -func-maxrregcount 32",
    "-make-errors-visible-at-exit", "-astoolspatch", "-opt-fp-atomics", "-c -v", "--suppress-debug-info -ewp",
];
/// How many entries of the corpus each option meets.
const ENTRIES_OF_EACH: usize = 4;

/// With options that we know by name only, the code changes and the debug information follows
/// it.
#[test]
fn code_options_on_the_corpus() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let entries = support::corpus(|entry| {
        entry.ok
            && entry.ptx.is_some()
            && ["cuda", "nvrtc", "triton"].contains(&&*entry.producer)
            && ["G", "lineinfo", "none"].contains(&&*entry.mode)
    });
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("x.cubin");
    let (mut differ, mut same_bytes, mut files) = (Vec::new(), 0, 0);
    let picked = entries.iter().step_by(entries.len() / (CODE_OPTIONS.len() * ENTRIES_OF_EACH));
    for (entry, options) in picked.zip(CODE_OPTIONS.iter().cycle()) {
        let words = |program: &Path| {
            let mut command = Command::new(program);
            command.arg("-arch").arg(driver::arch(entry, entry.ptx.as_ref().unwrap()));
            command.args(match &*entry.mode {
                "G" => &["-g"][..],
                "lineinfo" => &["-lineinfo"],
                _ => &[],
            });
            command.args(options.split(' ')).arg(entry.ptx.as_ref().unwrap()).arg("-o").arg(&output);
            Ran::of(command.env("PTXAS", &ptxas), &output)
        };
        let (theirs, ours) = (words(&ptxas), words(Path::new(env!("CARGO_BIN_EXE_ptxas-driver"))));
        files += usize::from(theirs.file.is_some());
        same_bytes += usize::from(theirs.file.is_some() && theirs.file == ours.file);
        // See KNOWN.
        let is_known = |how: &String| {
            let names = [
                " [\".debug_frame\"]",
                " [\".rela.debug_frame\"]",
                " [\".debug_frame\", \".rela.debug_frame\"]",
            ];
            entry.sm() == 90 && options.starts_with("-c ") && names.contains(&how.as_str())
        };
        let how = difference(&theirs, &ours).filter(|how| !is_known(how));
        differ.extend(how.map(|how| format!("{} {options}:{how}", entry.name())));
    }
    println!("options that change the code: {files} files written, {same_bytes} of them byte for byte");
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
