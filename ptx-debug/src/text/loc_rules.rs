//! When a `.loc` is written before an instruction, as one table.
//!
//! The rules are those that libNVVM 13.0.88 shows (`tests/directives.rs`). A `.loc` holds until the
//! next one, so most instructions need none.

use super::Dialect;

/// What is known of an instruction when the rules are asked. The *remembered* location is the last
/// one with a line other than 0 for which a `.loc` was written, in this function; in a function
/// without any location it is that of the functions before.
#[derive(Debug, Clone, Copy)]
pub(super) struct InstructionKind {
    pub(super) location: LocationKind,
    /// Whether it is the first one of a basic block that is not the function's first block.
    pub(super) begins_block: bool,
    /// Whether the `.loc` before it has line 0.
    pub(super) after_line_0: bool,
    /// Whether there is a remembered location.
    pub(super) has_remembered: bool,
}

/// What kind of location an instruction has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LocationKind {
    /// The instruction has no location.
    None,
    /// The instruction has a location of line 0.
    Line0,
    /// The instruction has the remembered location.
    Remembered,
    /// The instruction has another location.
    New,
}

/// What is written before an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LocLines {
    /// Nothing: the `.loc` before it holds on.
    Nothing,
    /// `.loc F 0 C`, without attributes: F and C are file and column of the remembered location.
    Line0,
    /// The remembered location, without attributes.
    WithoutAttributes,
    /// The call sites of the location whose `.loc` is not in the function yet, outermost first,
    /// then the location itself; all but the outermost with attributes.
    Chain,
}

/// The table: what is written before an instruction.
#[allow(clippy::match_same_arms, reason = "one row for each case")]
pub(super) const fn loc_lines(dialect: Dialect, instruction: InstructionKind) -> LocLines {
    let InstructionKind { location, begins_block, after_line_0, has_remembered } = instruction;
    match (location, after_line_0) {
        // An instruction without a location goes on with the line before it, but not over the
        // beginning of a block. Line 0 is not said twice.
        (LocationKind::None, false) if begins_block && has_remembered => LocLines::Line0,
        (LocationKind::None, _) => LocLines::Nothing,
        // A location of line 0 goes on with another line 0: for compute_90 only after a line.
        (LocationKind::Line0, false) => LocLines::Chain,
        (LocationKind::Line0, true) => match dialect {
            Dialect::Compute90 if !has_remembered => LocLines::Chain,
            Dialect::Compute90 | Dialect::Compute100 => LocLines::Nothing,
        },
        // A location is not said twice, unless line 0 came between. Its attributes are lost then.
        (LocationKind::Remembered, false) => LocLines::Nothing,
        (LocationKind::Remembered, true) => LocLines::WithoutAttributes,
        (LocationKind::New, _) => LocLines::Chain,
    }
}
