//! Other readers and writers of DWARF, as the tests of `dwarf2-reader` compare with them.

#[path = "../../dwarf2-reader/tests/support/entries.rs"]
pub(crate) mod entries;
#[path = "../../dwarf2-reader/tests/support/expressions.rs"]
pub(crate) mod expressions;
#[path = "../../dwarf2-reader/tests/support/frames.rs"]
pub(crate) mod frames;
#[path = "../../dwarf2-reader/tests/support/lines.rs"]
#[allow(dead_code, reason = "the tests take rows, too")]
pub(crate) mod lines;
#[path = "../../dwarf2-reader/tests/support/lists.rs"]
pub(crate) mod lists;
#[path = "../../dwarf2-reader/tests/support/outcome.rs"]
mod outcome;
#[path = "../../dwarf2-reader/tests/support/written.rs"]
pub(crate) mod written;
