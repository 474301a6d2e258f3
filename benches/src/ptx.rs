//! PTX texts for the parser: made-up ones of any size, and the files of the corpus.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The kind of statements that most of a text consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `.section` data as cicc writes it: short `.b8`/`.b32` lines and strings as lists of bytes.
    DebugCicc,
    /// `.section` data as LLVM writes it: one value a line, every other with a comment.
    DebugLlvm,
    /// Instructions with their `.loc` and labels, as `-lineinfo` gives them.
    Code,
}

/// A generated PTX text, with its numbers of statements and section values, which the benches
/// check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    /// The PTX.
    pub text: String,
    /// Instructions, `.loc` and labels of all bodies.
    pub statements: usize,
    /// Values of all sections.
    pub values: usize,
}

const HEAD: &str = ".version 8.0\n.target sm_90, debug\n.address_size 64\n.file 1 \"a.cu\"\n";

/// Generates a PTX text of at least `size` bytes.
pub fn synthetic(shape: Shape, size: usize) -> Text {
    let mut out = Text { text: HEAD.to_owned(), ..Text::default() };
    out.text.reserve(size + 4096);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    match shape {
        Shape::Code => {
            for function in 0.. {
                if out.text.len() >= size {
                    break;
                }
                code(&mut out, function, &mut random);
            }
        }
        Shape::DebugCicc | Shape::DebugLlvm => {
            out.text.push_str("\t.section\t.debug_info\n\t{\n");
            while out.text.len() < size {
                if shape == Shape::DebugCicc {
                    cicc_entry(&mut out, &mut random);
                } else {
                    llvm_entry(&mut out, &mut random);
                }
            }
            out.text.push_str("\t}\n");
        }
    }
    out
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % end
    }
}

/// Appends formatted text; writing to a `String` cannot fail.
macro_rules! put {
    ($out:expr, $($format:tt)*) => { write!($out.text, $($format)*).unwrap_or_default() };
}

fn cicc_entry(out: &mut Text, random: &mut Random) {
    put!(out, ".b8 {}\n.b8 ", 1 + random.below(40));
    let letters = 4 + random.below(44);
    for _ in 0..letters {
        put!(out, "{},", 65 + random.below(58));
    }
    put!(out, "0\n.b8 1\n.b8 {}\n.b32 {}\n.b8 9\n.b8 3\n", random.below(256), random.below(50_000));
    put!(out, ".b64 _Z4kern{}\n.b8 7\n", random.below(100));
    out.values += 9 + letters as usize;
}

fn llvm_entry(out: &mut Text, random: &mut Random) {
    put!(out, ".b8 {}                                   // Abbrev [4] 0x1f:0x20 ", 1 + random.below(40));
    put!(out, "DW_TAG_variable\n.b8 {}                                  // DW_AT_name\n", random.below(256));
    let letters = 4 + random.below(20);
    for _ in 0..letters {
        put!(out, ".b8 {}\n", 65 + random.below(58));
    }
    put!(out, ".b32 {}                              // DW_AT_type\n", random.below(50_000));
    put!(out, ".b32 .debug_abbrev                      // Offset Into Abbrev. Section\n");
    out.values += 4 + letters as usize;
}

fn code(out: &mut Text, function: usize, random: &mut Random) {
    put!(out, "\t// .globl\tkernel{function}\n.visible .entry kernel{function}(\n");
    put!(out, "\t.param .u64 kernel{function}_param_0,\n\t.param .u32 kernel{function}_param_1\n)\n{{\n");
    put!(out, "\t.reg .pred \t%p<9>;\n\t.reg .b32 \t%r<99>;\n\t.reg .b64 \t%rd<9>;\n");
    out.statements += 3;
    for line in 0..400_u64 {
        let [a, b, c, d] = [0; 4].map(|_| random.below(90));
        if line % 3 == 0 {
            put!(out, "\t.loc\t1 {} {}\n", line + 10, a);
            out.statements += 1;
        }
        if line % 10 == 0 {
            put!(out, "$L__tmp{line}:\n");
            out.statements += 1;
        }
        match random.below(8) {
            0 => put!(out, "\tld.global.nc.v2.u32 \t{{%r{a}, %r{b}}}, [%rd3+{}];\n", c * 4),
            1 => put!(out, "\tst.global.u32 \t[%rd1], %r{a};\n"),
            2 => put!(out, "\tsetp.lt.s32 \t%p{}, %r{b}, {c};\n", a % 9),
            3 => put!(out, "\t@%p{} bra \t$L__tmp0;\n", a % 9),
            4 => put!(out, "\tfma.rn.f32 \t%f{a}, %f{b}, %f{c}, 0f3F800000;\n"),
            5 => put!(out, "\tmov.u32 \t%r{a}, %ctaid.x;\n"),
            _ => put!(out, "\tmad.lo.s32 \t%r{a}, %r{b}, %r{c}, %r{d};\n"),
        }
        out.statements += 1;
    }
    put!(out, "\tret;\n}}\n\n");
    out.statements += 1;
}

/// Reads the PTX files of the corpus whose path has one of `modes` as a folder. Returns an empty
/// list without the corpus.
pub fn corpus(modes: &[&str]) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/out");
    let mut texts = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let wanted =
                || path.parent().and_then(Path::file_name).is_some_and(|m| modes.iter().any(|w| m == *w));
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ptx") && wanted() {
                texts.extend(fs::read_to_string(&path).ok().map(|text| (path.clone(), text)));
            }
        }
    }
    texts.sort();
    texts
}
