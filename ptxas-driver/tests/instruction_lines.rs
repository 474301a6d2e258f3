//! The PTX line of instructions over several lines, by ptxas: every opcode of
//! `ptx_syntax::instruction_lines` and others.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use crate::support;
use crate::support::cubins::debug_sections;
use crate::support::driver;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::line;
use ptx_syntax::instruction_lines::OPCODES;
use ptx_syntax::{LineIndex, Statement, TextRange, tokenize};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Architecture, what is one token for ptxas of the opcode, and the rest of an instruction.
const SAMPLES: &str = include_str!("instruction_lines/samples.txt");

fn samples() -> impl Iterator<Item = [&'static str; 3]> {
    SAMPLES.lines().map(|line| {
        let mut parts = line.splitn(3, ' ');
        [(); 3].map(|()| parts.next().unwrap())
    })
}

const MODULE: &str = ".address_size 64\n.file 1 \"a.cu\", 5, 7\n.global .texref tr; .global .surfref sr;\n\
    .global .align 16 .b8 gb[256]; .shared .align 128 .b8 sh[1024];\n\
    .func (.param .b32 r) df(.param .b32 a, .param .b32 b) { ret; }\n.func df0() { ret; }\n";

const DECLARATIONS: &str = ".reg .b16 %h<20>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<20>; .reg .f64 %fd<20>;\n\
    .reg .pred %p<9>; .reg .b128 %q<9>; .param .b32 pa; .param .b32 pb; .param .b32 pr; .local .align 8 .b8 lo[64];\n\
    proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _); proto0: .callprototype _ ();\n\
    tt: .branchtargets L1, L2, L3; ct: .calltargets df;\n";

/// What keeps the code of samples: all registers that they set.
fn stores() -> String {
    let registers = [
        ("u16", "%h", 1..3),
        ("u32", "%r", 1..9),
        ("u64", "%rd", 1..5),
        ("f32", "%f", 1..9),
        ("f64", "%fd", 0..4),
    ];
    let registers = registers.into_iter().flat_map(|(kind, name, numbers)| {
        numbers.map(move |number| format!("st.volatile.global.{kind} [%rd0], {name}{number}; "))
    });
    let predicates =
        (1..3).map(|number| format!("selp.u32 %r0, 1, 0, %p{number}; st.volatile.global.u32 [%rd0], %r0; "));
    registers.chain(predicates).collect()
}

/// A module with a kernel for each sample of an architecture, whose tokens are on lines of their
/// own. `guard` comes before it. With it come the places of the samples' instructions.
fn module(arch: &str, guard: &str) -> (String, Vec<TextRange>) {
    let mut ptx = format!(".version 9.0\n.target {arch}\n{MODULE}");
    let (mut places, stores) = (Vec::new(), stores());
    for (number, [_, opcode, rest]) in samples().filter(|sample| sample[0] == arch).enumerate() {
        write!(
            ptx,
            ".visible .entry k{number}(.param .u64 p, .param .align 64 .b8 tm[128])\n{{\n{DECLARATIONS}\
             .loc 1 10 1\nbar.sync 0;\n.loc 1 20 1\n"
        )
        .unwrap();
        let tokens = tokenize(rest).filter(|token| !token.kind.is_trivia());
        let tokens: Vec<&str> = tokens.map(|token| token.range.slice(rest)).collect();
        let start = ptx.len() as u32;
        write!(ptx, "{guard}{opcode}\n{}", tokens.join("\n")).unwrap();
        places.push(TextRange::new(start, ptx.len() as u32));
        writeln!(ptx, "\n.loc 1 30 1\nL1: L2: {stores} L3: ret;\n}}").unwrap();
    }
    (ptx, places)
}

fn made_by_ptxas(ptxas: &Path, options: &[&str], ptx: &Path) -> Vec<u8> {
    let cubin = ptx.with_extension("cubin");
    driver::made(Command::new(ptxas).args(options).arg(ptx), &cubin)
}

/// The debug sections of `compile` with the code of ptxas' cubin beside the PTX.
fn made_by_us(options: &[&str], ptx: &Path) -> Vec<u8> {
    let mut command = driver::compile();
    command.args(options).arg(ptx).arg("--code").arg(driver::code_of(&ptx.with_extension("cubin")));
    driver::made(&mut command, &ptx.with_extension("ours"))
}

/// All lines of PTX that the native table names.
fn ptx_lines(cubin: &[u8]) -> BTreeSet<u32> {
    let name = SectionKind::NvDebugLineSass.name();
    let sections = debug_sections(cubin);
    let tables = line::decode(name, &sections[name]).unwrap();
    let sequences = tables.iter().flat_map(|table| &table.sequences);
    sequences.flat_map(line::Sequence::line_changes).map(|(_, line)| line).collect()
}

#[test]
fn every_opcode_has_the_line_that_ptxas_gives_it() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let archs: BTreeSet<&str> = samples().map(|[arch, ..]| arch).collect();
    let mut seen = BTreeSet::new();
    for arch in archs {
        for guard in ["", "@\n!\n%p7\n"] {
            let (text, places) = module(arch, guard);
            let ptx = folder.path().join("samples.ptx");
            fs::write(&ptx, &text).unwrap();
            for options in [&["-lineinfo", "-O0", "-arch", arch][..], &["-lineinfo", "-arch", arch]] {
                let cubin = made_by_ptxas(&ptxas, options, &ptx);
                let ours = made_by_us(options, &ptx);
                assert!(debug_sections(&cubin) == debug_sections(&ours), "{options:?} {guard:?}");
                if options.contains(&"-O0") {
                    seen.extend(with_their_lines(arch, &text, &places, &ptx_lines(&cubin)));
                }
            }
        }
    }
    let unseen: Vec<&str> =
        samples().map(|[_, opcode, _]| opcode).filter(|opcode| !seen.contains(opcode)).collect();
    assert!(unseen.is_empty(), "no code of {unseen:?}");
}

/// The opcodes of samples that have code, each of the one line that
/// [`ptx_syntax::Instruction::line_anchor`] says.
fn with_their_lines(
    arch: &str,
    text: &str,
    places: &[TextRange],
    lines: &BTreeSet<u32>,
) -> Vec<&'static str> {
    let index = LineIndex::new(text);
    let parsed = ptx_syntax::parse(text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    let bodies = parsed.module.functions().filter_map(|function| function.body.as_ref());
    let mut statements = bodies.flat_map(|body| &body.statements);
    let mut seen = Vec::new();
    for (place, [_, opcode, _]) in places.iter().zip(samples().filter(|sample| sample[0] == arch)) {
        let instruction = statements.find_map(|statement| match statement {
            Statement::Instruction(instruction) if instruction.range == *place => Some(instruction),
            _ => None,
        });
        let expected = index.line(instruction.unwrap().line_anchor());
        let found: Vec<u32> =
            lines.range(index.line(place.start)..=index.line(place.end - 1)).copied().collect();
        if !found.is_empty() {
            assert_eq!(found, [expected], "{}", place.slice(text));
            seen.push(opcode);
        }
    }
    seen
}

#[test]
fn every_opcode_of_the_table_has_a_sample() {
    for (name, _) in OPCODES {
        let begins = |opcode: &str, name: &str| {
            opcode.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']))
        };
        // By none of the longer entries.
        let is_sample = |[_, opcode, _]: [&str; 3]| {
            let longest =
                OPCODES.iter().filter(|(other, _)| begins(opcode, other)).map(|(other, _)| other.len());
            begins(opcode, name) && longest.max() == Some(name.len())
        };
        assert!(samples().any(is_sample), "{name}");
    }
    assert!(OPCODES.is_sorted_by_key(|(name, _)| *name));
}

/// Opcodes that no table has: whatever line of theirs the code is from, it is theirs.
#[test]
fn an_opcode_of_another_ptxas_can_have_any_of_its_lines() {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let folder = tempfile::tempdir().unwrap();
    let ptx = folder.path().join("in.ptx");
    let options = ["-lineinfo", "-arch", "sm_90"];
    for (before, after) in [("\n", "\n"), (" // ;\n\n", " "), ("\n", "\n// 0\n")] {
        let text = format!(
            ".version 9.0\n.target sm_90\n{MODULE}.visible .entry k()\n{{\n.loc 1 3 1\nbar.sync 0;\n.loc 1 4 1\nmembar{before}.gl\n;{after}\
             .loc 1 5 1\nbar.sync 1;\n.loc 1 6 1\nbar{before}.sync\n2;{after}ret;\n}}\n"
        );
        fs::write(&ptx, &text).unwrap();
        let cubin = made_by_ptxas(&ptxas, &options, &ptx);
        let unknown = text.replace("membar", "memory").replace("bar\n", "bac\n");
        assert_ne!(text, unknown);
        fs::write(&ptx, unknown).unwrap();
        let ours = made_by_us(&options, &ptx);
        let tables = |cubin: &[u8]| {
            let mut sections = debug_sections(cubin);
            sections.retain(|name, _| name != SectionKind::NvDebugPtxTxt.name());
            sections
        };
        assert!(tables(&cubin) == tables(&ours), "{text}");
    }
}
