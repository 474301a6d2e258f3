//! The flag bits of a fatbin entry.

use super::compression::{COMPRESSIONS, Compression};
use crate::arch::Suffix;

/// The flag bits of a fatbin entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u64);

impl Flags {
    /// Flag: the entry is for a 64-bit host.
    pub const IS_64_BIT: u64 = 1;
    /// Flag: the code was compiled with `-G`.
    pub const DEBUG: u64 = 2;
    /// Flag: the payload is NVVM IR that fatbinary has obfuscated. cuobjdump cannot read it.
    pub const OBFUSCATED: u64 = 0x1_0000;
    /// Flag: the code is for one architecture only, the `a` of `sm_90a`.
    pub const ARCH_SPECIFIC: u64 = 0x10_0000;
    /// Flag: the code is for an architecture family, the `f` of `sm_103f`.
    pub const FAMILY_SPECIFIC: u64 = 0x20_0000;
    /// Flag: the cubin has an `.nv.compat` section, as those for sm_100 and later do.
    pub const HAS_COMPAT: u64 = 0x100_0000;

    /// Whether all bits of `mask` are set.
    pub fn has(self, mask: u64) -> bool {
        self.0 & mask == mask
    }

    /// The compression of the payload; `None` for a plain payload. If several compression flags are
    /// set, the lowest decides.
    pub fn compression(self) -> Option<Compression> {
        COMPRESSIONS.iter().find(|(flag, ..)| self.has(*flag)).map(|(_, compression, _)| *compression)
    }

    /// Returns the operating system of the host, by the flags of a fatbin entry: `linux`, `mac` or
    /// `windows`; otherwise `unknown`.
    pub fn host(self) -> &'static str {
        const HOSTS: [(u64, &str); 3] = [(0x10, "linux"), (0x20, "mac"), (0x40, "windows")];
        HOSTS.iter().find(|(flag, _)| self.has(*flag)).map_or("unknown", |(_, host)| host)
    }

    /// The suffix of the architecture that the code is for.
    pub(super) fn suffix(self) -> Suffix {
        let suffixes = [(Self::ARCH_SPECIFIC, Suffix::A), (Self::FAMILY_SPECIFIC, Suffix::F)];
        suffixes.iter().find(|(flag, _)| self.has(*flag)).map_or(Suffix::None, |(_, suffix)| *suffix)
    }
}
