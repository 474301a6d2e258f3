//! LEB128: every way to write and read of `nvdwarf_benches::leb128` on artificial and real numbers.
#![allow(missing_docs, reason = "criterion's macros")]
#![allow(clippy::print_stderr, reason = "says which numbers are measured")]

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nvdwarf_benches::leb128::{DECODERS, ENCODERS, Output, inputs};

fn leb128(c: &mut Criterion) {
    let (inputs, from_corpus) = inputs();
    if !from_corpus {
        eprintln!("../shared/corpus is not there: real numbers are those of examples/");
    }
    for input in &inputs {
        let mut group = c.benchmark_group(format!("leb128, {}", input.name));
        group.throughput(Throughput::Elements(input.values.len() as u64));
        let mut out = Output::new(input.values.len());
        for (by, how, encode) in ENCODERS {
            let encode = encode[usize::from(input.signed)];
            assert!(encode(input, &mut out) == input.bytes, "{by}, {how}");
            group.bench_function(format!("encode {by} {how}"), |b| {
                b.iter(|| encode(input, &mut out).len());
            });
        }
        for (by, how, decode) in DECODERS {
            let decode = decode[usize::from(input.signed)];
            assert_eq!(decode(&input.bytes), input.sum(), "{by}, {how}");
            group.bench_function(format!("decode {by} {how}"), |b| b.iter(|| decode(&input.bytes)));
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = leb128
}
criterion_main!(benches);
