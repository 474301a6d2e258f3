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

use cuda_releases::Release;

/// `$PTXAS`, or the one that `tools/oracle.sh` installs.
pub fn ptxas() -> Option<PathBuf> {
    let given = env::var_os("PTXAS").map(PathBuf::from);
    let found = given.or_else(|| installed("oracle-13.0.88")).filter(|path| path.exists());
    if found.is_none() {
        assert!(env::var_os("REQUIRE_ORACLES").is_none(), "ptxas is required and not there");
        eprintln!("skipped: no ptxas 13.0.88 here");
    }
    found
}

/// The ptxas of a release that `tools/oracle.sh --release` installs. No release but 13.0 is
/// required.
pub fn ptxas_of(release: Release) -> Option<PathBuf> {
    if release == Release::V13_0 {
        return ptxas();
    }
    let found = installed(&format!("ptxas-{}", release.version()));
    if found.is_none() {
        eprintln!("skipped: no ptxas {release} here (tools/oracle.sh --release {release})");
    }
    found
}

/// The ptxas of a Python environment that `tools/oracle.sh` makes.
fn installed(environment: &str) -> Option<PathBuf> {
    let entries = |folder: PathBuf| Some(fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()));
    let place = PathBuf::from(env::var_os("HOME")?).join(".cache/nvdwarf").join(environment);
    let python = entries(place.join("lib"))?
        .find(|path| path.file_name().unwrap().to_string_lossy().starts_with("python"))?;
    let mut packages = entries(python.join("site-packages/nvidia"))?;
    packages.find_map(|package| Some(package.join("bin/ptxas")).filter(|path| path.exists()))
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
