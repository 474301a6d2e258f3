//! Limits on the work, memory and text that a PTX text may demand, since texts may be hostile.
//!
//! What ptxas itself refuses or crashes at is a rule of the language, and stands with the check
//! that models it.

// Parser and printer.

/// The most syntax errors that [`parse`](crate::parse) lists, so that a hostile text cannot demand
/// much memory. One more says that there were others.
pub const MAX_ERRORS: usize = 65_536;

/// The most levels of brackets in the operands of one statement, since the parser calls itself for
/// each. Blocks may nest to any depth.
pub const MAX_NESTING: u32 = 32;

/// Deepest indentation of nested blocks, in tabs; deeper ones are not indented further, so that the
/// output stays linear.
pub(crate) const MAX_INDENT: usize = 8;

// Checks and their messages.

/// The most findings of one rule and severity that a report lists. Further ones are only counted.
pub const MAX_FINDINGS_PER_RULE: usize = 1000;

/// Bytes of a quoted piece that a message has whole. Mangled names and paths are rarely longer.
pub(crate) const MAX_QUOTED_PIECE: usize = 300;

/// Most bytes of a message, to which the end of one piece may come: a dozen pieces of the greatest
/// length.
pub(crate) const MAX_MESSAGE: usize = 4000;

/// Most characters of a run outside ASCII that a message quotes: enough to find it in the text.
pub(crate) const MAX_QUOTED_RUN: usize = 40;

/// Most calls in a chain of inlined functions that are followed, to find names without a label and
/// to compare with a line table: each `.loc` may have a chain as long as the function. Real chains
/// are shorter.
pub(crate) const MAX_CALL_CHAIN: usize = 64;

/// Most frames of a chain of inlined calls that a message shows: the innermost tell it apart.
pub(crate) const MAX_FRAMES_SHOWN: usize = 4;

/// Most characters of an inlined function's name in such a chain. Names of templates are longer
/// than a line of a terminal, and a message has several.
pub(crate) const MAX_CALLEE_CHARS: usize = 60;

// DWARF in PTX.

/// The most faults of `.debug_info` and `.debug_abbrev` that are listed; one more says that there
/// were others. After this number the reader is lost, and later faults follow from the first.
pub(crate) const MAX_FAULTS: usize = 64;

/// Bytes of `.debug_abbrev` that may be read, for each byte of both sections: units may share a
/// table.
pub(crate) const ABBREV_TABLE_BYTES: u64 = 4;

/// Bytes of units that may be read a second time to find where a unit ends whose length is wrong,
/// for each byte of both sections: a unit is tried up to the end of the section.
pub(crate) const UNIT_END_BYTES: u64 = 4;

/// Bytes and values that are read in the way of ptxas, for each byte of `.debug_info`, before the
/// walk counts as endless. Where ptxas calls itself without end its stack is full long before.
pub(crate) const PTXAS_WALK_STEPS: u64 = 512;

/// Most entries that are asked for the name of a function: a definition may refer to a declaration.
/// A longer chain is not a compiler's, and may be a cycle.
pub(crate) const MAX_ORIGINS: usize = 4;

/// Steps to divide code among inlined calls, for each byte of `.debug_info` and of the module. An
/// instruction takes one for each call that it is in, up to four times.
pub(crate) const INLINED_STEPS: u64 = 8;

// Repairs.

/// Most passes over all repairs. Two do, and a third where one repair uncovers work for an earlier
/// one; the bound is for texts made to need more.
pub(crate) const MAX_REPAIR_PASSES: u32 = 64;

/// Most columns of a line that are looked at for a `.loc` like that of a missing call site: each
/// may have as many as the function has `.loc`. Real lines have a few.
pub(crate) const MAX_COLUMNS: usize = 16;
