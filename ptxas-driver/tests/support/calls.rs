//! What calls us in the place of ptxas, and what `$NVDWARF_LOG` says of it.
#![allow(dead_code, unreachable_pub, reason = "each test program uses its own part")]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support::{self, driver};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Sections that are known to differ on sm_90 with `-c`: ptxas' pointers to CIEs are offsets in its
/// hidden Mercury `.debug_frame`.
const KNOWN: &[&str] = &[".debug_frame", ".rela.debug_frame"];

/// A folder of this test's own files.
pub fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/drop_in").join(name)
}

/// What a script of `tools/` finds on this machine; none where it finds nothing, unless the
/// variable `required` is 1.
pub fn found_by(script: &str, required: &str) -> Option<PathBuf> {
    let run = Command::new(support::repository().join("tools").join(script)).arg("--check").output().unwrap();
    if !run.status.success() {
        support::skip(&format!("what tools/{script} installs"), required);
        return None;
    }
    Some(String::from_utf8(run.stdout).unwrap().trim_end().into())
}

/// One line of `$NVDWARF_LOG`.
#[derive(Debug)]
pub struct Call {
    pub argv: Vec<String>,
    pub folder: PathBuf,
    pub code: String,
    pub exit: u64,
}

impl Call {
    pub fn read(line: &str) -> Self {
        let line: Value = serde_json::from_str(line).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self {
            argv: line["argv"].as_array().unwrap().iter().map(text).collect(),
            folder: text(&line["folder"]).into(),
            code: text(&line["code"]),
            exit: line["exit"].as_u64().unwrap(),
        }
    }

    pub fn has(&self, word: &str) -> bool {
        self.argv.iter().any(|arg| arg == word)
    }

    /// The position of the output's name in `argv`.
    fn output(&self) -> Option<usize> {
        self.argv.iter().position(|arg| arg == "-o" || arg == "--output-file").map(|at| at + 1)
    }

    /// Has ptxas do the same, and compares the files: the whole file as readers see it, whether the
    /// bytes are the same too.
    pub fn compare(&self, ptxas: &Path) -> bool {
        let at = self.output().unwrap();
        let name = Path::new(&self.argv[at]);
        let ours = fs::read(self.folder.join(name)).unwrap();
        // The base name is in .note.nv.tkinfo.
        let scratch = tempfile::tempdir().unwrap();
        let output = scratch.path().join(name.file_name().unwrap());
        let mut argv = self.argv.clone();
        output.to_str().unwrap().clone_into(&mut argv[at]);
        let run = Command::new(ptxas).args(&argv[1..]).current_dir(&self.folder).output().unwrap();
        assert!(run.status.success(), "{argv:?}: {}", driver::messages(&run));
        let theirs = fs::read(&output).unwrap();
        assert_eq!(ours.len(), theirs.len(), "{argv:?}");
        for (ours, theirs) in driver::as_read(&ours).iter().zip(&driver::as_read(&theirs)) {
            let known = self.has("--compile-only") && self.has("-arch=sm_90") && KNOWN.contains(&&*ours.0);
            assert!(ours == theirs || known, "{argv:?}: {} and {} differ", ours.0, theirs.0);
        }
        ours == theirs
    }
}

/// Our calls since the last time, after a client's run that must have succeeded.
pub fn calls(log: &Path, client: &Output) -> Vec<Call> {
    assert!(client.status.success(), "{}", all_of(client));
    let calls = logged(log, client);
    for call in &calls {
        assert_eq!(call.exit, 0, "{call:?}");
    }
    calls
}

/// Our calls since the last time, after the run of a client for which we could find no ptxas: it
/// failed, as we did, and says how to get one.
pub fn calls_of_failed(log: &Path, client: &Output) -> Vec<Call> {
    let said = all_of(client);
    assert!(client.status.code().is_some_and(|code| code != 0), "{:?}: {said}", client.status);
    for words in
        ["ptxas fatal   : no ptxas found; tried $PTXAS, ", "'pip install nvidia-cuda-nvcc'", "--code none"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    let calls = logged(log, client);
    let (last, before) = calls.split_last().unwrap();
    assert_eq!(last.exit, 255, "{last:?}");
    assert!(last.code.starts_with("none: no ptxas found"), "{last:?}");
    assert!(before.iter().all(|call| call.exit == 0 && call.has("--version")), "{before:?}");
    calls
}

fn all_of(run: &Output) -> String {
    format!("{}\n{}", driver::messages(run), String::from_utf8_lossy(&run.stdout))
}

fn logged(log: &Path, client: &Output) -> Vec<Call> {
    let text = fs::read_to_string(log).unwrap_or_else(|_| panic!("not called: {}", all_of(client)));
    fs::remove_file(log).unwrap();
    let calls: Vec<Call> = text.lines().map(Call::read).collect();
    for call in &calls {
        let name = Path::new(&call.argv[0]).file_name().unwrap();
        assert!(name == "ptxas" || name == "ptxas-blackwell", "{call:?}");
    }
    calls
}

/// A folder for `PATH` that has these programs of the machine and no other: no ptxas, and no Python
/// whose packages have one.
pub fn host_tools(folder: &Path, names: &[&str]) -> PathBuf {
    let tools = folder.join("tools");
    fs::create_dir(&tools).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for name in names {
        let found = std::env::split_paths(&path).map(|dir| dir.join(name)).find(|path| path.is_file());
        symlink(found.unwrap_or_else(|| panic!("no {name} on PATH")), tools.join(name)).unwrap();
    }
    tools
}

/// A folder with a link `ptxas` to us.
pub fn linked() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("ptxas");
    symlink(env!("CARGO_BIN_EXE_ptxas-driver"), &link).unwrap();
    (folder, link)
}
