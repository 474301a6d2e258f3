//! What is said where something is wrong names the file that it is about.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::driver;
use crate::support::driver::{hostile, run, text};
use std::fs;
use std::path::Path;
use std::process::Command;

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

/// Texts that a ptxas refuses, some for what no parser of text gets to see.
fn refused_texts() -> Vec<Vec<u8>> {
    let head = |bits: u32| format!(".version 8.7\n.target sm_75\n.address_size {bits}\n");
    let kernel = |body: &str| format!(".visible .entry k() {{\n{body}ret;\n}}\n.file 1 \"k.cu\"\n");
    let plain = head(64) + &kernel("");
    let inlined = kernel(".loc 1 4 1\n.loc 1 9 2, function_name n, inlined_at 1 3 3\n");
    let names = ".section .debug_str {\nn: .b8 120,0\n}\n";
    let texts = [
        head(64) + &inlined + names,
        head(64) + &inlined,
        head(64) + &kernel(".reg .b32 %r<3>;\nsub.u32 %r1, %r2\n"),
        head(64) + &kernel(".loc 1 4 1\n") + ".file 1 \"j.cu\"\n",
        plain.clone() + ".section .debug_x { .b8 256 }\n.section .debug_y { .b8 300, a.7 }\n",
        head(32) + &kernel(""),
        plain.replace("8.7", "9.9"),
        plain.replace("k()", "k\u{e9}()"),
        plain.replace("ret;", "\0ret;"),
        plain.replace("ret;", "mov.u32 %r\u{1b}, 1;\nret;"),
        String::new(),
    ];
    let mut texts = texts.map(String::into_bytes).to_vec();
    // Bytes that are not UTF-8, at the end and inside.
    texts.push([plain.as_bytes(), b"\xff\n"].concat());
    texts.push([b"// \xe9\n", plain.as_bytes(), b".\xff\n"].concat());
    texts
}

/// The options of a call, for each architecture.
fn calls() -> Vec<Vec<String>> {
    let archs = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"];
    let call = |arch: &str, more: &[&str]| -> Vec<String> {
        [more, &["-arch", arch]].concat().iter().map(|word| (*word).to_owned()).collect()
    };
    let more = [
        call("sm_90", &[]),
        call("sm_80", &["-g"]),
        call("sm_80", &["-g", "-O3"]),
        call("sm_90", &["-w"]),
        call("sm_90", &["-Werror", "-lineinfo"]),
    ];
    archs.iter().map(|arch| call(arch, &["-lineinfo"])).chain(more).collect()
}

/// Report 96: `--messages ptxas` prints what ptxas prints, byte for byte, and who calls us by its
/// name gets these lines before ours.
#[test]
fn faults_are_told_in_the_words_of_ptxas() {
    for (number, ptxas) in crate::support::oracle::ptxas_of(&["12.8", "13.5"]).iter().enumerate() {
        // One architecture of each kind is enough for the others.
        let calls = calls().into_iter().step_by(if number == 0 { 1 } else { 3 });
        let calls: Vec<_> = calls.collect();
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("ptxas");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ptxas-driver"), &link).unwrap();
        for (number, ptx) in refused_texts().iter().enumerate() {
            let name = format!("k{number}.ptx");
            fs::write(folder.path().join(&name), ptx).unwrap();
            for call in &calls {
                let said = |program: &Path, more: &[&str]| {
                    let mut command = Command::new(program);
                    command.current_dir(folder.path()).env("PTXAS", ptxas);
                    let output = command.args(more).args(call).args([&*name, "-o", "k.cubin"]).output();
                    let output = output.unwrap();
                    (output.status.code(), output.stderr)
                };
                let (code, theirs) = said(ptxas, &[]);
                assert_ne!(code, Some(0), "{name} {call:?}");
                let driver = Path::new(env!("CARGO_BIN_EXE_ptxas-driver"));
                let same = said(driver, &["compile", "--messages", "ptxas"]);
                assert_eq!((same.0, text(&same.1)), (code, text(&theirs)), "{name} {call:?}");
                assert_eq!(same.1, theirs, "{name} {call:?}");
                for both in [said(&link, &[]), said(driver, &["compile", "--messages", "both"])] {
                    assert_eq!(both.0, code, "{name} {call:?}");
                    // Our own messages show a file's control characters as escapes.
                    let theirs = text(&theirs).replace('\u{1b}', "\\u{1b}");
                    let both = text(&both.1);
                    let ours =
                        both.strip_prefix(&theirs).unwrap_or_else(|| panic!("{name} {call:?}: {both}"));
                    assert!(ours.lines().all(|line| !line.starts_with("ptxas ")), "{name} {call:?}: {both}");
                }
            }
        }
    }
}

/// A `.target` above `-arch` is a fault in the words of ptxas and, once, in ours.
#[test]
fn a_target_above_the_architecture_is_told_in_the_words_of_ptxas() {
    let Some(ptxas) = crate::support::oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let calls = [("sm_90", "sm_80"), ("sm_90a", "sm_90"), ("sm_90a", "sm_100"), ("sm_100f", "sm_120")];
    let bodies = ["ret;", "ret", ".loc 1 1 1\nret;", "bra x;"];
    for (target, arch) in calls {
        for (body, version) in bodies.iter().zip(["8.8", "8.8", "8.8", "7.0"]) {
            let ptx = format!(".version {version}\n.target {target}\n.visible .entry k() {{\n{body}\n}}\n");
            let path = folder.path().join("k.ptx");
            fs::write(&path, ptx).unwrap();
            let args = ["-arch", arch, path.to_str().unwrap(), "-o", "/dev/null"];
            let theirs = Command::new(&ptxas).args(args).output().unwrap();
            let theirs = text(&theirs.stderr);
            // Without a ptxas, too, in lines that we foretell, but for symbols and late warnings.
            for code in [&["--code", "none"] as &[&str], &[]] {
                if !code.is_empty() && (version == "7.0" || body.starts_with(".loc")) {
                    continue;
                }
                let said = |style| {
                    let mut command = driver::compile();
                    command.env("PTXAS", &ptxas).args(["--messages", style]).args(code).args(args);
                    text(&command.output().unwrap().stderr)
                };
                assert_eq!(said("ptxas"), theirs, "{target} {arch} {body} {code:?}");
                let both = said("both");
                assert!(both.starts_with(&theirs), "{theirs}\n{both}");
                assert!(both.contains("error") && !both[theirs.len()..].contains("ptxas fatal"), "{both}");
            }
        }
    }
}

/// `check --ptxas-messages` has the words for the module's own architecture.
#[test]
fn check_has_the_words_for_the_architecture_of_the_module() {
    let Some(ptxas) = crate::support::oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.ptx");
    for ptx in refused_texts() {
        fs::write(&path, ptx).unwrap();
        let checked = run(&["check", "--ptxas-messages", "--mode", "lineinfo", path.to_str().unwrap()]);
        let args = ["-lineinfo", "-arch", "sm_75", "-o", "/dev/null"];
        let theirs = Command::new(&ptxas).args(args).arg(&path).output().unwrap();
        assert_eq!(text(&checked.stdout), text(&theirs.stderr).replace('\u{1b}', "\\u{1b}"));
    }
}

/// A file that is not there.
#[test]
fn a_missing_file_is_told_in_the_words_of_ptxas() {
    let Some(ptxas) = crate::support::oracle::tool("ptxas") else { return };
    let theirs = Command::new(&ptxas).args(["-arch", "sm_80", "nowhere.ptx"]).output().unwrap();
    let theirs = text(&theirs.stderr);
    let said = |style| text(&run(&["compile", "--messages", style, "-arch", "sm_80", "nowhere.ptx"]).stderr);
    assert_eq!(said("ptxas"), theirs);
    assert!(said("both").starts_with(&theirs), "{}", said("both"));
}

/// What ptxas takes, it and we have nothing to say of, where its words are asked for; and where
/// both are, its words come first.
#[test]
fn ptxas_speaks_first_of_what_it_takes() {
    let Some(ptxas) = crate::support::oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.ptx");
    // A file without a name, of which we warn, and a warning of ptxas.
    let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"\"\n.visible .entry k() .maxntid 64 .minnctapersm 99 {\n.loc 1 1 1\nret;\n}\n";
    fs::write(&path, ptx).unwrap();
    let args = ["-lineinfo", "-arch", "sm_90", path.to_str().unwrap(), "-o", "/dev/null"];
    let theirs = Command::new(&ptxas).args(args).output().unwrap();
    assert!(theirs.status.success());
    let theirs = text(&theirs.stderr);
    assert!(theirs.contains("warning"), "{theirs}");
    let said = |style| {
        let mut command = driver::compile();
        let output = command.env("PTXAS", &ptxas).args(["--messages", style]).args(args).output();
        text(&output.unwrap().stderr)
    };
    assert_eq!(said("ptxas"), theirs);
    let both = said("both");
    assert!(both.starts_with(&theirs) && both.len() > theirs.len(), "{both}");
}
