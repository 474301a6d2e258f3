//! Fuzz targets: any bytes go in, and a law is asserted. A target is one module, whose
//! documentation says what its input is and what must hold.

mod address_class;
mod check;
mod code_facts;
mod compiled;
mod container;
mod cubin;
mod die_tree;
mod diff;
mod fatbin;
mod file_table;
mod fix;
mod frame;
mod frame_decode;
mod leb128;
mod line;
mod line_decode;
mod line_table;
mod llvm_ir;
mod lower;
mod merc;
mod nv_info;
mod nvvm;
mod oracle;
mod ptx;
mod ptx_print;
mod ptx_txt;
pub mod read;
mod reader_frame;
mod reader_info;
mod reader_line;
mod reader_lists;
mod reg_sass;
mod reg_type;
mod register;
mod samples;
mod section_name;
pub mod seeds;
mod shared_window;
mod support;
mod tkinfo;

use seeds::{Random, SaveOnPanic, mutate};

/// A fuzz target: a law, and the inputs on which the tests check it.
#[derive(Debug)]
pub struct Target {
    /// The name of its module, and of its test.
    pub name: &'static str,
    /// Checks the law on one input: a panic says that it does not hold.
    pub run: fn(&[u8]),
    /// Runs the target on the inputs of its test.
    pub inputs: fn(&Self),
}

/// Targets by the names of their modules.
macro_rules! targets {
    ($($name:ident),* $(,)?) => {
        &[$(Target { name: stringify!($name), run: $name::run, inputs: $name::inputs }),*]
    };
}

/// All targets. The compiler reports a module that is declared above and missing here, since
/// nothing uses it.
pub const TARGETS: &[Target] = targets![
    address_class,
    check,
    code_facts,
    container,
    cubin,
    die_tree,
    diff,
    fatbin,
    file_table,
    fix,
    frame,
    frame_decode,
    leb128,
    line,
    line_decode,
    line_table,
    llvm_ir,
    lower,
    merc,
    nv_info,
    nvvm,
    ptx,
    ptx_print,
    ptx_txt,
    read,
    reader_frame,
    reader_info,
    reader_line,
    reader_lists,
    reg_sass,
    reg_type,
    register,
    samples,
    section_name,
    shared_window,
    tkinfo,
];

/// Returns the target that `$NVDWARF_TARGET` names.
///
/// # Panics
///
/// If it names none.
pub fn target_of_environment() -> &'static Target {
    let name = std::env::var("NVDWARF_TARGET").unwrap_or_default();
    let names = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    let found = TARGETS.iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("NVDWARF_TARGET is '{name}' and names none of: {}", names()))
}

impl Target {
    /// Checks the law on one input, which is saved if it does not hold.
    fn run_on(&self, data: &[u8]) {
        let _guard = SaveOnPanic { test: self.name, data };
        (self.run)(data);
    }

    /// Checks it on `count` inputs of random bytes, some with runs of small values and of bytes
    /// that continue a LEB128.
    fn run_on_random(&self, count: usize, max_len: u64) {
        let mut random = Random::from_environment();
        for _ in 0..count {
            let (len, shape) = (random.number() % (max_len + 1), random.number());
            let byte = |random: u64| match shape % 3 {
                0 => random as u8,
                1 => (random % 12) as u8,
                _ => random as u8 | if (random >> 32).is_multiple_of(8) { 0 } else { 0x80 },
            };
            self.run_on(&(0..len).map(|_| byte(random.number() >> 16)).collect::<Vec<u8>>());
        }
    }

    /// Checks it on the seeds as they are, then on `count` damaged ones.
    fn run_on_damaged(&self, count: usize, seeds: &[Vec<u8>]) {
        for seed in seeds {
            self.run_on(seed);
        }
        let mut random = Random::from_environment();
        for _ in 0..count {
            self.run_on(&mutate(seeds, &mut random));
        }
    }
}
