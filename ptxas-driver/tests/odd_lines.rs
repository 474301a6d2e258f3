//! Line tables and register maps of odd functions, against ptxas: `compile` writes its bytes, `merc
//! self-check` passes on its file.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::cubins::debug_sections;
use crate::support::driver;
use crate::support::driver::program;
use nv_debug_sections::cubin::Cubin;
use std::fmt::Write as _;
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

/// Compares the debug sections that ptxas and `compile` make of `bodies` after [`HEAD`]; the first
/// of `archs` is the target.
fn assert_same_bytes(bodies: &[&str], archs: &[&str], options: &[&[&str]]) {
    compare(bodies, archs, options, |_, _| ());
}

/// As [`assert_same_bytes`], and the capsule says of lines what ptxas' file does.
fn assert_same_lines(bodies: &[&str], archs: &[&str], options: &[&[&str]]) {
    compare(bodies, archs, options, |cubin, what| {
        let found = fs::read(cubin).unwrap();
        let all = merc_capsule::self_check::self_check(&Cubin::parse(&found).unwrap(), None).unwrap();
        for checked in all.iter().filter(|checked| checked.native.contains("line")) {
            assert!(
                !matches!(checked.outcome, merc_capsule::self_check::CheckOutcome::Different(_)),
                "{what}{checked:?}"
            );
        }
    });
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
                    let our_bytes = debug_sections(&made).remove(&name);
                    // CIE pointers of sm_90: docs/conformance.md.
                    if !(name == ".rela.debug_frame" && *arch == "sm_90") {
                        assert!(
                            our_bytes.is_some_and(|ours| ours == bytes),
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
    let run = |words: &[&str]| program().args(words).arg(cubin).output().unwrap();
    let self_check = run(&["merc", "self-check"]);
    assert!(self_check.status.success(), "{what}{}", String::from_utf8_lossy(&self_check.stdout));
    let verify = run(&["verify", "--no-sources"]);
    let said = String::from_utf8_lossy(&verify.stdout);
    assert!(!said.contains("[C004]"), "{what}{said}");
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

/// Where the first `.loc` of a function is inlined at another one's, and code of the same line is
/// before or after it.
#[test]
fn call_sites_in_other_functions() {
    let inlined = |loc: &str, at: &str| format!(".loc {loc}, function_name S0, inlined_at {at}\n");
    let kernel = |code: &str| {
        format!(".visible .entry k(.param .u64 p)\n{{\n.reg .b64 %rd<4>; .reg .b32 %r<9>;\n{code}ret;\n}}\n")
    };
    let store = |number: u32| {
        format!("membar.gl; st.volatile.global.u32 [%rd1+{}], {number}; membar.gl;\n", 4 * number)
    };
    let [first, second, third] = [1, 2, 3].map(store);
    let first_of = |line: u32| format!(".visible .entry k0()\n{{\n.loc 8 {line} 1\n}}\n");
    let empty = |locs: &str| format!(".func f()\n{{\n{locs}}}\n");
    let bodies = [
        // A function without code, folded in after code of its line.
        first_of(2)
            + &empty(&inlined("1 3 5", "8 2 1"))
            + &kernel(&format!(".loc 8 3 0\n{first}call f;\n{second}")),
        first_of(2)
            + &empty(&inlined("1 3 5", "8 2 1"))
            + &kernel(&format!("call f;\n{}", inlined("4 3 0", "8 2 1"))),
        // On the line of the opening row, at another call site; the first call site is on line 0.
        first_of(0)
            + &empty(&inlined("1 2 1", "8 0 1"))
            + &kernel(&format!("call f;\n{}", inlined("4 2 5", "1 2 1"))),
        // Code comes back to the first `.loc` from another on its line.
        first_of(7)
            + &kernel(&format!(
                "{entry}{first}.loc 1 9 5\n{second}{entry}{third}",
                entry = inlined("1 9 1", "8 7 1")
            )),
        // The opening row is its call site's, and code of a line of its own is a call site there.
        first_of(4)
            + &kernel(&format!(
                "{}{first}.loc 1 40 0\n{second}{}{third}",
                inlined("8 4 2", "8 4 1"),
                inlined("1 40 1", "1 40 0")
            )),
        // The first code of a folded function is on the line of the row before, at its call site.
        format!(
            ".func f()\n{{\n.reg .b64 %rd<4>;\n.loc 1 3 1\n{}{first}.loc 4 3 0\n{second}}}\n{}",
            inlined("4 7 1", "1 3 1"),
            kernel(&format!("{}{}call f;\n{third}", inlined("1 7 1", "4 3 0"), inlined("4 7 1", "4 7 1")))
        ),
    ];
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    assert_same(&bodies, &["sm_75", "sm_86", "sm_90", "sm_100", "sm_120"], &OPTIONS[..2]);
}

/// The `IMNMX` instructions of sm_110, into which ptxas makes integer minima and maxima, have lines
/// of other instructions.
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

/// PTX instructions, each with the kinds of native code that give their lines to an `IMNMX` after
/// them, or do not.
const BEFORE_IMNMX: &[&str] = &[
    "mov.u32 %r5,%tid.x;",
    "mov.u32 %r5,%laneid;",
    "mov.u32 %r5,%cluster_ctaid.x;",
    "mov.u64 %rd5,%clock64;",
    "ld.param.u32 %r5,[q];",
    "ld.const.u32 %r5,[c+4];",
    "ld.global.u32 %r5,[%rd1+8];",
    "ld.acquire.gpu.global.u32 %r5,[%rd1+8];",
    "ld.shared.u32 %r5,[s];",
    "ld.acquire.cta.shared.u32 %r5,[s];",
    "st.shared.u32 [s],%r1;",
    "st.local.u32 [l],%r1;\nld.local.u32 %r5,[l+4];",
    "st.release.gpu.global.u32 [%rd1+8],%r1;",
    "bar.sync 0;",
    "bar.arrive 1,64;",
    "bar.red.popc.u32 %r5,0,%p1;",
    "bar.warp.sync 0xffffffff;",
    "barrier.cluster.arrive;",
    "barrier.cluster.wait;",
    "membar.cta;",
    "membar.gl;",
    "fence.sc.gpu;",
    "fence.proxy.async;",
    "redux.sync.add.s32 %r5,%r1,0xffffffff;",
    "shfl.sync.idx.b32 %r5,%r1,3,31,0xffffffff;",
    "vote.sync.ballot.b32 %r5,%p1,0xffffffff;",
    "match.any.sync.b32 %r5,%r1,0xffffffff;",
    "atom.global.add.u32 %r5,[%rd1+8],%r1;",
    "atom.shared.add.u32 %r5,[s],%r1;",
    "atom.acq_rel.gpu.global.cas.b32 %r5,[%rd1+8],%r1,7;",
    "red.release.gpu.global.add.u32 [%rd1+8],%r1;",
    "cp.async.cg.shared.global [s],[%rd1],16;\ncp.async.commit_group;",
    "cp.async.wait_group 0;",
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
    "mbarrier.init.shared.b64 [s],%r1;",
    "mbarrier.try_wait.parity.shared.b64 %p2,[s],%r1;",
    "griddepcontrol.wait;",
    "nanosleep.u32 20;",
    "mapa.u64 %rd5,%rd1,%r1;",
    "getctarank.u64 %r5,%rd1;",
    "cvta.local.u64 %rd5,%rd1;",
    "popc.b32 %r5,%r1;",
    "mul.hi.u32 %r5,%r1,%r1;",
    "div.u32 %r5,%r1,%r4;",
    "cvt.rn.f64.s32 %fd1,%r1;\nfma.rn.f64 %fd1,%fd1,%fd1,%fd1;\nst.global.f64 [%rd1+64],%fd1;",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1,%fd2},{%fd3},{%fd3},{%fd3,%fd3};\nst.global.f64 [%rd1+64],%fd1;",
];

/// What stands before an `IMNMX` says which lines that has: every instruction of the list, in two
/// orders.
#[test]
fn imnmx_has_the_lines_of_what_stands_before_it() {
    let kernel = |name: usize, before: &[&str]| {
        let mut code = String::new();
        for (number, instruction) in before.iter().enumerate() {
            let line = 10 + 3 * number;
            writeln!(
                code,
                ".loc 1 {line} 0\n{instruction}\n.loc 1 {} 0\nmax.u32 %r2,%r1,{number};\n.loc 1 {} 0\nadd.u32 %r1,%r2,%r5;\n\
                 st.global.u32 [%rd1+{}],%r2;",
                line + 1,
                line + 2,
                128 + 4 * number
            )
            .unwrap();
        }
        format!(
            ".visible .entry k{name}(.param .u64 p,.param .u32 q)\n{{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; \
             .reg .f64 %fd<4>; .local .align 16 .b32 l[16];\n.loc 1 3 0\nld.param.u64 %rd1,[p];\n.loc 1 4 0\n\
             ld.global.u32 %r1,[%rd1];\nld.global.f64 %fd3,[%rd1+32];\nsetp.lt.u32 %p1,%r1,9;\n{code}ret;\n}}\n"
        )
    };
    let data = ".const .align 16 .b32 c[16];\n.shared .align 16 .b8 s[64];\n";
    let alone: String = BEFORE_IMNMX.iter().enumerate().map(|(name, one)| kernel(name, &[one])).collect();
    let backward: Vec<&str> = BEFORE_IMNMX.iter().rev().copied().collect();
    let together = kernel(0, BEFORE_IMNMX) + &kernel(1, &backward);
    let bodies = [alone, together].map(|kernels| format!("{data}{kernels}"));
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    assert_same_lines(&bodies, &["sm_100", "sm_110"], OPTIONS);
}

/// Functions in which nothing stands before, functions that begin with one, in sections of their
/// own and in those of kernels; code between two on the same line; an added `NOP` after one.
#[test]
fn imnmx_without_setter_or_at_the_start() {
    let function = |name: &str, loc: u32, code: &str| {
        format!(
            ".func (.param .b32 r) {name}(.param .b32 a)\n{{\n.reg .b32 %r<9>; .reg .pred %p<3>;\n.loc 1 {loc} 0\nld.param.u32 %r1,[a];\n{code}\
             .loc 1 {} 0\nst.param.b32 [r],%r2;\n.loc 1 {} 0\nret;\n}}\n",
            loc + 8,
            loc + 9
        )
    };
    let first = function(
        "f",
        30,
        ".loc 1 31 0\nmax.u32 %r2,%r1,5;\n.loc 1 32 0\nadd.u32 %r2,%r2,%r1;\n.loc 1 33 0\nmin.s32 %r2,%r2,9;\n",
    );
    let later = function(
        "g",
        40,
        ".loc 1 41 0\nadd.u32 %r2,%r1,7;\nmax.u32 %r2,%r2,5;\nmul.lo.u32 %r2,%r2,%r1;\n.loc 1 42 0\nmin.s32 %r2,%r2,17;\n.loc 1 41 0\npopc.b32 %r2,%r2;\n",
    );
    let branches = function(
        "h",
        50,
        ".loc 1 51 0\nmax.u32 %r2,%r1,5;\nsetp.lt.u32 %p1,%r2,99;\n@%p1 bra $L;\n.loc 1 52 0\n$M:\npopc.b32 %r2,%r2;\nmul.lo.u32 %r2,%r2,%r2;\n\
         .loc 1 53 0\nmin.u32 %r2,%r2,77;\nsetp.lt.u32 %p1,%r2,50;\n@%p1 bra $M;\nst.param.b32 [r],%r2;\n.loc 1 54 0\nret;\n$L:\n.loc 1 55 0\n\
         popc.b32 %r2,%r2; mul.lo.u32 %r2,%r2,%r2; min.u32 %r2,%r2,66;\nsetp.lt.u32 %p1,%r2,50;\n@%p1 bra $L;\n",
    );
    let call = |name: &str| {
        format!(
            "{{.param .b32 a; .param .b32 r; st.param.b32 [a],%r1;\n.loc 1 6 0\ncall (r),{name},(a);\nld.param.b32 %r1,[r];}}\n"
        )
    };
    let kernel = |name: &str, code: &str| {
        format!(
            ".visible .entry {name}(.param .u64 p)\n{{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f64 %fd<9>;\n.loc 1 3 0\nld.param.u64 %rd1,[p];\n\
             .loc 1 4 0\nld.global.u32 %r1,[%rd1];\n{code}.loc 1 7 0\nmax.u32 %r3,%r1,5;\n.loc 1 8 0\nst.global.u32 [%rd1+4],%r3;\nret;\n}}\n"
        )
    };
    let calls = kernel("k", &call("f")) + &kernel("k2", &[call("g"), call("h")].concat());
    let doubles = ".loc 1 5 0\nld.global.f64 %fd1,[%rd1+8]; ld.global.f64 %fd2,[%rd1+16];\ndiv.rn.f64 %fd3,%fd1,%fd2;\nst.global.f64 [%rd1+24],%fd3;\n";
    let bodies = [
        first.clone(),
        later.clone(),
        branches.clone(),
        [&*first, &later, &branches, &calls].concat(),
        kernel("k", doubles),
    ];
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    assert_same_lines(
        &bodies,
        &["sm_100", "sm_110"],
        &[&["-lineinfo"], &["-lineinfo", "-c"], &["-g"], &["-g", "-c"], &["-lineinfo", "-O1"]],
    );
}

/// The code that sets a register may have no native code; `tests/self_check.rs` of `merc-capsule`
/// has what comes of that there.
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
