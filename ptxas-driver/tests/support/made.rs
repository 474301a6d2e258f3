//! Files with GPU code, made by NVIDIA's own tools.
#![allow(dead_code, unreachable_pub, reason = "each test program uses its own part")]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use super::oracle;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Two architectures and PTX.
pub const ARCHES: &str =
    "-gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=[sm_90,compute_90]";

/// The files of a folder by name.
pub fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

/// The tools that make files with GPU code, and a folder with sources for them.
pub struct Tools {
    nvcc: PathBuf,
    cuobjdump: PathBuf,
    pub folder: TempDir,
}

impl Tools {
    pub fn find() -> Option<Self> {
        let tools = Self {
            nvcc: oracle::tool("nvcc")?,
            cuobjdump: oracle::tool("cuobjdump")?,
            folder: tempfile::tempdir().unwrap(),
        };
        for source in ["saxpy/saxpy.cu", "saxpy/fused.cuh", "block_sum/block_sum.cu"] {
            let name = Path::new(source).file_name().unwrap();
            fs::copy(super::repository().join("examples").join(source), tools.folder.path().join(name))
                .unwrap();
        }
        Some(tools)
    }

    /// A file that nvcc makes.
    pub fn make(&self, args: &str, output: &str) -> PathBuf {
        let words = args.split_whitespace();
        // The libraries of tools/oracle.sh lie where nvcc does not look.
        let libraries = format!("-L{}", self.nvcc.with_file_name("../lib").display());
        let mut command = Command::new(&self.nvcc);
        command.current_dir(self.folder.path()).args(words).args([&libraries, "-o", output]);
        let run = command.output().unwrap();
        assert!(run.status.success(), "nvcc {args}: {run:?}");
        self.folder.path().join(output)
    }

    /// What cuobjdump takes out of a file: cubins or PTX.
    pub fn dumped(&self, option: &str, file: &Path) -> BTreeMap<String, Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let run = Command::new(&self.cuobjdump)
            .current_dir(folder.path())
            .args(["-all", option, "all"])
            .arg(file)
            .output()
            .unwrap();
        assert!(run.status.success(), "{run:?}");
        files_in(folder.path())
    }
}
