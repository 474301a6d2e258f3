//! LEB128: three distributions, beside the `leb128` crate and gimli.
#![allow(missing_docs, reason = "criterion's macros")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gimli::{EndianSlice, LittleEndian, Reader};
use nvdwarf_benches::rows;

/// Values by name: all sizes alike, mostly one byte, and the line advances of rows like ptxas'.
fn distributions() -> [(&'static str, Vec<i64>); 3] {
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let uniform = (0..100_000).map(|_| next() as i64 >> (next() % 64)).collect();
    let small = (0..100_000)
        .map(|_| if next() % 10 == 0 { next() as i64 % 5000 } else { next() as i64 % 60 })
        .collect();
    let lines: Vec<_> =
        rows::synthetic(100_001).remove(0).rows.iter().map(|row| i64::from(row.line)).collect();
    let advances = lines.windows(2).map(|pair| pair[1] - pair[0]).collect();
    [("uniform bits", uniform), ("small", small), ("line advances", advances)]
}

/// Sums what `read` gives until `bytes` are used up.
fn sum_all(mut bytes: &[u8], read: impl Fn(&[u8]) -> (i64, usize)) -> i64 {
    let mut sum = 0_i64;
    while !bytes.is_empty() {
        let (value, used) = read(bytes);
        sum = sum.wrapping_add(value);
        bytes = &bytes[used..];
    }
    sum
}

fn encode(values: &[i64], mut put: impl FnMut(&mut Vec<u8>, i64)) -> Vec<u8> {
    let mut out = Vec::with_capacity(values.len() * 10);
    for value in values {
        put(&mut out, *value);
    }
    out
}

fn put_ours(out: &mut Vec<u8>, value: i64) {
    let value = leb128_nv::sleb128(value);
    let end = out.len() + value.len();
    out.extend_from_slice(&value.to_bits().to_le_bytes());
    out.truncate(end);
}

fn put_leb128(out: &mut Vec<u8>, value: i64) {
    leb128::write::signed(out, value).expect("vec");
}

fn read_leb128(bytes: &[u8]) -> (i64, usize) {
    let mut rest = bytes;
    let value = leb128::read::signed(&mut rest).expect("valid");
    (value, bytes.len() - rest.len())
}

fn read_gimli(bytes: &[u8]) -> (i64, usize) {
    let mut rest = EndianSlice::new(bytes, LittleEndian);
    let value = rest.read_sleb128().expect("valid");
    (value, bytes.len() - rest.len())
}

fn put_gimli(out: &mut gimli::write::EndianVec<LittleEndian>, value: i64) {
    use gimli::write::Writer;
    out.write_sleb128(value).expect("vec");
}

fn leb128(c: &mut Criterion) {
    let mut group = c.benchmark_group("leb128");
    group.sample_size(30);
    for (name, values) in distributions() {
        let bytes = encode(&values, put_ours);
        assert_eq!(bytes, encode(&values, put_leb128));
        let read_ours = |bytes: &[u8]| leb128_nv::read_sleb128(bytes).expect("valid");
        let sum = values.iter().fold(0, |sum: i64, value| sum.wrapping_add(*value));
        for found in [sum_all(&bytes, read_ours), sum_all(&bytes, read_leb128), sum_all(&bytes, read_gimli)] {
            assert_eq!(found, sum);
        }
        group.throughput(Throughput::Elements(values.len() as u64));
        let id = |what| BenchmarkId::new(what, name);
        group.bench_function(id("encode leb128-nv"), |b| b.iter(|| encode(&values, put_ours)));
        group.bench_function(id("encode leb128"), |b| b.iter(|| encode(&values, put_leb128)));
        group.bench_function(id("encode gimli"), |b| {
            b.iter(|| {
                let mut out = gimli::write::EndianVec::new(LittleEndian);
                for value in &values {
                    put_gimli(&mut out, *value);
                }
                out
            });
        });
        group.bench_function(id("decode leb128-nv"), |b| b.iter(|| sum_all(&bytes, read_ours)));
        group.bench_function(id("decode leb128"), |b| b.iter(|| sum_all(&bytes, read_leb128)));
        group.bench_function(id("decode gimli"), |b| b.iter(|| sum_all(&bytes, read_gimli)));
    }
    group.finish();
}

criterion_group!(benches, leb128);
criterion_main!(benches);
