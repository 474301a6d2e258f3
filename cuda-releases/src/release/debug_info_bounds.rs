//! What ptxas checks of `.debug_info`.

/// The bounds that ptxas checks when it reads `.debug_info` with `-g`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DebugInfoBounds {
    /// None: it reads on past the end, and what it does then depends on what lies there.
    Unchecked,
    /// Values end inside the section. A unit may be longer than that.
    OfValues,
    /// Values end inside their unit, and a unit ends inside the section. It also refuses some sound
    /// entries, over what lies after them.
    OfUnits,
    /// Values end inside their unit, and a unit ends inside the section. Some of the sound entries
    /// are taken.
    OfUnitsAlone,
}
