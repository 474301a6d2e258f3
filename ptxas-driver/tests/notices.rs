//! What people are told: places without code (bug 69), code that is not optimised (77), PTX text in
//! a file (78), missing sources (79).
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::driver::{program, succeed};
use crate::support::random::Random;
use crate::support::{self, json, oracle};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn driver(dir: &Path, args: &str) -> Output {
    let mut command = program();
    if let Some(ptxas) = oracle::tool("ptxas") {
        command.env("PTXAS", ptxas);
    }
    command.current_dir(dir).args(args.split_whitespace()).output().unwrap()
}

fn said(dir: &Path, args: &str) -> String {
    let output = driver(dir, args);
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

fn document(dir: &Path, args: &str) -> Value {
    json::document(&driver(dir, args))["files"][0].clone()
}

/// A folder with the files of a bug, after a tool ran there; `None` without one of both.
fn made(number: &str, tool: &str, args: &str) -> Option<TempDir> {
    let from = support::bug(number)?;
    let dir = tempfile::tempdir().unwrap();
    copy(&from, dir.path());
    run(dir.path(), tool, args)?;
    Some(dir)
}

fn copy(from: &Path, to: &Path) {
    for path in fs::read_dir(from).unwrap().map(|entry| entry.unwrap().path()) {
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&path, &target);
        } else {
            fs::write(target, fs::read(path).unwrap()).unwrap();
        }
    }
}

fn run(dir: &Path, tool: &str, args: &str) -> Option<()> {
    succeed(Command::new(oracle::tool(tool)?).current_dir(dir).args(args.split_whitespace()));
    Some(())
}

// ---- 69 ----

#[test]
fn bug_69_the_next_line_with_code() {
    let Some(dir) = made("69", "ptxas", "-lineinfo -arch=sm_75 pick.ptx -o pick.cubin") else { return };
    let at = |line: &str| said(dir.path(), &format!("lines pick.cubin --at pick.cu:{line}"));
    for line in ["103", "104", "103-104", "101"] {
        let next =
            "the next line with code, where a debugger stops: .text.pick+0x10..0x30  pick  pick.cu:105";
        assert!(at(line).contains(next), "{line}: {}", at(line));
    }
    assert!(at("108-111").contains("pick.cu:109") && !at("108-111").contains("next line"));
    assert!(at("114").contains("no code comes from pick.cu:114, nor from any line after it"));
    let asked = document(dir.path(), "lines pick.cubin --at pick.cu:103 --json");
    let next = &asked["at"][0]["next_line"];
    assert_eq!((&next["line"], &next["start"]), (&105.into(), &16.into()), "{asked:#}");

    let lost = said(dir.path(), "coverage --ptx pick.ptx pick.cubin");
    assert!(lost.contains("    lines: pick.cu: 101\n"), "{lost}");
    let without = "    lines without an instruction in the PTX: pick.cu: 103-104, 108, 111, 114\n";
    assert!(lost.contains(without), "{lost}");
}

/// Of modules without anything that ptxas could leave out, the lines of the table are those of all
/// `.loc` but the ones that `check` warns of.
#[test]
fn places_without_code_are_those_that_ptxas_writes_no_row_for() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random(69);
    let mut warned_of = 0;
    for round in 0..40 {
        let mut body = String::new();
        let mut declared = BTreeSet::new();
        let mut loc = |body: &mut String, line: u64| {
            writeln!(body, ".loc 1 {line} 1").unwrap();
            declared.insert(line);
        };
        if round % 2 == 0 {
            loc(&mut body, 5);
        }
        body.push_str("ld.param.u64 %rd1, [p];\n");
        for step in 0..random.below(12) + 3 {
            match random.below(10) {
                0..6 => loc(&mut body, 10 + u64::from(random.below(30))),
                6..9 => writeln!(body, "st.volatile.global.u32 [%rd1+{}], 7;", 4 * step).unwrap(),
                _ => writeln!(body, "$L__tmp{step}:").unwrap(),
            }
        }
        if round % 3 != 0 {
            body.push_str("ret;\n");
        }
        if round % 5 < 3 {
            loc(&mut body, 50);
        }
        let text = format!(
            ".version 8.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .b64 %rd<3>;\n{body}}}\n.file 1 \"a.cu\"\n"
        );
        fs::write(dir.path().join("k.ptx"), &text).unwrap();
        let arch = ["-arch=sm_75", "-arch=sm_90", "-arch=sm_120"][round % 3];
        let mode = if round % 4 < 2 { "-lineinfo" } else { "-g" };
        succeed(Command::new(&ptxas).current_dir(dir.path()).args([arch, mode, "k.ptx", "-o", "k.cubin"]));
        let checked = document(dir.path(), "check --no-sources --format json k.ptx");
        let findings = checked["findings"].as_array().unwrap().iter();
        let is_warning = |found: &&Value| found["code"] == "L024" && found["severity"] == "warning";
        let silent: BTreeSet<u64> = findings
            .filter(is_warning)
            .map(|found| {
                let rest = found["message"].as_str().unwrap().split_once(": line ").unwrap().1;
                rest.split(' ').next().unwrap().parse().unwrap()
            })
            .collect();
        let listed = document(dir.path(), "lines --all --json k.cubin");
        let ranges = listed["sections"][0]["ranges"].as_array().unwrap().iter();
        let lines: BTreeSet<u64> = ranges
            .flat_map(|range| range["frames"].as_array().unwrap())
            .filter_map(|frame| frame["line"].as_u64().filter(|line| *line > 0))
            .collect();
        assert_eq!(lines, &declared - &silent, "{arch} {mode}\n{text}");
        warned_of += silent.len();
    }
    assert!(warned_of > 40, "{warned_of}");
}

// ---- 77 ----

#[test]
fn bug_77_code_that_is_not_optimised_is_told() {
    let Some(dir) = made("77", "nvcc", "-arch=sm_80 -cubin -G iir.cu -o a.cubin") else { return };
    for (options, name) in
        [("-lineinfo -Xptxas -O0", "b"), ("-lineinfo", "c"), ("-G -dc", "d"), ("-lineinfo -dc", "e")]
    {
        run(dir.path(), "nvcc", &format!("-arch=sm_80 -cubin {options} iir.cu -o {name}.cubin")).unwrap();
    }
    for (name, words, options) in [
        ("a", ", code not optimised (-g)\n", Some("-g")),
        ("b", "level lines, as .debug_line shows, code not optimised (-O0)\n", Some("-O0")),
        ("c", "level lines, as .debug_line shows\n", None),
        ("d", ", code not optimised (-g)\n", Some("-g")),
        ("e", "level lines, as .debug_line shows\n", None),
    ] {
        let text = said(dir.path(), &format!("sections {name}.cubin"));
        assert!(text.contains(words), "{name}: {text}");
        let answer = document(dir.path(), &format!("sections {name}.cubin --json"));
        assert_eq!(answer["unoptimised"]["options"][0].as_str(), options, "{name}: {answer:#}");
        let coverage = said(dir.path(), &format!("coverage {name}.cubin"));
        assert_eq!(coverage.contains("code not optimised (-O0): its profiles"), name == "b", "{coverage}");
    }
    // Optimised code with entries is not the debugger's code.
    run(dir.path(), "nvcc", "-arch=sm_80 -ptx -G iir.cu -o iir.ptx").unwrap();
    said(dir.path(), "compile -g --debug-opt keep -arch sm_80 iir.ptx -o keep.cubin");
    let text = said(dir.path(), "sections keep.cubin");
    assert!(text.contains("level full") && !text.contains("not optimised"), "{text}");
}

#[test]
fn bug_77_a_part_of_a_linked_file() {
    let Some(dir) = made("77", "nvcc", "-arch=sm_80 -cubin -G -dc iir.cu -o a.cubin") else { return };
    fs::write(dir.path().join("b.cu"), "__global__ void other(int *p) { *p = 1; }\n").unwrap();
    run(dir.path(), "nvcc", "-arch=sm_80 -cubin -lineinfo -dc b.cu -o b.cubin").unwrap();
    run(dir.path(), "nvlink", "-arch=sm_80 a.cubin b.cubin -o linked.cubin").unwrap();
    let text = said(dir.path(), "sections linked.cubin");
    assert!(text.contains(", part of the code not optimised (-g)\n"), "{text}");
}

// ---- 78 ----

#[test]
fn bug_78_the_ptx_text_can_go_alone() {
    let Some(dir) = made("78", "nvcc", "-arch=sm_86 -ptx -lineinfo price.cu -o price.ptx") else { return };
    let has_text = |name: &str| {
        let bytes = fs::read(dir.path().join(name)).unwrap();
        memchr::memmem::find(&bytes, b"ld.const.f32").is_some()
    };
    for (arch, mode) in
        [("sm_86", "-lineinfo"), ("sm_90", "-lineinfo"), ("sm_120", "-lineinfo"), ("sm_86", "-lineinfo -c")]
    {
        run(dir.path(), "ptxas", &format!("-arch={arch} {mode} price.ptx -o price.cubin")).unwrap();
        let told = said(dir.path(), "sections price.cubin");
        assert!(told.contains(" bytes of PTX text: who has the file can read the code"), "{told}");
        let bytes = document(dir.path(), "sections price.cubin --json")["ptx_text_bytes"].as_u64().unwrap();
        assert!(told.contains(&format!("\n{bytes} bytes of PTX text")), "{told}");
        let before = said(dir.path(), "lines price.cubin");
        for keep in ["all-without-ptx", "lines-without-ptx", "lines"] {
            said(dir.path(), &format!("strip --keep {keep} price.cubin -o kept.cubin"));
            assert!(has_text("price.cubin") && has_text("kept.cubin") == (keep == "lines"), "{arch} {keep}");
            let kept = document(dir.path(), "sections kept.cubin --json");
            let mut names =
                kept["sections"].as_array().unwrap().iter().map(|section| section["name"].to_string());
            let has_table = names.any(|name| name.contains("nv_debug_line_sass"));
            assert_eq!(has_table, keep == "lines", "{arch} {keep}: {kept:#}");
            assert_eq!(kept["ptx_text_bytes"].is_null(), keep != "lines");
            let found = said(dir.path(), "verify kept.cubin");
            assert!(found.contains("0 errors, 0 warnings"), "{arch} {keep}: {found}");
            // The lines of the source stay, range by range.
            let code = said(dir.path(), "diff --only code,lines price.cubin kept.cubin");
            assert!(code.contains("no difference"), "{arch} {keep}: {code}");
        }
        assert!(before.contains("| ptx:"), "{before}");
    }
    let message = said(dir.path(), "check --no-sources price.ptx");
    assert!(
        message.contains("note[L016]") && message.contains("puts the PTX text into the cubin"),
        "{message}"
    );
}

#[test]
fn bug_78_entries_stay_where_the_text_goes() {
    let Some(dir) = made("78", "nvcc", "-arch=sm_86 -cubin -G price.cu -o price.cubin") else { return };
    said(dir.path(), "strip --keep all-without-ptx price.cubin -o kept.cubin");
    let difference =
        said(dir.path(), "diff --only code,lines,entries,registers,frame price.cubin kept.cubin");
    assert!(difference.contains("no difference"), "{difference}");
    let removed = document(dir.path(), "strip --json --keep all-without-ptx price.cubin -o kept.cubin");
    assert_eq!(removed["keep"], "all_without_ptx");
    let names: Vec<&str> = removed["removed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|section| section["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, [".nv_debug_line_sass", ".nv_debug_ptx_txt", ".rel.nv_debug_line_sass"]);
}

// ---- 79 ----

#[test]
fn bug_79_missing_sources_are_named_where_one_is_there() {
    let Some(dir) = made("79", "ptxas", "-lineinfo -arch=sm_80 gather.ptx -o gather.cubin") else { return };
    let codes = |args: &str| -> Vec<String> {
        let answer = document(dir.path(), args);
        let found = answer["findings"].as_array().unwrap().iter();
        let wanted = found.filter(|found| ["F017", "L016"].contains(&found["code"].as_str().unwrap()));
        let message =
            |found: &Value| found["message"].as_str().or(found["found"].as_str()).unwrap().to_owned();
        wanted.map(message).filter(|message| !message.contains("without any option")).collect()
    };
    let missing = [
        "`gen/index.cuh` is not there, and other sources are",
        "`models/net.py` is not there, and other sources are",
    ];
    assert_eq!(codes("check --format json gather.ptx"), missing);
    assert_eq!(codes("verify --json gather.cubin"), ["no gen/index.cuh, file 2", "no models/net.py, file 3"]);
    let hint = said(dir.path(), "check gather.ptx");
    assert!(hint.contains("`--path-map OLD=NEW` writes the path"), "{hint}");
    assert!(codes("check --no-sources --format json gather.ptx").is_empty());
    assert!(codes("verify --no-sources --json gather.cubin").is_empty());
    // All are there.
    fs::create_dir(dir.path().join("models")).unwrap();
    fs::write(dir.path().join("models/net.py"), "\n".repeat(100)).unwrap();
    assert_eq!(codes("verify --json gather.cubin"), ["no gen/index.cuh, file 2"]);
    fs::write(dir.path().join("gen/index.cuh"), "\n".repeat(100)).unwrap();
    assert!(
        codes("check --format json gather.ptx").is_empty() && codes("verify --json gather.cubin").is_empty()
    );
    // None is there: the file is from elsewhere.
    fs::remove_dir_all(dir.path().join("gen")).unwrap();
    fs::remove_dir_all(dir.path().join("models")).unwrap();
    assert!(
        codes("check --format json gather.ptx").is_empty() && codes("verify --json gather.cubin").is_empty()
    );
}
