//! The corpus, and the real tools when they are there.

#![allow(dead_code)] // each test binary uses its own part
#![allow(clippy::print_stderr, clippy::unwrap_used)] // a skip must be seen; a panic is a failed test

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../../ptxas-driver/tests/support/architectures.rs"]
pub(crate) mod architectures;
#[path = "../../../ptxas-driver/tests/support/cuda_12.rs"]
pub(crate) mod cuda_12;
#[path = "../../../corpus/root.rs"]
pub(crate) mod root;

pub(crate) struct Cubins {
    pub(crate) paths: Vec<PathBuf>,
}

impl Cubins {
    /// All cubins, sorted by path.
    pub(crate) fn open() -> Self {
        Self { paths: root::files("cubin") }
    }
}

pub(crate) fn file(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A tool of the oracle environment (`NVDWARF_ORACLE`, else `~/.cache/nvdwarf/oracle-13.0.88`);
/// `None`, said aloud, without it.
///
/// # Panics
///
/// If it is missing and `REQUIRE_ORACLES=1`.
pub(crate) fn oracle(tool: &str) -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(|h| Path::new(&h).join(".cache/nvdwarf/oracle-13.0.88"));
    let root = std::env::var_os("NVDWARF_ORACLE").map(PathBuf::from).or(home);
    let library = root.iter().flat_map(|r| fs::read_dir(r.join("lib"))).flatten();
    let found =
        library.flatten().map(|python| python.path().join("site-packages/nvidia/cu13/bin").join(tool));
    let found = found.into_iter().find(|path| path.is_file());
    if found.is_none() {
        let text = format!("no {tool} in {root:?} (tools/oracle.sh installs it)");
        assert!(std::env::var_os("REQUIRE_ORACLES").is_none_or(|v| v != "1"), "{text}");
        eprintln!("skipped: {text}");
    }
    found
}

/// As [`cuda_12::ptxas`]. `None`, said aloud, without one.
pub(crate) fn ptxas_12() -> Option<PathBuf> {
    let found = cuda_12::ptxas();
    if found.is_none() {
        let (what, required) = (cuda_12::WHAT, cuda_12::REQUIRED);
        assert!(std::env::var_os(required).is_none_or(|v| v != "1"), "{what} is missing and {required}=1");
        eprintln!("skipped: {what} is missing");
    }
    found
}

/// Runs a tool on a file; its output, or the message if it refuses.
pub(crate) fn run(tool: &Path, arguments: &[&str], input: &Path) -> Result<String, String> {
    let output = std::process::Command::new(tool).args(arguments).arg(input).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(text) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// What a cubin is a sample of, as keys: the compiler, the architecture with the amount of debug
/// information, the mode, and whether it was linked or made without a compiler.
pub(crate) fn kinds(path: &Path) -> [String; 4] {
    let mut parts = path.iter().rev().skip(1).map(|part| part.to_string_lossy().into_owned());
    let (mode, arch) = (parts.next().unwrap(), parts.next().unwrap());
    let compiler = parts.nth(1).unwrap();
    let level = if mode.starts_with("line") { "lines" } else { "full" };
    let text = path.to_string_lossy();
    let maker = ["linked", ".own."].into_iter().find(|maker| text.contains(maker)).unwrap_or("ptxas");
    [compiler, format!("{arch} {level}"), mode, maker.to_owned()]
}

/// Cubins of these modes, the smallest first, that together have every kind.
pub(crate) fn sample<'c>(cubins: &'c Cubins, modes: &[&str]) -> Vec<&'c PathBuf> {
    let mut by_size: Vec<_> = cubins.paths.iter().filter(|p| modes.contains(&kinds(p)[2].as_str())).collect();
    by_size.sort_by_key(|path| fs::metadata(path).unwrap().len());
    let mut seen = HashSet::new();
    by_size.retain(|path| kinds(path).map(|kind| seen.insert(kind)).contains(&true));
    by_size
}

/// Of each architecture and amount of debug information the cubins at the quarters by size.
pub(crate) fn typical(cubins: &Cubins) -> Vec<&PathBuf> {
    let mut groups: BTreeMap<String, Vec<(u64, &PathBuf)>> = BTreeMap::new();
    for path in &cubins.paths {
        let [_, arch_and_level, mode, _] = kinds(path);
        if mode != "none" {
            let size = fs::metadata(path).unwrap().len();
            groups.entry(arch_and_level).or_default().push((size, path));
        }
    }
    let quarters = groups.into_values().flat_map(|mut group| {
        group.sort_unstable();
        [1, 2, 3].map(|quarter| group[group.len() * quarter / 4].1)
    });
    quarters.collect()
}

/// The cubin that ptxas makes of a case; `None`, said aloud, without it.
pub(crate) fn case(name: &str, options: &[&str]) -> Option<Vec<u8>> {
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/bugs").join(name).join("input.ptx");
    if !input.is_file() {
        eprintln!("skipped: no {}", input.display());
        return None;
    }
    let ptxas = oracle("ptxas")?;
    let output = std::env::temp_dir().join(format!("nvdwarf-case-{name}-{}.cubin", std::process::id()));
    let done = std::process::Command::new(ptxas)
        .args(options)
        .args([Path::new("-o"), &output, &input])
        .output()
        .unwrap();
    assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
    let bytes = file(&output);
    fs::remove_file(output).unwrap();
    Some(bytes)
}
