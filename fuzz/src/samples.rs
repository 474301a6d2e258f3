//! Fuzz target: a profiler's CSV text, counted by the lines of a cubin that is checked in. No
//! sample is lost or counted twice.
//!
//! Rows are numbered as the lines of the text, each is a sample or told as a bad row, and no line
//! has more samples than there are.

use crate::Target;
use cubin_debuginfo::lines::{LineLookup, samples};
use cubin_debuginfo::symbolize::Symbolizer;
use nv_debug_sections::cubin::Cubin;

/// A cubin.
const CUBIN: &[u8] = include_bytes!("../../examples/block_sum/block_sum.cubin");

/// Profiles of the cubin.
const SEEDS: [&str; 4] = [
    "function,pc,samples\nblock_sum,0x10,3\nblock_sum,0x400,1\n",
    "==1== x\n\nKernel Name,PC Offset\r\n\"block_sum\",16\r\nblock_sum,32\r\nnobody,0\r\n",
    "\u{feff}section , offset, hits, stall\n.text.block_sum,16,\"1,000\",x\n.text.x,0,1\n,,\n",
    "pc,kernel,weight\n0x30,block_sum,18446744073709551615\n0x40,block_sum,18446744073709551615\n1,\"k,1\n",
];

pub(crate) fn inputs(target: &Target) {
    target.run_on_random(2_000, 200);
    target.run_on_damaged(10_000, &SEEDS.map(|seed| seed.as_bytes().to_vec()));
}

/// Counts the samples of `data` (bytes that are not UTF-8 are replaced).
pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(rows) = samples(&text) else { return };
    let rows: Vec<_> = rows.collect();
    let lines = text.split(['\n', '\r']).count() as u64;
    assert!(
        rows.is_sorted_by(|(a, _), (b, _)| a < b) && rows.iter().all(|(row, _)| (1..=lines).contains(row))
    );

    let cubin = Cubin::parse(CUBIN).expect("it is a cubin");
    let symbolizer = Symbolizer::new(&cubin).expect("its lines are right");
    let lookup = LineLookup::new(&cubin, &symbolizer);
    let counts = rows.iter().filter_map(|(_, sample)| Some(u128::from(sample.as_ref().ok()?.count)));
    let is_too_many = counts.sum::<u128>() > u64::MAX.into();
    let Ok(found) = lookup.samples(rows.iter().cloned()) else { return assert!(is_too_many) };
    assert_eq!(found.is_sample.len(), rows.len());
    assert_eq!(found.is_sample.iter().filter(|is_sample| !**is_sample).count() as u64, found.bad_rows);
    assert!(found.errors.len() as u64 <= found.bad_rows);
    assert!(found.errors.iter().all(|bad| rows.iter().any(|(row, _)| *row == bad.row)));
    assert_eq!(found.chains.iter().map(|chain| chain.count).sum::<u64>(), found.total);
    let own: u64 = found.lines.iter().map(|line| line.own).sum();
    assert_eq!(own + found.without_line, found.total);
    assert!(found.lines.iter().all(|line| line.own <= line.total && line.total <= found.total));
    for sample in rows.iter().filter_map(|(_, sample)| sample.as_ref().ok()) {
        let query = lookup.query(&sample.function, None);
        assert!(query.error.is_some() || !query.addresses.is_empty());
    }
}
