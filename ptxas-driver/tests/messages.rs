//! What is said where something is wrong names the file that it is about.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::driver;
use crate::support::driver::{hostile, run, text};
use std::fs;

/// Commands that read one file.
const READERS: [&[&str]; 15] = [
    &["lines"],
    &["lines", "--at", "x.cu:1"],
    &["lines", "--mercury"],
    &["vars"],
    &["dump"],
    &["dump", "--style", "ptxas"],
    &["dump", "--style", "cuobjdump"],
    &["sections"],
    &["coverage"],
    &["verify"],
    &["extract"],
    &["merc", "plan"],
    &["merc", "self-check"],
    &["merc", "clone", "-o", "/dev/null"],
    &["strip", "-o", "/dev/null"],
];

/// F11: each message begins with the file that it is about.
#[test]
fn every_message_names_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let sound = [
        fs::read("tests/pairs/own_sections.sm_100.g.cubin").unwrap(),
        fs::read(driver::example("saxpy/saxpy-debug.cubin")).unwrap(),
        fs::read(driver::example("saxpy/saxpy.fatbin")).unwrap(),
    ];
    let mut files = vec![hostile("dump-style-no-name.cubin"), hostile("esc.cubin"), hostile("damaged.a")];
    let mut number = 0;
    let mut add = |bytes: &[u8]| {
        number += 1;
        let path = folder.path().join(format!("damaged{number}"));
        fs::write(&path, bytes).unwrap();
        files.push(path.to_str().unwrap().to_owned());
    };
    for bytes in &sound {
        // Cut off, and with wrong bytes in many places.
        for part in 1..8 {
            add(&bytes[..bytes.len() * part / 8]);
            let mut wrong = bytes.clone();
            for at in (100 * part..wrong.len()).step_by(997 * part) {
                wrong[at] ^= 0x55;
            }
            add(&wrong);
        }
    }
    add(b"");
    add(b"no file that we know");
    let mut said = 0;
    for file in &files {
        for command in READERS {
            let output = run(&[command, &[file]].concat());
            for line in text(&output.stderr).lines() {
                let message =
                    ["error: ", "warning: ", "note: "].iter().find_map(|kind| line.strip_prefix(kind));
                assert!(
                    message.is_some_and(|message| message.starts_with(file.as_str())),
                    "{command:?}: {line}"
                );
                said += 1;
            }
        }
    }
    assert!(said > 100, "{said} messages");
}

/// Report 96: `--messages ptxas` prints what ptxas prints, and who calls us by its name gets these
/// lines before ours.
#[test]
fn faults_are_told_in_the_words_of_ptxas() {
    let folder = tempfile::tempdir().unwrap();
    let head = |bits: u32| format!(".version 8.7\n.target sm_75\n.address_size {bits}\n");
    let kernel = |body: &str| format!(".visible .entry k() {{\n{body}ret;\n}}\n.file 1 \"k.cu\"\n");
    let inlined = kernel(".loc 1 4 1\n.loc 1 9 2, function_name n, inlined_at 1 3 3\n");
    let names = ".section .debug_str {\nn: .b8 120,0\n}\n";
    let texts = [
        head(64) + &inlined + names,
        head(64) + &inlined,
        head(64) + &kernel(".reg .b32 %r<3>;\nsub.u32 %r1, %r2\n"),
        head(64) + &kernel(".loc 1 4 1\n") + ".file 1 \"j.cu\"\n",
        head(64) + &kernel("") + ".section .debug_x { .b8 256 }\n.section .debug_y { .b8 300, a.7 }\n",
        head(32) + &kernel(""),
    ];
    let Some(ptxas) = crate::support::oracle::tool("ptxas") else { return };
    let link = folder.path().join("ptxas");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ptxas-driver"), &link).unwrap();
    for (number, ptx) in texts.iter().enumerate() {
        let name = format!("k{number}.ptx");
        fs::write(folder.path().join(&name), ptx).unwrap();
        for arch in ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"] {
            let args = ["-lineinfo", "-arch", arch, &*name, "-o", "k.cubin"];
            let said = |program: &std::path::Path, more: &[&str]| {
                let mut command = std::process::Command::new(program);
                let output = command.current_dir(folder.path()).args(more).args(args).output().unwrap();
                assert_eq!(output.status.code(), Some(255), "{name} {arch}");
                String::from_utf8(output.stderr).unwrap()
            };
            let theirs = said(&ptxas, &[]);
            let driver = std::path::Path::new(env!("CARGO_BIN_EXE_ptxas-driver"));
            assert_eq!(said(driver, &["compile", "--messages", "ptxas"]), theirs, "{name} {arch}");
            let ours = said(driver, &["compile"]);
            assert!(ours.starts_with("error["), "{ours}");
            let first = theirs.lines().filter(|line| !line.ends_with("aborted due to errors"));
            let both = first.chain(ours.lines()).flat_map(|line| [line, "\n"]).collect::<String>();
            assert_eq!(said(&link, &[]), both, "{name} {arch}");
            assert_eq!(said(driver, &["compile", "--messages", "both"]), both, "{name} {arch}");
        }
        // Without -arch the words are those for the module's own architecture.
        let checked = run(&[
            "check",
            "--ptxas-messages",
            "--mode",
            "lineinfo",
            folder.path().join(&name).to_str().unwrap(),
        ]);
        let mut command = std::process::Command::new(&ptxas);
        let args = ["-lineinfo", "-arch", "sm_75", "-o", "/dev/null"];
        let theirs = command.args(args).arg(folder.path().join(&name)).output().unwrap();
        assert_eq!(text(&checked.stdout), String::from_utf8(theirs.stderr).unwrap());
    }
}
