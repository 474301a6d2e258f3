//! What the tests share: ptxas as an oracle, and `../shared`.
//!
//! Both are optional on a developer's machine. A test that lacks one says `skipped: ...` and
//! passes; with `REQUIRE_ORACLES` or `REQUIRE_SHARED` set it fails instead.
#![allow(dead_code, unreachable_pub, reason = "each test crate uses its own part")]
#![allow(clippy::print_stderr, reason = "says what was not tried")]

#[path = "../../../ptxas-driver/tests/support/architectures.rs"]
pub mod architectures;
#[path = "../../../corpus/root.rs"]
pub mod corpus_root;

use std::path::{Path, PathBuf};
use std::{env, fs};

/// `$PTXAS`, or the one that `tools/oracle.sh` installs.
pub fn ptxas() -> Option<PathBuf> {
    let given = env::var_os("PTXAS").map(PathBuf::from);
    let installed = || {
        let lib = PathBuf::from(env::var_os("HOME")?).join(".cache/nvdwarf/oracle-13.0.88/lib");
        let python = fs::read_dir(lib)
            .ok()?
            .flatten()
            .find(|entry| entry.file_name().to_string_lossy().starts_with("python"))?;
        Some(python.path().join("site-packages/nvidia/cu13/bin/ptxas"))
    };
    let found = given.or_else(installed).filter(|path| path.exists());
    if found.is_none() {
        assert!(env::var_os("REQUIRE_ORACLES").is_none(), "ptxas is required and not there");
        eprintln!("skipped: no ptxas 13.0.88 here");
    }
    found
}

/// A file or folder of the workplace's `shared`, which lies beside a checkout.
pub fn shared(part: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared").join(part);
    let found = path.exists();
    if !found {
        assert!(env::var_os("REQUIRE_SHARED").is_none(), "../shared/{part} is required and not there");
        eprintln!("skipped: no ../shared/{part} here");
    }
    found.then_some(path)
}

/// The ptxas of another release, which `tools/oracle.sh --release` installs.
pub fn ptxas_of(release: cuda_releases::Release) -> Option<PathBuf> {
    let version = release.version();
    let find = || {
        let lib = PathBuf::from(env::var_os("HOME")?).join(format!(".cache/nvdwarf/ptxas-{version}/lib"));
        let python = fs::read_dir(lib).ok()?.flatten().next()?.path();
        let folders = fs::read_dir(python.join("site-packages/nvidia")).ok()?.flatten();
        folders.map(|folder| folder.path().join("bin/ptxas")).find(|path| path.exists())
    };
    let found = find();
    if found.is_none() {
        assert!(env::var_os("REQUIRE_ORACLES").is_none(), "ptxas {version} is required and not there");
        eprintln!("skipped: no ptxas {version} here");
    }
    found
}
