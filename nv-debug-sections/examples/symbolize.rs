//! A profiler's use: PC samples in, folded stacks out, as flame graph tools take them.
//!
//! ```text
//! cargo run -p nv-debug-sections --example symbolize k.cubin < samples.txt | flamegraph.pl > k.svg
//! ```
//!
//! A sample is a line `FUNCTION OFFSET COUNT`, as in `_Z5saxpyPf 224 17`: the (mangled) function, a decimal byte offset in it,
//! how many samples. A stack is `kernel;caller;callee (file:line) COUNT`, the kernel first.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use nv_debug_sections::symbolize::{FileName, Frame, FrameFunction, Place, Symbolizer};
use std::collections::BTreeMap;
use std::error::Error;

/// `function (file:line)`.
fn describe(frame: &Frame<'_>) -> String {
    let function = match frame.function {
        FrameFunction::Physical(function) => function.map_or("??".into(), |function| function.name.into()),
        FrameFunction::Inlined(callee) => String::from_utf8_lossy(callee.name.unwrap_or(b"??")),
    };
    let FileName::Path(file) = frame.file else { return function.into_owned() };
    format!("{function} ({file}:{})", frame.line)
}

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = std::fs::read(std::env::args().nth(1).ok_or("which cubin?")?)?;
    let cubin = nv_debug_sections::cubin::Cubin::parse(&bytes)?;
    let symbolizer = Symbolizer::new(&cubin)?;
    let functions: BTreeMap<_, _> = symbolizer.functions().iter().map(|f| (f.name, f)).collect();
    let mut stacks: BTreeMap<String, u64> = BTreeMap::new();
    for sample in std::io::stdin().lines() {
        let sample = sample?;
        let [name, offset, count] = *sample.split_whitespace().collect::<Vec<_>>() else { continue };
        let function = functions.get(name).ok_or_else(|| format!("no function {name}"))?;
        let place = symbolizer.locate(function.section, function.offset + offset.parse::<u64>()?);
        let mut frames: Vec<String> = place.iter().flat_map(Place::frames).map(|f| describe(&f)).collect();
        if frames.is_empty() {
            frames.push(name.to_owned());
        }
        frames.reverse();
        *stacks.entry(frames.join(";")).or_default() += count.parse::<u64>()?;
    }
    for (stack, count) in stacks {
        println!("{stack} {count}");
    }
    Ok(())
}
