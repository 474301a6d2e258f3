//! What `examples/symbolize.rs` makes of a profiler's file.
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

#[path = "../examples/symbolize.rs"]
#[allow(dead_code, reason = "its main")]
mod example;

use std::collections::BTreeMap;

/// Made by `examples/make.sh`: -lineinfo for sm_90.
const SAXPY: &[u8] = include_bytes!("../../examples/saxpy/saxpy.cubin");

/// Frames of the kernel and of what is inlined at line 10, as `nvdisasm -gi` has them.
const AT_8: &str = "saxpy (/tmp/nvdwarf/saxpy/saxpy.cu:8)";
const AT_9: &str = "saxpy (/tmp/nvdwarf/saxpy/saxpy.cu:9)";
const INLINED: &str = "saxpy (/tmp/nvdwarf/saxpy/saxpy.cu:10);_Z5fusedfff (/tmp/nvdwarf/saxpy/fused.cuh:13)";

fn folded(cubin: &[u8], csv: &str) -> Vec<(String, u64)> {
    example::folded(cubin, csv.as_bytes()).unwrap().into_iter().collect()
}

fn stacks<const N: usize>(all: [(&str, u64); N]) -> Vec<(String, u64)> {
    let sorted: BTreeMap<String, u64> =
        all.into_iter().map(|(stack, count)| (stack.to_owned(), count)).collect();
    sorted.into_iter().collect()
}

#[test]
fn samples_of_a_profiler_become_folded_stacks() {
    // CUPTI's names, a row for each stall reason; 768 is 0x300.
    let cupti = "\
functionIndex,functionName,pcOffset,stallReasonIndex,samples
0,saxpy,32,5,7
0,saxpy,768,5,40
0,saxpy,768,9,2
0,saxpy,16,1,1
0,saxpy,112,1,3
1,\"other<1, 2>\",16,1,4
";
    let want = stacks([(AT_8, 7), (INLINED, 42), (AT_9, 4), ("other<1, 2>", 4)]);
    assert_eq!(folded(SAXPY, cupti), want);
    // Other columns and order, hexadecimal, no counts, blanks.
    let plain = "pc, kernel\n0x20, saxpy\n0x300, saxpy\n0x300, saxpy\n";
    assert_eq!(folded(SAXPY, plain), stacks([(AT_8, 1), (INLINED, 2)]));
    // What lies after the code has the name alone.
    assert_eq!(folded(SAXPY, "function,offset,count\nsaxpy,0x100000,5\n"), stacks([("saxpy", 5)]));
    for wrong in
        ["function,offset\nsaxpy,zz\n", "function,samples\nsaxpy,1\n", "function,offset,count\nsaxpy,0,1.5\n"]
    {
        assert!(example::folded(SAXPY, wrong.as_bytes()).is_err(), "{wrong}");
    }
}

/// A tool that takes folded stacks splits a line at `;` and its count off at the last blank.
#[test]
fn no_name_ends_a_frame_or_a_stack() {
    let name = b"fused.cuh\0";
    let at = SAXPY.windows(name.len()).position(|bytes| bytes == name).unwrap();
    let mut cubin = SAXPY.to_vec();
    cubin[at..at + 3].copy_from_slice(b";\ns");
    let found = folded(&cubin, "function,offset\nsaxpy,0x300\n\"a;b\nc\",0\n");
    let inlined = "saxpy (/tmp/nvdwarf/saxpy/saxpy.cu:10);_Z5fusedfff (/tmp/nvdwarf/saxpy/: sed.cuh:13)";
    assert_eq!(found, stacks([(inlined, 1), ("a:b c", 1)]));
}
