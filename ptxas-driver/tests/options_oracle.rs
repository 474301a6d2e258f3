//! Our command line against ptxas' own: the same messages and exit code, for the same arguments.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

mod support;

use std::fs;
use std::path::Path;
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
];

/// Exit code and messages, without the tool's name and our hints.
fn run(program: &Path, dir: &Path, line: &str) -> (Option<i32>, Vec<String>) {
    let run = Command::new(program).args(line.split(' ')).current_dir(dir).output().unwrap();
    let stderr = String::from_utf8(run.stderr).unwrap();
    let messages = stderr.lines().map(|line| line.split_once(' ').map_or(line, |(_, text)| text));
    (run.status.code(), messages.filter(|text| !text.starts_with("info ")).map(str::to_owned).collect())
}

#[test]
fn the_same_messages_and_exit_code() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let dir = tempfile::tempdir().unwrap();
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
    fs::write(dir.path().join("t.ptx"), text).unwrap();
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
