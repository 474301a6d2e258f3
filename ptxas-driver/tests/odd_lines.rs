//! Line tables and register maps of odd functions, against ptxas: `compile` writes its bytes, `merc self-check` passes on its file.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

#[path = "support/driver.rs"]
mod driver;
mod support;

use nv_debug_sections::catalog::is_debug_section;
use nv_debug_sections::cubin::Cubin;
use std::fs;
use std::path::Path;
use std::process::Command;

const HEAD: &str =
    ".address_size 64\n.file 1 \"a.cu\", 1, 1\n.file 4 \"b.cu\", 1, 1\n.file 8 \"c.cu\", 1, 1\n";

const NAMES: &str = ".section .debug_str\n{\nS0: .b8 102, 111, 111, 0\n}\n";

/// As [`assert_same_bytes`], and no other command finds anything in the capsule of ptxas' file.
fn assert_same(bodies: &[&str], archs: &[&str], options: &[&[&str]]) {
    compare(bodies, archs, options, check_capsule);
}

/// Compares the debug sections that ptxas and `compile` make of `bodies` after [`HEAD`]; the first of `archs` is the target.
fn assert_same_bytes(bodies: &[&str], archs: &[&str], options: &[&[&str]]) {
    compare(bodies, archs, options, |_, _| ());
}

fn compare(bodies: &[&str], archs: &[&str], options: &[&[&str]], check: fn(&Path, &str)) {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let [ptx, theirs, ours] = ["in.ptx", "theirs.cubin", "ours.cubin"].map(|name| folder.path().join(name));
    for body in bodies {
        fs::write(&ptx, format!(".version 9.0\n.target {}\n{HEAD}{body}{NAMES}", archs[0])).unwrap();
        for arch in archs {
            for options in options {
                let with_options = |mut command: Command| {
                    command.arg(&ptx).args(["-arch", arch]).args(*options);
                    command
                };
                let original = driver::made(&mut with_options(Command::new(&ptxas)), &theirs);
                let mut command = with_options(driver::compile());
                let made = driver::made(command.arg("--code").arg(driver::code_of(&theirs)), &ours);
                for (name, bytes) in debug_sections(&original) {
                    let our_bytes = debug_sections(&made).into_iter().find(|(other, _)| *other == name);
                    // CIE pointers of sm_90: docs/conformance.md.
                    if !(name == ".rela.debug_frame" && *arch == "sm_90") {
                        assert!(
                            our_bytes.is_some_and(|(_, ours)| ours == bytes),
                            "{arch} {options:?} {name}\n{body}"
                        );
                    }
                }
                if Cubin::parse(&original).unwrap().header.sm() >= 100 {
                    check(&theirs, &format!("{arch} {options:?}\n{body}"));
                }
            }
        }
    }
}

fn check_capsule(cubin: &Path, what: &str) {
    let run = |words: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_ptxas-driver")).args(words).arg(cubin).output().unwrap()
    };
    let self_check = run(&["merc", "self-check"]);
    assert!(self_check.status.success(), "{what}{}", String::from_utf8_lossy(&self_check.stdout));
    let verify = run(&["verify", "--no-sources"]);
    let said = String::from_utf8_lossy(&verify.stdout);
    assert!(!said.contains("[C004]"), "{what}{said}");
}

fn debug_sections(cubin: &[u8]) -> Vec<(String, Vec<u8>)> {
    let cubin = Cubin::parse(cubin).unwrap();
    let sections = cubin.iter().filter(|(_, name, _)| is_debug_section(name));
    sections.map(|(index, name, _)| (name.to_owned(), cubin.bytes(index).unwrap().into_owned())).collect()
}

const OPTIONS: &[&[&str]] = &[&["-lineinfo"], &["-c"], &["-g"], &["-lineinfo", "-O0"]];

/// Their one instruction is the `EXIT` or `RET` that ptxas adds, on the line of the `{`.
#[test]
fn functions_without_code() {
    let bodies = [
        ".visible .entry k()\n{\n.loc 1 3 0\n$b:\n.loc 1 3 1\n$e:\n}\n",
        ".visible .entry k() { .loc 1 3 0 }\n",
        ".visible .entry k()\n{\n{\n.pragma \"nounroll\";\n.loc 1 3 0\n}\n}\n",
        ".visible .entry k()\n{\n.loc 1 0 0\n}\n",
        // Code that nothing needs.
        ".visible .entry k()\n{\n.reg .b32 %r<4>;\n.loc 1 3 0\nmov.u32 %r1, 5;\n.loc 1 4 0\nadd.u32 %r2, %r1, 1;\n}\n",
        // Beside others, and folded into one.
        ".visible .entry k()\n{\n.loc 1 3 0\n}\n.visible .entry k2()\n{\n.loc 1 4 0\nret;\n}\n.visible .entry k3()\n{\n}\n",
        ".func f()\n{\n.loc 1 3 0\n}\n.visible .entry k()\n{\n.loc 1 5 0\ncall f;\n}\n",
        ".visible .func f()\n{\n.loc 1 3 0\n}\n.visible .entry k()\n{\n.loc 1 5 0\ncall f;\nret;\n}\n",
    ];
    assert_same(&bodies, &["sm_75", "sm_90", "sm_100", "sm_120"], OPTIONS);
}

/// Code on the line of the `{` under a `.loc`, which is another row than that of the entry.
#[test]
fn a_first_loc_that_is_inlined_at_another_function() {
    let module = |inlined: &str, end: &str| {
        format!(
            ".visible .entry k0(.param .u64 p) {{\n.loc 4 5 9\n}}\n.visible .entry k2(.param .u64 p)\n{{ .reg .b64 %rd<3>; \
             .reg .b32 %r<9>; .loc {inlined}, function_name S0, inlined_at 4 5 9 ld.param.u64 %rd1,[p];{end}\
             .loc 8 2 1, function_name S0+2, inlined_at 4 5 9\nbar.sync 0; ld.global.u32 %r5, [%rd1+64];\n\
             .loc 4 66524 70000 st.global.u32 [%rd1+68], %r1; ret;\n}}\n"
        )
    };
    let modules = [module("1 5 0", " "), module("4 5 0", " "), module("1 6 0", " "), module("1 5 0", "\n")];
    let modules: Vec<&str> = modules.iter().map(String::as_str).collect();
    assert_same(&modules, &["sm_75", "sm_80", "sm_90", "sm_100", "sm_103", "sm_120"], OPTIONS);
}

/// The `IMNMX` instructions of sm_110, into which ptxas makes integer minima and maxima, have lines of other instructions.
#[test]
fn instructions_that_mercury_code_lacks() {
    let registers = ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;";
    let code = "ld.param.u64 %rd1,[p];\nld.global.u32 %r1,[%rd1];\n.loc 1 3 1\nmax.u32 %r2,%r1,5;\nmin.s32 %r3,%r2,9;\n.loc 1 3 2\n\
        st.global.u32 [%rd1],%r3;\n.loc 1 3 3\nmax.s32 %r4,%r1,%r3;\nst.global.u32 [%rd1+4],%r4;\n";
    let call = "{.param .u64 q; st.param.u64 [q],%rd1; call f,(q);}\n";
    let kernel = |open: &str, call: &str| {
        format!(
            ".visible .entry k(.param .u64 p)\n{{{open}{registers}{open}.loc 1 3 0{open}{code}{call}ret;\n}}\n"
        )
    };
    let [alone, on_the_brace, calls] = [kernel("\n", ""), kernel(" ", ""), kernel("\n", call)];
    let function = format!(".func f(.param .u64 p)\n{{\n{registers}\n.loc 1 3 0\n{code}ret;\n}}\n");
    let recursion = format!(
        ".visible .func f(.param .u64 p)\n{{\n{registers}\n.loc 1 3 0\n{code}setp.lt.u32 %p1,%r3,7; @%p1 ret; add.u64 %rd1,%rd1,4;\n\
         {call}add.u64 %rd1,%rd1,4;\n{call}ret;\n}}\n"
    );
    let bodies = [alone, on_the_brace, function + &calls, recursion + &calls];
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    assert_same(&bodies, &["sm_100", "sm_103", "sm_110", "sm_120", "sm_121"], OPTIONS);
}

/// The code that sets a register may have no native code; `tests/self_check.rs` of `merc-capsule` has what comes of that there.
#[test]
fn register_ranges_without_a_native_start() {
    let module = ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<10>;\n\
        cp.async.cg.shared.global [%r3], [%rd1], 16, 16;\ncp.async.cg.shared.global [%r3], [%rd3], 16, 16;\n\
        cvta.to.global.u64 %rd7, %rd4;\nbar.sync 0;\nadd.s64 %rd9, %rd7, %rd8;\nst.global.u32 [%rd9], %r8;\n}\n";
    assert_same_bytes(
        &[module],
        &["sm_80", "sm_100", "sm_103", "sm_110", "sm_120"],
        &[&["-g"], &["-g", "-c"]],
    );
}

#[test]
fn reversed_ranges_of_a_division() {
    let module = ".visible .func (.param .b32 r) f(.param .b32 a)\n{\n}\n.visible .entry k()\n{\n.reg .b32 %r<11>;\n{\n\
        .param .b32 param0;\n.param .b32 retval0;\ncall.uni (retval0), f, (param0);\n}\n{\n.param .b32 param0;\n.param .b32 retval0;\n\
        call.uni (retval0), f, (param0);\n}\ndiv.s32 %r10, %r9, 3;\n}\n";
    assert_same(&[module], &["sm_80", "sm_100", "sm_120", "sm_121"], &[&["-g"], &["-g", "-c"]]);
}
