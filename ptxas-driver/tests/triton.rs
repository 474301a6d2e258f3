//! In the place of ptxas, called by Triton: the recipe of the README.
//!
//! Triton runs `--version` of the ptxas that it is told to use, and takes its own, without a word,
//! where the answer has no release: `$NVDWARF_LOG` proves that it was us. Its cache is the test's
//! own. No GPU is needed.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::calls::{Call, calls, calls_of_failed, data, found_by, host_tools, linked};
use crate::support::driver;
use crate::support::oracle;
use nv_debug_sections::cubin::{CodeLocation, Cubin};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const DRIVER: &str = env!("CARGO_BIN_EXE_ptxas-driver");

/// Triton asks for the version, takes what follows `release` for what it may use, and then
/// compiles.
#[test]
fn triton() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let Some(python) = found_by("triton.sh", "REQUIRE_ORACLES") else { return };
    let (folder, link) = linked();
    let log = folder.path().join("log");
    let output = folder.path().join("scale.cubin");
    for arch in ["80", "90", "100"] {
        for disabled in [None, Some(("TRITON_DISABLE_LINE_INFO", "1"))] {
            let run = |assembler: &Path| {
                let cache = tempfile::tempdir().unwrap();
                let mut command = Command::new(&python);
                command.arg(data("scale.py")).arg(arch).arg(&output).envs(disabled);
                command.env("TRITON_PTXAS_PATH", assembler).env("TRITON_PTXAS_BLACKWELL_PATH", assembler);
                command.env("TRITON_CACHE_DIR", cache.path()).env("TRITON_DEFAULT_FP_FUSION", "1");
                let run = command.env("PTXAS", &ptxas).env("NVDWARF_LOG", &log).output().unwrap();
                assert!(run.status.success(), "{}", driver::messages(&run));
                (fs::read(&output).unwrap(), run)
            };
            let (theirs, _) = run(&ptxas);
            assert!(!log.exists(), "called in ptxas' own run");
            let (ours, ran) = run(&link);
            let calls = calls(&log, &ran);
            let (last, before) = calls.split_last().unwrap();
            assert!(!before.is_empty() && before.iter().all(|call| call.has("--version")), "{calls:?}");
            for word in ["-v", "--regAllocOptLevel=2", "-lineinfo"] {
                assert!(last.has(word), "{last:?}");
            }
            assert_eq!(last.has("-suppress-debug-info"), disabled.is_some(), "{last:?}");
            assert!(
                last.argv.iter().any(|arg| arg.starts_with(&format!("--gpu-name=sm_{arch}"))),
                "{last:?}"
            );
            assert!(ours == theirs, "sm_{arch} {disabled:?}: cubins differ");
        }
    }
}

/// The commands of the README, to be run by bash in a folder with `kernel.py`.
fn recipe() -> String {
    let readme = fs::read_to_string(support::repository().join("README.md")).unwrap();
    let blocks = readme.split("```bash\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut of_triton = blocks.filter(|block| block.contains("TRITON_PTXAS_BLACKWELL_PATH"));
    let recipe = of_triton.next().unwrap().to_owned();
    assert!(of_triton.next().is_none());
    recipe
}

/// A folder in which the recipe runs, on a machine that has no ptxas but Triton's.
struct RecipeFolder {
    folder: tempfile::TempDir,
    /// The Python environment of Triton.
    environment: PathBuf,
    tools: PathBuf,
}

impl RecipeFolder {
    fn find() -> Option<Self> {
        let python = found_by("triton.sh", "REQUIRE_ORACLES")?;
        let folder = tempfile::tempdir().unwrap();
        let tools = host_tools(folder.path(), &["bash", "mkdir", "ln", "uname"]);
        Some(Self { folder, environment: python.parent().unwrap().parent().unwrap().to_owned(), tools })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs commands with the variables that the README names, and a cache that is empty.
    fn run(&self, commands: &str, arch: u32, more: &[(&str, &Path)]) -> Output {
        let kernel = fs::read_to_string(data("scale.py")).unwrap();
        let kernel =
            kernel.replace("sys.argv[1]", &format!("\"{arch}\"")).replace("sys.argv[2]", "\"out.cubin\"");
        fs::write(self.path("kernel.py"), kernel).unwrap();
        let cache = tempfile::tempdir().unwrap();
        let mut command = Command::new(self.tools.join("bash"));
        command.args(["-euc", commands]).current_dir(self.folder.path());
        command.env_clear().env("PATH", &self.tools).env("HOME", cache.path());
        command.env("TRITON_CACHE_DIR", cache.path()).env("TRITON_DEFAULT_FP_FUSION", "1");
        command.env("NVDWARF_LOG", self.path("log")).envs(more.iter().copied());
        command.env("DRIVER", DRIVER).env("LINKS", self.path("links")).env("VENV", &self.environment);
        command.output().unwrap()
    }

    /// The call that compiled, of those of a run that succeeded; the others ask for the version.
    fn compile(&self, run: &Output) -> Call {
        let mut calls = calls(&self.path("log"), run);
        let last = calls.pop().unwrap();
        assert!(!calls.is_empty() && calls.iter().all(|call| call.has("--version")), "{calls:?}");
        assert!(last.has("-lineinfo"), "{last:?}");
        last
    }

    /// Takes the cubin that Triton got.
    fn cubin(&self) -> Vec<u8> {
        let bytes = fs::read(self.path("out.cubin")).unwrap();
        fs::remove_file(self.path("out.cubin")).unwrap();
        bytes
    }

    /// Which of Triton's two ptxas makes the code for a chip, as the log says.
    fn ptxas_for(arch: u32) -> String {
        let (name, chips) =
            if arch < 90 { ("ptxas", "chips below sm_90") } else { ("ptxas-blackwell", "sm_90 and later") };
        format!("/triton/backends/nvidia/bin/{name} ($VIRTUAL_ENV: Triton's for {chips})")
    }
}

/// In an active environment we run the ptxas that Triton itself would take, so that the code is the
/// same.
#[test]
fn the_recipe_of_the_readme() {
    let Some(place) = RecipeFolder::find() else { return };
    for arch in [80, 90, 100, 120] {
        let ran = place.run(&recipe(), arch, &[]);
        let compile = place.compile(&ran);
        assert!(compile.code.ends_with(&RecipeFolder::ptxas_for(arch)), "{compile:?}");
        let ours = place.cubin();
        let cubin = Cubin::parse(&ours).unwrap();
        assert_eq!(cubin.code_location(), CodeLocation::Here, "sm_{arch}");
        assert!(cubin.section_by_name(".debug_line").is_some(), "sm_{arch}");
        let itself = place.run("exec \"$VENV/bin/python\" kernel.py", arch, &[]);
        assert!(itself.status.success() && !place.path("log").exists(), "{}", driver::messages(&itself));
        let theirs = place.cubin();
        assert_eq!(code_of(&ours), code_of(&theirs), "sm_{arch}");
    }
}

/// The code sections with their names.
fn code_of(file: &[u8]) -> Vec<(String, Vec<u8>)> {
    let cubin = Cubin::parse(file).unwrap();
    let code = cubin.iter().filter(|(_, name, _)| name.starts_with(".text."));
    let code: Vec<_> =
        code.map(|(index, name, _)| (name.to_owned(), cubin.bytes(index).unwrap().into_owned())).collect();
    assert!(!code.is_empty());
    code
}

/// Both variables may name one link.
#[test]
fn one_link_for_both() {
    let Some(place) = RecipeFolder::find() else { return };
    let recipe = recipe().replace("$LINKS/ptxas-blackwell", "$LINKS/ptxas");
    for arch in [80, 90, 120] {
        let compile = place.compile(&place.run(&recipe, arch, &[]));
        assert!(
            compile.argv[0].ends_with("/ptxas") && compile.code.ends_with(&RecipeFolder::ptxas_for(arch)),
            "{compile:?}"
        );
        assert_eq!(Cubin::parse(&place.cubin()).unwrap().code_location(), CodeLocation::Here, "sm_{arch}");
    }
}

/// Without an active environment nothing leads to Triton's ptxas: the compile comes to us all the
/// same, and fails, unless `$PTXAS` names one.
#[test]
fn the_recipe_without_an_active_environment() {
    let Some(place) = RecipeFolder::find() else { return };
    let lines = recipe();
    let lines = lines.lines().filter(|line| !line.contains("/bin/activate"));
    let recipe = lines.collect::<Vec<_>>().join("\n").replace("\npython ", "\n\"$VENV/bin/python\" ");
    assert!(recipe.contains("\"$VENV/bin/python\" kernel.py"), "{recipe}");
    for arch in [80, 90] {
        let run = place.run(&recipe, arch, &[]);
        let calls = calls_of_failed(&place.path("log"), &run);
        assert!(calls.len() > 1 && !place.path("out.cubin").exists(), "{calls:?}");
    }
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let compile = place.compile(&place.run(&recipe, 90, &[("PTXAS", &ptxas)]));
    assert!(compile.code.ends_with("($PTXAS)"), "{compile:?}");
    assert_eq!(Cubin::parse(&place.cubin()).unwrap().code_location(), CodeLocation::Here);
}

/// Variables that lead back to us do not: neither `$PTXAS`, nor `PATH`, nor a link in the place of
/// Triton's own.
#[test]
fn never_ourselves() {
    let (folder, link) = linked();
    let (log, ptx) = (folder.path().join("log"), driver::example("saxpy/saxpy.ptx"));
    let bin = folder.path().join("lib/python3.12/site-packages/triton/backends/nvidia/bin");
    fs::create_dir_all(&bin).unwrap();
    for name in ["ptxas", "ptxas-blackwell"] {
        std::os::unix::fs::symlink(DRIVER, bin.join(name)).unwrap();
    }
    let output = folder.path().join("out.cubin");
    for (name, value) in [("PTXAS", &*link), ("PATH", folder.path()), ("VIRTUAL_ENV", folder.path())] {
        let mut command = Command::new(&link);
        command.args(["-arch=sm_90", "-o"]).arg(&output).arg(&ptx).env_clear();
        let run = command.env("NVDWARF_LOG", &log).env(name, value).output().unwrap();
        let messages = driver::messages(&run);
        assert!(
            run.status.code() == Some(255) && messages.contains("that is this program"),
            "{name}: {messages}"
        );
        let text = fs::read_to_string(&log).unwrap();
        fs::remove_file(&log).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!output.exists());
    }
}
