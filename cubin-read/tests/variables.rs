//! Variables of the corpus, beside a decode of its own.
#![allow(clippy::print_stderr, clippy::unwrap_used)] // counts must be seen; a panic is a failed test

mod support;

use cubin_read::entries::Entries;
use cubin_read::variables::{Place, Unavailable, Variables};
use gimli::{AttributeValue, DebugAbbrev, DebugInfo, EndianSlice, LittleEndian};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::relocated::Relocated;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::ops::Range;

/// Offsets of the variables and parameters in `.debug_info`, with their parents' tags, by gimli alone.
fn decoded(info: &[u8], abbrev: &[u8]) -> Vec<(u64, bool)> {
    let abbrev = DebugAbbrev::new(abbrev, LittleEndian);
    let info = DebugInfo::new(info, LittleEndian);
    let mut all = Vec::new();
    let mut headers = info.units();
    while let Some(header) = headers.next().unwrap() {
        let abbreviations = header.abbreviations(&abbrev).unwrap();
        let mut cursor = header.entries(&abbreviations);
        let mut types_of_functions: Vec<isize> = Vec::new();
        while let Some(entry) = cursor.next_dfs().unwrap() {
            let depth = entry.depth();
            types_of_functions.retain(|at| *at < depth);
            match entry.tag() {
                gimli::DW_TAG_subroutine_type => types_of_functions.push(depth),
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter if types_of_functions.is_empty() => {
                    let offset = entry.offset().to_debug_info_offset(&header.offset().into()).unwrap();
                    all.push((offset.0 as u64, entry.tag() == gimli::DW_TAG_formal_parameter));
                }
                _ => {}
            }
        }
    }
    all
}
