//! Answers about the lines of the example cubins, and reports of their coverage.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use cubin_debuginfo::address_query::QueryError;
use cubin_debuginfo::coverage::{Coverage, Limits, PtxNames, Report};
use cubin_debuginfo::lines::{LineLookup, NoChains, PtxChains, PtxFrame, SourceError, samples};
use cubin_debuginfo::symbolize::Symbolizer;
use nv_debug_sections::cubin::Cubin;
use serde_json::json;
use std::fs;

const FILE: &str = "/tmp/nvdwarf/saxpy/saxpy.cu";

fn example(name: &str) -> Vec<u8> {
    fs::read(format!("{}/../examples/saxpy/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn an_address_a_listing_and_a_source_line_say_the_same() {
    let bytes = example("saxpy.cubin");
    let cubin = Cubin::parse(&bytes).unwrap();
    let symbolizer = Symbolizer::new(&cubin).unwrap();
    let lookup = LineLookup::new(&cubin, &symbolizer);

    let answer = lookup.query("saxpy+0x10", None);
    assert!(answer.is_answered());
    let lines = &answer.addresses[0].lines;
    assert_eq!(lines.to_string(), format!("saxpy at {FILE}:9  | ptx:40  mov.u32 \t%r15, %ctaid.x;"));
    let listings: Vec<_> = lookup.listings(Some("saxpy")).unwrap().collect();
    let mut ranges = listings[0].ranges.iter();
    let range = ranges.find(|range| (range.start..range.end).contains(&0x10)).unwrap();
    assert_eq!(range.lines.to_string(), lines.to_string());
    let code = lookup.code_of("saxpy.cu:9");
    assert!(code.ranges.iter().any(|range| (range.start..range.end).contains(&0x10)));
    assert_eq!(
        lookup.code_of("saxpy.cu:6").ranges[0].to_string(),
        format!(".text.saxpy+0x0..0x10  saxpy  {FILE}:6")
    );

    assert!(matches!(lookup.query("nobody", None).error, Some(QueryError::Function(_))));
    assert!(matches!(
        lookup.query("saxpy+0x1000", None).error,
        Some(QueryError::PastEnd { size: 0x600, .. })
    ));
    assert!(matches!(lookup.code_of("saxpy.cu").error, Some(SourceError::Syntax(_))));
    assert!(matches!(lookup.code_of("nofile.cu:1").error, Some(SourceError::File { is_linked: false, .. })));
}

#[test]
fn samples_are_counted_by_line() {
    let bytes = example("saxpy.cubin");
    let cubin = Cubin::parse(&bytes).unwrap();
    let symbolizer = Symbolizer::new(&cubin).unwrap();
    let rows = samples("kernel,pc,count\nsaxpy,0x10,3\nsaxpy,0,1\nsaxpy,0x10,1\nnobody,0,1\n").unwrap();
    let found = LineLookup::new(&cubin, &symbolizer).samples(rows).unwrap();
    assert_eq!((found.total, found.without_line, found.bad_rows), (5, 0, 1));
    assert_eq!(found.is_sample, [true, true, true, false]);
    assert_eq!(found.errors[0].to_string(), "row 5: no function 'nobody'; the functions are saxpy");
    let lines = json!([
        { "file": FILE, "line": 9, "self": 4, "total": 4 },
        { "file": FILE, "line": 6, "self": 1, "total": 1 },
    ]);
    assert_eq!(serde_json::to_value(&found.lines).unwrap(), lines);
}

#[test]
fn columns_are_those_of_the_ptx_that_the_cubin_was_made_from() {
    let (bytes, ptx) = (example("saxpy.cubin"), example("saxpy.ptx"));
    let cubin = Cubin::parse(&bytes).unwrap();
    let symbolizer = Symbolizer::new(&cubin).unwrap();
    // Every PTX line is of source line 9, column 5.
    let frame = PtxFrame { callee: None, path: Some(FILE), file: 1, line: 9, column: 5 };
    let chains = PtxChains::new(&cubin, &ptx, |_| [frame].into_iter()).unwrap();
    let lookup = LineLookup::new(&cubin, &symbolizer).with_ptx(chains);
    let innermost = |query| {
        let frame = lookup.query(query, None).addresses[0].lines.frames.iter().next().unwrap();
        (frame.frame.line, frame.frame.column, frame.by_ptx)
    };
    assert_eq!(innermost("saxpy+0x10"), (9, 5, false));
    // The cubin has line 6 there.
    assert_eq!(innermost("saxpy"), (9, 5, true));
    let other = PtxChains::new(&cubin, b".version 8.0\n", |_| std::iter::empty());
    assert_eq!(other.unwrap_err(), NoChains::Other);
}

#[test]
fn a_limit_that_a_kernel_does_not_keep_is_told() {
    let (bytes, ptx) = (example("saxpy.cubin"), example("saxpy.ptx"));
    let cubin = Cubin::parse(&bytes).unwrap();
    let symbolizer = Symbolizer::new(&cubin).unwrap();
    let coverage = Coverage::of(&cubin, &symbolizer).unwrap();
    let limits = Limits { min_variables: Some(50.0), ..Limits::default() };
    let report = Report::new(&cubin, &coverage, limits);
    let below: Vec<String> =
        report.functions.iter().flat_map(|f| &f.below).map(ToString::to_string).collect();
    assert_eq!(
        below,
        ["0.0 % of the variables have a location, for .debug_info has no entry, expected 50 %"]
    );
    let text = String::from_utf8(ptx).unwrap();
    let names = PtxNames::read(&ptx_syntax::parse(&text).module, str::to_owned).unwrap();
    assert!(names.lost(&cubin, &coverage).unwrap().is_some());
}
