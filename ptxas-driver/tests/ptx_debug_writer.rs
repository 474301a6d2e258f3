//! What `ptx-debug` writes: `check` finds nothing but notes, ptxas 13.0.88 takes it, and `vars` and
//! `lines` find the model again in the cubin.

#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

#[path = "../../ptx-debug/examples/debug_kernel.rs"]
mod debug_kernel;

use crate::support;
use crate::support::driver::{answer, printed, run};
use ptx_debug::model::EmissionKind;
use std::fs;
use std::path::Path;
use std::process::Command;

const ARCHITECTURES: [&str; 4] = ["sm_75", "sm_90", "sm_100", "sm_120"];

/// Compiles the kernel for each architecture and hands the cubins over.
fn each_cubin(kind: EmissionKind, options: &[&str], test: impl Fn(&Path)) {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (ptx, cubin) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
    for architecture in ARCHITECTURES {
        fs::write(&ptx, debug_kernel::kernel(architecture, kind).unwrap()).unwrap();
        let check = run(&["check", ptx.to_str().unwrap()]);
        assert_eq!(check.status.code(), Some(0), "{}", String::from_utf8_lossy(&check.stderr));
        let mut command = Command::new(&ptxas);
        let output =
            command.args(options).args(["-arch", architecture]).arg(&ptx).arg("-o").arg(&cubin).output();
        let output = output.unwrap();
        let messages = [output.stdout, output.stderr].concat();
        assert!(output.status.success() && messages.is_empty(), "{}", String::from_utf8_lossy(&messages));
        test(&cubin);
    }
}

/// The addresses and registers are ptxas' own.
fn without_code(line: &str) -> bool {
    let line = line.trim_start();
    !line.starts_with("0x") && !line.is_empty()
}

#[test]
fn full_debug_information_is_in_the_cubin() {
    each_cubin(EmissionKind::Full, &["-g"], |cubin| {
        let vars = printed(&answer("vars", cubin, &[]));
        let found: Vec<&str> = vars.lines().filter(|line| without_code(line)).collect();
        let facts = [
            "unit k.cu",
            "  counter: int  /src/k.cu:2",
            "    global, .nv.global+0x0",
            "abstract square(int) [_Z6squarei]",
            "  v: int  parameter  /src/k.cu:3",
            "function kernel 0x0000-",
            "  out: int *  parameter  /src/k.cu:4  ",
            "  n: int  parameter  /src/k.cu:4  ",
            "  s: int  /src/k.cu:5  ",
            "block 0x",
            "  p: Pair  /src/k.cu:6  100% of ",
            "    local[R1]  CFA-0x18",
        ];
        assert_eq!(found.len(), facts.len(), "{vars}");
        for (line, fact) in found.iter().zip(facts) {
            assert!(line.starts_with(fact), "{line:?} is not {fact:?}");
        }
        for register in ["%rd1", "%r1", "%r4"] {
            let is_place = |line: &str| line.ends_with(&format!("  {register}")) && line.contains(" R");
            assert!(vars.lines().any(is_place), "{register} is nowhere:\n{vars}");
        }
        has_lines(cubin);
    });
}

#[test]
fn lines_alone_are_in_the_cubin() {
    each_cubin(EmissionKind::LineTables, &["-g"], |cubin| {
        has_lines(cubin);
        assert!(!printed(&answer("vars", cubin, &[])).contains("int"));
    });
    // Optimised, both calls become one instruction of another line.
    each_cubin(EmissionKind::Directives, &["-lineinfo", "-O0"], has_lines);
}

/// The two inlined calls have the call sites of the model, and each line of the kernel has code.
fn has_lines(cubin: &Path) {
    let lines = printed(&answer("lines", cubin, &[]));
    for place in [
        "square(int) at /src/k.cu:3 (inlined) <- kernel at /src/k.cu:5",
        "  kernel at /src/k.cu:5  ",
        "  kernel at /src/k.cu:6  ",
        "  kernel at /src/k.cu:7  ",
    ] {
        assert!(lines.contains(place), "{place} is nowhere:\n{lines}");
    }
}
