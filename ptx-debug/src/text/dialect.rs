//! How the text looks: as one of the compilers writes it.

/// Whose PTX the text looks like. Bytes are laid out differently, and where the `.loc` of a
/// function stands and what follows line 0 differs; which line a located instruction has does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// As cicc 13.0 and libNVVM write it for `compute_90` and lower.
    Compute90,
    /// As cicc 13.0 and libNVVM write it for `compute_100` and later.
    Compute100,
}

impl Dialect {
    /// How many bytes one `.b8` line has at most.
    pub(super) const fn bytes_in_line(self) -> usize {
        match self {
            Self::Compute90 => 40,
            Self::Compute100 => 1,
        }
    }

    /// What stands at the end of a module: before the `}` of its last section, if it has sections.
    pub(super) const fn end_of_module(self) -> &'static str {
        match self {
            Self::Compute90 => "\n",
            Self::Compute100 => "",
        }
    }
}
