//! Runs the commands of `tests/cli/*.md`, and compares what they print and how they end with what
//! the file says.
//!
//! Each file is one test. `BLESS=1` writes the new output into the files. `tests/cli/README.md`
//! says how a file is read.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use similar::TextDiff;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};
use support::schemas;

mod support;

/// The folders that a command finds where it runs, as names in the repository.
const FOLDERS: [(&str, &str); 7] = [
    ("examples", "examples"),
    ("pairs", "ptxas-driver/tests/pairs"),
    ("releases", "corpus/releases"),
    ("hostile", "ptxas-driver/tests/hostile"),
    ("lines", "ptxas-driver/tests/lines/inputs"),
    ("data", "cubin-debuginfo/tests/data"),
    ("inputs", "ptxas-driver/tests/cli/inputs"),
];

/// `poke FILE OFFSET BYTES`: other bytes at a place of a file, as `printf` writes them.
const POKE: &str = "#!/bin/sh\nprintf \"$3\" | dd of=\"$1\" bs=1 seek=$(($2)) conv=notrunc 2>/dev/null\n";

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|name| name == "md") && !path.ends_with("README.md"));
    files.sort();
    let test = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // The commands are those of a shell with the programs of GNU.
        Trial::test(name, move || check(&path)).with_ignored_flag(!cfg!(target_os = "linux"))
    };
    libtest_mimic::run(&Arguments::from_args(), files.into_iter().map(test).collect()).exit_code()
}

/// Fails, or writes the file anew, where it does not say what its commands do.
fn check(path: &Path) -> Result<(), Failed> {
    let expected = fs::read_to_string(path)?;
    let found = Sandbox::new(&expected)?.replay(&expected);
    for document in documents(&found) {
        schemas::check(&document).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if found == expected {
        return Ok(());
    }
    if env::var_os("BLESS").is_some() {
        return Ok(fs::write(path, found)?);
    }
    let diff = TextDiff::from_lines(&expected, &found);
    let diff = diff.unified_diff().context_radius(4).header("expected", "found").to_string();
    Err(format!("{}: BLESS=1 accepts this:\n{diff}", path.display()).into())
}

/// A folder with copies of the inputs, where the commands of one file run.
struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    /// With the folders that the text names.
    fn new(text: &str) -> Result<Self, Failed> {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let folder = tempfile::tempdir()?;
        for (name, source) in FOLDERS {
            if text.contains(&format!("{name}/")) {
                copy(&repository.join(source), &folder.path().join("w").join(name))?;
            }
        }
        fs::create_dir_all(folder.path().join("w"))?;
        let bin = folder.path().join("bin");
        fs::create_dir(&bin)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::{PermissionsExt as _, symlink};
            symlink(env!("CARGO_BIN_EXE_ptxas-driver"), bin.join("ptxas-driver"))?;
            fs::write(bin.join("poke"), POKE)?;
            fs::set_permissions(bin.join("poke"), fs::Permissions::from_mode(0o755))?;
        }
        Ok(Self { folder })
    }

    /// The text with the output and the exit status that its commands have now.
    fn replay(&self, text: &str) -> String {
        let mut replayed = String::new();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            let _ = writeln!(replayed, "{line}");
            let Some(fence) = line.strip_suffix("console").filter(|fence| is_fence(fence)) else { continue };
            while let Some(line) = lines.next() {
                let command = line.strip_prefix("$ ").map(str::to_owned);
                if command.is_some() || line == fence {
                    let _ = writeln!(replayed, "{line}");
                }
                if line == fence {
                    break;
                }
                let Some(mut command) = command else { continue };
                while let Some(more) = lines.next_if(|line| line.starts_with("> ")) {
                    let _ = writeln!(replayed, "{more}");
                    let _ = write!(command, "\n{}", &more[2..]);
                }
                replayed.push_str(&self.run(&command));
            }
        }
        replayed
    }

    /// What a command line says, as it stands in a file.
    fn run(&self, command: &str) -> String {
        let root = self.folder.path();
        let bin = root.join("bin");
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([bin].into_iter().chain(env::split_paths(&path))).unwrap();
        let output = Command::new("sh")
            .args(["-c", &format!("umask 022; exec 2>&1\n{command}")])
            .current_dir(root.join("w"))
            .env_clear()
            .envs([("LC_ALL", "C"), ("TZ", "UTC")])
            .env("PATH", path)
            .env("HOME", root)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let mut said = match output.status.code() {
            Some(0) => String::new(),
            Some(code) => format!("? {code}\n"),
            None => "? killed\n".to_owned(),
        };
        let text = String::from_utf8_lossy(&output.stdout);
        said.push_str(&text.replace(&*root.to_string_lossy(), "[ROOT]"));
        if !text.is_empty() && !text.ends_with('\n') {
            said.push_str("\n\\ no newline at the end\n");
        }
        said
    }
}

/// The JSON documents in a text, each of lines from a brace to a brace. Some are shown in part
/// only, and left out.
fn documents(text: &str) -> impl Iterator<Item = Value> {
    let ends = || text.split("\n}\n").filter_map(|part| Some(part.rsplit_once("\n{\n")?.1));
    let documents = ends().filter_map(|part| serde_json::from_str(&format!("{{{part}}}")).ok());
    documents.filter(|document: &Value| document["schema"].is_string())
}

fn is_fence(text: &str) -> bool {
    text.len() >= 3 && text.bytes().all(|byte| byte == b'`')
}

/// Copies a folder. All copies can be written to.
fn copy(from: &Path, to: &Path) -> Result<(), Failed> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::write(target, fs::read(entry.path())?)?;
        }
    }
    Ok(())
}
