//! Line programs: 2 million synthetic rows, and all native tables of the corpus.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "criterion's macros; a bench reports"
)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dwarf2_writer::line::Policy;
use nvdwarf_benches::encoders;
use nvdwarf_benches::rows::{self, Table};

fn bench(c: &mut Criterion, name: &str, tables: &[Table]) {
    if tables.is_empty() {
        eprintln!("skipped: {name}: no corpus at ../shared/corpus");
        return;
    }
    tables.iter().for_each(encoders::assert_same_rows);
    let rows = tables.iter().map(rows::count).sum::<usize>();
    let bytes: Vec<u8> = tables.iter().flat_map(encoders::plain).collect();
    println!("{name}: {} programs, {rows} rows, {} bytes", tables.len(), bytes.len());
    let mut group = c.benchmark_group(name);
    group.sample_size(20).throughput(Throughput::Elements(rows as u64));
    let sum = |encode: fn(&Table) -> Vec<u8>| tables.iter().map(|table| encode(table).len()).sum::<usize>();
    for (name, policy) in [("Plain", Policy::Plain), ("Compact", encoders::CHOOSE)] {
        let len = |table| encoders::ours(table, policy).expect("valid").len();
        group.bench_function(name, |b| b.iter(|| tables.iter().map(len).sum::<usize>()));
    }
    group.bench_function("plain on leb128", |b| b.iter(|| sum(encoders::plain)));
    group.bench_function("gimli::write", |b| b.iter(|| sum(encoders::gimli)));
    group.bench_function("memcpy", |b| b.iter(|| bytes.clone()));
    group.finish();
}

fn synthetic(c: &mut Criterion) {
    bench(c, "line_program/synthetic", &[rows::synthetic(2_000_000)]);
}

fn corpus(c: &mut Criterion) {
    for section in [".debug_line", ".nv_debug_line_sass"] {
        let tables = rows::corpus(section);
        bench(c, &format!("line_program/corpus{section}"), &tables);
        bench(c, &format!("line_program/joined{section}"), &[rows::joined(&tables)]);
    }
}

criterion_group!(benches, synthetic, corpus);
criterion_main!(benches);
