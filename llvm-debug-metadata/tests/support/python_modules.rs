//! Modules that numba and Triton make: other producers than clang, one of the old dialect.

use super::Sample;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The folder with what a producer wrote, and its modules as they are, sorted by name.
pub type Modules = (tempfile::TempDir, Vec<Sample>);

/// The modules of `tests/sources/numba_modules.py`.
pub fn numba() -> Option<Modules> {
    let folder = tempfile::tempdir().unwrap();
    run("numba", &folder, &[])?;
    Some(read(folder))
}

/// The modules of `tests/sources/triton_modules.py`, with debug information of lines, and of
/// variables too.
pub fn triton() -> Option<Modules> {
    let folder = tempfile::tempdir().unwrap();
    run("triton", &folder, &[])?;
    run("triton", &folder, &["variables"])?;
    Some(read(folder))
}

/// Runs the script of a producer in its environment, if that is there.
fn run(producer: &str, folder: &tempfile::TempDir, arguments: &[&str]) -> Option<()> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let environment = crate_folder.join(format!("../tools/{producer}.sh"));
    let found = Command::new(environment).arg("--check").output().ok().filter(|found| found.status.success());
    let Some(found) = found else {
        assert!(env::var_os("REQUIRE_ORACLES").is_none(), "{producer} is required and not there");
        eprintln!("skipped: no {producer} here (tools/{producer}.sh installs it)");
        return None;
    };
    let python = PathBuf::from(String::from_utf8(found.stdout).unwrap().trim());
    let script = crate_folder.join(format!("tests/sources/{producer}_modules.py"));
    let made = Command::new(python).arg(script).arg(folder.path()).args(arguments).output().unwrap();
    assert!(made.status.success(), "{producer}: {}", String::from_utf8_lossy(&made.stderr));
    Some(())
}

fn read(folder: tempfile::TempDir) -> Modules {
    let files = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
    let mut modules: Vec<Sample> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "ll"))
        .map(|path| Sample {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            text: fs::read_to_string(&path).unwrap(),
        })
        .collect();
    modules.sort_by(|one, other| one.name.cmp(&other.name));
    (folder, modules)
}

/// A module of Triton's LLVM 23 without what LLVM 19 cannot read. None of it is debug information.
pub fn as_llvm_19(text: &str) -> String {
    let text = text.replace("captures(none)", "nocapture").replace(" nocreateundeforpoison", "");
    let text = text.replace("float -inf", "float 0xFFF0000000000000");
    // Numbers of 32 bits.
    let mut parts = text.split("f0x");
    let mut known = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (bits, rest) = part.split_at(8);
        let value = f32::from_bits(u32::from_str_radix(bits, 16).expect("a number"));
        let _ = write!(known, "0x{:016X}{rest}", f64::from(value).to_bits());
    }
    known
}
