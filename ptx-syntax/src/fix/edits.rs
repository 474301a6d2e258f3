//! The edits of one repair.

use super::edit::Edit;
use super::fix_selection::FixSelection;
use super::repairs::Repair;
use crate::parser::Parsed;

/// Returns the edits by which one repair changes a parsed module: ascending, disjoint, on character
/// boundaries. They belong together, so a caller must make all or none.
pub fn edits(parsed: &Parsed<'_>, repair: Repair, fixes: &FixSelection) -> Vec<Edit> {
    let mut edits = (repair.info().run)(parsed, fixes);
    edits.sort_by_key(|edit| edit.range);
    // Of two directives without a line end between, as only a broken text has them, the blanks
    // belong to the first.
    let mut at = 0;
    edits.retain_mut(|edit| {
        edit.range.start = edit.range.start.max(at);
        let kept = edit.range.start <= edit.range.end;
        at = at.max(edit.range.end);
        kept
    });
    edits
}
