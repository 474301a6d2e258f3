//! `coverage`: the cases of `../shared/bugs`, and instructions against nvdisasm. Its command line
//! is in `cli/coverage.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::driver;
use crate::support::json;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// `../shared/bugs`: columns are lost, so of two statements on a line there is one line, and all
/// code has it.
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
        let report = json::answer("coverage", &cubin, &["--ptx", ptx.to_str().unwrap(), "--min-lines", "1"]);
        let kernel = &report["functions"][0];
        assert_eq!(kernel["inlined_calls"], calls, "{bug}: {report:#}");
        if let Some(lines) = lines {
            let found: u64 = kernel["lines"].as_u64().unwrap();
            assert!(found >= lines.len() as u64, "{bug}: {report:#}");
        }
    }
}

/// `../shared/bugs/52-*`: of two kernels, which has lines; `../shared/bugs/44-*`: full, lines,
/// nothing in one file.
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
        let report = json::answer("coverage", &cubin, &[]);
        assert_eq!(report["functions"][0]["instructions"]["line_percent"], want, "{report:#}");
        let status = driver::answer("coverage", &cubin, &["--min-lines", "95"]).status.code();
        assert_eq!(status, Some(i32::from(want < 95.0)));
    }
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
    let Some(nvdisasm) = support::oracle::tool("nvdisasm") else { return };
    let entries = support::corpus(|entry| entry.ok && entry.cubin.is_some());
    let (mut files, mut instructions) = (0, 0);
    for entry in entries.iter().step_by(12) {
        let file = entry.cubin.as_ref().unwrap();
        let Some(mut listed) = listed(&nvdisasm, file) else { continue };
        let report = json::answer("coverage", file, &[]);
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
