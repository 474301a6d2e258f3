//! One index and many lookups of a cubin: `cargo run --release -p nvdwarf-benches --example
//! lookup_once FILE [LOOKUPS]`.
//!
//! `benches/lines.py` runs it; alone it is what `valgrind --tool=callgrind` counts.
#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "an example reports rounded rates")]

use cubin_debuginfo::symbolize::Symbolizer;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::Cubin;
use nvdwarf_benches::lookup;
use std::error::Error;
use std::time::Instant;

/// Seconds that this thread has run, whatever else the machine does (Linux; elsewhere as the clock
/// on the wall).
fn now(start: Instant) -> f64 {
    let ran = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = ran.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    ran.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds as f64 / 1e9)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("which cubin?")?;
    let count = args.next().map_or(Ok(1_000_000), |count| count.parse())?;
    let clock = Instant::now();
    let start = now(clock);
    let bytes = std::fs::read(path)?;
    let read = now(clock);
    let cubin = Cubin::parse(&bytes)?;
    let parsed = now(clock);
    let symbolizer = Symbolizer::new(&cubin)?;
    let indexed = now(clock);
    let addresses = lookup::addresses(&symbolizer, count);
    let begin = now(clock);
    let (frames, lines) = lookup::look_up(&symbolizer, &addresses);
    let looked_up = now(clock) - begin;
    let begin = now(clock);
    let all = lookup::look_up_all(&symbolizer, &addresses);
    let all_looked_up = now(clock) - begin;
    if all != (frames, lines) {
        return Err("`locate_all` answers otherwise than `locate`".into());
    }
    let size = |kind: SectionKind| {
        cubin
            .section_by_name(kind.name())
            .map_or(0, |index| cubin.bytes(index).map_or(0, |bytes| bytes.len()))
    };
    let sections = size(SectionKind::DebugLine) + size(SectionKind::NvDebugLineSass);
    let held = symbolizer.source_rows().heap_bytes() + symbolizer.ptx_rows().heap_bytes();
    let rate = |seconds: f64| addresses.len() as f64 / seconds / 1e6;
    println!("read_ms {:.2}", (read - start) * 1e3);
    println!("parse_ms {:.2}", (parsed - read) * 1e3);
    println!("index_ms {:.2}", (indexed - read) * 1e3);
    println!("million_lookups_per_s {:.2}", rate(looked_up));
    println!("million_lookups_per_s_in_blocks {:.2}", rate(all_looked_up));
    println!("frames_per_lookup {:.2}", frames as f64 / addresses.len().max(1) as f64);
    println!("line_section_bytes {sections}");
    println!("index_bytes {held}");
    println!("checksum {lines}");
    Ok(())
}
