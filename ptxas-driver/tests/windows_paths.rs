//! Paths of Windows (bug 62): what ptxas cuts is shown as one path again, and any spelling of a
//! path is taken where a path is asked for or mapped.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::driver::{program, succeed};
use crate::support::{self, json, oracle};
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn said(dir: &Path, args: &[&str]) -> String {
    let mut command = program();
    if let Some(ptxas) = oracle::tool("ptxas") {
        command.env("PTXAS", ptxas);
    }
    let output = command.current_dir(dir).args(args).output().unwrap();
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

/// The two modules of bug 62, each with its cubin; `None` without them or ptxas.
fn assembled() -> Option<TempDir> {
    let (from, ptxas) = (support::bug("62")?, oracle::tool("ptxas")?);
    let dir = tempfile::tempdir().unwrap();
    for name in ["plain", "escaped"] {
        let ptx = format!("{name}.ptx");
        fs::write(dir.path().join(&ptx), fs::read(from.join(&ptx)).unwrap()).unwrap();
        let args = ["-lineinfo", "-arch=sm_89", &ptx, "-o", &format!("{name}.cubin")];
        succeed(Command::new(&ptxas).current_dir(dir.path()).args(args));
    }
    Some(dir)
}

/// The files that a listing shows.
fn files(listing: &str) -> Vec<String> {
    let mut files: Vec<String> = listing
        .split(" at ")
        .skip(1)
        .map(|rest| rest.split_whitespace().next().unwrap().rsplit_once(':').unwrap().0.to_owned())
        .collect();
    files.sort();
    files.dedup();
    files
}

#[test]
fn bug_62_a_path_is_shown_and_asked_for_in_any_spelling() {
    let Some(dir) = assembled() else { return };
    for (name, shown) in [
        ("plain", [r"..\gen\keys.inc", r"D:\jobs\r7\inc\sort2.cuh", r"D:\jobs\r7\median.cu"]),
        ("escaped", [r"..\\gen\\keys.inc", r"D:\\jobs\\r7\\inc\\sort2.cuh", r"D:\\jobs\\r7\\median.cu"]),
    ] {
        let cubin = format!("{name}.cubin");
        assert_eq!(files(&said(dir.path(), &["lines", &cubin])), shown);
        // With the PTX no frame is another than the cubin's.
        let with_ptx = said(dir.path(), &["lines", &cubin, "--ptx", &format!("{name}.ptx")]);
        assert!(!with_ptx.contains("from the PTX"), "{with_ptx}");
        for asked in [
            r"D:\jobs\r7\inc\sort2.cuh:8",
            r"D:\\jobs\\r7\\inc\\sort2.cuh:8",
            "D:/jobs/r7/inc/sort2.cuh:8",
            r"d:\JOBS/r7\.\inc//Sort2.cuh:8",
            r"inc\sort2.cuh:8",
            "INC/sort2.CUH:8",
            "sort2.cuh:8",
        ] {
            let code = said(dir.path(), &["lines", &cubin, "--at", asked]);
            assert!(code.contains(".text.median3+0x50..0x60"), "{asked}: {code}");
        }
        let code = said(dir.path(), &["lines", &cubin, "--at", "../gen/keys.inc:5"]);
        assert!(code.contains(".text.median3+0x60..0x70"), "{code}");
        for other in
            [r"E:\jobs\r7\inc\sort2.cuh:8", "ort2.cuh:8", r"..\..\gen\keys.inc:5", r"..\Gen\keys.inc:5"]
        {
            let code = said(dir.path(), &["lines", &cubin, "--at", other]);
            assert!(code.contains("no file"), "{other}: {code}");
        }
    }
}

#[test]
fn bug_62_a_map_fits_any_spelling() {
    let Some(dir) = assembled() else { return };
    let mapped = ["/src/inc/sort2.cuh", "/src/median.cu"];
    for old in [r"D:\jobs\r7", r"D:\\jobs\\r7", "D:/jobs/r7", r"d:\jobs/R7"] {
        let map = format!("{old}=/src");
        for name in ["plain", "escaped"] {
            let ptx = format!("{name}.ptx");
            let compile =
                ["compile", "--path-map", &map, "-lineinfo", "-arch", "sm_89", &ptx, "-o", "mapped.cubin"];
            said(dir.path(), &compile);
            let shown = files(&said(dir.path(), &["lines", "mapped.cubin"]));
            assert_eq!(shown[1..], mapped, "{map} {name}");

            fs::copy(dir.path().join(&ptx), dir.path().join("repaired.ptx")).unwrap();
            said(
                dir.path(),
                &["check", "--no-sources", "--fix=path-map", "--path-map", &map, "repaired.ptx"],
            );
            let text = fs::read_to_string(dir.path().join("repaired.ptx")).unwrap();
            assert!(mapped.iter().all(|path| text.contains(&format!("\"{path}\""))), "{map} {name}: {text}");

            let coverage = ["coverage", "--ptx", &ptx, "--path-map", &map, "mapped.cubin"];
            let lost = said(dir.path(), &coverage);
            assert!(lost.contains("nothing that the PTX names is lost"), "{map} {name}: {lost}");
        }
    }
    // The map's own separators go on.
    let compile = [
        "compile",
        "--path-map",
        r"D:/jobs/r7=C:\src",
        "-lineinfo",
        "-arch",
        "sm_89",
        "plain.ptx",
        "-o",
        "m",
    ];
    said(dir.path(), &compile);
    assert_eq!(
        files(&said(dir.path(), &["lines", "m"]))[1..],
        [r"C:\src\inc\sort2.cuh", r"C:\src\median.cu"]
    );
}

/// Any path that ptxas cuts is the one of `.file` again, as long as one kind of separator is in it.
#[test]
fn paths_come_back_as_they_stand_in_the_ptx() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let dir = tempfile::tempdir().unwrap();
    for path in [
        r"D:\a\k.cu",
        r"D:\\a\\b\\k.cu",
        r"D:\k.cu",
        r"\\server\share\k.cu",
        r"..\gen\k.cu",
        r"\a\k.cu",
        "k.cu",
        "/a/b/k.cu",
        "a//b/k.cu",
        "./k.cu",
        "D:/a/k.cu",
        "/k.cu",
        r"C:\a\b/c/k.cu",
        r"/x/h\303\251.h",
    ] {
        let text = format!(
            ".version 8.5\n.target sm_75\n.address_size 64\n.entry k() {{\n.loc 1 7 1\nret;\n}}\n.file 1 \"{path}\"\n"
        );
        fs::write(dir.path().join("k.ptx"), text).unwrap();
        succeed(Command::new(&ptxas).current_dir(dir.path()).args([
            "-arch=sm_75",
            "-lineinfo",
            "k.ptx",
            "-o",
            "k.cubin",
        ]));
        let output =
            program().current_dir(dir.path()).args(["lines", "--all", "--json", "k.cubin"]).output().unwrap();
        let document = json::document(&output);
        let frames = &document["files"][0]["sections"][0]["ranges"][0]["frames"];
        assert_eq!(frames[0]["file"], path, "{document:#}");
    }
}

/// The time of a file can be given by any spelling of its path.
#[test]
fn file_stats_are_for_any_spelling() {
    let Some(dir) = assembled() else { return };
    let stat = "D:/jobs/r7/median.cu=1700000000,40";
    let compile =
        ["compile", "--file-stat", stat, "-lineinfo", "-arch", "sm_89", "plain.ptx", "-o", "s.cubin"];
    let messages = said(dir.path(), &compile);
    assert!(!messages.contains("no .file has this path"), "{messages}");
    let dump = said(dir.path(), &["dump", "s.cubin", "--section", ".debug_line"]);
    assert!(dump.contains("1700000000"), "{dump}");
}
