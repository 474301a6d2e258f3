//! CUDA 12's ptxas: where it is, and what it takes. Also used by the tests of `nv-debug-sections`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What a test without it says, and the variable that makes that a failure.
pub(crate) const WHAT: &str = "a ptxas of CUDA 12 (NVDWARF_PTXAS_12, or tools/triton.sh)";
pub(crate) const REQUIRED: &str = "REQUIRE_CUDA_12";

/// Its path: `NVDWARF_PTXAS_12` (of `pip download nvidia-cuda-nvcc-cu12==12.9.86`), else the 12.9
/// that Triton has, where `tools/triton.sh` has put it (`NVDWARF_TRITON`).
pub(crate) fn ptxas() -> Option<PathBuf> {
    let home = || Some(Path::new(&env::var_os("HOME")?).join(".cache/nvdwarf/triton-3.9.0"));
    let root = env::var_os("NVDWARF_TRITON").map(PathBuf::from).or_else(home);
    let pythons = root.iter().flat_map(|root| fs::read_dir(root.join("lib"))).flatten().flatten();
    let of_triton =
        pythons.map(|python| python.path().join("site-packages/triton/backends/nvidia/bin/ptxas"));
    let is_12 = |path: &PathBuf| {
        let version = Command::new(path).arg("--version").output();
        version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("release 12."))
    };
    env::var_os("NVDWARF_PTXAS_12").map(PathBuf::from).into_iter().chain(of_triton).find(is_12)
}

/// PTX as it takes it, for a chip: with its `.version` and `.target`.
pub(crate) fn ptx(ptx: &str, chip: &str) -> String {
    let line = |line: &str| match line.trim().split(' ').next() {
        Some(".version") if line.trim() > ".version 8.8" => ".version 8.8\n".to_owned(),
        Some(".target") => match line.split_once(',') {
            Some((_, rest)) => format!(".target {chip},{rest}\n"),
            None => format!(".target {chip}\n"),
        },
        _ => format!("{line}\n"),
    };
    ptx.lines().map(line).collect()
}
