//! A profiler's use: PC samples in, folded stacks out, as flame graph tools take them.
//!
//! ```text
//! cargo run -p nv-debug-sections --example symbolize k.cubin < samples.csv | flamegraph.pl > k.svg
//! ```
//!
//! The samples are a CSV file with a header: a (mangled) function, a byte offset in it, how many
//! samples (one without that column), as CUPTI names them (`functionName,pcOffset,samples`) or as
//! below; other columns, such as stall reasons, make no difference. A stack is `kernel
//! (file:line);caller (file:line);callee (file:line) COUNT`, the kernel first. Functions of other
//! cubins are a stack by name.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use cubin_debuginfo::symbolize::{Frame, FrameFunction, ResolvedAddress, Symbolizer, TableFileName};
use nv_debug_sections::cubin::Cubin;
use std::collections::BTreeMap;
use std::error::Error;

/// A row of the profiler's file.
#[derive(serde::Deserialize)]
struct Sample {
    #[serde(alias = "functionName", alias = "kernel", alias = "Kernel Name")]
    function: String,
    /// Decimal, or hexadecimal after `0x`.
    #[serde(alias = "pcOffset", alias = "pc", alias = "PC Offset")]
    offset: String,
    #[serde(alias = "count", alias = "Samples", default = "one")]
    samples: u64,
}

fn one() -> u64 {
    1
}

/// `function (file:line)`, without what ends a frame or a stack.
fn describe(frame: &Frame<'_>) -> String {
    let function = match frame.function {
        FrameFunction::Physical(function) => function.map_or("??".into(), |function| function.name.into()),
        FrameFunction::Inlined(callee) => String::from_utf8_lossy(callee.name.unwrap_or(b"??")),
        FrameFunction::InlinedEntry(entry) => String::from_utf8_lossy(entry.name.unwrap_or(b"??")),
    };
    plain(&match frame.file {
        TableFileName::Path(file) => format!("{function} ({file}:{})", frame.line),
        TableFileName::Undeclared(_) => function.into_owned(),
    })
}

fn plain(name: &str) -> String {
    name.replace(';', ":").replace(char::is_control, " ")
}

/// Counts of stacks.
///
/// # Errors
///
/// The cubin cannot be read, or a row is not a sample.
pub(crate) fn folded(
    cubin: &[u8],
    samples: impl std::io::Read,
) -> Result<BTreeMap<String, u64>, Box<dyn Error>> {
    let cubin = Cubin::parse(cubin)?;
    let symbolizer = Symbolizer::new(&cubin)?;
    let functions: BTreeMap<_, _> = symbolizer.functions().iter().map(|f| (f.name, f)).collect();
    let mut stacks: BTreeMap<String, u64> = BTreeMap::new();
    for sample in csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(samples).deserialize() {
        let Sample { function: name, offset, samples } = sample?;
        let offset = match offset.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16)?,
            None => offset.parse()?,
        };
        let place =
            functions.get(&*name).and_then(|f| symbolizer.locate(f.section, f.offset.saturating_add(offset)));
        let mut frames: Vec<String> =
            place.iter().flat_map(ResolvedAddress::frames).map(|f| describe(&f)).collect();
        if frames.is_empty() {
            frames.push(plain(&name));
        }
        frames.reverse();
        *stacks.entry(frames.join(";")).or_default() += samples;
    }
    Ok(stacks)
}

fn main() -> Result<(), Box<dyn Error>> {
    let cubin = std::fs::read(std::env::args().nth(1).ok_or("which cubin?")?)?;
    for (stack, count) in folded(&cubin, std::io::stdin())? {
        println!("{stack} {count}");
    }
    Ok(())
}
