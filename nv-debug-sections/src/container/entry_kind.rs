//! The kind of a fatbin entry.

/// The kind of a fatbin entry, with its number and cuobjdump's word for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// Kind 1 (cuobjdump: `ptx`): PTX text, ended by a NUL.
    Ptx,
    /// Kind 2 (cuobjdump: `elf`): a cubin.
    Elf,
    /// Kind 4 (cuobjdump: `cubin`): a cubin in the format that preceded ELF.
    OldCubin,
    /// Kind 8 (cuobjdump: `nvvm`): NVVM IR for link-time optimisation; see [`nvvm`](super::nvvm).
    Nvvm,
    /// Kind 0x20 (cuobjdump: `index`). Its contents are not known.
    Index,
    /// Kind 0x40 (cuobjdump: `relocatable ptx`): the payload is text.
    RelocatablePtx,
    /// Kind 0x80 (cuobjdump: `tile ir`). Its contents are not decoded.
    TileIr,
    /// Kind 0x100 (cuobjdump: `contatenated entry`). Its contents are not known.
    Concatenated,
    /// A kind that no known tool has a word for, with its number.
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
