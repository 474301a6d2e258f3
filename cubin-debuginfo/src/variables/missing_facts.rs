//! The facts that are missing because a section cannot be read.

use nv_debug_sections::Error;

/// A section that cannot be read, and the facts about variables that are missing for that reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableSection {
    /// The fault of the section, with its byte offset.
    pub error: Error,
    /// The facts about variables that are missing because of the fault.
    pub missing: MissingFacts,
}

/// The facts about variables that are missing because a section cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MissingFacts {
    /// The paths of source files are missing, since `.debug_line` cannot be read:
    /// [`SourcePosition::file`](super::SourcePosition::file) is `None` for all units, or for the
    /// later ones.
    SourceFiles,
    /// The sizes of stack frames are missing, since `.debug_frame` cannot be read:
    /// [`FrameOffset::from_stack_pointer`](super::FrameOffset::from_stack_pointer) is `None`.
    FrameSizes,
    /// The SASS registers of PTX registers are missing, since the register map cannot be read:
    /// locations in PTX registers are [unavailable](super::Unavailable::NoRegisterMap).
    Registers,
}
