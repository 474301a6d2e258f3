//! Compiles a PTX to debug information and asks it at once: what each slot of code of the kernels
//! comes from.
//!
//! `cargo run -p nvdwarf --example compile_and_look_up [PTX]`
#![allow(clippy::print_stdout, reason = "this is a program")]

use std::error::Error;
use std::fmt::Write;

use nvdwarf::{Arch, CodeImage, Module, Options, compile};

/// One line for each stretch of slots with the same source: where it starts, the line of the PTX,
/// the chain of calls.
fn report(path: &str) -> Result<String, Box<dyn Error>> {
    let ptx = std::fs::read_to_string(path)?;
    let options = Options { arch: "sm_90".parse::<Arch>()?, line_info: true, ..Options::default() };
    let compiled = compile(&ptx, &CodeImage::None, &options)?;
    let module = Module::new(compiled.bytes)?;
    let image = &module.images()[0];
    let mut out = String::new();
    for function in image.functions()?.iter().filter(|function| function.is_kernel) {
        let offsets = (0..function.size).step_by(16);
        let mut before = None;
        for (offset, location) in
            offsets.clone().zip(image.locate_all(offsets.map(|offset| (function, offset)))?)
        {
            if before.as_ref() != Some(&location.frames) {
                let line = location.ptx.as_ref().map_or(0, |ptx| ptx.line);
                writeln!(out, "{function}+{offset:#x}: PTX line {line}: {location}")?;
                before = Some(location.frames);
            }
        }
    }
    Ok(out)
}

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy/saxpy.ptx");

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", report(std::env::args().nth(1).as_deref().unwrap_or(EXAMPLE))?);
    Ok(())
}

#[test]
fn it_says_where_slots_come_from() {
    let out = report(EXAMPLE).unwrap();
    let slot =
        "saxpy+0x1d0: PTX line 68: fused(float, float, float) at /tmp/nvdwarf/saxpy/fused.cuh:13 < saxpy at ";
    assert!(out.starts_with("saxpy+0x0: PTX line 29: saxpy at /tmp/nvdwarf/saxpy/saxpy.cu:6\n"), "{out}");
    assert!(out.lines().any(|line| line.starts_with(slot)), "{out}");
}
