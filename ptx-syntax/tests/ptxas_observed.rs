//! What ptxas 13.0.88 takes and refuses, statement by statement. The tables were measured with the real tool
//! (`-arch=sm_75 -lineinfo`, "Parsing error near", "Constant overflow", "Value out of range", "Illegal type" = refused);
//! `verdicts_match_the_real_tool` measures again where it is installed.
// Helpers outside `#[test]` functions; a panic is a test's way to fail, standard error its way to say what it saw.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use ptx_syntax::{Statement, parse};

const TAKEN: &[&str] = &[
    "mov .u32 %r1, 7;",
    "mov\n.u32 %r1, 7;",
    "mov.u32 %r1, %tid .x;",
    "@ ! %p1 mov.u32 %r1, 7;",
    ".loc 1 1 1 .loc 1 2 3 mov.u32 %r1, 7;",
    ".loc /*f*/ 1 /*l*/ 10 // c\n3",
    ".loc WARP_SZ 1 1",
    ".loc 1 9223372036854775808 3",
    "L1: L2 : mov.u32 %r1, 7;",
    "{ L3: }",
    ".reg .b32 a<3>, b<2>;",
    ".reg .b32 ;",
    ".reg .v2 .b32 q;",
    ".local .align 8 .b8 q[4][5], r;",
    ".pragma \"nounroll\", \"b\";",
    "T: .branchtargets L, L;",
    "P: .callprototype _ ();",
    "P: .callprototype _;",
    "mov.u32 %r1, +5;",
    "mov.u32 %r1, 5 + +5;",
    "mov.u32 %r1, - -4;",
    "mov.u32 %r1, (3+4)*2;",
    "mov.u32 %r1, 4 |5 ^ 6 & 7 % 3;",
    "mov.u32 %r1, 4 != 5;",
    "mov.u32 %r1, 1?2:3?4:5;",
    "mov.u32 %r1, (.u64)(4+5);",
    "mov.u32 %r1, -(.u64)1;",
    "mov.u32 %r1, 4+WARP_SZ;",
    "mov.u64 %rd1, data[1];",
    "mov.u64 %rd1, data+4*2;",
    "mov.f32 %f1, .5;",
    "mov.f32 %f1, 1.;",
    "mov.f32 %f1, -1.5e-3;",
    "mov.b64 %rd1, {%r1, -5};",
    "ld.global.u32 %r1, [%rd1+ -4];",
    "ld.global.u32 %r1, [%rd1+(4+4)];",
    "ld.global.u32 %r1, [%rd1].unified;",
    "setp.eq.u32 %p1|_, 1, 2;",
    "setp.eq.and.u32 %p1, %r1, 5, ! %p2;",
    "call (), f, ();",
    "# 1 \"x.cu\" 2 3\n#line 5 \"y.cu\"\n",
];

const REFUSED: &[&str] = &[
    "mov. u32 %r1, 7;",
    "mov.u32 %r1, 7\n",
    "mov.u32 %r1 7;",
    "mov.u32 %r1, {7;",
    "mov.u32 %r1, [[7]];",
    "mov.u32 %r1, ;",
    "mov.u32 , %r1;",
    "mov.u32 %r1, %r2 %r3;",
    "mov.u32 %r1, \"abc\";",
    "mov.u32 %r1, 7 .loc 1 1 1\n;",
    "mov.u32 %r1, 4 = 5;",
    "mov.u32 %r1, 4 <> 5;",
    "mov.u32 %r1, 0f00000000+1.0;",
    "mov.u32 %r1, ~%r2;",
    "mov.u32 %r1, - -%r2;",
    "mov.u32 %r1, +%r2;",
    "mov.u32 %r1, %tid.x+1;",
    "mov.u32 %r1, function_name;",
    "mov.u64 %rd1, data-4;",
    "mov.u64 %rd1, 4+data;",
    "mov.b64 %rd1, {%r1, };",
    "mov.b64 %rd1, {};",
    "mov.b64 %rd1, {%r1,{%r2}};",
    "mov.b64 %rd1, {-%r1, %r2};",
    "mov.b64 %rd1, {%r1+4};",
    "ld.global.u32 %r1, [%rd1-4];",
    "ld.global.u32 %r1, [data+%r2];",
    "ld.global.u32 %r1, [-%rd1];",
    "ld.global.u32 %r1, [];",
    "setp.eq.u32 %p1|!%p2, 1, 2;",
    "setp.eq.u32 %p1|%p2|%p1, 1, 2;",
    "setp.eq.u32 %p1|5, 1, 2;",
    "mov.u32 %r1, %r2|%p1;",
    "call (%r1), , (%r2);",
    "bar.sync 0 1;",
    "@%p1 {mov.u32 %r1, 7;}",
    "@%p1 L1: mov.u32 %r1, 7;",
    ";",
    "mov.u32 %r1, 7;;",
    "@@DWARF",
    "WARP_SZ: ",
    ".reg .b32 a b;",
    ".reg .b32 .b32 a;",
    ".reg .f32 .v2 a;",
    ".reg .b32 inlined_at;",
    ".visible .shared .b32 q;",
    ".pragma nounroll;",
    ".pragma \"a\" \"b\";",
    ".align 4;",
    "P: .callprototype (.param .b32 a) b (.param .b32 c);",
    ".loc 1 9223372036854775807 3",
    ".loc 1 4294967296 3",
    ".loc 1 99999999999999999999 3",
    ".loc 1 10 3;",
    "# 1",
    "#pragma once",
    "# 1 \"a\" foo",
];

fn module(statement: &str) -> String {
    format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.global .b32 data[4];\n.func f()\n{{ ret; }}\n\
         .visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<3>;\n.reg .b32 %r<5>;\n.reg .f32 %f<3>;\n\
         .reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\n{statement}\nL:\nst.global.u32 [%rd1], %r1;\nret;\n}}\n"
    )
}

#[test]
fn taken_and_refused() {
    for statement in TAKEN {
        let errors = parse(&module(statement)).errors;
        assert!(errors.is_empty(), "{statement}: {errors:?}");
    }
    for statement in REFUSED {
        assert!(!parse(&module(statement)).errors.is_empty(), "{statement}");
    }
}

/// `$PTXAS`, or the one that `tools/oracle.sh` installs.
fn ptxas() -> Option<PathBuf> {
    let given = env::var_os("PTXAS").map(PathBuf::from);
    let installed = || {
        let lib = PathBuf::from(env::var_os("HOME")?).join(".cache/nvdwarf/oracle-13.0.88/lib");
        let python = fs::read_dir(lib)
            .ok()?
            .flatten()
            .find(|entry| entry.file_name().to_string_lossy().starts_with("python"))?;
        Some(python.path().join("site-packages/nvidia/cu13/bin/ptxas"))
    };
    let found = given.or_else(installed).filter(|path| path.exists());
    if found.is_none() {
        assert!(env::var_os("REQUIRE_ORACLES").is_none(), "ptxas is required and not there");
        eprintln!("skipped: no ptxas 13.0.88 here");
    }
    found
}

#[test]
fn verdicts_match_the_real_tool() {
    let Some(ptxas) = ptxas() else { return };
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("a.ptx");
    let taken = TAKEN.iter().map(|statement| (statement, true));
    for (statement, expected) in taken.chain(REFUSED.iter().map(|statement| (statement, false))) {
        fs::write(&input, module(statement)).unwrap();
        let mut command = Command::new(&ptxas);
        command.args(["-arch=sm_75", "-lineinfo", "-o"]).arg(folder.path().join("a.cubin")).arg(&input);
        let said = String::from_utf8_lossy(&command.output().unwrap().stderr).into_owned();
        let refused = ["Parsing error near", "Constant overflow"].iter().any(|words| said.contains(words));
        assert_eq!(!refused, expected, "{statement}: {said}");
    }
}

/// The token whose line `.nv_debug_line_sass` names, for instructions with each token on a line of its own
/// (`-lineinfo -O0`, sm_75 and sm_90; decoded with `../shared/reference/line_codec.py`).
#[test]
fn line_anchor() {
    for (statement, anchor) in [
        ("add\n.u32\n%r1,\n%r2,\n%r3\n;", ".u32"),
        ("@%p1\nadd\n.u32\n%r1,\n%r2,\n%r3\n;", "add"),
        ("@\n!\n%p1\nbra\n.uni\nL\n;", "bra"),
        ("ld\n.global\n.u32\n%r1,\n[%rd1]\n;", ".global"),
        ("bra\nL\n;", "L"),
        ("ret\n/*\n*/ // x\n;", ";"),
        ("@%p1\nexit\n;", "exit"),
        ("call\n(%r1),\nf,\n(%r2)\n;", "("),
        ("call\n.uni\n(%r1),\nf,\n(%r2)\n;", ".uni"),
        ("pmevent\n1\n;", "1"),
        ("bar\n.sync\n0\n;", ";"),
        ("@%p1\ncvt\n.u64\n.u32\n%rd2,\n%r1\n;", ";"),
        ("@%p1\ndiv\n.u32\n%r1,\n%r2,\n%r3\n;", ";"),
        ("@%p1\nbarrier.cluster.arrive\n;", "barrier"),
        ("@%p1\nvadd4\n.u32\n.u32\n.u32\n%r1,\n%r2,\n%r3,\n%r4\n;", ";"),
    ] {
        let text = module(statement);
        let at = text.find(statement).unwrap();
        let parsed = parse(&text);
        let kernel = parsed.module.functions().last().unwrap();
        let instruction = kernel.body.iter().flat_map(|body| &body.statements).find_map(|s| match s {
            Statement::Instruction(instruction) if instruction.range.start as usize == at => {
                Some(instruction)
            }
            _ => None,
        });
        let token = &text[instruction.unwrap().line_anchor as usize..];
        assert!(token.starts_with(anchor), "{statement}: {token}");
    }
}
