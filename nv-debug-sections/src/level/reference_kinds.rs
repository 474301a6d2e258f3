//! The kinds of references in a debug section of PTX, which decide whether it has relocations.

/// The kinds of references in the data of a section, as a set. `None` for a kind means that it is
/// not known whether the section has such a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReferenceKinds(pub [Option<bool>; 3]);

/// The kinds of references in debug sections, by the tool that resolves them
/// (docs/formats/relocations.md, what a name in PTX becomes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReferenceKind {
    /// A reference to a code address. Its function is known, below sm_90 also the offset in the
    /// function, which stands in the field (REL, except in `.debug_info`).
    Code,
    /// A reference to the address of a symbol.
    Symbol,
    /// A reference whose value only the linker knows: an offset in another section, the size of a
    /// function that may be dropped, or an undefined name. Whole programs have no relocations of
    /// this kind, and linked files have none left.
    AtLink,
}

impl ReferenceKind {
    /// All kinds of references, in the order of [`ReferenceKinds`].
    pub const ALL: [Self; 3] = [Self::Code, Self::Symbol, Self::AtLink];
}

impl ReferenceKinds {
    /// The empty set of kinds of references.
    pub const NONE: Self = Self([Some(false); 3]);

    /// Creates a set with exactly these kinds of references.
    pub fn of(references: &[ReferenceKind]) -> Self {
        Self(ReferenceKind::ALL.map(|reference| Some(references.contains(&reference))))
    }

    /// Whether the section has a reference of this kind; `None` if that is not known.
    pub fn has(self, reference: ReferenceKind) -> Option<bool> {
        self.0[reference as usize]
    }
}
