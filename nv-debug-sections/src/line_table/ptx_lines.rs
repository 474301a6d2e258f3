//! `.nv_debug_line_sass`: the same rules, with PTX lines for source lines.

use super::{FunctionStart, Loc, LocId, Located};

/// PTX lines as locations in `file`, without inlining.
///
/// `lines` are `(byte offset, 1-based PTX line)` in address order, one for each change of line. Each function opens at the line of its
/// `{`; helpers without PTX do not. Returns what [`locations`](super::locations) takes.
pub fn ptx_lines(
    file: u32,
    lines: &[(u64, u32)],
    starts: &[FunctionStart],
) -> (Vec<Loc>, Vec<Located>, Vec<FunctionStart>) {
    let mut locs = Vec::with_capacity(lines.len() + starts.len());
    let mut loc = |line| {
        locs.push(Loc { file, line, name: 0, parent: None });
        Some(LocId(locs.len() as u32 - 1))
    };
    let starts = starts
        .iter()
        .map(|start| FunctionStart { first_loc: if start.ptx_line == 0 { None } else { loc(start.ptx_line) }, ..*start })
        .collect();
    let located = lines.iter().map(|&(address, line)| Located { address, loc: loc(line) }).collect();
    (locs, located, starts)
}
