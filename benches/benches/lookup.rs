//! `symbolize`: index of a cubin's line tables, and lookups with their inline chains.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cubin_debuginfo::symbolize::Symbolizer;
use nv_debug_sections::cubin::Cubin;
use nvdwarf_benches::lookup;
use std::hint::black_box;

const LOOKUPS: usize = 10_000;

/// The examples of the repository, so that the bench runs everywhere.
const CUBINS: [(&str, &[u8]); 2] = [
    ("saxpy", include_bytes!("../../examples/saxpy/saxpy.cubin")),
    ("block_sum", include_bytes!("../../examples/block_sum/block_sum.cubin")),
];

fn lookups(c: &mut Criterion) {
    for (name, bytes) in CUBINS {
        let Ok(cubin) = Cubin::parse(bytes) else { continue };
        let mut group = c.benchmark_group(name);
        group.bench_function("index", |b| b.iter(|| Symbolizer::new(black_box(&cubin))));
        let Ok(symbolizer) = Symbolizer::new(&cubin) else { continue };
        let addresses = lookup::addresses(&symbolizer, LOOKUPS);
        assert!(lookup::look_up(&symbolizer, &addresses).0 >= LOOKUPS as u64 / 2);
        group.throughput(Throughput::Elements(LOOKUPS as u64));
        group.bench_function("lookup", |b| b.iter(|| lookup::look_up(&symbolizer, black_box(&addresses))));
        group.finish();
    }
}

criterion_group!(benches, lookups);
criterion_main!(benches);
