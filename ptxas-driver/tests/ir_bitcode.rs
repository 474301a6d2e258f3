//! Bitcode has the answers of its text: `ir` reads it by way of `llvm-dis`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

const DRIVER: &str = env!("CARGO_BIN_EXE_ptxas-driver");

/// Modules of `llvm-debug-metadata/tests/data`.
const MODULES: [&str; 5] = ["names", "loops", "types", "dead", "every_kind"];

/// Command lines, without the file.
const COMMANDS: [&str; 8] = [
    "strip --pass strip-dead-debug-info",
    "strip --pass strip-debug-declare --take-declares",
    "strip --pass strip-nondebug",
    "strip --pass strip-nonlinetable-debuginfo",
    "strip --pass strip-debug",
    "debugify",
    "check-debugify",
    "modes --json",
];

/// A program of LLVM on `PATH`.
fn llvm(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        support::skip(&format!("{name} (tools/llvm.sh installs it)"), "REQUIRE_ORACLES");
    }
    found
}

fn made(program: &Path, from: &Path, to: &Path) {
    let output = Command::new(program).arg(from).arg("-o").arg(to).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// What `ir` does with a file where the folder `path` has all programs.
fn answer(path: impl AsRef<OsStr>, command: &str, file: &Path) -> Output {
    let mut driver = Command::new(DRIVER);
    driver.arg("ir").args(command.split(' ')).arg(file).env("PATH", path).output().unwrap()
}

/// Both streams without the lines and the names that tell the files apart.
fn comparable(output: &Output, file: &Path) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).replace(file.to_str().unwrap(), "FILE");
        // Debugify names its unit after the file.
        let text = text.replace(file.file_name().unwrap().to_str().unwrap(), "FILE");
        text.split_inclusive('\n').filter(|line| !line.starts_with("; ModuleID")).collect::<String>()
    };
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Bitcode in the wrapper that Darwin has: five numbers before it.
fn wrapped(bitcode: &[u8]) -> Vec<u8> {
    let numbers = [0x0B17_C0DE_u32, 0, 20, bitcode.len() as u32, 0];
    numbers.iter().flat_map(|number| number.to_le_bytes()).chain(bitcode.iter().copied()).collect()
}

#[test]
fn bitcode_has_the_answers_of_its_text() {
    let (Some(assembler), Some(disassembler)) = (llvm("llvm-as-19"), llvm("llvm-dis-19")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("programs");
    fs::create_dir(&programs).unwrap();
    symlink(&disassembler, programs.join("llvm-dis-19")).unwrap();
    let (bitcode, text) = (folder.path().join("k.bc"), folder.path().join("k.ll"));
    let mut stripped = 0;
    for name in MODULES {
        let source = support::repository().join(format!("llvm-debug-metadata/tests/data/{name}.ll"));
        made(&assembler, &source, &bitcode);
        made(&disassembler, &bitcode, &text);
        let is_plain = fs::read(&bitcode).unwrap();
        for bytes in [is_plain.clone(), wrapped(&is_plain)] {
            fs::write(&bitcode, bytes).unwrap();
            for command in COMMANDS {
                // No `llvm-dis` is needed for text.
                let of_text = comparable(&answer("/nowhere", command, &text), &text);
                let of_bitcode = comparable(&answer(&programs, command, &bitcode), &bitcode);
                assert_eq!(of_bitcode, of_text, "{name}: {command}");
                stripped += usize::from(of_text.0 == Some(0) && command.starts_with("strip"));
            }
        }
    }
    assert_eq!(stripped, MODULES.len() * 2 * 5);
}

/// A `llvm-dis` that is too old is passed over for one that is not; alone its words are shown.
#[test]
fn an_old_disassembler_is_not_the_last_word() {
    let (Some(assembler), Some(new)) = (llvm("llvm-as-19"), llvm("llvm-dis-19")) else { return };
    let Some(old) = llvm("llvm-dis-14") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (bitcode, text) = (folder.path().join("k.bc"), folder.path().join("k.ll"));
    made(&assembler, &support::repository().join("llvm-debug-metadata/tests/data/loops.ll"), &bitcode);
    symlink(&old, folder.path().join("llvm-dis")).unwrap();
    let command = "strip --pass strip-debug";
    let refused = answer(folder.path(), command, &bitcode);
    let words = String::from_utf8(refused.stderr).unwrap();
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{words}");
    assert!(
        words.contains("k.bc: LLVM bitcode, of which ") && words.contains("llvm-dis makes no text: "),
        "{words}"
    );
    symlink(&new, folder.path().join("llvm-dis-19")).unwrap();
    made(&new, &bitcode, &text);
    let both = [answer(folder.path(), command, &bitcode), answer("/nowhere", command, &text)];
    assert_eq!(comparable(&both[0], &bitcode), comparable(&both[1], &text));
}
