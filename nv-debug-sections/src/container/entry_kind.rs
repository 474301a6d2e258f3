//! The kind of a fatbin entry.

/// The kind of a fatbin entry. cuobjdump's words are in brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// 1 (`ptx`): text, ended by a NUL.
    Ptx,
    /// 2 (`elf`): a cubin.
    Elf,
    /// 4 (`cubin`): a cubin of the time before ELF.
    OldCubin,
    /// 8 (`nvvm`): NVVM IR for link-time optimisation; see [`nvvm`](super::nvvm).
    Nvvm,
    /// 0x20 (`index`)
    Index,
    /// 0x40 (`relocatable ptx`): text.
    RelocatablePtx,
    /// 0x80 (`tile ir`)
    TileIr,
    /// 0x100 (`contatenated entry`)
    Concatenated,
    /// A number that no tool has a word for.
    Unknown(u16),
}

impl EntryKind {
    /// Returns the kind of entry for its number in a fatbin.
    pub fn from_code(code: u16) -> Self {
        KINDS.iter().find(|(_, number, _)| *number == code).map_or(Self::Unknown(code), |(kind, ..)| *kind)
    }

    /// The number that stands for the kind in a fatbin.
    pub fn code(self) -> u16 {
        match self {
            Self::Unknown(code) => code,
            kind => KINDS.iter().find(|(known, ..)| *known == kind).map_or(0, |(_, code, _)| *code),
        }
    }

    /// The name of the kind of fatbin entry, in one word; `unknown` for a number without a name.
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(known, ..)| *known == self).map_or("unknown", |(.., name)| name)
    }

    /// Whether the payloads of this kind are text.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Ptx | Self::RelocatablePtx)
    }
}

/// Kinds with their numbers and our words for them.
const KINDS: [(EntryKind, u16, &str); 8] = [
    (EntryKind::Ptx, 1, "ptx"),
    (EntryKind::Elf, 2, "cubin"),
    (EntryKind::OldCubin, 4, "old-cubin"),
    (EntryKind::Nvvm, 8, "ltoir"),
    (EntryKind::Index, 0x20, "index"),
    (EntryKind::RelocatablePtx, 0x40, "relocatable-ptx"),
    (EntryKind::TileIr, 0x80, "tile-ir"),
    (EntryKind::Concatenated, 0x100, "concatenated"),
];
