//! `coverage`: the cases of `../shared/bugs`, its command line, and instructions against nvdisasm.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::driver;
use nv_debug_sections::cubin::{Contents, Cubin};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn coverage(file: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    command.arg("coverage").arg(file).args(args).output().unwrap()
}

fn json(file: &Path, args: &[&str]) -> Value {
    let output = coverage(file, &[args, &["--json"]].concat());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["schema"], &document["schema_version"]), (&"nvdwarf.coverage".into(), &1.into()));
    document["files"][0].clone()
}

/// The object of a PTX text, one instruction of code for each of PTX.
fn object(folder: &Path, ptx: &Path, args: &[&str]) -> PathBuf {
    let output = folder.join("out.debug");
    let mut command = driver::compile();
    driver::made(command.arg(ptx).args(args).args(["-arch", "sm_90", "--code", "none"]), &output);
    output
}

/// The object with zeros for code: minima hold for code only.
fn with_code(object: &Path) -> PathBuf {
    let bytes = fs::read(object).unwrap();
    let mut cubin = Cubin::parse(&bytes).unwrap();
    for section in &mut cubin.sections {
        if let Contents::NoBits(size) = section.contents {
            section.sh_type = 1;
            section.contents = Contents::Bytes(vec![0; usize::try_from(size).unwrap()].into());
        }
    }
    let path = object.with_extension("cubin");
    fs::write(&path, cubin.write().unwrap()).unwrap();
    path
}

const PTX: &str = "\
.version 8.0
.target sm_90
.address_size 64
.file 1 \"k.cu\"
.visible .entry with_lines() {
.loc 1 3 1
bar.sync 0;
.loc 1 4 1
.loc 1 5 1
ret;
}
.visible .entry without() {
bar.sync 0;
ret;
}
";

#[test]
fn minima_name_the_kernels_below() {
    let folder = tempfile::tempdir().unwrap();
    let ptx = folder.path().join("k.ptx");
    fs::write(&ptx, PTX).unwrap();
    let file = object(folder.path(), &ptx, &["-lineinfo"]);
    let report = json(&file, &["--ptx", ptx.to_str().unwrap()]);
    let functions = report["functions"].as_array().unwrap();
    let shares: Vec<_> = functions.iter().map(|f| (&f["name"], &f["instructions"]["line_percent"])).collect();
    assert_eq!(shares, [(&"without".into(), &0.0.into()), (&"with_lines".into(), &100.0.into())]);
    // No instruction stands behind line 4.
    let lost = &report["ptx"][0];
    assert_eq!((&lost["name"], &lost["lines"][0]["lines"]), (&"with_lines".into(), &serde_json::json!([4])));

    let file = with_code(&file);
    let run = coverage(&file, &["--min-lines", "50"]);
    assert_eq!(run.status.code(), Some(1));
    let messages = driver::messages(&run);
    assert_eq!(messages.matches("error:").count(), 1, "{messages}");
    assert!(messages.contains("without: 0.0 % of the instructions have a line, expected 50 %"), "{messages}");
    assert_eq!(coverage(&file, &["--min-lines", "0"]).status.code(), Some(0));
    let run = coverage(&file, &["--min-vars", "1"]);
    assert_eq!((run.status.code(), driver::messages(&run).matches("error:").count()), (Some(1), 2));
    for wrong in ["101", "-1", "NaN", "many"] {
        let run = coverage(&file, &["--min-lines", wrong]);
        assert_eq!(run.status.code(), Some(2));
        assert!(driver::messages(&run).contains("expected a number from 0 to 100"), "{wrong}");
    }
    assert_eq!(coverage(&ptx, &[]).status.code(), Some(1));
    let text = String::from_utf8(coverage(&file, &["--by", "file"]).stdout).unwrap();
    assert!(text.lines().any(|line| line.ends_with("k.cu")), "{text}");
}

/// Own and inherited lines, and limits for both. `wrapidx` has no `.loc`; it is folded into both kernels.
#[test]
fn own_and_inherited_lines() {
    let file = support::repository().join("ptxas-driver/tests/lines/inputs/wrap.sm_86.cubin");
    let report = json(&file, &[]);
    let counts: BTreeMap<_, _> = report["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|function| {
            let of = |member: &str| function["instructions"][member].as_u64().unwrap();
            (function["name"].as_str().unwrap(), [of("all"), of("with_line"), of("own"), of("inherited")])
        })
        .collect();
    // Of `rows` instruction 0x30 is of the PTX line of 0x0, where its row is; those at 0x10, 0x20, 0x40 and 0x80 are of others.
    let want = [
        ("$rows$wrapidx", [5, 0, 0, 0]),
        ("$sharpen$lum", [3, 3, 3, 0]),
        ("$sharpen$wrapidx", [7, 0, 0, 0]),
        ("rows", [9, 9, 5, 4]),
        ("sharpen", [12, 12, 6, 6]),
    ];
    assert_eq!(counts, BTreeMap::from(want));
    let run = |args: &[&str]| {
        let run = coverage(&file, args);
        (run.status.code(), driver::messages(&run))
    };
    let (code, said) = run(&["--min-lines", "100"]);
    assert_eq!((code, said.matches("error:").count()), (Some(1), 2), "{said}");
    assert!(said.contains("$rows$wrapidx: 0.0 % of the instructions have a line, expected 100 %"), "{said}");
    let (code, said) = run(&["--min-own", "52"]);
    assert_eq!((code, said.matches("error:").count()), (Some(1), 3), "{said}");
    assert!(
        said.contains("sharpen: 50.0 % of the instructions have a line of their own, expected 52 %"),
        "{said}"
    );
    let (code, said) = run(&["--max-inherited", "45"]);
    assert_eq!((code, said.matches("error:").count()), (Some(1), 1), "{said}");
    assert!(
        said.contains("sharpen: 50.0 % of the instructions inherit their line, expected at most 45 %"),
        "{said}"
    );
    assert_eq!(run(&["--max-inherited", "50"]).0, Some(0));
    let report = json(&file, &["--min-own", "52", "--max-inherited", "45"]);
    let below = report["functions"].as_array().unwrap().iter().find(|f| f["name"] == "sharpen").unwrap();
    assert_eq!(below["below"], serde_json::json!(["own", "inherited"]));
    // Of the toolkit's code nobody has the source: division, which ptxas adds.
    let file = support::repository().join("ptxas-driver/tests/lines/inputs/folded.sm_86.cubin");
    let said = driver::messages(&coverage(&file, &["--min-lines", "100"]));
    assert_eq!(said.matches("error:").count(), 1, "{said}");
    assert!(said.contains("$k$onlyzero: 0.0 %"), "{said}");
}

/// What must not be green: PTX of something else, and minima on a file without code.
#[test]
fn nothing_to_compare_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let ptx = write("k.ptx", PTX);
    let file = object(folder.path(), Path::new(&ptx), &["-lineinfo"]);
    assert!(coverage(&file, &["--ptx", &ptx]).status.success());
    let renamed = PTX.replace("with", "other").replace("k.cu", "other.cu");
    for (name, text) in [("empty", ""), ("text", "hello there"), ("other.ptx", &renamed)] {
        let other = write(name, text);
        let run = coverage(&file, &["--ptx", &other]);
        assert_eq!(run.status.code(), Some(1), "{name}");
        let said = driver::messages(&run);
        assert!(
            said.contains(&format!("{other}: no function, source file or variable of it")),
            "{name}: {said}"
        );
        let shown = String::from_utf8(run.stdout).unwrap();
        assert!(!shown.contains("nothing that the PTX names is lost"), "{name}: {shown}");
        assert!(json(&file, &["--ptx", &other])["ptx"].is_null(), "{name}");
    }
    // One function of it is enough: the others may be left out of the file.
    let more = write("more.ptx", &(PTX.to_owned() + ".visible .entry more() {\nret;\n}\n"));
    assert!(coverage(&file, &["--ptx", &more]).status.success());

    let head: String = PTX.split_inclusive('\n').take(3).collect();
    let empty = write("data.ptx", &(head + ".visible .global .u32 data;\n"));
    let empty = object(folder.path(), Path::new(&empty), &[]);
    assert!(coverage(&empty, &[]).status.success());
    for minimum in ["--min-lines", "--min-vars"] {
        let run = coverage(&empty, &[minimum, "90"]);
        assert_eq!(run.status.code(), Some(1), "{minimum}");
        assert!(driver::messages(&run).contains("no code that minima could hold for"), "{minimum}");
    }
}

/// A cubin has other paths than its PTX after `compile --path-map`: the same maps lead to them, and only what is lost is.
#[test]
fn paths_of_the_ptx_are_led_to_those_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let ptx = folder.path().join("k.ptx");
    fs::write(&ptx, PTX.replace("k.cu", "/build/src/k.cu")).unwrap();
    let maps = ["--path-map", "/build=/lost", "--path-map", "/build/src=/home/me"];
    let file = object(folder.path(), &ptx, &[&["-lineinfo"], &maps[..]].concat());
    let lost = |maps: &[&str]| {
        let report = json(&file, &[&["--ptx", ptx.to_str().unwrap()], maps].concat());
        let lines = &report["ptx"][0]["lines"][0];
        (lines["file"].clone(), lines["lines"].clone())
    };
    assert_eq!(lost(&maps), ("/home/me/k.cu".into(), serde_json::json!([4])));
    // Without them all lines are in a file that the cubin does not name.
    assert_eq!(lost(&[]), ("/build/src/k.cu".into(), serde_json::json!([3, 4, 5])));
    for wrong in [&["--path-map", "/a=/b"][..], &["--ptx", "k.ptx", "--path-map", "=/b"]] {
        assert_eq!(coverage(&file, wrong).status.code(), Some(2));
    }
}

/// `../shared/bugs`: columns are lost, so of two statements on a line there is one line, and all code has it.
#[test]
fn bugs_about_lines() {
    let (Some(shared), Some(ptxas)) = (support::shared(), support::oracle::tool("ptxas")) else { return };
    let folder = tempfile::tempdir().unwrap();
    for (bug, lines, calls) in [
        ("27-two-statements-one-line-columns", None, 0),
        ("28-three-level-inline-chain", None, 2),
        ("30-one-callee-two-call-sites", None, 2),
        ("21-inline-asm-line-drift", Some(vec![5, 6, 7, 8]), 0),
    ] {
        let ptx = shared.join("bugs").join(bug).join("input.ptx");
        let cubin = folder.path().join("out.cubin");
        let run =
            Command::new(&ptxas).args(["-arch=sm_90", "-lineinfo"]).arg(&ptx).arg("-o").arg(&cubin).output();
        assert!(run.unwrap().status.success(), "{bug}");
        let report = json(&cubin, &["--ptx", ptx.to_str().unwrap(), "--min-lines", "1"]);
        let kernel = &report["functions"][0];
        assert_eq!(kernel["inlined_calls"], calls, "{bug}: {report:#}");
        if let Some(lines) = lines {
            let found: u64 = kernel["lines"].as_u64().unwrap();
            assert!(found >= lines.len() as u64, "{bug}: {report:#}");
        }
    }
}

/// `../shared/bugs/52-*`: of two kernels, which has lines; `../shared/bugs/44-*`: full, lines, nothing in one file.
#[test]
fn which_kernels_have_line_info() {
    let (Some(shared), Some(nvcc)) = (support::shared(), support::oracle::tool("nvcc")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let bug = shared.join("bugs/52-which-kernels-have-line-info");
    let made = |source: &str, args: &[&str]| {
        let cubin = folder.path().join(format!("{source}.cubin"));
        let mut command = Command::new(&nvcc);
        let run =
            command.args(["-arch=sm_90", "-cubin"]).args(args).arg(bug.join(source)).arg("-o").arg(&cubin);
        let run = run.output().unwrap();
        (run.status.success(), cubin, driver::messages(&run))
    };
    for (source, args, want) in [("input.cu", &["-lineinfo"][..], 100.0), ("b.cu", &[], 0.0)] {
        let (ok, cubin, messages) = made(source, args);
        if !ok {
            support::skip(&format!("a working nvcc ({messages})"), "REQUIRE_ORACLES");
            return;
        }
        let report = json(&cubin, &[]);
        assert_eq!(report["functions"][0]["instructions"]["line_percent"], want, "{report:#}");
        let status = coverage(&cubin, &["--min-lines", "95"]).status.code();
        assert_eq!(status, Some(i32::from(want < 95.0)));
    }
}

/// Locals of the example are in registers or nowhere: what `vars` calls available is what SASS registers have. A damaged map loses that alone.
#[test]
fn registers_are_counted_and_their_map_may_be_damaged() {
    let file = support::repository().join("examples/saxpy/saxpy-debug.cubin");
    let mut sound = json(&file, &[]);
    let kernel = sound["functions"].as_array().unwrap().iter().find(|function| function["name"] == "saxpy");
    let locals = &kernel.unwrap()["locals"];
    let listing =
        Command::new(env!("CARGO_BIN_EXE_ptxas-driver")).arg("vars").arg(&file).arg("--json").output();
    let listing: Value = serde_json::from_slice(&listing.unwrap().stdout).unwrap();
    let all = listing["variables"].as_array().unwrap();
    let own = all.iter().filter(|variable| variable["kind"] == "variable");
    let sum = |member: &str| own.clone().map(|variable| variable[member].as_u64().unwrap()).sum::<u64>();
    // That of `i` alone, in 0x250-0x7e0 but for 0x7a0-0x7b0.
    assert!(sum("available_bytes") >= 0x580);
    assert_eq!(
        (&locals["sass_bytes"], &locals["scope_bytes"]),
        (&sum("available_bytes").into(), &sum("scope_bytes").into())
    );

    let bytes = fs::read(&file).unwrap();
    let mut cubin = Cubin::parse(&bytes).unwrap();
    let map = cubin.section_by_name(".nv_debug_info_reg_sass").unwrap();
    cubin.sections[map.as_usize()].contents = Contents::Bytes(b"saxpy".to_vec().into());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("k.cubin");
    fs::write(&file, cubin.write().unwrap()).unwrap();
    let run = coverage(&file, &[]);
    let message = "k.cubin: .nv_debug_info_reg_sass+0x0: ";
    assert_eq!((run.status.code(), driver::messages(&run).matches(message).count()), (Some(1), 1));
    let mut damaged = json(&file, &[]);
    assert!(damaged["register_fault"].as_str().unwrap().starts_with(".nv_debug_info_reg_sass+0x0: "));
    for report in [&mut sound, &mut damaged] {
        let functions = report["functions"].take();
        report["file"] = Value::Null;
        report.as_object_mut().unwrap().remove("register_fault");
        report["functions"] =
            functions.as_array().unwrap().iter().map(|function| function["name"].clone()).collect();
        for member in ["sass_bytes", "sass_percent"] {
            report["variables"].as_object_mut().unwrap().remove(member);
        }
    }
    assert_eq!(sound, damaged);
}

/// Instructions of each section in the listing of `nvdisasm -c`, without the NOPs at its end.
fn listed(nvdisasm: &Path, file: &Path) -> Option<BTreeMap<String, u64>> {
    let output = Command::new(nvdisasm).arg("-c").arg(file).output().unwrap();
    let mut sections: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut section = String::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some(rest) = line.strip_prefix("\t.section\t") {
            rest.split(',').next().unwrap().clone_into(&mut section);
        }
        let Some((_, words)) = line.trim_start().strip_prefix("/*").and_then(|rest| rest.split_once("*/"))
        else {
            continue;
        };
        let (all, counted) = sections.entry(section.clone()).or_default();
        *all += 1;
        if !words.trim_start().starts_with("NOP") {
            *counted = *all;
        }
    }
    output
        .status
        .success()
        .then(|| sections.into_iter().map(|(name, (_, counted))| (name, counted)).collect())
}

#[test]
fn instructions_are_those_that_nvdisasm_lists() {
    let (Some(nvdisasm), Some(entries)) =
        (support::oracle::tool("nvdisasm"), support::corpus(|entry| entry.ok && entry.cubin.is_some()))
    else {
        return;
    };
    let (mut files, mut instructions) = (0, 0);
    for entry in entries.iter().step_by(12) {
        let file = entry.cubin.as_ref().unwrap();
        let Some(mut listed) = listed(&nvdisasm, file) else { continue };
        let report = json(file, &[]);
        let mut ours: BTreeMap<String, u64> = BTreeMap::new();
        let mut folded = Vec::new();
        for function in report["functions"].as_array().unwrap() {
            let section = function["section"].as_str().unwrap().to_owned();
            if function["offset"] != 0 {
                folded.push(section.clone());
            }
            *ours.entry(section).or_default() += function["instructions"]["all"].as_u64().unwrap();
        }
        // Between folded functions there is padding too, which the listing does not tell from code.
        for section in folded {
            ours.remove(&section);
            listed.remove(&section);
        }
        listed.retain(|name, _| name.starts_with(".text."));
        assert_eq!(ours, listed, "{}", file.display());
        files += 1;
        instructions += ours.values().sum::<u64>();
    }
    assert!(files > 20 && instructions > 5000, "{files} files, {instructions} instructions");
}
