//! Trees of entries: 100,000 of them, from values to `.debug_info` and `.debug_abbrev`.
#![allow(missing_docs, clippy::print_stdout, reason = "criterion's macros; a bench reports")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use nvdwarf_benches::die_tree;

fn bench(c: &mut Criterion) {
    let tree = die_tree::synthetic(100_000);
    die_tree::assert_same_tree(&tree);
    let bytes = die_tree::ours(&tree).expect("valid").info.bytes;
    println!("die_tree: {} entries, {} bytes", tree.len(), bytes.len());
    let mut group = c.benchmark_group("die_tree");
    group.sample_size(20).throughput(Throughput::Elements(tree.len() as u64));
    group.bench_function("dwarf2-writer", |b| b.iter(|| die_tree::ours(&tree).expect("valid")));
    group.bench_function("gimli::write", |b| {
        b.iter(|| die_tree::gimli_write(&mut die_tree::gimli_build(&tree)));
    });
    // Without making the tree, which is most of it: only the pass over gimli's own.
    group.bench_function("gimli::write, tree made before", |b| {
        let build = || die_tree::gimli_build(&tree);
        b.iter_batched_ref(build, die_tree::gimli_write, BatchSize::PerIteration);
    });
    group.bench_function("memcpy", |b| b.iter(|| bytes.clone()));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
