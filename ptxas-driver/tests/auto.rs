//! `--code auto` and `--code ptxas`: the result has the debug sections that ptxas would write.
//! Without a ptxas: `cli/code.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support::cubins::debug_sections;
use crate::support::driver;
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

/// `compile` with the oracle's ptxas named.
fn with_ptxas(ptxas: &Path) -> Command {
    let mut command = driver::compile();
    command.env("PTXAS", ptxas);
    command
}

/// A type of section whose contents the file does not hold.
const SHT_NOBITS: u32 = 8;

/// Whether the file has machine code: a `.text.*` section with contents.
fn has_code(data: &[u8]) -> bool {
    let cubin = Cubin::parse(data).unwrap();
    cubin.iter().any(|(_, name, section)| name.starts_with(".text.") && section.sh_type != SHT_NOBITS)
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
        let summary: Vec<&str> =
            messages.lines().filter(|line| line.starts_with("nvdwarf info    : ")).collect();
        assert!(matches!(&*summary, [line] if line.ends_with(&expected)), "{messages}");
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

/// Debug sections as readers see them: a field under a RELA entry holds stale bytes in ptxas' files
/// (docs/formats/relocations.md, fields).
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
    let Some(ptxas) = oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = driver::example("saxpy/saxpy.ptx");
    let make = |input: &str, stdin: Stdio| {
        let mut command = with_ptxas(&ptxas);
        command.args(["-lineinfo", "-arch", "sm_90", "--code", "ptxas", input]).stdin(stdin);
        driver::made(&mut command, &folder.path().join("out.cubin"))
    };
    let from_file = make(path.to_str().unwrap(), Stdio::null());
    assert!(make("-", File::open(&path).unwrap().into()) == from_file);
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
