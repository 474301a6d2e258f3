//! In the place of ptxas, called by nvcc, clang and Triton: each build works, and what it gets is what ptxas writes.
//!
//! `$NVDWARF_LOG` proves that the program called was ours.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

#[path = "support/driver.rs"]
mod driver;
mod support;

use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::oracle;

const DRIVER: &str = env!("CARGO_BIN_EXE_ptxas-driver");

/// Sections that are known to differ on sm_90 with `-c`: ptxas' pointers to CIEs are offsets in its hidden Mercury
/// `.debug_frame`.
const KNOWN: &[&str] = &[".debug_frame", ".rela.debug_frame"];

/// A folder of this test's own files.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drop_in").join(name)
}

/// What a script of `tools/` finds on this machine; none where it finds nothing and may.
fn found_by(script: &str) -> Option<PathBuf> {
    let run = Command::new(support::repository().join("tools").join(script)).arg("--check").output().unwrap();
    if !run.status.success() {
        support::skip(&format!("what tools/{script} installs"), "REQUIRE_ORACLES");
        return None;
    }
    Some(String::from_utf8(run.stdout).unwrap().trim_end().into())
}

/// One line of `$NVDWARF_LOG`.
#[derive(Debug)]
struct Call {
    argv: Vec<String>,
    folder: PathBuf,
    code: String,
    exit: u64,
}

impl Call {
    fn read(line: &str) -> Self {
        let line: Value = serde_json::from_str(line).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self {
            argv: line["argv"].as_array().unwrap().iter().map(text).collect(),
            folder: text(&line["folder"]).into(),
            code: text(&line["code"]),
            exit: line["exit"].as_u64().unwrap(),
        }
    }

    fn has(&self, word: &str) -> bool {
        self.argv.iter().any(|arg| arg == word)
    }

    /// The position of the output's name in `argv`.
    fn output(&self) -> Option<usize> {
        self.argv.iter().position(|arg| arg == "-o" || arg == "--output-file").map(|at| at + 1)
    }

    /// Has ptxas do the same, and compares the files: the whole file as readers see it, whether the bytes are the same too.
    fn compare(&self, ptxas: &Path) -> bool {
        let at = self.output().unwrap();
        let name = Path::new(&self.argv[at]);
        let ours = fs::read(self.folder.join(name)).unwrap();
        // The base name is in .note.nv.tkinfo.
        let scratch = tempfile::tempdir().unwrap();
        let output = scratch.path().join(name.file_name().unwrap());
        let mut argv = self.argv.clone();
        output.to_str().unwrap().clone_into(&mut argv[at]);
        let run = Command::new(ptxas).args(&argv[1..]).current_dir(&self.folder).output().unwrap();
        assert!(run.status.success(), "{argv:?}: {}", driver::messages(&run));
        let theirs = fs::read(&output).unwrap();
        assert_eq!(ours.len(), theirs.len(), "{argv:?}");
        for (ours, theirs) in driver::as_read(&ours).iter().zip(&driver::as_read(&theirs)) {
            let known = self.has("--compile-only") && self.has("-arch=sm_90") && KNOWN.contains(&&*ours.0);
            assert!(ours == theirs || known, "{argv:?}: {} and {} differ", ours.0, theirs.0);
        }
        ours == theirs
    }
}

/// Our calls since the last time, after a client's run that must have succeeded.
fn calls(log: &Path, client: &Output) -> Vec<Call> {
    assert!(
        client.status.success(),
        "{}\n{}",
        driver::messages(client),
        String::from_utf8_lossy(&client.stdout)
    );
    let text = fs::read_to_string(log).unwrap_or_else(|_| panic!("not called: {}", driver::messages(client)));
    fs::remove_file(log).unwrap();
    let calls: Vec<Call> = text.lines().map(Call::read).collect();
    for call in &calls {
        assert_eq!(call.exit, 0, "{call:?}");
        assert!(call.argv[0].ends_with("ptxas"), "{call:?}");
    }
    calls
}

/// A folder with a link `ptxas` to us.
fn linked() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("ptxas");
    symlink(DRIVER, &link).unwrap();
    (folder, link)
}

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

/// Standard output begins with all that ptxas prints, so that whatever is looked for in it is found, and found first.
#[test]
fn version() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let (_folder, link) = linked();
    let printed = |program: &Path, option: &str| {
        let run = Command::new(program).arg(option).env("PTXAS", &ptxas).output().unwrap();
        assert!(run.status.success(), "{}", driver::messages(&run));
        String::from_utf8(run.stdout).unwrap()
    };
    for option in ["--version", "-V"] {
        let (theirs, ours) = (printed(&ptxas, option), printed(&link, option));
        let rest = ours.strip_prefix(theirs.trim_end()).unwrap().trim();
        assert!(rest.starts_with("ptxas-driver ") && rest.lines().count() == 1, "{ours}");
        assert!(!rest.contains("release"), "{rest}");
    }
    assert_eq!(printed(&link, "--list-version"), printed(&ptxas, "--list-version"));
    assert!(printed(Path::new(DRIVER), "--version").starts_with("ptxas-driver "));
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

/// nvcc asks for ptxas beside itself: a toolkit folder of `tools/toolkit.sh`.
#[test]
fn nvcc() {
    let (Some(nvcc), Some(ptxas)) = (oracle::tool("nvcc"), oracle::tool("ptxas")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (toolkit, log) = (folder.path().join("toolkit"), folder.path().join("log"));
    let make = support::repository().join("tools/toolkit.sh");
    let real = nvcc.parent().unwrap().parent().unwrap();
    for _ in 0..2 {
        let run = Command::new(&make).arg(&toolkit).arg(real).arg(DRIVER).output().unwrap();
        assert!(run.status.success(), "{}", driver::messages(&run));
    }
    let (mut compared, mut same) = (0, 0);
    for arch in ["sm_75", "sm_90", "sm_100"] {
        for level in [&[][..], &["-lineinfo"], &["-G"], &["-lineinfo", "-Xptxas", "-v,-warn-spills"]] {
            for phase in [&["-cubin"][..], &["-fatbin"], &["-c"], &["-rdc=true", "-cubin"]] {
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

/// A kernel that ptxas refuses is nvcc's failure, with ptxas' message.
#[test]
fn nvcc_with_a_fault() {
    let Some(nvcc) = oracle::tool("nvcc") else { return };
    let folder = tempfile::tempdir().unwrap();
    let toolkit = folder.path().join("toolkit");
    let make = support::repository().join("tools/toolkit.sh");
    let real = nvcc.parent().unwrap().parent().unwrap();
    assert!(Command::new(&make).arg(&toolkit).arg(real).arg(DRIVER).status().unwrap().success());
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

/// clang takes `--ptxas-path`.
#[test]
fn clang() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let Some(clang) = found_by("clang.sh") else { return };
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

/// Triton asks for the version, takes what follows `release` for what it may use, and then compiles.
#[test]
fn triton() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let Some(python) = found_by("triton.sh") else { return };
    let (folder, link) = linked();
    let log = folder.path().join("log");
    let output = folder.path().join("scale.cubin");
    for arch in ["80", "90", "100"] {
        for disabled in [None, Some(("TRITON_DISABLE_LINE_INFO", "1"))] {
            let run = |assembler: &Path| {
                let cache = tempfile::tempdir().unwrap();
                let mut command = Command::new(&python);
                command.arg(data("scale.py")).arg(arch).arg(&output).envs(disabled);
                command.env("TRITON_PTXAS_PATH", assembler).env("TRITON_PTXAS_BLACKWELL_PATH", assembler);
                command.env("TRITON_CACHE_DIR", cache.path()).env("TRITON_DEFAULT_FP_FUSION", "1");
                let run = command.env("PTXAS", &ptxas).env("NVDWARF_LOG", &log).output().unwrap();
                assert!(run.status.success(), "{}", driver::messages(&run));
                (fs::read(&output).unwrap(), run)
            };
            let (theirs, _) = run(&ptxas);
            assert!(!log.exists(), "called in ptxas' own run");
            let (ours, ran) = run(&link);
            let calls = calls(&log, &ran);
            let (last, before) = calls.split_last().unwrap();
            assert!(!before.is_empty() && before.iter().all(|call| call.has("--version")), "{calls:?}");
            for word in ["-v", "--regAllocOptLevel=2", "-lineinfo"] {
                assert!(last.has(word), "{last:?}");
            }
            assert_eq!(last.has("-suppress-debug-info"), disabled.is_some(), "{last:?}");
            assert!(
                last.argv.iter().any(|arg| arg.starts_with(&format!("--gpu-name=sm_{arch}"))),
                "{last:?}"
            );
            assert!(ours == theirs, "sm_{arch} {disabled:?}: cubins differ");
        }
    }
}
