//! What ptxas 13.0.88 takes and refuses, statement by statement. The tables were measured with the
//! real tool (`-arch=sm_75 -lineinfo`, "Parsing error near", "Constant overflow", "Value out of
//! range", "Illegal type" = refused); `verdicts_match_the_real_tool` measures again where it is
//! installed.
// Helpers outside `#[test]` functions; a panic is a test's way to fail, standard error its way to
// say what it saw.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod support;

use std::fs;
use std::process::Command;

use object::{Object, ObjectSection};
use ptx_syntax::print::normalise;
use ptx_syntax::{Statement, parse};
use support::ptxas;

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
    "P: .callprototype (.param .b32 x) _ (.reg .b32 y);",
    "P: .callprototype _ .noreturn;",
    "P: Q: .callprototype () _;",
    "T: .calltargets f, f;",
    "ld.global.u32 %r1, [%rd1+4].unified;",
    "ld.global.u32 %r1, [%rd1+4+4];",
    "ld.global.u32 %r1, [%rd1+WARP_SZ];",
    "ld.global.u32 %r1, data[1];",
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
    "mov.f32 %f1, 1.5+1.5;",
    "mov.f32 %f1, - -1.5;",
    "mov.f32 %f1, -(1.5);",
    "mov.f32 %f1, (0f3F800000);",
    "mov.f64 %f1, -0d3FF0000000000000;",
    "ld.const[2].v2.b32 {%r1, %r1}, [data];",
    "ld.volatile.const[10].b32 %r1, [data];",
    "ld.const[2] %r1, [data];",
    "tex.2d.v4.f32.f32 {%f1, %f2, %f1, %f2}|%p1, [%rd1, {%f1, %f2}];",
    "elect.sync _|%p1, 0xffffffff;",
    "vadd.u32.u32.u32.sat %r1, %r1.b0, -%r1.h1, %r1;",
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
    "mov.f32 %f1, 1.0+0f00000000;",
    "mov.f32 %f1, -0f3F800000;",
    "ld.const [2] .b32 %r1, [data];",
    "ld.const[].b32 %r1, [data];",
    "ld.const[0x2].b32 %r1, [data];",
    "ld.const[1+1].b32 %r1, [data];",
    "ld.const[WARP_SZ].b32 %r1, [data];",
    "ld.global[2].b32 %r1, [data];",
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
    ".pragma ;",
    ".pragma \"a\"",
    ".branchtargets L;",
    ".calltargets f;",
    ".callprototype _ ();",
    "T: .branchtargets ;",
    "T: .branchtargets L",
    "T: .branchtargets L,;",
    "T: .branchtargets _;",
    "P: .callprototype _ (.param .b32 _)",
    "P: .callprototype _ () .noreturn .noreturn;",
    "P: .callprototype _ () .maxntid 1;",
    "P: .callprototype _ () .pragma \"x\";",
    "P: .callprototype _ (.param .b32 _, );",
    "P: .callprototype ();",
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

/// At module scope, in PTX 9.0 for sm_90.
const TAKEN_OUTSIDE: &[&str] = &[
    ".pragma \"a\", \"b\";",
    ".func f2();\n.alias f2, f;",
    ".entry e() .maxntid 1, 2, 3 { ret; }",
    ".entry e() .maxntid WARP_SZ .maxntid 0x10 { ret; }",
    ".entry e() .reqntid 1 .minnctapersm 2 .maxnreg 32 { ret; }",
    ".entry e() .pragma \"nounroll\", \"b\"; { ret; }",
    ".entry e() .explicitcluster .reqnctapercluster 1, 2 { ret; }",
    ".entry e() .blocksareclusters { ret; }",
    ".func e() .noreturn .abi_preserve 3 .abi_preserve_control 1 { ret; }",
    ".func .attribute(.unified(WARP_SZ, 2)) (.param .b32 r) e() { ret; }",
    ".global .attribute(.unified(1, 2), .managed) .b32 x;",
    ".global .attribute(.managed) .align 4 .attribute(.managed) .b32 x;",
    ".const[2] .align 4 .b32 y;",
    ".global .b32 x = 1+2, y = ~1;",
    ".global .b32 x[2][2] = {{1, -2}, {(3+4)*2}};",
    ".global .f32 x[2] = {-1.5, 0f3F800000};",
    ".global .b8 x[2] = {};",
    ".global .f64 x[3] = {-0d3FF0000000000000, +1.5, -1.5+1.5};",
    ".global .b8 x[2] = {1, {}};",
    ".global .b64 x[3] = {generic, generic+4, generic(generic)};",
    ".global .b64 x[3] = {-(1), - -1, 2*~1};",
    ".global .b64 x[3] = {WARP_SZ(data), 0xFF(4), 1U(data+4+4)};",
    ".global .f32 x = 1.5+1;",
    ".global .b64 x[5] = {data, data+4*2, generic(data), generic(data)+8, f};",
    ".global .b8 x[8] = {0xFF(data), 0xFF00(data+4), 0xFF(generic(data)+4), 255(generic(data)), 4};",
];

/// As above.
const REFUSED_OUTSIDE: &[&str] = &[
    ".pragma \"a\"",
    ".alias f2;",
    ".alias f2, f, f;",
    ".alias f2 f;",
    ".alias f2, f",
    ".alias _, f;",
    ".entry e() .maxntid 1, 2, 3, 4 { ret; }",
    ".entry e() .maxntid { ret; }",
    ".entry e() .maxntid 1, { ret; }",
    ".entry e() .maxntid 1; { ret; }",
    ".entry e() .maxntid 1+1 { ret; }",
    ".entry e() .maxnreg 32, 4 { ret; }",
    ".entry e() .pragma \"nounroll\" { ret; }",
    ".entry e() .noreturn { ret; }",
    ".entry e() .abi_preserve 1 { ret; }",
    ".entry .attribute(.unified(1, 2)) e() { ret; }",
    ".func e() .maxntid 1 { ret; }",
    ".func e() .pragma \"nounroll\"; { ret; }",
    ".func e() .noreturn .noreturn { ret; }",
    ".func e() .abi_preserve 3 .noreturn { ret; }",
    ".func e() .attribute(.unified(1, 2)) { ret; }",
    ".func .attribute(.managed) e() { ret; }",
    ".func .attribute() e() { ret; }",
    ".func .attribute(.unified(1)) e() { ret; }",
    ".func .attribute(.unified(1, 2)) .attribute(.unified(1, 2)) e() { ret; }",
    ".global .attribute(managed) .b32 x;",
    ".global .attribute(.unified(1, 2, 3)) .b32 x;",
    ".global .b32 .attribute(.managed) x;",
    ".global .b32 .align 4 x;",
    ".global .b32 x[2] = {1, 2,};",
    ".global .b64 x = generic(data+4);",
    ".global .b64 x = mask(data);",
    ".global .b64 x = data[1];",
    ".global .f32 x = -0f3F800000;",
    ".global .f32 x = 0f3F800000+1;",
    ".global .b64 x = -data;",
    ".global .b64 x = data.x;",
    ".global .b64 x = _;",
    ".global .b64 x = (data);",
    ".global .b64 x = {1}+2;",
    ".global .b64 x = (255)(data);",
    ".global .b64 x = 4*0xFF(data);",
    ".global .b64 x = -0xFF(data);",
    ".global .b64 x = 1.5(data);",
    ".global .b64 x = 0xFF();",
    ".global .b64 x = 0xFF(data, 4);",
    ".global .b64 x = 0xFF({1});",
    ".global .b64 x = 0xFF(0xFF(data));",
    ".global .b64 x = 0xFF((data));",
    ".global .b64 x = generic();",
    ".global .b64 x = generic(4);",
    ".global .b64 x = generic(_);",
    ".global .b64 x = generic(data)(data);",
    ".global .b64 x = generic(data)*2;",
    ".global .b64 x = (generic(data));",
    ".global .b64 x = data-4;",
    ".global .b64 x = 4+data;",
    ".global .b8 x[8] = {0xFF(data)+1};",
    ".global .b8 x[4] = \"abc\";",
];

/// After `@@DWARF .section .debug_str, "", @progbits`, in PTX 1.4.
const TAKEN_AT_DWARF: &[&str] = &[
    "@@DWARF .byte 1,\n2",
    "@@DWARF\n.byte\n1",
    "@@DWARF .byte 0x10U, 017, 0b11",
    "@@DWARF .b16 1",
    "@@DWARF .b32 1, 0x1ffffffff",
    "@@DWARF .quad 0xffffffffffffffff",
    "@@DWARF .byte 1 @@DWARF .b8 2",
    "@@DWARF .4byte .debug_str",
    "@@DWARF .4byte nope",
    "@@DWARF .quad k",
];

/// As above.
const REFUSED_AT_DWARF: &[&str] = &[
    "@@DWARF lab:",
    "lab:",
    "@@DWARF .byte",
    "@@DWARF .byte 1,",
    "@@DWARF .byte 1;",
    "@@DWARF .byte -1",
    "@@DWARF .byte 1.5",
    "@@DWARF .byte 256",
    "@@DWARF .b16 65536",
    "@@DWARF .u8 1",
    "@@DWARF .byte WARP_SZ",
    "@@DWARF .byte _",
    "@@DWARF .byte k",
    "@@DWARF .b16 .debug_str",
    "@@DWARF .byte 99999999999999999999",
    "@@DWARF .4byte k, k",
    "@@DWARF .4byte 1, .debug_str",
    "@@DWARF .4byte .debug_str+4",
    "@@DWARF .4byte a-b",
    "@@DWARF .4byte .reg",
    "@@DWARF .quad inlined_at",
    "@@DWARF .section .debug_loc",
    "@@DWARF .section .debug_loc, \"\"",
    "@@DWARF .section .debug_loc, \"\", progbits",
    "@@DWARF .section .debug_loc, \"\", @nobits",
    "@@DWARF .section .debug_loc, \"\", @ progbits",
    "@@DWARF .section debug_loc, \"\", @progbits",
    "@@DWARF .section .reg, \"\", @progbits",
    "@@DWARF .section .debug_loc, \"\", @progbits extra",
];

fn outside(directive: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.global .b32 data[4];\n.func f()\n{{ ret; }}\n{directive}\n\
         .visible .entry k()\n{{\nret;\n}}\n"
    )
}

fn at_dwarf(line: &str) -> String {
    format!(
        ".version 1.4\n.target sm_13\n.entry k()\n{{\nret;\n}}\n@@DWARF .section .debug_str, \"\", @progbits\n{line}\n"
    )
}

/// What makes a module of a line, the lines of a kind and whether they are taken.
type Table = (fn(&str) -> String, &'static [&'static str], bool);

const TABLES: [Table; 6] = [
    (module, TAKEN, true),
    (module, REFUSED, false),
    (outside, TAKEN_OUTSIDE, true),
    (outside, REFUSED_OUTSIDE, false),
    (at_dwarf, TAKEN_AT_DWARF, true),
    (at_dwarf, REFUSED_AT_DWARF, false),
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
    for (whole, lines, taken) in TABLES {
        for line in lines {
            let errors = parse(&whole(line)).errors;
            assert_eq!(errors.is_empty(), taken, "{line}: {errors:?}");
        }
    }
}

#[test]
fn verdicts_match_the_real_tool() {
    let Some(ptxas) = ptxas() else { return };
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("a.ptx");
    let words = ["Parsing error near", "Constant overflow", "Value out of range", "Illegal type for dwarf"];
    for (whole, lines, taken) in TABLES {
        for line in lines {
            let text = whole(line);
            fs::write(&input, &text).unwrap();
            let arch = if text.contains("sm_90") { "-arch=sm_90" } else { "-arch=sm_75" };
            let mut command = Command::new(&ptxas);
            command.args([arch, "-lineinfo", "-o"]).arg(folder.path().join("a.cubin")).arg(&input);
            let said = String::from_utf8_lossy(&command.output().unwrap().stderr).into_owned();
            let refused = words.iter().any(|words| said.contains(words));
            assert_eq!(!refused, taken, "{line}: {said}");
        }
    }
}

/// The token whose line `.nv_debug_line_sass` names, for instructions with each token on a line of
/// its own (`-lineinfo -O0`, sm_75 and sm_90; decoded with `../shared/reference/line_codec.py`).
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
        ("shfl\n.sync\n.idx\n.b32\n%r1,\n%r2,\n%r3,\n31,\n-1\n;", ";"),
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
        let token = &text[instruction.unwrap().line_anchor() as usize..];
        assert!(token.starts_with(anchor), "{statement}: {token}");
    }
}

/// The canonical layout is the same program: ptxas writes the same sections, but for those that
/// count PTX lines.
#[test]
fn normalised_text_compiles_to_the_same_cubin() {
    let Some(ptxas) = ptxas() else { return };
    let corpus = support::corpus_root::root().join("out");
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for name in [
        "cuda/many_kernels/sm_90/G/many_kernels.ptx",
        "cuda/cub_block_sort/sm_90/G/cub_block_sort.ptx",
        "cuda/half_math/sm_90/G/half_math.ptx",
        "triton/matmul_block/sm_80/debug/matmul_block.ptx",
        "warp/wp_particles/sm_120/debug/wp_particles.ptx",
        "clang/ck_vec/sm_120/gO0/ck_vec.ptx",
    ] {
        let Ok(text) = fs::read_to_string(corpus.join(name)) else {
            eprintln!("skipped: {name} is not there");
            continue;
        };
        let arch = name.split('/').find(|part| part.starts_with("sm_")).unwrap();
        let cubin = |text: &str| {
            let (input, output) = (folder.path().join("a.ptx"), folder.path().join("a.cubin"));
            fs::write(&input, text).unwrap();
            let mut command = Command::new(&ptxas);
            command.arg(format!("-arch={arch}")).arg("-o").arg(&output).arg(&input);
            let ran = command.output().unwrap();
            assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
            let bytes = fs::read(&output).unwrap();
            let elf = object::File::parse(&*bytes).unwrap();
            let sections = elf.sections().map(|section| {
                (section.name().unwrap().to_owned(), section.data().unwrap_or_default().to_vec())
            });
            let by_line = [".nv_debug_ptx_txt", ".nv_debug_line_sass", ".rela.nv_debug_line_sass"];
            sections.filter(|(name, _)| !by_line.iter().any(|part| name.ends_with(part))).collect::<Vec<_>>()
        };
        let (before, after) = (cubin(&text), cubin(&normalise(&parse(&text))));
        assert_eq!(before.len(), after.len(), "{name}");
        for (before, after) in before.iter().zip(&after) {
            assert!(before == after, "{name}: {} and {}", before.0, after.0);
        }
        compared += before.len();
    }
    eprintln!("{compared} sections equal");
}
