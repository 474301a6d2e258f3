//! `.nv_debug_line_sass`: the rules of `.debug_line`, with PTX lines in place of source lines.

use super::{EntryRow, FunctionStart, Loc, LocId, LocatedInstruction};

/// Converts PTX lines to `.loc` directives for file number `file`, without inlining, for the line
/// program builders.
///
/// `lines` are `(byte offset, 1-based PTX line)` in address order, one for each change of line.
/// Each function opens at the line of its `{`, which the code before its first change of line has
/// too; helpers without PTX do not. Returns what
/// [`line_program_from_locs`](super::line_program_from_locs) takes.
pub fn ptx_lines(
    file: u32,
    lines: &[(u64, u32)],
    starts: &[FunctionStart],
) -> (Vec<Loc>, Vec<LocatedInstruction>, Vec<EntryRow>) {
    let mut locs = Vec::with_capacity(lines.len() + starts.len());
    let mut loc = |line| {
        locs.push(Loc { file, line, name: 0, parent: None });
        LocId(locs.len() as u32 - 1)
    };
    // By the section's own function, also for those folded into it.
    let flagged = starts.first().is_some_and(|start| start.first_loc.is_some());
    let mut entries = Vec::with_capacity(starts.len());
    let mut located = Vec::with_capacity(starts.len() + lines.len());
    let mut lines = lines.iter().copied().peekable();
    let mut starts = starts.iter().peekable();
    while let Some(start) = starts.next() {
        while let Some((address, line)) = lines.next_if(|(address, _)| *address < start.address) {
            located.push(LocatedInstruction { address, loc: Some(loc(line)) });
        }
        let Some(open_line) = start.ptx_line else { continue };
        let opening = loc(open_line);
        entries.push(EntryRow { address: start.address, loc: opening, flagged });
        let has_code = starts.peek().is_none_or(|next| next.address > start.address);
        let changes = |&(address, line): &(u64, u32)| address == start.address || line == open_line;
        if has_code && !lines.peek().is_some_and(changes) {
            located.push(LocatedInstruction { address: start.address, loc: Some(opening) });
        }
    }
    located.extend(lines.map(|(address, line)| LocatedInstruction { address, loc: Some(loc(line)) }));
    (locs, located, entries)
}
