//! Made-up lines of PTX are in `.debug_line` where `.nv_debug_line_sass` has their instructions: in
//! cubins of ptxas and in those of `compile`.
#![allow(clippy::print_stdout, reason = "says how much was compared")]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::{corpus_root, driver, json, oracle};
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The number of files of which one is taken, unless `NVDWARF_ALL` is set.
const STEP: usize = 6;

/// The architecture of a module, or the least that ptxas 13.0 knows.
fn arch(text: &str) -> String {
    let target = text.lines().find_map(|line| line.trim().strip_prefix(".target"));
    let name = target.unwrap_or_default().split(',').next().unwrap_or_default().trim();
    let number: u32 = name.trim_start_matches("sm_").trim_end_matches(['a', 'f']).parse().unwrap_or(0);
    if number < 75 { "sm_75".to_owned() } else { name.to_owned() }
}

/// Ranges with a line, those that agree, and lines that no code has.
fn agreement(cubin: &Path, made: &Path) -> [u64; 3] {
    let check = driver::program()
        .args(["check-debugify", "--json"])
        .arg(cubin)
        .arg("--ptx")
        .arg(made)
        .output()
        .unwrap();
    let answer = json::only(&check);
    assert_eq!(answer["other_ranges"].as_array().unwrap().len(), 0, "{}", answer["other_ranges"]);
    let missing = answer["missing_lines"].as_array().unwrap().len() as u64;
    [answer["ranges"].as_u64().unwrap(), answer["agreeing_ranges"].as_u64().unwrap(), missing]
}

#[test]
fn both_line_tables_have_the_lines_that_were_made_up() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let step = if env::var_os("NVDWARF_ALL").is_some() || !corpus_root::is_whole() { 1 } else { STEP };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (plain, made) = (at("plain.ptx"), at("made.ptx"));
    let (mut files, mut ranges, mut missing) = (0, 0, 0);
    for path in corpus_root::files("ptx").into_iter().step_by(step) {
        // Without the debug information that it has.
        fs::write(&plain, fs::read(&path).unwrap()).unwrap();
        let _ = driver::program().args(["check", "--fix=strip-all"]).arg(&plain).output().unwrap();
        let debugified = driver::program().arg("debugify").arg(&plain).arg("-o").arg(&made).output().unwrap();
        if !debugified.status.success() {
            // Texts with faults, and with line markers.
            continue;
        }
        let arch = arch(&fs::read_to_string(&plain).unwrap());
        let cubin = at("theirs.cubin");
        let _ = fs::remove_file(&cubin);
        let compiled = Command::new(&ptxas)
            .args(["-lineinfo", "-arch", &arch])
            .arg(&made)
            .arg("-o")
            .arg(&cubin)
            .output()
            .unwrap();
        if !compiled.status.success() || !cubin.exists() {
            continue;
        }
        let theirs = agreement(&cubin, &made);
        let ours = at("ours.cubin");
        driver::made(
            driver::compile()
                .args(["-lineinfo", "-arch", &arch, "--code"])
                .arg(driver::code_of(&cubin))
                .arg(&made),
            &ours,
        );
        assert_eq!(agreement(&ours, &made), theirs, "{}", path.display());
        assert_eq!(theirs[0], theirs[1], "{}", path.display());
        files += 1;
        ranges += theirs[0];
        missing += theirs[2];
    }
    println!("{files} files: {ranges} ranges agree, {missing} lines have no code");
    assert!(files >= corpus_root::at_least(80) && ranges > 3000, "{files} files, {ranges} ranges");
}
