//! Makes the debug sections of a cubin anew so that they no longer depend on the machine: paths
//! begin with `/src`, and source files have no time and size. Faults of the PTX are printed as
//! compilers do.
//!
//! `cargo run -p nvdwarf-compile --example reproducible [PTX CUBIN SM]`
#![allow(clippy::print_stdout, reason = "this is a program")]

use std::error::Error;

use nvdwarf_compile::arch::Arch;
use nvdwarf_compile::{CodeImage, CompileError, Compiled, NvdwarfOptions, Options, PathMap, compile};
use ptx_syntax::LineIndex;

fn options(arch: &str) -> Result<Options, Box<dyn Error>> {
    let path_maps = vec![PathMap { old: "/tmp/nvdwarf".to_owned(), new: "/src".to_owned() }];
    let extras = NvdwarfOptions { path_maps, ..NvdwarfOptions::default() };
    Ok(Options { arch: arch.parse::<Arch>()?, line_info: true, extras, ..Options::default() })
}

/// The faults, one `FILE:LINE:COLUMN: error: MESSAGE` each; the kind alone where the text has none.
fn render(file: &str, text: &str, error: &CompileError) -> String {
    let lines = LineIndex::new(text);
    let mut said = vec![error.kind.to_string()];
    for diagnostic in &error.diagnostics {
        let (line, column) = diagnostic.range.map_or((0, 0), |range| lines.line_col(range.start));
        let (severity, message) = (diagnostic.severity.as_str(), &diagnostic.message);
        said.push(format!("{file}:{line}:{column}: {severity}: {message}"));
    }
    said.join("\n")
}

fn report(ptx: &str, cubin: &str, arch: &str) -> Result<String, Box<dyn Error>> {
    let (text, code) = (std::fs::read_to_string(ptx)?, std::fs::read(cubin)?);
    Ok(match compile(&text, &CodeImage::Cubin(&code), &options(arch)?) {
        Ok(Compiled { bytes, statistics, .. }) => {
            format!("{} bytes; {} functions, {} rows", bytes.len(), statistics.functions, statistics.rows)
        }
        Err(error) => render(ptx, &text, &error),
    })
}

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/block_sum/block_sum");

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let said = match &arguments[..] {
        [ptx, cubin, arch] => report(ptx, cubin, arch)?,
        _ => report(&format!("{EXAMPLE}.ptx"), &format!("{EXAMPLE}.cubin"), "sm_90")?,
    };
    println!("{said}");
    Ok(())
}

#[test]
fn it_compiles_and_says_why_not() {
    let (ptx, cubin) = (format!("{EXAMPLE}.ptx"), format!("{EXAMPLE}.cubin"));
    assert_eq!(report(&ptx, &cubin, "sm_90").unwrap(), "9536 bytes; 2 functions, 31 rows");
    let other = report(&ptx, &cubin, "sm_100").unwrap();
    let why = "the cubin holds code for sm_90, -arch asks for sm_100: pass -arch sm_90 or another cubin";
    assert_eq!(other, why);
}
