//! `.nv_debug_line_sass`: the same rules, with PTX lines for source lines.

use super::{EntryRow, FunctionStart, Loc, LocId, Located};

/// PTX lines as locations in `file`, without inlining.
///
/// `lines` are `(byte offset, 1-based PTX line)` in address order, one for each change of line. Each function opens at the line of its
/// `{`; helpers without PTX do not. Returns what [`locations`](super::locations) takes.
pub fn ptx_lines(
    file: u32,
    lines: &[(u64, u32)],
    starts: &[FunctionStart],
) -> (Vec<Loc>, Vec<Located>, Vec<EntryRow>) {
    let mut locs = Vec::with_capacity(lines.len() + starts.len());
    let mut loc = |line| {
        locs.push(Loc { file, line, name: 0, parent: None });
        LocId(locs.len() as u32 - 1)
    };
    // By the section's own function, also for those folded into it.
    let flagged = starts.first().is_some_and(|start| start.first_loc.is_some());
    let entries = starts
        .iter()
        .filter_map(|start| {
            let loc = loc(start.ptx_line?);
            Some(EntryRow { address: start.address, loc, flagged })
        })
        .collect();
    let located = lines.iter().map(|&(address, line)| Located { address, loc: Some(loc(line)) }).collect();
    (locs, located, entries)
}
