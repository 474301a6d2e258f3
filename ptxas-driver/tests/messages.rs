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
