//! The parser: text to tree, on made-up texts and on the corpus.
#![allow(missing_docs, clippy::print_stderr, reason = "criterion's macros; a bench reports")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use nvdwarf_benches::ptx::{self, Shape, Text};
use ptx_syntax::print::normalise;
use ptx_syntax::{DataItem, SectionBlock, parse, tokenize};

/// The tree has what was generated.
fn assert_whole(made: &Text) {
    let parsed = parse(&made.text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors.first());
    let bodies = parsed.module.functions().filter_map(|function| function.body.as_ref());
    assert_eq!(bodies.map(|body| body.statements.len()).sum::<usize>(), made.statements);
    let items = parsed.module.sections().flat_map(SectionBlock::items);
    assert_eq!(items.filter(|item| matches!(item, DataItem::Value(_))).count(), made.values);
}

fn synthetic(c: &mut Criterion) {
    let mut group = c.benchmark_group("ptx_parse/synthetic");
    for (name, shape) in
        [("debug, cicc", Shape::DebugCicc), ("debug, LLVM", Shape::DebugLlvm), ("code", Shape::Code)]
    {
        let made = ptx::synthetic(shape, 8_000_000);
        assert_whole(&made);
        group.sample_size(10).throughput(Throughput::Bytes(made.text.len() as u64));
        group.bench_function(name, |b| b.iter(|| parse(&made.text)));
        let parsed = parse(&made.text);
        group.bench_function(format!("{name}, normalise"), |b| b.iter(|| normalise(&parsed)));
        group.bench_function(format!("{name}, tokens only"), |b| b.iter(|| tokenize(&made.text).count()));
    }
    group.finish();
}

fn corpus(c: &mut Criterion) {
    let mut group = c.benchmark_group("ptx_parse/corpus");
    for (name, modes) in [("debug", &["G", "g", "debug"][..]), ("code", &["lineinfo", "none"][..])] {
        let texts = ptx::corpus(modes);
        if texts.is_empty() {
            eprintln!("skipped: {name}: no corpus at ../shared/corpus");
            continue;
        }
        let bytes = texts.iter().map(|(_, text)| text.len()).sum::<usize>();
        for (path, text) in &texts {
            let items = parse(text).module.items;
            assert!(
                items.last().is_none_or(|last| last.range().end as usize <= text.len()),
                "{}",
                path.display()
            );
        }
        eprintln!("{name}: {} files, {bytes} bytes", texts.len());
        group.sample_size(10).throughput(Throughput::Bytes(bytes as u64));
        let all = || texts.iter().map(|(_, text)| parse(text).module.items.len()).sum::<usize>();
        group.bench_function(name, |b| b.iter(all));
    }
    group.finish();
}

criterion_group!(benches, synthetic, corpus);
criterion_main!(benches);
