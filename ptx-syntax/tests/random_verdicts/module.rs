//! Random modules of the grammar of PTX: sound, or nearly so, and full of debug directives.

use std::fmt::Write;

use fastrand::Rng;

use super::dwarf;
use super::words::{SECTIONS, pick};

/// A line of a module.
#[derive(Clone, Debug)]
pub struct Line {
    pub text: String,
    /// A line of code, an instruction or a register. It is changed less often: ptxas refuses most
    /// changes of these for the code.
    pub is_code: bool,
}

const VERSIONS: &[&str] = &[
    "1.0", "1.4", "2.0", "2.3", "3.0", "3.1", "3.2", "4.0", "4.3", "5.0", "6.0", "6.5", "7.0", "7.2", "7.4",
    "7.5", "7.8", "8.0", "8.4", "8.8", "9.0", "9.1",
];
const TARGETS: &[&str] =
    &["sm_90", "sm_10", "sm_20", "sm_52", "sm_75", "sm_80", "sm_86", "sm_89", "compute_75"];
const INSTRUCTIONS: &[&str] = &[
    "mov.u32 %r1, 7;",
    "add.s32 %r1, %r2, 3;",
    "mul.lo.s32 %r2, %r1, %r1;",
    "ld.param.u64 %rd1, [p];",
    "ld.global.u32 %r1, [%rd1];",
    "st.global.u32 [%rd1+4], %r2;",
    "@%p1 bra L0;",
    "setp.eq.s32 %p1, %r1, 0;",
    "ret;",
];

struct Writer<'r> {
    random: &'r mut Rng,
    lines: Vec<Line>,
    /// Labels of code, functions, variables: what section data refers to.
    names: Vec<String>,
    /// Labels of sections.
    labels: Vec<String>,
    /// Numbers of files.
    files: Vec<u32>,
    /// Whether there is a `.debug_str`, and its labels.
    has_strings: bool,
    strings: Vec<String>,
}

/// A module.
pub fn module(random: &mut Rng) -> Vec<Line> {
    let has_strings = random.u8(..3) != 0;
    let strings =
        (0..if has_strings { random.u8(..5) } else { 0 }).map(|index| format!("S{index}")).collect();
    let (lines, names, labels, files) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut writer = Writer { random, lines, names, labels, files, has_strings, strings };
    writer.header();
    // The sections refer to what is made first, wherever it stands.
    let mut groups = Vec::new();
    for part in 0..4 {
        let start = writer.lines.len();
        match part {
            0 => writer.files(),
            1 => writer.variables(),
            2 => writer.functions(),
            _ => writer.sections(&mut groups),
        }
        let group = writer.lines.split_off(start);
        groups.push(group);
    }
    if writer.random.u8(..3) == 0 {
        writer.random.shuffle(&mut groups);
    }
    writer.lines.extend(groups.into_iter().flatten());
    writer.lines
}

impl Writer<'_> {
    fn one_of(&mut self, chances: u8) -> bool {
        self.random.u8(..chances) == 0
    }

    fn add(&mut self, text: impl Into<String>) {
        self.lines.push(Line { text: text.into(), is_code: false });
    }

    fn code(&mut self, text: impl Into<String>) {
        self.lines.push(Line { text: text.into(), is_code: true });
    }

    fn header(&mut self) {
        let version = if self.one_of(12) { pick(self.random, VERSIONS) } else { "9.0" };
        self.add(format!(".version {version}"));
        let mut target = if self.one_of(8) { pick(self.random, TARGETS) } else { "sm_90" }.to_owned();
        if self.one_of(4) {
            target += ", debug";
        }
        if self.one_of(20) {
            target += pick(
                self.random,
                &[", texmode_unified", ", texmode_independent", ", map_f64_to_f32", ", sm_80"],
            );
        }
        self.add(format!(".target {target}"));
        if !self.one_of(20) {
            self.add(".address_size 64");
        }
    }

    fn files(&mut self) {
        for index in 1..=self.random.u32(..5) {
            let name = pick(self.random, &["a.cu", "/src/b.h", "d\\e.cu", "c", "x y.cu", "k/l/m.cuh"]);
            let time = match self.random.u8(..5) {
                0 => format!(", {}, {}", self.random.u32(..), self.random.u16(..)),
                1 => ", 0, 0".to_owned(),
                _ => String::new(),
            };
            self.add(format!(".file {index} \"{name}\"{time}"));
            self.files.push(index);
        }
    }

    fn variables(&mut self) {
        for index in 0..self.random.u8(..4) {
            let space = pick(self.random, &[".global", ".shared", ".const", ".global", ".extern .global"]);
            self.add(format!("{space} .align 4 .b32 x{index};"));
            self.names.push(format!("x{index}"));
        }
    }

    fn functions(&mut self) {
        let functions = self.random.u8(1..4);
        for index in 0..functions {
            let kernel = index + 1 == functions || self.random.bool();
            let name = if kernel { format!("k{index}") } else { format!("f{index}") };
            let heads: &[&str] = if kernel {
                &[".visible .entry", ".entry"]
            } else {
                &[".func", ".visible .func", ".weak .func"]
            };
            let head = pick(self.random, heads);
            self.add(format!("{head} {name}(.param .u64 p)"));
            self.names.push(name);
            self.body(index);
        }
    }

    fn body(&mut self, index: u8) {
        self.add("{");
        self.code(".reg .b32 %r<9>;");
        self.code(".reg .b64 %rd<9>;");
        self.code(".reg .pred %p<3>;");
        if self.one_of(4) {
            self.code(format!(".local .align 4 .b8 depot{index}[16];"));
            self.names.push(format!("depot{index}"));
        }
        self.add("L0:");
        let mut places: Vec<(u32, u32, u32)> = Vec::new();
        for step in 0..self.random.u8(1..12) {
            match self.random.u8(..7) {
                0..=2 => self.loc(&mut places),
                3 => {
                    let label = format!("$L{index}_{step}");
                    self.add(format!("{label}:"));
                    self.names.push(label);
                }
                _ => {
                    let instruction = pick(self.random, INSTRUCTIONS);
                    self.code(instruction);
                }
            }
        }
        self.code("ret;");
        self.add("}");
    }

    fn loc(&mut self, places: &mut Vec<(u32, u32, u32)>) {
        let file = self.files.get(self.random.usize(..=self.files.len())).copied().unwrap_or(1);
        let place = (file, self.random.u32(..60), self.random.u32(..40));
        let mut text = format!(".loc {} {} {}", place.0, place.1, place.2);
        if self.has_strings && !places.is_empty() && self.one_of(3) {
            let at = places[self.random.usize(..places.len())];
            let label = self.strings.get(self.random.usize(..=self.strings.len())).cloned();
            let name = match label {
                Some(label) if self.one_of(4) => format!("{label}+{}", self.random.u8(..4)),
                Some(label) => label,
                None if self.random.bool() => ".debug_str".to_owned(),
                None => format!(".debug_str+{}", self.random.u8(..20)),
            };
            write!(text, ", function_name {name}, inlined_at {} {} {}", at.0, at.1, at.2).unwrap();
        }
        places.push(place);
        self.add(text);
    }

    /// Each section is a group.
    fn sections(&mut self, groups: &mut Vec<Vec<Line>>) {
        let mut blocks: Vec<(String, Vec<String>)> = Vec::new();
        if self.has_strings {
            blocks.push((".debug_str".to_owned(), self.debug_str()));
        }
        if !self.one_of(3) {
            let (abbrev, info) = dwarf::sections(self.random, &self.names);
            blocks.push((".debug_abbrev".to_owned(), abbrev));
            blocks.push((".debug_info".to_owned(), info));
        }
        for _ in 0..self.random.u8(..3) {
            let name = pick(self.random, SECTIONS).to_owned();
            let count = self.random.usize(..8);
            let lines = (0..count).map(|_| self.data()).collect();
            blocks.push((name, lines));
        }
        if self.one_of(3) {
            self.random.shuffle(&mut blocks);
        }
        for (name, lines) in blocks {
            let open = if self.random.bool() {
                vec![format!(".section {name} {{")]
            } else {
                vec![format!(".section {name}"), "{".to_owned()]
            };
            let lines = open.into_iter().chain(lines).chain(["}".to_owned()]);
            groups.push(lines.map(|text| Line { text, is_code: false }).collect());
        }
    }

    /// Contents of `.debug_str`, with its labels.
    fn debug_str(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        let labels = std::mem::take(&mut self.strings);
        for label in labels.iter().map(Some).chain([None]) {
            lines.extend(label.map(|label| format!("{label}:")));
            let mut text: Vec<u8> = (0..self.random.u8(..8)).map(|_| self.random.u8(b'A'..=b'Z')).collect();
            text.push(0);
            lines.extend(dwarf::bytes(self.random, &text));
        }
        self.labels.extend(labels);
        lines
    }

    /// A line of any section.
    fn data(&mut self) -> String {
        let label = self.labels.get(self.random.usize(..=self.labels.len())).cloned();
        match self.random.u8(..9) {
            0 => {
                let label = format!("D{}", self.labels.len());
                self.labels.push(label.clone());
                format!("{label}:")
            }
            1 => format!(
                "{} {}",
                pick(self.random, &[".b32", ".b64"]),
                label.unwrap_or_else(|| "5".to_owned())
            ),
            2 => match (label, self.labels.first()) {
                (Some(left), Some(right)) => {
                    format!("{} {left}-{right}", pick(self.random, &[".b32", ".b64"]))
                }
                _ => ".b64 0".to_owned(),
            },
            3 => format!("{} {}", pick(self.random, &[".b32", ".b64", ".quad"]), pick(self.random, SECTIONS)),
            4 => format!(
                "{} {}+{}",
                pick(self.random, &[".b32", ".b64"]),
                pick(self.random, SECTIONS),
                self.random.u8(..9)
            ),
            5 | 6 => match self.names.get(self.random.usize(..=self.names.len())) {
                Some(name) if self.random.u8(..4) == 0 => format!(".b64 {name}+{}", self.random.u8(..9)),
                Some(name) => format!(".b64 {name}"),
                None => format!(".b64 {}", self.random.u32(..)),
            },
            7 => {
                format!("{} {}", pick(self.random, &[".b16", ".b32", ".b64", ".4byte"]), self.random.u16(..))
            }
            _ => {
                let bytes: Vec<u8> = (0..self.random.u8(1..9)).map(|_| self.random.u8(..)).collect();
                dwarf::bytes(self.random, &bytes).remove(0)
            }
        }
    }
}
