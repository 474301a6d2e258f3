//! Several inputs on one command line: the files, messages and exit codes of the real ptxas. What
//! we refuse is in `cli/code.md`.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::driver::{FAILURE, Ran};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A kernel of file `file` whose code has lines in it.
fn kernel(name: &str, file: u32) -> String {
    format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.file {file} \"{name}.cu\"\n.visible .entry {name}(.param .u64 p)\n{{\n\
         .reg .b64 %rd<3>;\n.loc {file} 5 1\nld.param.u64 %rd1, [p];\n.loc {file} 6 1\nst.volatile.global.u32 [%rd1], 1;\nret;\n}}\n"
    )
}

/// A folder with inputs: `a`, `b` and `c` go together; `a` and `same` define one function, `a` and
/// `index` one file number.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let without_lines: String = kernel("kc", 1)
        .lines()
        .filter(|line| !line.starts_with(".file") && !line.starts_with(".loc"))
        .flat_map(|line| [line, "\n"])
        .collect();
    for (name, text) in [
        ("a.ptx", kernel("ka", 1)),
        ("b.ptx", kernel("kb", 2)),
        ("c.ptx", without_lines),
        ("same.ptx", kernel("ka", 3)),
        ("index.ptx", kernel("kd", 1)),
        ("wrong.ptx", kernel("ke", 4).replace("ret;", "rot;")),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Runs `program ARGS -o x.cubin` in the folder, with `c.ptx` on standard input.
fn run(program: &Path, ptxas: &Path, folder: &TempDir, args: &[&str]) -> Ran {
    let mut command = Command::new(program);
    command.args(args).args(["-o", "x.cubin"]).current_dir(folder.path()).env("PTXAS", ptxas);
    command.stdin(Stdio::from(File::open(folder.path().join("c.ptx")).unwrap()));
    let mut ran = Ran::of(&mut command, &folder.path().join("x.cubin"));
    // The name that ptxas makes up for what it reads from standard input.
    let line = |line: &str| {
        let words = line.split(' ').map(|word| if word.contains("_stdin") { "stdin" } else { word });
        words.collect::<Vec<_>>().join(" ")
    };
    ran.messages = ran.messages.lines().map(line).collect::<Vec<_>>().join("\n");
    ran
}

/// What the real ptxas does, after it was found that we do the same.
fn both(ptxas: &Path, folder: &TempDir, args: &[&str]) -> Ran {
    let theirs = run(ptxas, ptxas, folder, args);
    let ours = run(Path::new(env!("CARGO_BIN_EXE_ptxas-driver")), ptxas, folder, args);
    assert_eq!((theirs.exit, &theirs.messages), (ours.exit, &ours.messages), "{args:?}");
    assert!(theirs.file == ours.file, "{args:?}: the cubins differ");
    theirs
}

#[test]
fn cubins_are_ptxas_own() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = folder();
    let text = fs::read_to_string(folder.path().join("c.ptx")).unwrap();
    for arch in ["sm_75", "sm_90", "sm_100"] {
        for level in [&["-lineinfo"][..], &["-lineinfo", "-c"], &["-g"], &["-v"]] {
            for inputs in [
                &["a.ptx", "b.ptx"][..],
                &["b.ptx", "a.ptx", "c.ptx"],
                &["a.ptx", "-ias", &text],
                &["-ias", &text, "a.ptx", "b.ptx"],
            ] {
                let ran = both(&ptxas, &folder, &[&["-arch", arch], level, inputs].concat());
                assert_eq!((ran.exit, ran.file.is_some()), (Some(0), true), "{level:?} {inputs:?}");
            }
        }
    }
}

#[test]
fn standard_input_may_be_among_them() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = folder();
    // With -g the file has the name that ptxas makes up.
    for inputs in [["a.ptx", "-"], ["-", "a.ptx"]] {
        let ran = both(&ptxas, &folder, &[&["-lineinfo"], &inputs[..]].concat());
        assert_eq!((ran.exit, ran.file.is_some()), (Some(0), true), "{inputs:?}");
    }
    let ran = both(&ptxas, &folder, &["-", "-"]);
    assert!(ran.exit == Some(FAILURE) && ran.messages.contains("Missing .version directive"), "{ran:?}");
}

#[test]
fn messages_and_exit_codes_are_ptxas_own() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = folder();
    for (args, exit, said) in [
        (&["a.ptx", "same.ptx"][..], FAILURE, "Duplicate definition of function 'ka'"),
        (&["a.ptx", "a.ptx"], FAILURE, "Duplicate definition of function 'ka'"),
        (&["a.ptx", "index.ptx"], FAILURE, "ptxas index.ptx, line 5; error   : Duplicate file index #1"),
        (&["a.ptx", "nosuch.ptx"], FAILURE, "Input file 'nosuch.ptx' could not be opened"),
        (&["nosuch.ptx", "a.ptx", "nosuch2.ptx"], FAILURE, "Input file 'nosuch2.ptx' could not be opened"),
        (&["a.ptx", "wrong.ptx", "-lineinfo"], FAILURE, "ptxas wrong.ptx, line 12; "),
        (&["wrong.ptx", "same.ptx", "a.ptx"], FAILURE, "wrong.ptx, line 12; "),
        (&["a.ptx", "b.ptx", "-g", "-O3"], FAILURE, "Optimized debugging not supported"),
        (&["a.ptx", "b.ptx", "-g", "-lineinfo"], 0, "Conflicting options"),
        (&["a.ptx", "b.ptx", "-g", "-lineinfo", "-Werror"], FAILURE, "Conflicting options"),
        (&["a.ptx", "b.ptx", "-arch", "compute_75"], 0, ""),
        (&["a.ptx", "-ias", "junk"], FAILURE, "application ptx input, line 1; fatal"),
    ] {
        let ran = both(&ptxas, &folder, args);
        assert!(ran.exit == Some(exit) && ran.messages.contains(said), "{args:?}: {ran:?}");
        assert_eq!(ran.file.is_some(), exit == 0 && !args.contains(&"compute_75"), "{args:?}");
    }
}
