//! Differences between a capsule and its file that only `IMNMX` instructions make: [`imnmx`](crate::imnmx) says why.

use crate::imnmx::{self, INSTRUCTION, imnmx_addresses};
use nv_debug_sections::Result;
use nv_debug_sections::cubin::{Cubin, Relocation, SectionIndex};
use nv_debug_sections::line::{self, LineTable, Sequence};
use std::collections::BTreeMap;

/// Whether two line tables of a file differ at such instructions only. `code` is the section of each sequence of `found`, by the offset of
/// its address.
pub(super) fn are_all(
    cubin: &Cubin<'_>,
    made: &[u8],
    found: &[u8],
    code: impl Fn(u64) -> Option<SectionIndex>,
) -> Result<bool> {
    if cubin.header.sm() != imnmx::SM {
        return Ok(false);
    }
    let (made, found) = (line::decode("", made)?, line::decode("", found)?);
    if made.len() != found.len() {
        return Ok(false);
    }
    for (made, found) in made.iter().zip(&found) {
        if !has_same_header(made, found) || made.sequences.len() != found.sequences.len() {
            return Ok(false);
        }
        for (ours, theirs) in made.sequences.iter().zip(&found.sequences) {
            let bytes = code(theirs.base_offset).map(|section| cubin.bytes(section)).transpose()?;
            let minima = imnmx_addresses(imnmx::SM, &bytes.unwrap_or_default());
            if ours.end != theirs.end || !differ_only_at((made, ours), (found, theirs), &minima) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Whether two relocation sections lead to the same, wherever their fields are.
pub(super) fn lead_to_the_same(made: &[Relocation], found: &[Relocation]) -> bool {
    let target = |entry: &Relocation| (entry.r_type, entry.symbol, entry.addend);
    made.iter().map(target).eq(found.iter().map(target))
}

fn has_same_header(made: &LineTable<'_>, found: &LineTable<'_>) -> bool {
    (made.params, made.debug_str_base) == (found.params, found.debug_str_base)
        && made.directories == found.directories
        && made.files == found.files
}

/// What a row says of the code from its address on; the number of a call site is another where rows are left out.
type Says = (u64, u32, bool, u64);

fn rows(table: &LineTable<'_>, sequence: &Sequence) -> BTreeMap<u64, Says> {
    let says = |row: line::LineRow| (row.address, (row.file, row.line, row.context != 0, row.name));
    table.rows(sequence).map(says).collect()
}

/// Whether both say the same of all code but the instructions at `addresses`, which ascend.
fn differ_only_at(
    (made, ours): (&LineTable<'_>, &Sequence),
    (found, theirs): (&LineTable<'_>, &Sequence),
    addresses: &[u64],
) -> bool {
    let (made, found) = (rows(made, ours), rows(found, theirs));
    let mut changes: Vec<u64> = made.keys().chain(found.keys()).copied().collect();
    changes.sort_unstable();
    changes.dedup();
    let ends = changes.iter().skip(1).copied().chain([theirs.end]);
    let (mut here, mut there) = (None, None);
    changes.iter().zip(ends).all(|(start, end)| {
        here = made.get(start).or(here);
        there = found.get(start).or(there);
        let mut instructions = (*start..end).step_by(INSTRUCTION as usize);
        here == there || instructions.all(|address| addresses.binary_search(&address).is_ok())
    })
}
