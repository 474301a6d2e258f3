//! What is said where something is wrong: which file and image it is, and that nothing passes in silence.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::driver;
use crate::support::driver::{hostile, run, text};
use crate::support::json;
use nv_debug_sections::cubin::Cubin;
use std::fs;
use std::path::Path;

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

/// F11: what is wrong with a side file is not said of the cubin alone.
#[test]
fn a_fault_of_a_side_file_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (cubin, side) = (path("k.cubin"), path("k.debug"));
    fs::copy(driver::example("saxpy/saxpy-debug.cubin"), &cubin).unwrap();
    assert!(run(&["strip", &cubin, "--split", &side]).status.success());
    let mut bytes = fs::read(&side).unwrap();
    for name in [".debug_info", ".debug_line"] {
        let at = {
            let parsed = Cubin::parse(&bytes).unwrap();
            let section = parsed.bytes(parsed.section_by_name(name).unwrap()).unwrap();
            bytes.windows(section.len()).position(|window| window == &*section).unwrap()
        };
        // The length and the version of the first unit.
        bytes[at + 2] = 0x7f;
        bytes[at + 4] = 99;
    }
    fs::write(&side, bytes).unwrap();
    for command in [&["vars"][..], &["lines"], &["coverage"], &["dump", "--style", "ptxas"]] {
        let output = run(&[command, &[&cubin, "--debug-file", &side]].concat());
        let said = text(&output.stderr);
        // Of `dump` the rest is shown.
        let code = if command[0] == "dump" { 1 } else { 2 };
        assert_eq!(output.status.code(), Some(code), "{command:?}: {said}");
        assert!(said.starts_with(&format!("error: {cubin}: {side}: .debug_")), "{command:?}: {said}");
    }
}

/// A line table that cannot be read is neither equal to another one nor to itself.
#[test]
fn a_damaged_section_is_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let sound = driver::example("saxpy/saxpy.cubin");
    let sound = sound.to_str().unwrap();
    for (section, keys) in [
        (".nv_debug_line_sass", "lines,ptx-lines"),
        (".debug_line", "lines,ptx-lines"),
        (".debug_frame", "frame"),
    ] {
        let mut bytes = fs::read(sound).unwrap();
        let at = {
            let parsed = Cubin::parse(&bytes).unwrap();
            let found = parsed.bytes(parsed.section_by_name(section).unwrap()).unwrap();
            bytes.windows(found.len()).position(|window| window == &*found).unwrap()
        };
        bytes[at..at + 4].copy_from_slice(&[0xfe, 0xff, 0xff, 0xff]); // a length that 32-bit DWARF has not
        let damaged = folder.path().join("k.cubin");
        fs::write(&damaged, bytes).unwrap();
        let damaged = damaged.to_str().unwrap();
        for pair in [[sound, damaged], [damaged, sound], [damaged, damaged]] {
            let output = run(&[&["diff"][..], &pair].concat());
            let said = text(&output.stderr);
            assert_eq!((output.status.code(), &*text(&output.stdout)), (Some(2), ""), "{section}: {said}");
            assert!(said.starts_with(&format!("error: {damaged}: {section}+0x")), "{said}");
        }
        // The rest can be compared.
        let output = run(&["diff", damaged, damaged, "--ignore", keys]);
        assert_eq!(output.status.code(), Some(0), "{section}: {}", text(&output.stderr));
    }
}

/// A build with `-Werror` ends as with ptxas, whose warnings are not ours: ptxas 13.0.88 takes this module with `-Werror`.
#[test]
fn our_own_warnings_are_no_errors_with_werror() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("k.cubin");
    let output = output.to_str().unwrap();
    let input = "../cubin-debuginfo/tests/data/unplaced_label.ptx";
    let options = ["--code", "none", "-g", "-arch", "sm_86", "-Werror", input, "-o", output];
    let ours = run(&options);
    let said = text(&ours.stderr);
    assert!(ours.status.success() && said.contains("warning") && said.contains("$LA_blkend2"), "{said}");
    // A warning that ptxas has too: there is nothing to suppress.
    let plain = folder.path().join("plain.ptx");
    fs::write(&plain, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n")
        .unwrap();
    let options =
        ["--code", "none", "--suppress-debug-info", "-arch", "sm_86", plain.to_str().unwrap(), "-o", output];
    assert!(run(&options).status.success());
    let theirs = run(&[&options[..], &["-Werror"]].concat());
    assert_eq!(theirs.status.code(), Some(255), "{}", text(&theirs.stderr));
}

/// F4: a side that cannot be read, or a file with something that cannot, is not a side without difference.
#[test]
fn a_side_with_a_fault_is_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = hostile("damaged.a");
    let listed = text(&run(&["extract", &damaged]).stderr);
    assert!(listed.contains("error: "), "{listed}");
    let cubin = folder.path().join("k.cubin");
    // The image that `damaged.a:1` names.
    let output = run(&["extract", &damaged, "-o", folder.path().to_str().unwrap(), "--index", "1"]);
    assert_eq!(output.status.code(), Some(2));
    let made = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).next().unwrap();
    fs::rename(made, &cubin).unwrap();
    let (cubin, cut) = (cubin.to_str().unwrap(), folder.path().join("cut"));
    let whole = fs::read(cubin).unwrap();
    fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    let cut = cut.to_str().unwrap();
    assert_eq!(run(&["diff", cubin, cubin]).status.code(), Some(0));
    for (a, b) in
        [(&*format!("{damaged}:1"), cubin), (cubin, &*format!("{damaged}:1")), (cut, cubin), (cubin, cut)]
    {
        let output = run(&["diff", a, b]);
        assert_eq!(output.status.code(), Some(2), "{a} {b}");
        assert_eq!(text(&output.stdout), "", "{a} {b}");
    }
}

/// F15: the images of an archive in an archive, under the names of both.
#[test]
fn an_archive_in_an_archive_is_read() {
    let nested = hostile("nested.a");
    let output = run(&["extract", "--json", &nested]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let document = json::document(&output);
    let images = document["files"][0]["images"].as_array().unwrap();
    let members: Vec<&str> =
        images.iter().map(|image| image["member"].as_str().unwrap_or_default()).collect();
    assert!(members.iter().any(|member| member.contains(".a(") && member.ends_with(')')), "{members:?}");
}

/// Archives in each other up to a depth; deeper ones are named.
#[test]
fn archives_in_archives_end() {
    let folder = tempfile::tempdir().unwrap();
    let archive = |name: &str, data: &[u8]| {
        let header =
            format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", format!("{name}/"), 0, 0, 0, 644, data.len());
        let end: &[u8] = if data.len() % 2 == 1 { b"\n" } else { b"" };
        [b"!<arch>\n", header.as_bytes(), data, end].concat()
    };
    let mut bytes = fs::read(driver::example("saxpy/saxpy.cubin")).unwrap();
    bytes = archive("k.cubin", &bytes);
    for depth in 1..12 {
        let path = folder.path().join(format!("{depth}.a"));
        fs::write(&path, &bytes).unwrap();
        let output = run(&["extract", path.to_str().unwrap()]);
        let said = text(&output.stderr);
        assert_eq!(output.status.success(), depth <= 8, "{depth}: {said}");
        assert_eq!(said.contains("an archive in more than seven others"), depth > 8, "{depth}: {said}");
        bytes = archive(&format!("{depth}.a"), &bytes);
    }
    // A thin archive has no members of its own.
    let thin = folder.path().join("thin.a");
    fs::write(&thin, archive("inner.a", b"!<thin>\n")).unwrap();
    let output = run(&["extract", thin.to_str().unwrap()]);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("inner.a"), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("a thin archive"), "{}", text(&output.stderr));
    assert!(Path::new(&thin).is_file());
}
