//! The kinds of references in a debug section of PTX, which decide whether it has relocations.
use crate::catalog::SectionKind;

/// The kinds of references (to code, to symbols, to what only the linker knows) in the data of a
/// debug section of PTX. Each is present, absent or not known.
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

    /// Whether the section has references of one kind: to code, to symbols, or such as only the
    /// linker resolves. `None` if it is not known.
    pub fn has(self, reference: ReferenceKind) -> Option<bool> {
        self.0[reference as usize]
    }
}

/// What compilers' sections refer to, where neither the PTX nor a file is at hand.
pub(super) const TYPICAL: [(SectionKind, &[ReferenceKind]); 10] = [
    (SectionKind::DebugStr, &[]),
    (SectionKind::DebugAbbrev, &[]),
    (SectionKind::DebugInfo, &ReferenceKind::ALL),
    (SectionKind::DebugLoc, &[ReferenceKind::Code]),
    (SectionKind::DebugMacinfo, &[]),
    (SectionKind::DebugPubnames, &[ReferenceKind::AtLink]),
    (SectionKind::DebugPubtypes, &[ReferenceKind::AtLink]),
    (SectionKind::DebugAranges, &ReferenceKind::ALL),
    (SectionKind::DebugRanges, &[ReferenceKind::Code, ReferenceKind::Symbol]),
    (SectionKind::NvDebugInfoPtx, &ReferenceKind::ALL),
];

/// Returns the kinds of references that a section of this kind may have in the output of compilers,
/// each as "not known" rather than present. It is for lists that people read: a section of a file
/// may have other references.
pub fn typical_references(kind: SectionKind) -> ReferenceKinds {
    let row = TYPICAL.iter().find(|(of, _)| *of == kind);
    let may_have = |reference| row.is_none_or(|(_, references)| references.contains(&reference));
    ReferenceKinds(ReferenceKind::ALL.map(|reference| if may_have(reference) { None } else { Some(false) }))
}
