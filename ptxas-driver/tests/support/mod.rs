//! What the integration tests share: NVIDIA's tools as oracles, the corpus, and `../shared`.
//!
//! The tools and `../shared` are optional on a developer's machine. A test that lacks one says
//! `skipped: ...` on stderr, past the test harness' capture, and passes; with `REQUIRE_ORACLES=1`
//! or `REQUIRE_SHARED=1` it fails instead.
#![allow(dead_code, unreachable_pub, reason = "each test program uses its own part")]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

pub mod architectures;
pub mod calls;
#[path = "../../../corpus/root.rs"]
pub mod corpus_root;
pub mod cubins;
pub mod cuda_12;
pub mod driver;
pub mod fatbins;
pub mod host_program;
pub mod json;
pub mod loc_streams;
pub mod made;
pub mod random;
pub mod schemas;

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Says that something is missing, or fails where `required` (a variable's name) is set to 1.
pub fn skip(what: &str, required: &str) {
    let name = std::thread::current().name().unwrap_or("?").to_owned();
    assert!(env::var_os(required).is_none_or(|value| value != "1"), "{what} is missing and {required}=1");
    let _ = writeln!(io::stderr(), "skipped: {name}: {what} is missing");
}

/// NVIDIA's own tools, run as black boxes.
pub mod oracle {
    use super::{Path, PathBuf, cuda_12, env, fs, skip};

    /// The path of a tool such as `nvdisasm`: from the environment of `tools/oracle.sh`
    /// (`$NVDWARF_ORACLE`, else its default place), else from `PATH`.
    ///
    /// `None` where it is missing and may be; the test then returns.
    pub fn tool(name: &str) -> Option<PathBuf> {
        let found = in_environment(name).or_else(|| on_path(name));
        if found.is_none() {
            skip(&format!("{name} (tools/oracle.sh installs it)"), "REQUIRE_ORACLES");
        }
        found
    }

    /// As [`cuda_12::ptxas`].
    ///
    /// `None` where it is missing and may be; the test then returns.
    pub fn ptxas_of_cuda_12() -> Option<PathBuf> {
        let found = cuda_12::ptxas();
        if found.is_none() {
            skip(cuda_12::WHAT, cuda_12::REQUIRED);
        }
        found
    }

    /// The ptxas of 13.0, and those of `releases` that `tools/oracle.sh --release` has installed.
    ///
    /// Empty where that of 13.0 is missing and may be; the test then returns.
    pub fn ptxas_of(releases: &[&str]) -> Vec<PathBuf> {
        let Some(usual) = tool("ptxas") else { return Vec::new() };
        let installed = |release: &&str| {
            let prefix = format!("ptxas-{release}.");
            let is_of_release = |path: &PathBuf| {
                path.is_dir()
                    && path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix))
            };
            let root = entries(&cache()?).into_iter().find(is_of_release)?;
            in_root(&root, "ptxas")
        };
        std::iter::once(usual).chain(releases.iter().filter_map(installed)).collect()
    }

    fn cache() -> Option<PathBuf> {
        Some(PathBuf::from(env::var_os("HOME")?).join(".cache/nvdwarf"))
    }

    fn in_environment(name: &str) -> Option<PathBuf> {
        let usual = || Some(cache()?.join("oracle-13.0.88"));
        in_root(&env::var_os("NVDWARF_ORACLE").map(PathBuf::from).or_else(usual)?, name)
    }

    fn in_root(root: &Path, name: &str) -> Option<PathBuf> {
        let pythons = entries(&root.join("lib")).into_iter();
        pythons
            .flat_map(|python| entries(&python.join("site-packages/nvidia")))
            .map(|package| package.join("bin").join(name))
            .find(|path| path.is_file())
    }

    fn on_path(name: &str) -> Option<PathBuf> {
        env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(name)).find(|path| path.is_file())
    }

    fn entries(dir: &Path) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths
    }
}

/// The workplace's `shared` directory, which lies beside a checkout but is not a part of the
/// repository.
///
/// `None` where it is missing and may be; the test then returns.
pub fn shared() -> Option<PathBuf> {
    let dir = repository().join("../shared");
    if dir.is_dir() {
        return Some(dir);
    }
    skip("../shared", "REQUIRE_SHARED");
    None
}

/// The folder of a case of `../shared/bugs`.
///
/// `None` where it is missing and may be; the test then returns.
pub fn bug(number: &str) -> Option<PathBuf> {
    let mut found = fs::read_dir(shared()?.join("bugs")).unwrap().map(|entry| entry.unwrap().path());
    found.find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(number))
}

/// One run of the tools recorded in `corpus/manifest.json`.
#[derive(Debug, Clone)]
pub struct Entry {
    /// `cuda`, `nvrtc`, `triton`, ...: who made the PTX.
    pub producer: String,
    /// The source program.
    pub program: String,
    /// `sm_75`, ...
    pub arch: String,
    /// `none`, `lineinfo`, `G`, ...
    pub mode: String,
    /// The file within the program.
    pub unit: String,
    /// Whether the tool succeeded; else `cubin` is absent.
    pub ok: bool,
    /// Whether ptxas 13.0.88 wrote the cubin, run by nvcc, NVRTC or by hand; other writers have
    /// their own versions.
    pub written_by_ptxas_13_0: bool,
    /// The command line, with `$CUDA` and the like for machine paths.
    pub command: Vec<String>,
    /// The PTX, where this entry has one.
    pub ptx: Option<PathBuf>,
    /// The cubin that ptxas (or nvlink, for linked ones) made.
    pub cubin: Option<PathBuf>,
}

impl Entry {
    fn read(entry: &Value, corpus: &Path) -> Self {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let file = |key: &str| {
            entry[key]["path"].as_str().map(|path| corpus.join(path)).filter(|path| path.is_file())
        };
        Self {
            producer: text("producer"),
            program: text("program"),
            arch: text("arch"),
            mode: text("mode"),
            unit: text("unit"),
            ok: entry["status"] == "ok",
            written_by_ptxas_13_0: matches!(text("writer").as_str(), "ptxas-13.0.88" | "nvrtc-13.0.88"),
            command: entry["command"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|word| word.as_str().map(str::to_owned))
                .collect(),
            ptx: file("ptx"),
            cubin: file("cubin"),
        }
    }

    /// The number in [`arch`](Self::arch): 100 for sm_100, sm_100a and sm_100f.
    pub fn sm(&self) -> u32 {
        let digits = self.arch.trim_start_matches("sm_").trim_end_matches(['a', 'f']);
        digits.parse().unwrap()
    }

    /// `cuda/saxpy/sm_75/lineinfo/saxpy`: unique, for messages.
    pub fn name(&self) -> String {
        [&*self.producer, &self.program, &self.arch, &self.mode, &self.unit].join("/")
    }
}

/// Every entry of the corpus that passes, in the manifest's order.
///
/// Panics on an unreadable manifest, and where nothing passes: a filter with a typing error must
/// not look like success.
pub fn corpus(passes: impl Fn(&Entry) -> bool) -> Vec<Entry> {
    let corpus = corpus_root::root();
    let text = fs::read_to_string(corpus.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&text).unwrap();
    let entries = manifest["entries"].as_array().unwrap();
    let entries: Vec<Entry> =
        entries.iter().map(|entry| Entry::read(entry, &corpus)).filter(|entry| passes(entry)).collect();
    assert!(!entries.is_empty(), "no entry of the corpus passes this filter");
    entries
}

/// The pairs on which the first slice must be exact: cuda and nvrtc, `lineinfo` and `G`, sm_75 and
/// sm_80, status ok, with PTX and cubin.
pub fn simple_pairs() -> Vec<Entry> {
    corpus(|entry| {
        entry.ok
            && ["cuda", "nvrtc"].contains(&&*entry.producer)
            && ["lineinfo", "G"].contains(&&*entry.mode)
            && ["sm_75", "sm_80"].contains(&&*entry.arch)
            && entry.ptx.is_some()
            && entry.cubin.is_some()
    })
}
