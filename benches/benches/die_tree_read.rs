//! Trees of entries: all attributes of 100,000 entries, read.
#![allow(missing_docs, clippy::print_stdout, reason = "criterion's macros; a bench reports")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nvdwarf_benches::{die_tree, die_tree_read};

fn bench(c: &mut Criterion) {
    let written = die_tree::ours(&die_tree::synthetic(100_000)).expect("valid");
    let (info, abbrev) = (&written.info.bytes, &written.abbrev);
    let sum = die_tree_read::ours(info, abbrev).expect("readable");
    assert_eq!(Ok(sum), die_tree_read::gimli(info, abbrev));
    println!("die_tree_read: {} entries, {} attributes, {} bytes", sum.entries, sum.attributes, info.len());
    let mut group = c.benchmark_group("die_tree_read");
    group.sample_size(20).throughput(Throughput::Elements(sum.entries));
    group.bench_function("dwarf2-reader", |b| b.iter(|| die_tree_read::ours(info, abbrev)));
    group.bench_function("gimli", |b| b.iter(|| die_tree_read::gimli(info, abbrev)));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
