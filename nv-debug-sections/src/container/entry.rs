//! One image of a fatbin: its kind, architecture, flags and payload.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::ContainerPosition;
use super::compression::{COMPRESSIONS, Compression};
use super::payload;
use crate::cubin::Cubin;
use crate::limits::MAX_EXPANSION;
use crate::{ErrorKind, Result};

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

/// A GPU architecture as fatbins record it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Arch {
    /// 90 for `sm_90`.
    pub number: u32,
    /// `a` of `sm_90a`, `f` of `sm_103f`.
    pub variant: Option<char>,
}

impl Arch {
    /// Returns the architecture of a cubin: the number in its ELF header, with the suffix letter if
    /// the file tells it ([`Cubin::arch_suffix`]).
    pub fn of(cubin: &Cubin<'_>) -> Self {
        Self { number: cubin.header.sm(), variant: cubin.arch_suffix() }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.number)?;
        self.variant.map_or(Ok(()), |variant| write!(f, "{variant}"))
    }
}

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
    /// Flag: the architecture is specific, the `a` of `sm_90a`.
    pub const ARCH_SPECIFIC: u64 = 0x10_0000;
    /// Flag: the architecture is family-specific, the `f` of `sm_103f`.
    pub const FAMILY_SPECIFIC: u64 = 0x20_0000;
    /// Flag: the cubin has an `.nv.compat` section, as those for sm_100 and later do.
    pub const HAS_COMPAT: u64 = 0x100_0000;

    /// Whether all bits of `mask` are set.
    pub fn has(self, mask: u64) -> bool {
        self.0 & mask == mask
    }

    /// The compression of the payload. If several flags are set, the lowest decides.
    pub fn compression(self) -> Option<Compression> {
        COMPRESSIONS.iter().find(|(flag, ..)| self.has(*flag)).map(|(_, compression, _)| *compression)
    }

    /// The operating system of the host that the entry is for: `linux`, `mac` or `windows`;
    /// otherwise `unknown`.
    pub fn host(self) -> &'static str {
        const HOSTS: [(u64, &str); 3] = [(0x10, "linux"), (0x20, "mac"), (0x40, "windows")];
        HOSTS.iter().find(|(flag, _)| self.has(*flag)).map_or("unknown", |(_, host)| host)
    }

    pub(super) fn variant(self) -> Option<char> {
        let variants = [(Self::ARCH_SPECIFIC, 'a'), (Self::FAMILY_SPECIFIC, 'f')];
        variants.iter().find(|(flag, _)| self.has(*flag)).map(|(_, letter)| *letter)
    }
}

/// The amount of debug information in an image. The numbers are those of NVIDIA's `NvvmDebugInfo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DebugInfo {
    /// None (`NVVM_DEBUG_INFO_NONE`).
    None = 0,
    /// The amount that `-lineinfo` makes (`NVVM_DEBUG_INFO_LINE_INFO`).
    LineInfo = 1,
    /// The amount that `-G` and `-g` make (`NVVM_DEBUG_INFO_DWARF`).
    #[serde(rename = "g")]
    Dwarf = 2,
}

impl DebugInfo {
    /// The amount of debug information as one word: `none`, or the option that makes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::LineInfo => "lineinfo",
            Self::Dwarf => "g",
        }
    }

    /// Returns the amount of debug information for its number; `None` above 2.
    pub fn from_code(code: u32) -> Option<Self> {
        [Self::None, Self::LineInfo, Self::Dwarf].into_iter().find(|level| *level as u32 == code)
    }
}

/// One image of GPU code: an entry of a fatbin, or a file that is itself an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'d> {
    /// The position of the entry's header; for a file that is itself an image, of its first byte.
    pub position: ContainerPosition,
    /// The kind of the image.
    pub kind: EntryKind,
    /// Version of the entry's header: 0x101. cuobjdump takes any.
    pub version: u16,
    /// The version of the payload's format: 1.8 for ELF, the `.version` of PTX, the version of NVVM
    /// IR's container. 0.0 for a file that is itself an image.
    pub code_version: (u16, u16),
    /// The architecture that the image was compiled for; `None` for a PTX file that is itself an
    /// image.
    pub arch: Option<Arch>,
    /// Flags.
    pub flags: Flags,
    /// Identifier: name of the source file, of several with blanks between them; empty without
    /// debug options.
    pub name: &'d [u8],
    /// Options with which ptxas or the NVVM compiler has to finish a PTX or NVVM entry.
    pub options: &'d [u8],
    /// A copy of the cubin's `.nv.compat`, from sm_100 on.
    pub compat: &'d [u8],
    /// For obfuscated NVVM entries the word of [`TAG_WORD`](super::nvvm::TAG_WORD); else 0.
    pub ir_word: u64,
    /// Payload as it lies in the file.
    pub(super) stored: &'d [u8],
    /// Size of the payload if it is compressed, else 0.
    pub(super) uncompressed_size: u64,
}

impl<'d> Entry<'d> {
    /// A file that is one image, such as a cubin.
    pub(super) fn of_file(kind: EntryKind, arch: Option<Arch>, data: &'d [u8]) -> Self {
        Self {
            position: ContainerPosition::start(),
            kind,
            version: 0,
            code_version: (0, 0),
            arch,
            flags: Flags::default(),
            name: &[],
            options: &[],
            compat: &[],
            ir_word: 0,
            stored: data,
            uncompressed_size: 0,
        }
    }

    /// The payload as it lies in the file: compressed, obfuscated, or plain with zero bytes up to a
    /// multiple of 8.
    pub fn stored(&self) -> &'d [u8] {
        self.stored
    }

    /// The size of the payload in bytes, as its header says. For text in a fatbin it includes the
    /// terminating NUL.
    pub fn size(&self) -> u64 {
        if self.flags.compression().is_some() { self.uncompressed_size } else { self.stored.len() as u64 }
    }

    /// The amount of debug information that the entry's flag or options state. The entries of
    /// `-lineinfo` cubins do not state it.
    pub fn debug_info(&self) -> DebugInfo {
        let has = |option: &[u8]| self.options.split(u8::is_ascii_whitespace).any(|word| word == option);
        if self.flags.has(Flags::DEBUG) || has(b"-g") {
            DebugInfo::Dwarf
        } else if [&b"--generate-line-info"[..], b"-generate-line-info", b"-lineinfo"].into_iter().any(has) {
            DebugInfo::LineInfo
        } else {
            DebugInfo::None
        }
    }

    /// Returns the payload: a cubin, PTX text without its terminating NUL, or an NVVM IR container.
    /// It is borrowed unless it is compressed.
    ///
    /// # Errors
    ///
    /// At the entry's header: [`ErrorKind::Expansion`] beyond [`MAX_EXPANSION`],
    /// [`ErrorKind::Value`] beyond [`MAX_PAYLOAD`](super::MAX_PAYLOAD), [`ErrorKind::Damaged`] for
    /// data that do not decompress to the size in the header, [`ErrorKind::UnsupportedEncoding`]
    /// for a compression that is not supported or obfuscated IR.
    pub fn payload(&self) -> Result<Cow<'d, [u8]>> {
        self.payload_within(MAX_EXPANSION)
    }

    /// Checks that the payload's sizes are within the limit of
    /// [`payload_within`](Self::payload_within), without decompressing it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Expansion`] beyond `max_expansion`, [`ErrorKind::Value`] beyond
    /// [`MAX_PAYLOAD`](super::MAX_PAYLOAD).
    pub fn check_size(&self, max_expansion: u64) -> Result<()> {
        if self.flags.compression().is_none() {
            return Ok(());
        }
        payload::check_size(self.stored.len() as u64, self.uncompressed_size, max_expansion)
            .map_err(|kind| self.position.error(self.position.offset, kind))
    }

    /// Returns the payload as [`payload`](Self::payload) does, with a limit other than
    /// [`MAX_EXPANSION`].
    pub fn payload_within(&self, max_expansion: u64) -> Result<Cow<'d, [u8]>> {
        let fail = |kind| self.position.error(self.position.offset, kind);
        if self.flags.has(Flags::OBFUSCATED) {
            return Err(fail(ErrorKind::UnsupportedEncoding("obfuscated by fatbinary")));
        }
        self.check_size(max_expansion)?;
        let payload = match self.flags.compression() {
            None => self.stored.into(),
            Some(method) => {
                payload::decompress(method, self.stored, self.uncompressed_size).map_err(fail)?.into()
            }
        };
        Ok(if self.kind.is_text() { without_nuls(payload) } else { payload })
    }
}

/// Text without the zero bytes at its end.
fn without_nuls(text: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let len = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(..len).unwrap_or(text)),
        Cow::Owned(mut text) => {
            text.truncate(len);
            Cow::Owned(text)
        }
    }
}
