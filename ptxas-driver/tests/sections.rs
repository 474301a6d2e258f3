//! `sections`: against the corpus' own list of sections, against what ptxas makes, and its command line.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::driver;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{fs, io};

fn sections<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    command.current_dir(support::repository());
    command.arg("sections").args(args).stdin(Stdio::null()).output().unwrap()
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn text<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> String {
    let output = sections(args);
    assert!(output.status.success(), "{}", driver::messages(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn json<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Value {
    serde_json::from_str(&text(args)).unwrap()
}

fn say(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

fn names(sections: &Value, keep: impl Fn(&Value) -> bool) -> BTreeSet<&str> {
    let sections = sections.as_array().unwrap().iter();
    sections.filter(|section| keep(section)).map(|section| section["name"].as_str().unwrap()).collect()
}

/// The manifest's list was made by another reader (`cubin_info.py`).
#[test]
fn names_and_sizes_are_those_of_the_manifest() {
    let Some(shared) = support::shared() else { return };
    let corpus = shared.join("corpus");
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(corpus.join("manifest.json")).unwrap()).unwrap();
    let (mut files, mut all, mut aliases) = (0, 0, 0);
    for entry in manifest["entries"].as_array().unwrap() {
        let Some(cubin) = entry["cubin"]["path"].as_str() else { continue };
        let document = json([corpus.join(cubin).as_os_str(), OsStr::new("--json"), OsStr::new("--check")]);
        let ours: BTreeMap<&str, u64> = document["sections"]
            .as_array()
            .unwrap()
            .iter()
            .map(|section| (section["name"].as_str().unwrap(), section["size"].as_u64().unwrap()))
            .collect();
        let theirs: BTreeMap<&str, u64> = entry["debug_sections"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, size)| (&**name, size.as_u64().unwrap()))
            .collect();
        assert_eq!(ours, theirs, "{cubin}");
        let total = document["file_bytes"].as_u64().unwrap();
        assert_eq!(total, entry["cubin"]["bytes"].as_u64().unwrap());
        assert!(document["debug_bytes"].as_u64().unwrap() < total, "{cubin}");
        files += 1;
        all += ours.len();
        aliases += document["sections"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|s| s.get("same_bytes_as").is_some())
            .count();
    }
    say(format_args!(
        "sections: {all} sections of {files} cubins, {aliases} with bytes of others; none missing, extra or odd"
    ));
    assert!(files > 600 && aliases > 100);
}

#[test]
fn what_the_ptx_leads_to_expect_is_what_ptxas_wrote() {
    let pairs = support::corpus(|entry| {
        entry.ok && entry.written_by_ptxas_13_0 && entry.cubin.is_some() && entry.ptx.is_some()
    });
    let Some(pairs) = pairs else { return };
    let mut wrong = Vec::new();
    for entry in &pairs {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
        command
            .arg("sections")
            .arg("--check")
            .args(driver::mode_options(entry))
            .arg("--ptx")
            .arg(entry.ptx.as_ref().unwrap());
        let output = command.arg(entry.cubin.as_ref().unwrap()).output().unwrap();
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stdout).into_owned() + &driver::messages(&output);
            let faults = text.lines().filter(|line| {
                ["missing", "extra", "odd", "error"].iter().any(|word| line.starts_with(word))
            });
            wrong.push(format!("{}: {}", entry.name(), faults.collect::<Vec<_>>().join("; ")));
        }
    }
    say(format_args!(
        "sections: {} of {} cubins have what their PTX and options lead to expect",
        pairs.len() - wrong.len(),
        pairs.len()
    ));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Of the hand-made modules: ptxas loses `.debug_info` whose labels are used twice with the same expression (behaviour/FINDINGS.md).
const LOST: [&str; 3] = ["700-", "701-", "703-"];

#[test]
fn hand_made_modules_give_what_ptxas_gives() {
    let (Some(shared), Some(ptxas)) = (support::shared(), support::oracle::tool("ptxas")) else { return };
    let mut cases: Vec<_> =
        fs::read_dir(shared.join("cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    cases.retain(|path| {
        !LOST.iter().any(|lost| path.file_name().unwrap().to_str().unwrap().starts_with(lost))
    });
    cases.sort();
    let folder = tempfile::tempdir().unwrap();
    let cubin = folder.path().join("case.cubin");
    let (mut accepted, mut wrong) = (0, Vec::new());
    for (number, case) in cases.iter().enumerate() {
        // Each module in one of twelve ways.
        let arch = ["sm_90", "sm_100"][number % 2];
        let level = [None, Some("-lineinfo"), Some("-g")][number / 2 % 3];
        let options: Vec<&str> = level.into_iter().chain((number / 6 % 2 == 1).then_some("-c")).collect();
        let _ = fs::remove_file(&cubin);
        let run = Command::new(&ptxas)
            .arg("-arch")
            .arg(arch)
            .args(&options)
            .arg(case)
            .arg("-o")
            .arg(&cubin)
            .output();
        if !run.unwrap().status.success() {
            continue;
        }
        accepted += 1;
        // By the PTX, and by the file alone.
        let by_ptx = [&["--arch", arch], &*options, &["--ptx", case.to_str().unwrap()]].concat();
        for known in [by_ptx, Vec::new()] {
            let output =
                sections(["--check"].iter().chain(&known).map(OsStr::new).chain([cubin.as_os_str()]));
            if !output.status.success() {
                let text = String::from_utf8_lossy(&output.stdout);
                wrong.push(format!("{} {arch} {options:?} {known:?}: {text}", case.display()));
            }
        }
    }
    say(format_args!(
        "sections: {} of {accepted} hand-made modules have what ptxas writes",
        accepted - wrong.len()
    ));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(accepted > 200);
}

/// Cases where sections have references that compilers' have not, or names of inlined functions without `.debug_str`.
const UNUSUAL: [(&str, &str, &[&str]); 5] = [
    ("435-label-ref-kernel-b64.ptx", "sm_90", &["-g"]),
    ("523-atdwarf-quad-code-label.ptx", "sm_89", &["-g"]),
    ("667-container-own-label-debug-str.ptx", "sm_90", &["-g", "-c"]),
    ("501-label-spec-debug-info-b16ok.ptx", "sm_90", &["-g", "-c"]),
    ("246-inline-no-debug-str.ptx", "sm_90", &["-g"]),
];

#[test]
fn nothing_unusual_is_taken_for_wrong() {
    let (Some(shared), Some(ptxas)) = (support::shared(), support::oracle::tool("ptxas")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let cubin = folder.path().join("case.cubin");
    for (case, arch, options) in UNUSUAL {
        let mut command = Command::new(&ptxas);
        let input = shared.join("cases").join(case);
        driver::made(command.args(["-arch", arch]).args(options).arg(input), &cubin);
        let output = sections([OsStr::new("--check"), cubin.as_os_str()]);
        assert!(output.status.success(), "{case}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

/// A function that nobody calls.
const LIBRARY: &str = "\
.version 8.0
.target sm_80
.address_size 64
.file 1 \"a.cu\"
.func unused(.param .b32 x)
{
    .reg .b32 %r1;
    .loc 1 3 0
    ld.param.b32 %r1, [x];
    .loc 1 4 0
    trap;
}
";
const KERNEL: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    ret;\n}\n";

/// nvlink keeps the rows of a function that nobody calls, but no relocations for them.
#[test]
fn rows_without_code_in_linked_files_miss_no_relocations() {
    let (Some(ptxas), Some(nvlink)) = (support::oracle::tool("ptxas"), support::oracle::tool("nvlink"))
    else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for arch in ["sm_80", "sm_90", "sm_100"] {
        for (name, text) in [("a", LIBRARY), ("b", KERNEL)] {
            let input = path(&format!("{name}.ptx"));
            fs::write(&input, text).unwrap();
            let mut command = Command::new(&ptxas);
            driver::made(
                command.args(["-c", "-lineinfo", "-arch", arch]).arg(input),
                &path(&format!("{name}.o")),
            );
        }
        let mut command = Command::new(&nvlink);
        driver::made(command.args(["-arch", arch]).args([path("a.o"), path("b.o")]), &path("ab.cubin"));
        let text = text([Path::new("--check"), &path("ab.cubin")]);
        assert!(text.contains("linked file, level lines") && !text.contains(".debug_line\n"), "{text}");
    }
}

#[test]
fn text_of_stripped_cubins_and_side_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let strip = |keep: &str, output: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
        command.arg("strip").arg(driver::example("saxpy/saxpy-debug.cubin"));
        command.args(["--keep", keep, "--split"]).arg(path("side"));
        driver::made(&mut command, &path(output));
    };
    strip("lines", "lines");
    strip("none", "none");
    // Paths are another each time.
    let first_lines = |args: &[&OsStr]| {
        let text = text(args).replace(&format!("{}/", folder.path().display()), "");
        text.lines().take(2).collect::<Vec<_>>().join("\n") + "\n"
    };
    let [lines, none, side] = ["lines", "none", "side"].map(path);
    let debug = OsStr::new("--debug-file");
    let all = [
        &[lines.as_os_str()][..],
        &[none.as_os_str()],
        &[side.as_os_str()],
        &[none.as_os_str(), debug, side.as_os_str()],
    ];
    insta::assert_snapshot!("stripped", all.map(first_lines).concat());
}

#[test]
fn text_of_files_and_expectations() {
    insta::assert_snapshot!("debug", text(["examples/saxpy/saxpy-debug.cubin"]));
    insta::assert_snapshot!(
        "as_asked",
        String::from_utf8_lossy(&sections(["-g", "examples/saxpy/saxpy.cubin"]).stdout)
    );
    insta::assert_snapshot!(
        "lines_of_a_ptx",
        text(["--expect", "-lineinfo", "-c", "--ptx", "examples/saxpy/saxpy.ptx"])
    );
    insta::assert_snapshot!("debug_by_options", text(["--expect", "-g", "--arch", "sm_100"]));
    insta::assert_snapshot!(
        "debug_by_words",
        text([
            "--expect",
            "-g",
            "--arch=sm_86",
            "-c",
            "--has",
            "loc,inlined,.debug_str,.debug_info,.debug_abbrev"
        ])
    );
    insta::assert_snapshot!(
        "documented",
        text(["--expect", "-g", "--arch", "sm_100", "--model", "documented"])
    );
    insta::assert_snapshot!(
        "linked",
        text(["--expect", "--linked", "-lineinfo", "--arch", "sm_75", "--has", "loc,inlined,.debug_str"])
    );
}

#[test]
fn check_fails_when_something_is_missing() {
    let lines = "examples/saxpy/saxpy.cubin";
    assert_eq!(code(&sections(["--check", lines])), Some(0));
    assert_eq!(code(&sections(["-lineinfo", "--check", lines])), Some(0));
    assert_eq!(code(&sections(["-g", lines])), Some(0));
    assert_eq!(code(&sections(["-g", "--check", lines])), Some(1));
    assert_eq!(code(&sections(["--suppress-debug-info", "--check", lines])), Some(1));
    let document: Value =
        serde_json::from_slice(&sections(["-g", "--check", "--json", lines]).stdout).unwrap();
    assert_eq!((&document["schema"], &document["schema_version"]), (&"nvdwarf.sections".into(), &1.into()));
    assert_eq!(
        names(&document["missing"], |_| true),
        BTreeSet::from([".nv_debug_info_reg_sass", ".nv_debug_info_reg_type"])
    );
    let document: Value =
        serde_json::from_slice(&sections(["--suppress-debug-info", "--json", lines]).stdout).unwrap();
    assert!(names(&document["extra"], |_| true).contains(".debug_line"));
}

#[test]
fn expectations_as_json() {
    let document = json(["--expect", "--json", "-g", "--arch", "sm_100"]);
    assert_eq!(
        (&document["schema"], &document["schema_version"]),
        (&"nvdwarf.sections.expected".into(), &1.into())
    );
    let always = names(&document["sections"], |section| section.get("condition").is_none());
    let plain = [
        ".debug_frame",
        ".debug_line",
        ".nv_debug_line_sass",
        ".nv_debug_ptx_txt",
        ".nv_debug_info_reg_sass",
        ".nv_debug_info_reg_type",
    ];
    let clones = plain.map(|name| format!(".nv.merc{name}"));
    assert_eq!(always, plain.into_iter().chain(clones.iter().map(|name| &**name)).collect());
    let document = json(["--expect", "--json", "-g", "--arch", "sm_100", "--model", "documented"]);
    assert_eq!(document["inventory"]["total"], 25);
}

#[test]
fn options_may_be_spelled_as_ptxas_has_them() {
    let ours = text(["--expect", "--lineinfo", "--arch", "sm_90"]);
    assert_eq!(text(["--expect", "-lineinfo", "-arch=sm_90"]), ours);
    assert_eq!(text(["--expect", "--generate-line-info", "-arch", "sm_90"]), ours);
    assert_eq!(text(["--expect", "--generate-line-info", "--gpu-name", "sm_90"]), ours);
}

#[test]
fn wrong_command_lines_and_files_are_named() {
    let usage: [&[&str]; 10] = [
        &[],
        &["--expct"],
        &["--expect", "a.cubin"],
        &["--expect", "--arch", "sm_99"],
        &["--expect", "--has", "lco"],
        &["--expect", "--check"],
        &["--expect", "--has", "loc", "--ptx", "a.ptx"],
        &["--expect", "--debug-file", "a.debug"],
        &["-", "--debug-file", "-"],
        &["-", "--ptx", "-"],
    ];
    for args in usage {
        assert_eq!(code(&sections(args)), Some(2), "{args:?}");
    }
    let files: [(&[&str], &str); 8] = [
        (&["nope.cubin"], "nope.cubin: No such file"),
        (&["examples"], "examples: a folder, expected a cubin"),
        (&["examples/saxpy/saxpy.ptx"], "PTX text, expected a cubin"),
        (&["README.md"], "README.md: "),
        (&["--arch", "sm_75", "examples/saxpy/saxpy.cubin"], "the file is for sm_90, and --arch is sm_75"),
        (&["--expect", "--ptx", "examples/saxpy/saxpy.cubin"], "an ELF file, expected PTX text"),
        (&["--expect", "--ptx", "README.md"], "README.md: "),
        (
            &["--expect", "--ptx", "examples/saxpy/saxpy.ptx", "--arch", "sm_75"],
            "SM version specified by .target is higher",
        ),
    ];
    for (args, message) in files {
        let output = sections(args);
        assert_eq!(code(&output), Some(1), "{args:?}");
        assert!(driver::messages(&output).contains(message), "{args:?}: {}", driver::messages(&output));
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn standard_input_and_debug_only_objects() {
    let cubin = fs::File::open(driver::example("saxpy/saxpy.cubin")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
    let output = command.args(["sections", "--check", "-"]).stdin(cubin).output().unwrap();
    assert!(output.status.success() && output.stdout.starts_with(b"<stdin>: cubin for sm_90"));

    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let text_of = |name: &str| text([Path::new("--check"), &path(name)]);
    let empty = path("empty.ptx");
    fs::write(&empty, ".version 8.0\n.target sm_80\n.address_size 64\n.global .b32 x;\n").unwrap();
    for ptx in [driver::example("saxpy/saxpy.ptx"), driver::example("saxpy/saxpy-debug.ptx"), empty] {
        let mut command = driver::compile();
        command.args(["--code", "none", "-lineinfo", "-arch", "sm_100"]);
        driver::made(command.arg(ptx), &path("a.cubin"));
        assert!(text_of("a.cubin").contains("debug-only file, level"), "{}", text_of("a.cubin"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxas-driver"));
        command.arg("strip").arg(path("a.cubin")).arg("--split").arg(path("side"));
        driver::made(&mut command, &path("stripped"));
        assert!(text_of("stripped").contains("debug-only file"), "{}", text_of("stripped"));
        assert!(text_of("side").contains("debug-only file, level"), "{}", text_of("side"));
    }
}
