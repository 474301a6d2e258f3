//! Where local variables lie in the frame, by `DW_OP_fbreg`: random functions with `-g`, as ptxas
//! and `compile` have them.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]
#![allow(clippy::print_stdout, reason = "counts belong into the log of the tests")]

use crate::support;
use crate::support::driver;
use crate::support::random::Random;
use nv_debug_sections::catalog::{SectionKind, SectionName};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Modules for each SM.
const MODULES: u64 = 6;

/// Functions of a module.
const FUNCTIONS: u32 = 12;

#[test]
fn on_sm_75() {
    assert_same("sm_75");
}

#[test]
fn on_sm_90() {
    assert_same("sm_90");
}

#[test]
fn on_sm_120() {
    assert_same("sm_120");
}

/// `NVDWARF_SEED=N` begins with the modules of another seed, `NVDWARF_ALL=1` compares ten times as
/// many.
fn assert_same(arch: &str) {
    let Some(ptxas) = support::oracle::tool("ptxas") else { return };
    let first = env::var("NVDWARF_SEED").map_or(1, |seed| seed.parse::<u64>().unwrap());
    let modules = if env::var_os("NVDWARF_ALL").is_some() { 10 * MODULES } else { MODULES };
    let folder = tempfile::tempdir().unwrap();
    let mut different = Vec::new();
    for seed in first..first + modules {
        let ptx = folder.path().join("frames.ptx");
        fs::write(&ptx, module(&mut Random(seed))).unwrap();
        if !is_same(&ptxas, &ptx, arch) {
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("local_variables_{seed}.ptx"));
            fs::copy(&ptx, &kept).unwrap();
            different.push(kept);
        }
    }
    println!("{arch}: {modules} modules of {FUNCTIONS} functions");
    assert!(different.is_empty(), "{arch}: entries differ for {different:?}");
}

/// Whether both make the same entries of a module.
fn is_same(ptxas: &Path, ptx: &Path, arch: &str) -> bool {
    let options = |command: &mut Command| {
        command.arg(ptx).args(["-arch", arch, "-g", "-c"]);
    };
    let mut command = Command::new(ptxas);
    options(&mut command);
    let cubin = ptx.with_extension("cubin");
    let original = driver::made(&mut command, &cubin);
    let mut command = driver::compile();
    options(&mut command);
    command.arg("--code").arg(driver::code_of(&cubin));
    let ours = driver::made(&mut command, &ptx.with_extension("ours"));
    let entries = |file: &[u8]| {
        let is_info = |name: &str| SectionName::parse(name).kind() == Some(SectionKind::DebugInfo);
        let mut sections = driver::as_read(file);
        sections.retain(|(name, _)| is_info(name));
        sections
    };
    let theirs = entries(&original);
    assert!(!theirs.is_empty(), "{} has no entries", cubin.display());
    entries(&ours) == theirs
}

fn module(random: &mut Random) -> String {
    let functions: Vec<Frame> = (0..FUNCTIONS).map(|number| Frame::new(number, random)).collect();
    let mut ptx = String::from(".version 9.0\n.target sm_75, debug\n.address_size 64\n");
    ptx.extend(functions.iter().map(|one| &*one.prototypes));
    ptx.extend(functions.iter().map(|one| &*one.text));
    ptx.push_str(".file 1 \"k.cu\", 1, 1\n.section .debug_abbrev\n{\n");
    ptx.push_str(".b8 1,17,1,37,8,3,8,17,1,18,1,0,0\n.b8 2,46,1,3,8,17,1,18,1,64,10,0,0\n");
    ptx.push_str(".b8 3,52,0,3,8,2,10,0,0,0\n}\n.section .debug_info\n{\n");
    let mut entries = String::new();
    // The length counts what follows it: the rest of the header, the unit's entry and the end of
    // its list.
    let mut length = 7 + 21 + 1;
    for Frame { number, locals, .. } in &functions {
        writeln!(entries, ".b8 2,107,0\n.b64 L0_k{number}\n.b64 L1_k{number}\n.b8 1,156").unwrap();
        length += 1 + 2 + 16 + 2 + 1;
        for local in 0..*locals {
            writeln!(entries, ".b8 3,120,0,11,3\n.b64 v{number}_{local}\n.b8 35,8").unwrap();
            length += 5 + 8 + 2;
        }
        entries.push_str(".b8 0\n");
    }
    writeln!(ptx, ".b32 {length}\n.b8 2,0\n.b32 .debug_abbrev\n.b8 8,1,99,0,107,0\n.b64 0\n.b64 0").unwrap();
    writeln!(ptx, "{entries}.b8 0\n}}\n.section .debug_loc {{ }}").unwrap();
    ptx
}

/// A function `kN` with local variables `vN_0` and so on.
struct Frame {
    number: u32,
    locals: u32,
    /// Of the functions that it calls.
    prototypes: String,
    text: String,
}

/// A parameter, result or argument.
#[derive(Clone, Copy)]
enum Parameter {
    Scalar(&'static str, u32),
    Struct {
        alignment: u32,
        size: u32,
    },
    /// Of a variadic function; the size is that of the argument.
    Variadic(u32),
}

impl Parameter {
    fn new(random: &mut Random) -> Self {
        if random.percent(50) {
            return random.pick(&[
                Self::Scalar(".b32", 32),
                Self::Scalar(".f32", 32),
                Self::Scalar(".b64", 64),
                Self::Scalar(".f64", 64),
            ]);
        }
        let alignment = random.pick(&[1, 2, 4, 4, 8, 8, 16, 32, 64]);
        let limit = random.pick(&[8, 16, 40, 60, 150]);
        Self::Struct { alignment, size: 1 + random.below(limit) }
    }

    /// The declaration of `name` as a parameter (`is_formal`) or as an argument.
    fn declaration(self, name: &str, is_formal: bool) -> String {
        match self {
            Self::Scalar(ty, _) => format!(".param {ty} {name}"),
            Self::Struct { alignment, size } => format!(".param .align {alignment} .b8 {name}[{size}]"),
            Self::Variadic(_) if is_formal => format!(".param .align 8 .b8 {name}[]"),
            Self::Variadic(size) => format!(".param .align 8 .b8 {name}[{size}]"),
        }
    }

    fn store(self, name: &str) -> String {
        match self {
            Self::Scalar(_, 64) => format!("st.param.b64 [{name}], %rd1;"),
            Self::Scalar(..) => format!("st.param.b32 [{name}], %r1;"),
            Self::Struct { size, .. } | Self::Variadic(size) => {
                format!("st.param.b8 [{name}+{}], %r1;", size - 1)
            }
        }
    }
}

fn list(parameters: &[Parameter], name: impl Fn(usize) -> String, is_formal: bool) -> String {
    let one = |(index, parameter): (usize, &Parameter)| parameter.declaration(&name(index), is_formal);
    parameters.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
}

/// `(DECLARATION) ` of a result, or nothing.
fn result_list(result: Option<Parameter>, name: &str) -> String {
    result.map_or(String::new(), |result| format!("({}) ", result.declaration(name, true)))
}

impl Frame {
    fn new(number: u32, random: &mut Random) -> Self {
        let is_kernel = random.percent(50);
        let locals = 1 + random.below(5);
        let mut frame = Self { number, locals, prototypes: String::new(), text: String::new() };
        let parameters: Vec<Parameter> = (0..random.below(4)).map(|_| Parameter::new(random)).collect();
        let own = list(&parameters, |index| format!("k{number}_p{index}"), true);
        let separator = if own.is_empty() { "" } else { ", " };
        let (kind, result) = if is_kernel {
            (".entry", None)
        } else {
            (".func", random.percent(30).then_some(Parameter::Struct { alignment: 8, size: 100 }))
        };
        let result = result_list(result, "out");
        let text = &mut frame.text;
        writeln!(text, ".visible {kind} {result}k{number}(.param .b64 k{number}_f{separator}{own})\n{{")
            .unwrap();
        let mut uses = String::new();
        for local in 0..locals {
            let alignment = random.pick(&[1, 2, 4, 4, 8, 8, 16, 16, 32, 64]);
            let limit = random.pick(&[8, 40, 100]);
            let size = 1 + random.below(limit);
            writeln!(text, ".local .align {alignment} .b8 v{number}_{local}[{size}];").unwrap();
            if random.percent(70) {
                writeln!(uses, "mov.b64 %rd2, v{number}_{local};\nst.local.b8 [%rd2], %r1;").unwrap();
            }
        }
        writeln!(text, ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nL0_k{number}:\n.loc 1 3 1\nmov.b32 %r1, 7;")
            .unwrap();
        writeln!(text, "mov.b64 %rd1, 7;\nld.param.b64 %rd3, [k{number}_f];\n{uses}").unwrap();
        for parameter in 0..if is_kernel { 0 } else { parameters.len() } {
            if random.percent(40) {
                writeln!(text, "mov.b64 %rd2, k{number}_p{parameter};\nst.local.b8 [%rd2], %r1;").unwrap();
            }
        }
        for call in 0..random.below(5) {
            frame.call(call, random);
        }
        writeln!(frame.text, ".loc 1 5 1\nret;\nL1_k{number}:\n}}").unwrap();
        frame
    }

    /// A call: direct or through a prototype, over one line or several, and now and then where
    /// nothing leads to.
    fn call(&mut self, call: u32, random: &mut Random) {
        let name = format!("k{}_c{call}", self.number);
        let count = random.pick(&[0, 1, 2, 3, 5, 10, 16]);
        let mut parameters: Vec<Parameter> = (0..count).map(|_| Parameter::new(random)).collect();
        if random.percent(15) {
            parameters.push(Parameter::Variadic(1 + random.below(40)));
        }
        let result = random.pick(&[0, 1, 2]);
        let result = (result > 0).then(|| match result {
            1 => Parameter::Scalar(".b32", 32),
            _ => Parameter::Struct {
                alignment: random.pick(&[1, 2, 4, 8, 16, 32]),
                size: 1 + random.below(150),
            },
        });
        let is_unreachable = random.percent(20);
        let text = &mut self.text;
        if is_unreachable {
            writeln!(text, "bra.uni $after_{name};").unwrap();
        }
        let separator = if random.percent(50) { "\n" } else { " " };
        let mut statements = vec!["{".to_owned()];
        let argument = |index: usize| format!("q{index}");
        for (index, parameter) in parameters.iter().enumerate() {
            statements.push(parameter.declaration(&argument(index), false) + ";");
        }
        statements.extend(result.map(|result| result.declaration("r0", false) + ";"));
        let stores = parameters.iter().enumerate().map(|(index, one)| one.store(&argument(index)));
        statements.extend(stores);
        let arguments = (0..parameters.len()).map(argument).collect::<Vec<_>>().join(", ");
        let to_result = if result.is_some() { "(r0), " } else { "" };
        if random.percent(40) {
            let results = result_list(result, "_");
            let formals = list(&parameters, |_| "_".to_owned(), true);
            statements.push(format!("P_{name}: .callprototype {results}_ ({formals});"));
            statements.push(format!("call {to_result}%rd3, ({arguments}), P_{name};"));
        } else {
            let results = result_list(result, "r");
            let formals = list(&parameters, |index| format!("p{index}"), true);
            writeln!(self.prototypes, ".extern .func {results}{name}({formals});").unwrap();
            statements.push(format!("call.uni{separator}{to_result}{name},{separator}({arguments});"));
        }
        statements.extend(result.map(|_| "ld.param.b8 %r1, [r0];".to_owned()));
        statements.push("}".to_owned());
        writeln!(text, "{}", statements.join(separator)).unwrap();
        if is_unreachable {
            writeln!(text, "$after_{name}:").unwrap();
        }
    }
}
