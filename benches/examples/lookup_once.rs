//! One index and many lookups of a cubin: `cargo run --release -p nvdwarf-benches --example lookup_once FILE [LOOKUPS]`.
//!
//! `benches/lines.py` runs it; alone it is what `valgrind --tool=callgrind` counts.
#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "an example reports rounded rates")]

use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::symbolize::Symbolizer;
use nvdwarf_benches::lookup;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("which cubin?")?;
    let count = args.next().map_or(Ok(1_000_000), |count| count.parse())?;
    let start = Instant::now();
    let bytes = std::fs::read(path)?;
    let read = start.elapsed();
    let start = Instant::now();
    let cubin = Cubin::parse(&bytes)?;
    let parsed = start.elapsed();
    let symbolizer = Symbolizer::new(&cubin)?;
    let indexed = start.elapsed();
    let addresses = lookup::addresses(&symbolizer, count);
    let start = Instant::now();
    let (frames, lines) = lookup::look_up(&symbolizer, &addresses);
    let looked_up = start.elapsed();
    let size = |kind: SectionKind| {
        cubin.section_by_name(kind.name()).map_or(0, |index| cubin.bytes(index).map_or(0, |bytes| bytes.len()))
    };
    let sections = size(SectionKind::DebugLine) + size(SectionKind::NvDebugLineSass);
    let held = symbolizer.source_rows().heap_bytes() + symbolizer.ptx_rows().heap_bytes();
    let rate = addresses.len() as f64 / looked_up.as_secs_f64() / 1e6;
    println!("read_ms {:.2}", read.as_secs_f64() * 1e3);
    println!("parse_ms {:.2}", parsed.as_secs_f64() * 1e3);
    println!("index_ms {:.2}", indexed.as_secs_f64() * 1e3);
    println!("million_lookups_per_s {rate:.2}");
    println!("frames_per_lookup {:.2}", frames as f64 / addresses.len().max(1) as f64);
    println!("line_section_bytes {sections}");
    println!("index_bytes {held}");
    println!("checksum {lines}");
    Ok(())
}
