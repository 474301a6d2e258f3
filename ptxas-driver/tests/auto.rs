//! `--code auto` and `--code ptxas`: where the code comes from, and that the result has the debug sections ptxas would write.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support::driver;
use crate::support::driver::FAILURE;
use crate::support::oracle;
use nv_debug_sections::catalog::is_debug_section;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::relocated::RelocatedCubin;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Every example's PTX, with the architecture it was made for.
const EXAMPLES: &[(&str, &str)] = &[
    ("saxpy/saxpy.ptx", "sm_90"),
    ("saxpy/saxpy-debug.ptx", "sm_75"),
    ("block_sum/block_sum.ptx", "sm_90"),
    ("block_sum/block_sum-debug.ptx", "sm_75"),
];

/// `compile` on a machine without any ptxas.
fn without_ptxas(folder: &Path) -> Command {
    let mut command = driver::compile();
    command.env_clear().env("PATH", folder).env("HOME", folder);
    command
}

/// `compile` with the oracle's ptxas named.
fn with_ptxas(ptxas: &Path) -> Command {
    let mut command = driver::compile();
    command.env("PTXAS", ptxas);
    command
}

/// The summary line of `-v`.
fn summary(messages: &str) -> &str {
    let lines: Vec<&str> = messages.lines().filter(|line| line.starts_with("nvdwarf info    : ")).collect();
    assert_eq!(lines.len(), 1, "not one summary line:\n{messages}");
    lines[0]
}

/// The number in front of `what` in a summary.
fn count(summary: &str, what: &str) -> usize {
    let words: Vec<&str> = summary.split_whitespace().collect();
    let at = summary.find(what).unwrap_or_else(|| panic!("no {what} in {summary}"));
    let before = summary[..at].split_whitespace().count();
    words[before - 1].parse().unwrap()
}

/// Debug sections by name as they are in the file, with those of their relocations.
fn debug_sections(data: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let cubin = Cubin::parse(data).unwrap();
    let is_wanted = |name: &str| {
        is_debug_section(name.strip_prefix(".rela").or_else(|| name.strip_prefix(".rel")).unwrap_or(name))
    };
    let wanted = cubin.iter().filter(|(_, name, _)| is_wanted(name));
    wanted.map(|(index, name, _)| (name.to_owned(), cubin.bytes(index).unwrap().into_owned())).collect()
}

/// A type of section whose contents the file does not hold.
const SHT_NOBITS: u32 = 8;

/// Whether the file has machine code: a `.text.*` section with contents.
fn has_code(data: &[u8]) -> bool {
    let cubin = Cubin::parse(data).unwrap();
    cubin.iter().any(|(_, name, section)| name.starts_with(".text.") && section.sh_type != SHT_NOBITS)
}

#[test]
fn auto_without_ptxas_writes_nothing_and_says_how_to_get_one() {
    let folder = tempfile::tempdir().unwrap();
    let (ptx, older) = (folder.path().join("in.ptx"), folder.path().join("older.cubin"));
    fs::write(&older, "an older file").unwrap();
    let tried = ["$PTXAS", "$CUDA_HOME", "PATH", "$VIRTUAL_ENV"];
    let help = ["'pip install nvidia-cuda-nvcc'", "$PTXAS", "--code none"];
    for (example, arch) in EXAMPLES {
        fs::copy(driver::example(example), &ptx).unwrap();
        for code in [&[][..], &["--code", "auto"], &["--code=ptxas"], &["--debug-opt", "keep", "-g"]] {
            for output in ["out.cubin", "older.cubin"] {
                let mut command = without_ptxas(folder.path());
                command.args(code).args(["-lineinfo", "-arch", arch, "-o", output, "in.ptx"]);
                let run = command.current_dir(folder.path()).output().unwrap();
                let messages = driver::messages(&run);
                assert_eq!(run.status.code(), Some(FAILURE), "{messages}");
                let lines: Vec<&str> = messages.lines().filter(|line| !line.contains("warning")).collect();
                let [fatal, info] = *lines else { panic!("{messages}") };
                assert!(fatal.starts_with("ptxas fatal   : no ptxas found; tried "), "{fatal}");
                assert!(tried.iter().all(|place| fatal.contains(place)), "{fatal}");
                assert!(help.iter().all(|words| info.contains(words)), "{info}");
            }
        }
    }
    assert_eq!(driver::names_in(folder.path()), ["in.ptx", "older.cubin"]);
    assert_eq!(fs::read_to_string(&older).unwrap(), "an older file");
}

/// Nothing is written for a virtual architecture; but whether the PTX is right a ptxas must say, unless nobody is to be asked.
#[test]
fn a_virtual_architecture_without_ptxas() {
    let folder = tempfile::tempdir().unwrap();
    for (code, exit) in [("auto", FAILURE), ("none", 0)] {
        let mut command = without_ptxas(folder.path());
        command.args(["--code", code, "-arch", "compute_90"]).arg(driver::example("saxpy/saxpy.ptx"));
        let run = command.current_dir(folder.path()).output().unwrap();
        assert_eq!(run.status.code(), Some(exit), "{}", driver::messages(&run));
        assert!(driver::names_in(folder.path()).is_empty());
    }
}

#[test]
fn the_summary_tells_what_was_made() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.cubin");
    let mut command = without_ptxas(folder.path());
    command.args(["-v", "-g", "-arch", "sm_75", "--code", "none", "-o"]).arg(&output);
    let run = command.arg(driver::example("block_sum/block_sum-debug.ptx")).output().unwrap();
    let messages = driver::messages(&run);
    assert!(run.status.success(), "{messages}");
    let summary = summary(&messages);
    let data = fs::read(&output).unwrap();
    let cubin = Cubin::parse(&data).unwrap();
    let made: usize = cubin
        .iter()
        .filter(|(_, name, _)| is_debug_section(name))
        .map(|(index, ..)| cubin.bytes(index).unwrap().len())
        .sum();
    let sections = cubin.iter().filter(|(_, name, _)| is_debug_section(name)).count();
    let functions = cubin.iter().filter(|(_, name, _)| name.starts_with(".text.")).count();
    assert_eq!(count(summary, "functions"), functions, "{summary}");
    assert_eq!(count(summary, "debug sections"), sections, "{summary}");
    assert_eq!(count(summary, "debug bytes"), made, "{summary}");
    assert!(count(summary, "line rows") > 0 && summary.contains(" ms; "), "{summary}");
    assert!(summary.ends_with("code: none, as --code none asks"), "{summary}");
}

#[test]
fn nothing_is_said_without_v() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = without_ptxas(folder.path());
    let output = folder.path().join("out.cubin");
    command.args(["-lineinfo", "-arch", "sm_90", "--code", "none", "-o"]).arg(&output);
    let run = command.arg(driver::example("saxpy/saxpy.ptx")).output().unwrap();
    assert!(run.status.success() && run.stdout.is_empty() && run.stderr.is_empty(), "{run:?}");
    assert!(!has_code(&fs::read(&output).unwrap()));
}

/// A `$PTXAS` that cannot be run is a mistake, not a machine without ptxas.
#[test]
fn auto_does_not_pass_over_a_wrong_ptxas() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.cubin");
    let mut command = without_ptxas(folder.path());
    command
        .env("PTXAS", folder.path().join("nowhere"))
        .args(["-lineinfo", "-arch", "sm_90", "-o"])
        .arg(&output);
    let run = command.arg(driver::example("saxpy/saxpy.ptx")).output().unwrap();
    assert_eq!(run.status.code(), Some(FAILURE));
    assert!(driver::messages(&run).contains("nowhere: no such file") && !output.exists());
}

#[test]
fn code_ptxas_without_ptxas_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.cubin");
    for named in [None, Some("missing/ptxas")] {
        let mut command = without_ptxas(folder.path());
        command.args(["--code", "ptxas", "-arch", "sm_90", "-o"]).arg(&output);
        named.map(|path| command.env("PTXAS", path));
        let run = command.arg(driver::example("saxpy/saxpy.ptx")).output().unwrap();
        let messages = driver::messages(&run);
        assert_eq!(run.status.code(), Some(FAILURE), "{messages}");
        assert!(
            messages.contains("no ptxas found") && messages.contains(named.unwrap_or("PATH")),
            "{messages}"
        );
        assert!(driver::names_in(folder.path()).is_empty());
    }
}

#[test]
fn auto_uses_the_ptxas_that_is_named() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    for (ptx, arch) in EXAMPLES {
        let output = folder.path().join("out.cubin");
        let mut command = with_ptxas(&ptxas);
        command.args(["-v", "-lineinfo", "-arch", arch, "-o"]).arg(&output).arg(driver::example(ptx));
        let run = command.output().unwrap();
        let messages = driver::messages(&run);
        assert!(run.status.success(), "{messages}");
        let expected = format!("code: {} ($PTXAS)", ptxas.display());
        assert!(summary(&messages).ends_with(&expected), "{messages}");
        assert!(has_code(&fs::read(&output).unwrap()));
        assert_eq!(driver::names_in(folder.path()), ["out.cubin"]);
    }
}

/// What ptxas itself writes of a PTX file.
fn original(ptxas: &Path, ptx: &Path, arch: &str, options: &[&str], output: &Path) -> Vec<u8> {
    let run =
        Command::new(ptxas).args(options).args(["-arch", arch, "-o"]).arg(output).arg(ptx).output().unwrap();
    assert!(run.status.success(), "{}", driver::messages(&run));
    fs::read(output).unwrap()
}

/// Debug sections as readers see them: a field under a RELA entry holds stale bytes in ptxas' files (FORMATS 4).
fn relocated(data: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let cubin = Cubin::parse(data).unwrap();
    let view = RelocatedCubin::new(&cubin);
    let debug = cubin.iter().filter(|(_, name, _)| is_debug_section(name));
    debug.map(|(index, name, _)| (name.to_owned(), view.section(index).unwrap().bytes.into_owned())).collect()
}

#[test]
fn code_ptxas_writes_the_debug_sections_that_ptxas_writes() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (ours_path, original_path) = (folder.path().join("ours.cubin"), folder.path().join("original.cubin"));
    let (mut compared, mut same_bytes, mut differing) = (0, 0, Vec::new());
    for (ptx, own_arch) in EXAMPLES {
        let path = driver::example(ptx);
        for arch in ["sm_75", "sm_80", "sm_90"].into_iter().filter(|arch| arch >= own_arch) {
            let level = if ptx.contains("debug") { "-g" } else { "-lineinfo" };
            let original = original(&ptxas, &path, arch, &[level], &original_path);
            let mut command = with_ptxas(&ptxas);
            command.args(["--code", "ptxas", level, "-arch", arch]).arg(&path);
            let ours = driver::made(&mut command, &ours_path);
            let same_values = relocated(&ours);
            let (ours, expected) = (debug_sections(&ours), debug_sections(&original));
            assert!(
                ours.keys().eq(expected.keys()),
                "{ptx} for {arch}: {:?} and {:?}",
                ours.keys(),
                expected.keys()
            );
            let values = relocated(&original);
            for (name, bytes) in &expected {
                compared += 1;
                if ours.get(name) == Some(bytes) {
                    same_bytes += 1;
                } else if values.get(name).is_none_or(|values| same_values.get(name) != Some(values)) {
                    differing.push(format!("{ptx} for {arch}: {name}"));
                }
            }
        }
    }
    println!(
        "examples: {same_bytes} of {compared} debug sections are ptxas' own bytes, {} differ",
        differing.len()
    );
    assert!(differing.is_empty(), "{differing:#?}");
}

/// The same module from a file and from standard input.
#[test]
fn standard_input() {
    let ptxas = oracle::tool("ptxas");
    let folder = tempfile::tempdir().unwrap();
    let path = driver::example("saxpy/saxpy.ptx");
    for code in [Some("none"), ptxas.as_ref().map(|_| "ptxas")].into_iter().flatten() {
        let make = |input: &str, stdin: Stdio| {
            let mut command = driver::compile();
            command.envs(ptxas.iter().map(|ptxas| ("PTXAS", ptxas)));
            command.args(["-lineinfo", "-arch", "sm_90", "--code", code, input]).stdin(stdin);
            driver::made(&mut command, &folder.path().join("out.cubin"))
        };
        let from_file = make(path.to_str().unwrap(), Stdio::null());
        assert_eq!(make("-", File::open(&path).unwrap().into()), from_file, "--code {code} -");
    }
}

/// A pipe can be read once only: the driver has read it before ptxas could.
#[cfg(unix)]
#[test]
fn an_input_that_is_a_pipe() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = driver::example("saxpy/saxpy.ptx");
    let mut feeder = Command::new("cat").arg(&path).stdout(Stdio::piped()).spawn().unwrap();
    let mut command = with_ptxas(&ptxas);
    command.args(["-lineinfo", "-arch", "sm_90", "--code", "ptxas", "/dev/stdin"]);
    command.stdin(feeder.stdout.take().unwrap());
    let made = driver::made(&mut command, &folder.path().join("out.cubin"));
    feeder.wait().unwrap();
    assert!(has_code(&made));
}

#[test]
fn output_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let device = Path::new("/dev/stdout");
    if !device.exists() {
        return;
    }
    let make = || {
        let mut command = without_ptxas(folder.path());
        command
            .args(["-lineinfo", "-arch", "sm_90", "--code", "none"])
            .arg(driver::example("saxpy/saxpy.ptx"));
        command
    };
    let expected = driver::made(&mut make(), &folder.path().join("out.cubin"));
    let run = make().arg("-o").arg(device).output().unwrap();
    assert!(run.status.success() && run.stdout == expected, "{}", driver::messages(&run));
}

/// ptxas writes through a symbolic link, so the link stays one.
#[cfg(unix)]
#[test]
fn output_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target.cubin"), folder.path().join("link.cubin"));
    fs::write(&target, "an older file").unwrap();
    std::os::unix::fs::symlink("target.cubin", &link).unwrap();
    let mut command = without_ptxas(folder.path());
    command.args(["-lineinfo", "-arch", "sm_90", "--code", "none"]).arg(driver::example("saxpy/saxpy.ptx"));
    let made = driver::made(&mut command, &link);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "the link was replaced");
    assert_eq!(fs::read(&target).unwrap(), made);
    assert_eq!(driver::names_in(folder.path()), ["link.cubin", "target.cubin"]);
    // The same where the link names nothing yet.
    fs::remove_file(&target).unwrap();
    assert_eq!(driver::made(&mut command, &link), made);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "the link was replaced");
    assert_eq!(fs::read(&target).unwrap(), made);
}

/// The three kinds of PTX that `behaviour/matrix_differences.md` tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// No `.loc`.
    None,
    /// `.loc` and `.debug_str`.
    Lines,
    /// `.target debug` with DWARF sections.
    Full,
}

impl Kind {
    fn ptx(self, folder: &Path) -> PathBuf {
        let saxpy = fs::read_to_string(driver::example("saxpy/saxpy.ptx")).unwrap().replace("sm_90", "sm_75");
        match self {
            Self::Full => driver::example("saxpy/saxpy-debug.ptx"),
            Self::Lines => written(folder, "lines.ptx", &saxpy),
            Self::None => {
                let code = saxpy.split("\t.section").next().unwrap();
                let lines = code.lines().filter(|line| !line.trim_start().starts_with(".loc"));
                written(folder, "none.ptx", &(lines.collect::<Vec<_>>().join("\n") + "\n"))
            }
        }
    }
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

const FRAME: &[&str] = &[".debug_frame"];
const LINES: &[&str] = &[".debug_frame", ".debug_line", ".nv_debug_line_sass", ".nv_debug_ptx_txt"];
const STR: &[&str] = &[".debug_str"];
const REGISTERS: &[&str] = &[".nv_debug_info_reg_sass", ".nv_debug_info_reg_type"];
/// The sections of `saxpy-debug.ptx`.
const USER: &[&str] = &[".debug_abbrev", ".debug_info", ".debug_loc", ".debug_macinfo"];

/// "Real ptxas rule": kind of PTX, options, sections.
type Row = (Kind, &'static [&'static str], &'static [&'static [&'static str]]);

#[rustfmt::skip]
const MATRIX: &[Row] = &[
    (Kind::None,  &[],                                     &[FRAME]),
    (Kind::None,  &["-lineinfo"],                          &[LINES]),
    (Kind::None,  &["-g"],                                 &[LINES, REGISTERS]),
    (Kind::None,  &["-g", "-lineinfo"],                    &[LINES, REGISTERS]),
    (Kind::None,  &["--suppress-debug-info"],              &[FRAME]),
    (Kind::None,  &["-g", "--suppress-debug-info"],        &[FRAME]),
    (Kind::Lines, &[],                                     &[LINES, STR]),
    (Kind::Lines, &["-lineinfo"],                          &[LINES, STR]),
    (Kind::Lines, &["-g"],                                 &[LINES, STR, REGISTERS]),
    (Kind::Lines, &["-g", "-lineinfo"],                    &[LINES, STR, REGISTERS]),
    (Kind::Lines, &["-lineinfo", "--suppress-debug-info"], &[FRAME]),
    (Kind::Lines, &["--suppress-debug-info"],              &[FRAME]),
    (Kind::Full,  &[],                                     &[LINES, REGISTERS, USER]),
    (Kind::Full,  &["-lineinfo"],                          &[LINES, REGISTERS, USER]),
    (Kind::Full,  &["-g"],                                 &[LINES, REGISTERS, USER]),
    (Kind::Full,  &["-g", "-lineinfo"],                    &[LINES, REGISTERS, USER]),
    (Kind::Full,  &["-g", "--suppress-debug-info"],        &[FRAME]),
    (Kind::Full,  &["--suppress-debug-info"],              &[FRAME]),
];

/// The table holds for us, and for ptxas as a check of the table.
#[test]
fn levels_are_those_of_ptxas() {
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.cubin");
    let names = |data: &[u8]| -> Vec<String> {
        let sections = debug_sections(data).into_keys();
        sections.filter(|name| !name.starts_with(".rel")).collect()
    };
    let mut wrong = Vec::new();
    for (kind, options, expected) in MATRIX {
        let mut expected: Vec<&str> = expected.concat();
        expected.sort_unstable();
        let ptx = kind.ptx(folder.path());
        for arch in ["sm_75", "sm_80", "sm_90"] {
            let original = names(&original(&ptxas, &ptx, arch, options, &output));
            assert_eq!(original, expected, "the table is wrong for {kind:?} {options:?} {arch}");
            let mut command = with_ptxas(&ptxas);
            let command = command
                .args(["--code", "ptxas", "-arch", arch])
                .args(*options)
                .arg(&ptx)
                .arg("-o")
                .arg(&output);
            let run = command.output().unwrap();
            if !run.status.success() {
                wrong.push(format!("{kind:?} {options:?} {arch}: {}", driver::messages(&run)));
                continue;
            }
            let ours = names(&fs::read(&output).unwrap());
            if ours != expected {
                wrong.push(format!("{kind:?} {options:?} {arch}: {ours:?}, expected {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
