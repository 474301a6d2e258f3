//! Random PTX with much `.loc` and little else: few lines and files, so that rows repeat, collide
//! and merge.
#![allow(unreachable_pub, reason = "each test program uses its own part")]

use crate::support::random::Random;
use std::fmt::Write as _;

/// Kernels, or groups of a kernel and the functions it calls, of a module.
pub const GROUPS: u32 = 25;

/// A module and how it is meant to be compiled.
#[derive(Debug)]
pub struct Module {
    pub ptx: String,
    /// With `-c`: functions stay in sections of their own; else they are folded into the section of
    /// each kernel that calls them.
    pub relocatable: bool,
}

/// The module of a seed: the same one for ever, since failures are reported by their seed.
pub fn module(seed: u64) -> Module {
    let mut random = Random(seed);
    let relocatable = random.percent(40);
    let mut ptx = String::from(".version 9.0\n.target sm_75\n.address_size 64\n");
    for i in 0..4 {
        writeln!(ptx, ".global .u32 g{i};").unwrap();
    }
    for group in 0..GROUPS {
        let callees = random.pick(&[0, 0, 1, 2]);
        for callee in 0..callees {
            let body = Body::new(&mut random, callee + 1).finish(&[]);
            let linkage = if relocatable { ".visible " } else { "" };
            writeln!(ptx, "{linkage}.func f{group}_{callee}(.param .u64 p)\n{{\n{body}}}").unwrap();
        }
        let calls: Vec<String> = (0..callees).map(|callee| format!("f{group}_{callee}")).collect();
        let body = Body::new(&mut random, 0).finish(&calls);
        let kind = if relocatable && random.percent(30) { ".func" } else { ".entry" };
        writeln!(ptx, ".visible {kind} k{group}(.param .u64 p)\n{{\n{body}}}").unwrap();
    }
    for file in 1..=3 {
        writeln!(ptx, ".file {file} \"f{file}.cu\"").unwrap();
    }
    ptx.push_str(".section .debug_str\n{\n");
    for name in 0..3 {
        writeln!(ptx, "$L__info_string{name}: .b8 {}, 0", 65 + name).unwrap();
    }
    ptx.push_str("}\n");
    Module { ptx, relocatable }
}

/// The module of a seed whose `inlined_at` mostly name `.loc` of other functions, as a first `.loc`
/// of a function, of one without code and in chains over several functions. Functions are called by
/// any number of kernels after them.
pub fn elsewhere_module(seed: u64) -> Module {
    let mut random = Random(seed ^ 0x656c_7365);
    let relocatable = random.percent(40);
    let mut ptx = String::from(".version 9.0\n.target sm_75\n.address_size 64\n");
    for file in 1..=2 {
        writeln!(ptx, ".file {file} \"f{file}.cu\"").unwrap();
    }
    let mut functions = Vec::new();
    let mut locs = Vec::new();
    for number in 0..2 * GROUPS {
        // Few functions share their `.loc`, else the chains are as long as the module.
        if number % 6 == 0 {
            locs.clear();
        }
        let is_kernel = random.percent(50);
        let mut body = String::new();
        if random.percent(20) {
            // No code but what ends it.
            for _ in 0..=random.below(3) {
                body.push_str(&loc_elsewhere(&mut random, &mut locs));
            }
        } else {
            body.push_str(".reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n");
            if random.percent(70) {
                body.push_str(&loc_elsewhere(&mut random, &mut locs));
            }
            body.push_str("ld.param.u64 %rd1, [p];\n");
            for n in 1..2 + random.below(8) {
                for _ in 0..random.pick(&[0, 1, 1, 2]) {
                    body.push_str(&loc_elsewhere(&mut random, &mut locs));
                }
                match random.below(10) {
                    0..4 => writeln!(body, "st.volatile.global.u32 [%rd1+{}], {n};", 4 * n).unwrap(),
                    4..6 => body.push_str("bar.sync 0;\n"),
                    6..8 => writeln!(body, "ld.volatile.global.u32 %r1, [%rd1+{}];", 4 * n).unwrap(),
                    _ if functions.is_empty() => body.push_str("membar.gl;\n"),
                    _ => {
                        let callee: u32 = random.pick(&functions);
                        writeln!(
                            body,
                            "{{\n.param .u64 q;\nst.param.u64 [q], %rd1;\ncall f{callee}, (q);\n}}"
                        )
                        .unwrap();
                    }
                }
            }
            body.push_str("ret;\n");
            if random.percent(20) {
                body.push_str(&loc_elsewhere(&mut random, &mut locs));
            }
        }
        if is_kernel {
            writeln!(ptx, ".visible .entry k{number}(.param .u64 p)\n{{\n{body}}}").unwrap();
            // Each group calls its own functions.
            functions.retain(|_| random.percent(70));
        } else {
            let linkage = if relocatable { ".visible " } else { "" };
            writeln!(ptx, "{linkage}.func f{number}(.param .u64 p)\n{{\n{body}}}").unwrap();
            functions.push(number);
        }
    }
    ptx.push_str(".section .debug_str\n{\n");
    for name in 0..3 {
        writeln!(ptx, "$L__info_string{name}: .b8 {}, 0", 65 + name).unwrap();
    }
    ptx.push_str("}\n");
    Module { ptx, relocatable }
}

/// A `.loc`, of few places. Most are inlined at one of `locs`, among which it then is.
fn loc_elsewhere(random: &mut Random, locs: &mut Vec<(u32, u32, u32)>) -> String {
    let (file, line, column) = (1 + random.below(2), random.pick(&[1, 2, 3, 3, 4, 4, 0]), random.below(2));
    let mut text = format!(".loc {file} {line} {column}");
    if !locs.is_empty() && random.percent(60) {
        let near = if random.percent(60) { 4.min(locs.len()) } else { locs.len() };
        let (file, line, column) = locs[locs.len() - 1 - random.below(near as u32) as usize];
        let name = random.below(3);
        write!(text, ", function_name $L__info_string{name}, inlined_at {file} {line} {column}").unwrap();
    }
    locs.push((file, line, column));
    text.push('\n');
    text
}

/// The module of a seed with line markers that leave out lines, between functions and within. None
/// goes back: in a body ptxas crashes, and of functions that share lines not all is understood
/// (docs/conformance.md).
pub fn marked_module(seed: u64) -> Module {
    let mut random = Random(seed ^ 0x6d61_726b);
    let Module { ptx, relocatable } = module(seed);
    let mut marked = String::new();
    let (mut line, mut in_body) = (1, false);
    for text in ptx.lines() {
        let begins = text.starts_with(".visible") || text.starts_with(".func");
        let marker = match (begins, in_body) {
            (true, _) => random.percent(70).then(|| line + random.below(300)),
            (false, true) => random.percent(5).then(|| line + random.below(20)),
            (false, false) => None,
        };
        if let Some(number) = marker {
            writeln!(marked, "# {number} \"m{}.ptx\"", random.below(3)).unwrap();
            line = number;
        }
        in_body |= begins;
        in_body &= text != "}" || !marked.ends_with("ret;\n");
        writeln!(marked, "{text}").unwrap();
        line += 1;
    }
    Module { ptx: marked, relocatable }
}

/// The module of a seed with line markers before functions that go back to lines of functions
/// before.
pub fn shared_module(seed: u64) -> Module {
    let mut random = Random(seed ^ 0x7368_6172);
    let Module { ptx, relocatable } = module(seed);
    let mut marked = String::new();
    for text in ptx.lines() {
        if (text.starts_with(".visible") || text.starts_with(".func")) && random.percent(50) {
            writeln!(marked, "# {} \"m.ptx\"", 8 + random.below(60)).unwrap();
        }
        writeln!(marked, "{text}").unwrap();
    }
    Module { ptx: marked, relocatable }
}

/// The module of a seed with statements on the line of the `{` of most bodies. Functions of
/// relocatable modules are left out: their rule is not known there (docs/conformance.md).
pub fn opened_module(seed: u64) -> Module {
    let mut random = Random(seed ^ 0x6f70_656e);
    let Module { ptx, relocatable } = module(seed);
    let mut opened = String::new();
    // How many of the next lines follow on the same one.
    let (mut joined, mut opens) = (0_u32, false);
    for text in ptx.lines() {
        if text == "{" && opens {
            joined = random.pick(&[0, 4, 5, 6, 8]);
        }
        opens = text.starts_with(".visible .entry") || !relocatable && text.contains(".func");
        opened.push_str(text);
        // A label has a line of its own: see `Body::close_label`.
        let is_joined = joined > 0 && !text.is_empty() && !text.starts_with('$');
        opened.push(if is_joined { ' ' } else { '\n' });
        joined = joined.saturating_sub(1);
    }
    Module { ptx: opened, relocatable }
}

/// The module of a seed with instructions over several lines. Some have the line of their `;`.
pub fn broken_module(seed: u64) -> Module {
    let mut random = Random(seed ^ 0x6272_6f6b);
    let Module { ptx, relocatable } = module(seed);
    let mut broken = String::new();
    for text in ptx.lines() {
        let is_code = text.starts_with("st.") || text.starts_with("ld.") || text.starts_with("mad.");
        if is_code && random.percent(25) {
            let line_of_the_end = ["bar.warp.sync -1 ;", "prefetch.global.L1 [ %rd1+64 ] ;", "membar.gl ;"];
            let code = line_of_the_end[random.below(3) as usize];
            broken.push_str(&broken_up(code, &mut random));
        }
        if is_code && random.percent(50) {
            broken.push_str(&broken_up(&text.replace(';', " ;"), &mut random));
        } else {
            broken.push_str(text);
            broken.push('\n');
        }
    }
    Module { ptx: broken, relocatable }
}

/// Statements with some of their blanks made ends of lines; after the last one another statement
/// may follow.
fn broken_up(text: &str, random: &mut Random) -> String {
    let mut broken = String::new();
    for word in text.split(' ') {
        broken.push_str(word);
        let comment = random.percent(10);
        let end = if random.percent(60) { '\n' } else { ' ' };
        broken.push_str(if comment { " // ;\n" } else { "" });
        broken.push(end);
    }
    broken
}

/// What the `.loc` of a function are like.
struct Style {
    files: u32,
    first_line: u32,
    lines: u32,
    /// Percentage of inlined ones.
    inlined: u32,
    /// Inlined ones repeat the line of a call site of their own: the one way to have a line twice
    /// in a row.
    repeats: bool,
    /// Call sites are among the function's first `.loc`, whose instructions may be long done.
    early: bool,
}

/// A function's body as it is written.
struct Body<'r> {
    random: &'r mut Random,
    style: Style,
    text: String,
    /// `file line column` of each `.loc`.
    locs: Vec<(u32, u32, u32)>,
    /// Instructions so far: numbers stores, registers and labels.
    count: u32,
    atomics: u32,
    /// A forward branch to `$L_N` is open.
    label: Option<u32>,
}

impl<'r> Body<'r> {
    fn new(random: &'r mut Random, nesting: u32) -> Self {
        let style = Style {
            files: random.pick(&[1, 1, 2, 3]),
            // A callee's lines are those of its caller or others.
            first_line: 10 + 20 * random.below(nesting + 1),
            lines: random.pick(&[2, 3, 4]),
            inlined: random.pick(&[0, 50, 50, 70]),
            repeats: random.percent(25),
            early: random.percent(40),
        };
        Self { random, style, text: String::new(), locs: Vec::new(), count: 0, atomics: 0, label: None }
    }

    /// The text between the braces.
    fn finish(mut self, calls: &[String]) -> String {
        self.text.push_str(".reg .b64 %rd<9>;\n.reg .b32 %r<99>;\n.reg .pred %p<9>;\n");
        let has_locs = self.random.percent(95);
        if has_locs {
            self.plain_loc();
            if self.random.percent(50) {
                self.loc();
            }
        }
        self.text.push_str("ld.param.u64 %rd1, [p];\n");
        for _ in 0..2 + self.random.pick(&[2, 4, 9]) {
            let locs = if has_locs { self.random.pick(&[0, 1, 1, 1, 1, 2, 3]) } else { 0 };
            for _ in 0..locs {
                self.loc();
            }
            self.instruction();
        }
        self.close_label();
        for callee in calls {
            for _ in 0..self.random.pick(&[1, 1, 2]) {
                writeln!(self.text, "{{\n.param .u64 q;\nst.param.u64 [q], %rd1;\ncall {callee}, (q);\n}}")
                    .unwrap();
                if has_locs && self.random.percent(50) {
                    self.loc();
                }
            }
        }
        self.text.push_str("ret;\n");
        self.text
    }

    /// A `.loc` of any kind.
    fn loc(&mut self) {
        if self.style.repeats && self.random.percent(70) {
            // A call site that no other `.loc` has, and code on its line that is inlined there.
            let (file, line) = self.place();
            let column = 100 + self.locs.len() as u32;
            self.directive(file, line, column, None);
            return self.directive(file, line, 1, Some((file, line, column)));
        }
        if !self.random.percent(self.style.inlined) {
            return self.plain_loc();
        }
        let latest = self.locs.len().saturating_sub(1);
        let nearby = self.random.below(4.min(self.locs.len() as u32)) as usize;
        let site = self.locs[if self.style.early { nearby } else { latest - nearby }];
        // Some recursion: the same place, inlined in itself.
        let (file, line, column) = if self.random.percent(10) { site } else { self.position() };
        self.directive(file, line, column, Some(site));
    }

    fn plain_loc(&mut self) {
        let (file, line, column) = self.position();
        self.directive(file, line, column, None);
    }

    fn place(&mut self) -> (u32, u32) {
        (1 + self.random.below(self.style.files), self.style.first_line + self.random.below(self.style.lines))
    }

    /// File, line, which is 0 now and then, and column.
    fn position(&mut self) -> (u32, u32, u32) {
        let (file, line) = self.place();
        let line = if self.random.percent(6) { 0 } else { line };
        (file, line, 1 + self.random.below(2))
    }

    fn directive(&mut self, file: u32, line: u32, column: u32, site: Option<(u32, u32, u32)>) {
        write!(self.text, ".loc {file} {line} {column}").unwrap();
        if let Some((file, line, column)) = site {
            let name = self.random.below(3);
            write!(self.text, ", function_name $L__info_string{name}, inlined_at {file} {line} {column}")
                .unwrap();
        }
        self.locs.push((file, line, column));
        self.end_statement();
    }

    /// One instruction, or the few of a branch or loop.
    fn instruction(&mut self) {
        if self.random.percent(30) {
            self.close_label();
        }
        self.count += 1;
        let n = self.count;
        let instruction = match self.random.below(20) {
            0..8 => format!("st.volatile.global.u32 [%rd1+{}], {n};", 4 * n),
            8..11 => format!("st.global.u32 [%rd1+{}], {n};", 4 * n),
            11..13 => format!("ld.global.u32 %r{n}, [%rd1+{}];", 400 + 4 * n),
            // Independent arithmetic, and the stores that keep it.
            13..16 => {
                let before = n.saturating_sub(1 + self.random.below(3));
                format!("mad.lo.u32 %r{n}, %r{before}, {n}, 3;\nst.global.u32 [%rd1+{}], %r{n};", 800 + 4 * n)
            }
            16..18 if self.atomics < 4 => {
                self.atomics += 1;
                format!("atom.global.add.u32 %r{n}, [g{}], {n};", self.atomics - 1)
            }
            18 if self.label.is_none() => {
                self.label = Some(n);
                format!(
                    "ld.volatile.global.u32 %r{n}, [%rd1];\nsetp.eq.u32 %p1, %r{n}, {n};\n@%p1 bra $L_{n};"
                )
            }
            19 => format!(
                "mov.u32 %r{n}, 0;\n$L_loop_{n}:\nadd.u32 %r{n}, %r{n}, 1;\nst.volatile.global.u32 [%rd1], %r{n};\n\
                 ld.volatile.global.u32 %r98, [%rd1+{}];\nsetp.lt.u32 %p2, %r{n}, %r98;\n@%p2 bra $L_loop_{n};",
                4 * n
            ),
            _ => format!("st.volatile.global.u32 [%rd1], {n};"),
        };
        self.text.push_str(&instruction);
        self.end_statement();
    }

    /// The target of the open forward branch, on a line of its own: ptxas takes a label for an
    /// instruction of its line, we do not.
    fn close_label(&mut self) {
        if let Some(label) = self.label.take() {
            writeln!(self.text, "\n$L_{label}:").unwrap();
        }
    }

    /// A new line, but now and then the next statement follows on this one.
    fn end_statement(&mut self) {
        let end = if self.random.percent(5) { ' ' } else { '\n' };
        self.text.push(end);
    }
}
