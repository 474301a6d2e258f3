//! Which inlined calls of `.loc` directives the line tables of ptxas drop or merge: the rules of
//! docs/formats/line-tables.md on the directives of one function, in the order of the text.
//!
//! The code may have another order, and another function's code before it: what ptxas makes of that
//! only the cubin shows.

mod line_table_rules;
mod loc_row;
mod loc_table;
mod native_table;
mod rows;
mod table_frame;

pub use line_table_rules::LineTableRules;
pub use loc_row::LocRow;
pub use table_frame::TableFrame;

use crate::limits::MAX_CALL_CHAIN;
use loc_table::LocTable;
use native_table::NativeTable;
use rows::Row;

/// Returns the frames that a line table has for the code of each `.loc` in `code`, in this order,
/// the innermost first.
///
/// `locs` are the `.loc` of one function in the order of the text, `code` the indices of those that
/// instructions follow. `starts_with_code`: the first of `code` begins at the start of the
/// function, as in a `.func`; kernels have code of their own before it. At most 64 frames of a
/// chain are returned.
pub fn table_frames(
    locs: &[LocRow],
    code: &[usize],
    rules: LineTableRules,
    starts_with_code: bool,
) -> Vec<Vec<TableFrame>> {
    // In instructions: code between two directives moves on by one.
    let address = |index: usize| if starts_with_code { index } else { index + 1 } as u64;
    let mut table = LocTable { locs, ..LocTable::default() };
    if let Some(first) = locs.first().filter(|first| first.line != 0) {
        table.emit(0, 0, first);
        table.entry_rows = table.rows.list.len();
    }
    let mut covering: Vec<usize> = Vec::with_capacity(code.len());
    for (index, &loc) in code.iter().enumerate() {
        table.instruction(address(index), loc);
        covering.push(table.rows.list.len());
    }
    let (rows, covering) = match rules {
        LineTableRules::FromLocs => (table.rows.list, covering),
        LineTableRules::FromMercury => {
            let mut native = NativeTable::new(&table.rows.list, table.entry_rows);
            if !starts_with_code {
                native.instruction(0, table.entry_rows);
            }
            let covering = covering.iter().enumerate().map(|(index, &count)| {
                native.instruction(address(index), count);
                native.rows.list.len()
            });
            let covering = covering.collect();
            (native.rows.list, covering)
        }
    };
    covering.into_iter().map(|count| frames(&rows, count)).collect()
}

/// Returns the frames that a `.loc` states, the innermost first.
pub fn loc_frames(locs: &[LocRow], loc: usize) -> Vec<TableFrame> {
    let before = |at: usize| locs.get(at)?.call_site.filter(|site| *site < at);
    let chain = std::iter::successors(Some(loc), |at| before(*at)).filter_map(|at| locs.get(at));
    let frame = |loc: &LocRow| {
        let LocRow { file, line, name, call_site } = *loc;
        TableFrame { callee: call_site.map(|_| name), file, line }
    };
    chain.map(frame).take(MAX_CALL_CHAIN).collect()
}

/// The frames of the last of the first `count` rows.
fn frames(rows: &[Row], count: usize) -> Vec<TableFrame> {
    let caller = |row: &&Row| row.context.checked_sub(1).and_then(|index| rows.get(index));
    let chain = std::iter::successors(count.checked_sub(1).and_then(|index| rows.get(index)), caller);
    let frame = |row: &Row| TableFrame {
        callee: (row.context != 0).then_some(row.name),
        file: row.file,
        line: row.line,
    };
    chain.map(frame).take(MAX_CALL_CHAIN).collect()
}
