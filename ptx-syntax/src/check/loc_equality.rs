//! When two `.loc` directives count as equal.

use crate::loc::{InlinedAt, LocDirective};

/// A place: file, line, column.
fn loc_key(loc: &LocDirective<'_>) -> (u64, u64, u64) {
    (loc.file, loc.line, loc.column)
}

/// Whether two directives say the same.
pub(crate) fn is_same_loc(a: &LocDirective<'_>, b: &LocDirective<'_>) -> bool {
    loc_key(a) == loc_key(b) && same_call(a, b)
}

/// Whether the code of two directives is that of one call, inlined or not.
pub(super) fn same_call(a: &LocDirective<'_>, b: &LocDirective<'_>) -> bool {
    let call = |at: &InlinedAt<'_>| (at.name_offset, at.file, at.line, at.column);
    match (&a.inlined_at, &b.inlined_at) {
        (Some(a), Some(b)) => a.function_name.text == b.function_name.text && call(a) == call(b),
        (None, None) => true,
        _ => false,
    }
}
