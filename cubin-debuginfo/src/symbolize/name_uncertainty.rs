//! Why the name of an inlined function may be wrong.

/// A reason why the name of an inlined function may be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameUncertainty {
    /// No string of `.debug_str` starts at the offset of the name: it is past the last string, or
    /// inside a string while the unit's base may be wrong.
    NoString,
    /// The unit's base in `.debug_str` is not higher than that of an earlier unit. nvlink 13.0.88
    /// joins `.debug_str` sections, but for sm_90 and later leaves every base at 0: the name is
    /// then looked up among those of the first unit. A recovered base is the lowest of several
    /// possible ones.
    UnrelatedBase,
}

impl NameUncertainty {
    /// Describes in words why the name may be wrong.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoString => "no string starts at the name's offset in .debug_str",
            Self::UnrelatedBase => "nvlink left the base of this unit's names unrelocated",
        }
    }
}
