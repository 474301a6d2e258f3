//! In the place of ptxas, called by nvcc and clang: each build works, and what it gets is what
//! ptxas writes. Without a ptxas that we can find the build fails, with our words.
//!
//! `$NVDWARF_LOG` proves that the program called was ours. Triton: `triton.rs`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support;
use crate::support::calls::{Call, calls, calls_of_failed, data, found_by, host_tools, linked};
use crate::support::driver;

use crate::support::oracle;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DRIVER: &str = env!("CARGO_BIN_EXE_ptxas-driver");

#[test]
fn called_as_ptxas() {
    let (folder, link) = linked();
    let log = folder.path().join("log");
    let output = folder.path().join("out.debug");
    let ptx = driver::example("saxpy/saxpy.ptx");
    // A command of ours is the name of a file to ptxas.
    for (args, exit) in [(vec!["check"], 255), (vec!["--help"], 0), (vec![], 0)] {
        let run = Command::new(&link).args(&args).env("NVDWARF_LOG", &log).output().unwrap();
        assert_eq!(run.status.code(), Some(exit), "{args:?}: {}", driver::messages(&run));
    }
    let mut command = Command::new(&link);
    command.args(["-lineinfo", "-arch=sm_90", "--code=none"]).arg(&ptx).arg("-o").arg(&output);
    let run = command.env("NVDWARF_LOG", &log).output().unwrap();
    assert!(run.status.success(), "{}", driver::messages(&run));
    let text = fs::read_to_string(&log).unwrap();
    let calls: Vec<Call> = text.lines().map(Call::read).collect();
    assert_eq!(calls.iter().map(|call| call.exit).collect::<Vec<_>>(), [255, 0, 0, 0]);
    assert_eq!(calls[0].argv, [link.to_str().unwrap(), "check"]);
    assert_eq!(calls[3].code, "none, as --code none asks");
}

/// A log that cannot be written is said, and no failure.
#[test]
fn a_log_that_cannot_be_written() {
    let (folder, link) = linked();
    let run = Command::new(&link).arg("--help").env("NVDWARF_LOG", folder.path()).output().unwrap();
    assert!(run.status.success() && driver::messages(&run).contains("$NVDWARF_LOG"), "{run:?}");
}

/// What a ptxas says when it fails, and its exit code, are what our caller sees.
#[test]
fn a_ptxas_that_fails() {
    let (folder, link) = linked();
    let fake = folder.path().join("fake");
    for (ending, exit) in [("exit 7", 7), ("kill -SEGV $$", 128 + 11)] {
        let script = format!("#!/bin/sh\necho 'ptxas error   : no' >&2\n{ending}\n");
        // Written by a child: see provider/ptxas/tests.rs.
        let write = r#"printf %s "$1" > "$0" && chmod 755 "$0""#;
        assert!(Command::new("sh").args(["-c", write]).arg(&fake).arg(script).status().unwrap().success());
        let mut command = Command::new(&link);
        command.args(["-arch=sm_90"]).arg(driver::example("saxpy/saxpy.ptx"));
        let run = command.env("PTXAS", &fake).current_dir(folder.path()).output().unwrap();
        let messages = driver::messages(&run);
        assert_eq!(run.status.code(), Some(exit), "{messages}");
        assert!(messages.starts_with("ptxas error   : no\n"), "{messages}");
        assert_eq!(messages.lines().count(), if exit < 128 { 1 } else { 2 }, "{messages}");
        assert!(!folder.path().join("elf.o").exists());
    }
}

/// `--stats`: both lines, with numbers that can be.
#[test]
fn stats() {
    let (folder, link) = linked();
    let mut command = Command::new(&link);
    command.args(["-g", "-arch=sm_90", "--code=none", "--stats"]).arg(driver::example("saxpy/saxpy.ptx"));
    let run = command.current_dir(folder.path()).output().unwrap();
    let messages = driver::messages(&run);
    assert!(run.status.success(), "{messages}");
    let time = messages.lines().find_map(|line| line.strip_prefix("DebugInfo-time : ")).unwrap();
    let (ms, share) = time.strip_suffix("%)").unwrap().split_once(" ms (").unwrap();
    assert!(ms.parse::<f64>().unwrap() > 0.0);
    // There was no code provider to share with.
    assert_eq!(share, "100.00");
    if Path::new("/proc/self/status").exists() {
        let memory = messages.lines().find_map(|line| line.strip_prefix("PeakDebugInfoMemoryUsage : "));
        let memory = memory.unwrap().strip_suffix(" KB").unwrap().parse::<f64>().unwrap();
        assert!((0.0..1e6).contains(&memory), "{memory}");
    }
}

/// Makes a toolkit folder in which only `ptxas` is ours: nvcc asks for ptxas beside itself.
fn toolkit(folder: &tempfile::TempDir, nvcc: &Path) -> PathBuf {
    let toolkit = folder.path().join("toolkit");
    let make = support::repository().join("tools/toolkit.sh");
    let real = nvcc.parent().unwrap().parent().unwrap();
    let run = Command::new(&make).arg(&toolkit).arg(real).arg(DRIVER).output().unwrap();
    assert!(run.status.success(), "{}", driver::messages(&run));
    toolkit
}

#[test]
fn nvcc() {
    let (Some(nvcc), Some(ptxas)) = (oracle::tool("nvcc"), oracle::tool("ptxas")) else { return };
    let folder = tempfile::tempdir().unwrap();
    // The second takes the place of the first.
    toolkit(&folder, &nvcc);
    let toolkit = toolkit(&folder, &nvcc);
    let log = folder.path().join("log");
    let (mut compared, mut same) = (0, 0);
    for arch in ["sm_75", "sm_90", "sm_100"] {
        for level in [&[][..], &["-lineinfo"], &["-G"], &["-lineinfo", "-Xptxas", "-v,-warn-spills"]] {
            let whole = if level == ["-G"] { "-fatbin" } else { "-c" };
            for phase in [&["-cubin"][..], &[whole], &["-rdc=true", "-cubin"]] {
                let kept = tempfile::tempdir().unwrap();
                let mut command = Command::new(toolkit.join("bin/nvcc"));
                // -keep gives files the same names each time.
                command.arg(format!("-arch={arch}")).args(level).args(phase).args(["-keep", "-o", "out.bin"]);
                command.arg(data("scale.cu")).current_dir(kept.path());
                let run = command.env_remove("PTXAS").env("NVDWARF_LOG", &log).output().unwrap();
                let calls = calls(&log, &run);
                assert_eq!(calls.len(), 1, "{calls:?}");
                assert!(calls[0].code.contains("ptxas.nvidia beside us"), "{calls:?}");
                assert!(kept.path().join("out.bin").exists());
                if level.contains(&"-Xptxas") {
                    // nvcc prints what ptxas prints.
                    let messages = driver::messages(&run);
                    assert!(messages.contains("ptxas info    : Used "), "{messages}");
                    assert!(messages.contains("nvdwarf info    : "), "{messages}");
                }
                compared += 1;
                same += usize::from(calls[0].compare(&ptxas));
            }
        }
    }
    println!("nvcc: {compared} files as ptxas writes them, {same} byte for byte");
}

/// Several architectures at once: two of us write the log at the same time.
#[test]
fn nvcc_for_two_architectures() {
    let (Some(nvcc), Some(ptxas)) = (oracle::tool("nvcc"), oracle::tool("ptxas")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (toolkit, log) = (toolkit(&folder, &nvcc), folder.path().join("log"));
    let mut command = Command::new(toolkit.join("bin/nvcc"));
    for sm in [75, 80, 90, 120] {
        command.arg("-gencode").arg(format!("arch=compute_{sm},code=sm_{sm}"));
    }
    command.args(["-lineinfo", "-keep", "--threads", "4", "-c", "-o", "out.o"]).arg(data("scale.cu"));
    let run =
        command.current_dir(folder.path()).env_remove("PTXAS").env("NVDWARF_LOG", &log).output().unwrap();
    let calls = calls(&log, &run);
    assert_eq!(calls.len(), 4, "{calls:?}");
    for call in &calls {
        call.compare(&ptxas);
    }
}

/// A kernel that ptxas refuses is nvcc's failure, with ptxas' message.
#[test]
fn nvcc_with_a_fault() {
    let Some(nvcc) = oracle::tool("nvcc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let toolkit = toolkit(&folder, &nvcc);
    let source = folder.path().join("wrong.cu");
    fs::write(&source, "__global__ void k() { asm(\"wrong;\"); }\n").unwrap();
    let run = |nvcc: &Path| {
        let mut command = Command::new(nvcc);
        command.args(["-arch=sm_90", "-lineinfo", "-keep", "-cubin"]).arg(&source).current_dir(folder.path());
        let run = command.env_remove("PTXAS").output().unwrap();
        (run.status.code(), driver::messages(&run))
    };
    let (theirs, ours) = (run(&nvcc), run(&toolkit.join("bin/nvcc")));
    assert_ne!(theirs.0, Some(0));
    assert_eq!(ours, theirs);
}

/// A toolkit in which there is no other ptxas: no phase of nvcc makes a file.
#[test]
fn nvcc_without_a_ptxas() {
    let Some(nvcc) = oracle::tool("nvcc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let toolkit = toolkit(&folder, &nvcc);
    fs::remove_file(toolkit.join("bin/ptxas.nvidia")).unwrap();
    let tools = host_tools(folder.path(), &["gcc", "g++", "as", "ld", "sh", "rm"]);
    let log = folder.path().join("log");
    for phase in [&["-cubin"][..], &["-fatbin", "-lineinfo"], &["-c", "-G"], &["-rdc=true", "-c"]] {
        let kept = tempfile::tempdir().unwrap();
        let mut command = Command::new(toolkit.join("bin/nvcc"));
        command.args(["-arch=sm_90", "-o", "out.bin"]).args(phase).arg(data("scale.cu"));
        command.env_clear().env("PATH", &tools).env("NVDWARF_LOG", &log);
        let run = command.current_dir(kept.path()).output().unwrap();
        let calls = calls_of_failed(&log, &run);
        assert_eq!(calls.len(), 1, "{calls:?}");
        assert!(driver::names_in(kept.path()).is_empty(), "{phase:?}: {:?}", driver::names_in(kept.path()));
    }
}

/// clang takes `--ptxas-path`.
#[test]
fn clang() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let Some(clang) = found_by("clang.sh", "REQUIRE_ORACLES") else { return };
    let (folder, link) = linked();
    let log = folder.path().join("log");
    let (mut compared, mut same) = (0, 0);
    for arch in ["sm_75", "sm_90"] {
        for level in
            [&["-O2"][..], &["-O2", "-gline-tables-only"], &["-O0", "-g"], &["-O2", "-Xcuda-ptxas", "-v"]]
        {
            let kept = tempfile::tempdir().unwrap();
            let mut command = Command::new(&clang);
            command.args(["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-save-temps"]);
            command.arg(format!("--cuda-gpu-arch={arch}")).arg(format!("--ptxas-path={}", link.display()));
            command.args(level).arg("-c").arg(data("scale.cu")).args(["-o", "scale.o"]);
            let run = command.current_dir(kept.path()).env("NVDWARF_LOG", &log).env("PTXAS", &ptxas).output();
            let run = run.unwrap();
            let calls = calls(&log, &run);
            assert_eq!(calls.len(), 1, "{calls:?}");
            assert!(calls[0].code.contains("($PTXAS)"), "{calls:?}");
            if level.contains(&"-v") {
                let messages = driver::messages(&run);
                assert!(messages.contains("ptxas info    : Used "), "{messages}");
            }
            compared += 1;
            same += usize::from(calls[0].compare(&ptxas));
        }
    }
    println!("clang: {compared} files as ptxas writes them, {same} byte for byte");
}

#[test]
fn clang_without_a_ptxas() {
    let Some(clang) = found_by("clang.sh", "REQUIRE_ORACLES") else { return };
    let (folder, link) = linked();
    let (tools, log) = (host_tools(folder.path(), &[]), folder.path().join("log"));
    for level in [&["-O2"][..], &["-O0", "-g"]] {
        let kept = tempfile::tempdir().unwrap();
        let mut command = Command::new(&clang);
        command.args(["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib"]).args(level);
        command.arg("--cuda-gpu-arch=sm_90").arg(format!("--ptxas-path={}", link.display()));
        command.arg("-c").arg(data("scale.cu")).args(["-o", "scale.o"]).current_dir(kept.path());
        let run = command.env_clear().env("PATH", &tools).env("NVDWARF_LOG", &log).output().unwrap();
        let calls = calls_of_failed(&log, &run);
        assert_eq!(calls.len(), 1, "{calls:?}");
        assert!(driver::names_in(kept.path()).is_empty());
    }
}
