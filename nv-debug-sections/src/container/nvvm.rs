//! The header of NVVM IR, which link-time optimisation keeps in `.ltoir` files and in fatbin
//! entries.
//!
//! Seeds: the debug version and its rule. `docs/formats/fatbins.md` has every field; observed: nvcc
//! 13.0.88 (written), nvlink 13.0.88 with its libNVVM (which changed fields it takes). What follows
//! the header is obfuscated and not read here.

use std::fmt;

use crate::arch::{Arch, Suffix};
use crate::cursor::Cursor;
use crate::{Error, ErrorKind, Result};

/// The first four bytes of an NVVM IR container, little-endian.
pub const MAGIC: u32 = 0x7f4e_43ed;

/// Bytes before the scalars.
const HEADER_SIZE: u32 = 24;

/// A version of NVVM IR or of its debug metadata: a major and a minor number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Version {
    /// Major version number.
    pub major: u8,
    /// Minor version number.
    pub minor: u8,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The version of the debug metadata that libNVVM 13.0.88 writes, 3.2. IR that states no version is
/// read as this version.
pub const DEBUG_VERSION: Version = Version { major: 3, minor: 2 };

/// Whether a reader of debug metadata version 3.2 can read an IR with another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compatibility {
    /// The reader can read the IR: the major number is 3, and the minor number at most 2.
    Compatible,
    /// The minor number is above 2. According to the documentation a reader warns; libNVVM 13.0.88
    /// rejects the IR.
    NewerMinor,
    /// The reader cannot read the IR: the major number is not 3.
    Incompatible,
}

/// Compares the version of an IR's debug metadata with the reader's version, 3.2. `None` stands for
/// IR that states no version, and is read as 3.2.
pub fn debug_compatibility(version: Option<Version>) -> Compatibility {
    let version = version.unwrap_or(DEBUG_VERSION);
    if version.major != DEBUG_VERSION.major {
        Compatibility::Incompatible
    } else if version.minor > DEBUG_VERSION.minor {
        Compatibility::NewerMinor
    } else {
        Compatibility::Compatible
    }
}

/// A scalar in the header of an NVVM IR container: a 16-bit value with a tag that gives its
/// meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// The number that gives the meaning of the value; 1 is the architecture.
    pub tag: u16,
    /// The 16-bit value of the scalar.
    pub value: u16,
}

/// The [`Scalar::tag`] whose value is ten times the SM number: 900 for sm_90.
pub const TAG_ARCH: u16 = 1;
/// The [`Scalar::tag`] whose value is 2 in all IR for link-time optimisation. Its meaning is
/// unknown.
pub const TAG_LEVEL: u16 = 2;
/// The [`Scalar::tag`] of an architecture-specific image, such as for `sm_90a`; the value is 1.
pub const TAG_ARCH_SPECIFIC: u16 = 32;
/// The [`Scalar::tag`] whose value is the offset, in the bytes after the scalars of an NVVM IR
/// header, of a 32-bit number of unknown meaning. A fatbin repeats the number in the entry's
/// header.
pub const TAG_WORD: u16 = 99;

/// The header of an NVVM IR container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header<'d> {
    /// The version of the container: 1.65 in files of 13.0.88. libNVVM accepts 1.0 to 1.65.
    pub container_version: Version,
    /// The version of the IR: 2.98 in files of 13.0.88. libNVVM accepts 2.0 to 2.98.
    pub ir_version: Version,
    /// The version of the debug metadata: 3.2 in files of 13.0.88; see [`debug_compatibility`].
    /// libNVVM accepts 3.0 to 3.2.
    pub debug_version: Version,
    /// The version of the LLVM that wrote the IR: 7.0, from sm_100 on 20.0. libNVVM accepts any
    /// major number with minor number 0.
    pub llvm_version: Version,
    /// The 16-bit number after the header's size: 1. libNVVM ignores it.
    pub reserved: u16,
    /// The scalars of the header, without the pair of zeros that ends them.
    pub scalars: Vec<Scalar>,
    /// The bytes of the NVVM IR header after its scalars. Some scalars are offsets of strings or
    /// numbers in them.
    pub blobs: &'d [u8],
    /// The IR itself, obfuscated.
    pub body: &'d [u8],
}

impl<'d> Header<'d> {
    /// Reads the NVVM IR header at the start of a file or a payload.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`] and [`ErrorKind::Value`], at the offset of the field. Versions are
    /// not judged.
    pub fn decode(data: &'d [u8]) -> Result<Self> {
        let value = |offset, field, found, expected| {
            Error::new("", offset, ErrorKind::Value { field, found, expected })
        };
        let mut cursor = Cursor::new("", data);
        let magic = cursor.u32("the magic of NVVM IR")?;
        if magic != MAGIC {
            return Err(value(0, "magic", magic.into(), "0x7f4e43ed, NVVM IR"));
        }
        let mut version =
            |what| -> Result<_> { Ok(Version { major: cursor.u8(what)?, minor: cursor.u8(what)? }) };
        let (container_version, ir_version) =
            (version("the container's version")?, version("NvvmIRVersion")?);
        let (debug_version, llvm_version) = (version("NvvmDebugVersion")?, version("the LLVM version")?);
        let size = cursor.u16("the header's size")?;
        if u32::from(size) != HEADER_SIZE {
            return Err(value(12, "header size", size.into(), "24"));
        }
        let reserved = cursor.u16("the NVVM header")?;
        let scalars_end = cursor.u32("the end of the scalars")?;
        let blobs_end = cursor.u32("the end of the blobs")?;
        let room = |end: u32, start: u32| end.checked_sub(start).map(u64::from);
        let scalars_size = room(scalars_end, HEADER_SIZE).filter(|size| size.is_multiple_of(4) && *size != 0);
        let scalars_size = scalars_size.ok_or_else(|| {
            value(16, "end of the scalars", scalars_end.into(), "24 and whole scalars, one at least")
        })?;
        let blobs_size = room(blobs_end, scalars_end).ok_or_else(|| {
            value(20, "end of the blobs", blobs_end.into(), "no less than that of the scalars")
        })?;
        let mut pairs = cursor.split(scalars_size, "the scalars")?;
        let blobs = cursor.take(blobs_size, "the blobs")?;
        let mut scalars = Vec::new();
        while !pairs.is_empty() {
            scalars.push(Scalar { tag: pairs.u16("a scalar's tag")?, value: pairs.u16("a scalar")? });
        }
        if let Some(last) = scalars.pop().filter(|last| *last != Scalar { tag: 0, value: 0 }) {
            let found = u64::from(last.tag) | u64::from(last.value) << 16;
            return Err(value(u64::from(scalars_end) - 4, "last scalar", found, "0, the end of the scalars"));
        }
        let body = cursor.rest();
        Ok(Self {
            container_version,
            ir_version,
            debug_version,
            llvm_version,
            reserved,
            scalars,
            blobs,
            body,
        })
    }

    /// Writes the header, the blobs and the body; [`decode`](Self::decode) reads them back.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::DoesNotFit`] where scalars or blobs are larger than 32 bits count.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let offset = |value: usize, field| {
            let what = "offset";
            u32::try_from(value)
                .map_err(|_| Error::new("", 16, ErrorKind::DoesNotFit { what, value: value as u64, field }))
        };
        let scalars_end = HEADER_SIZE as usize + (self.scalars.len() + 1) * 4;
        let mut out = MAGIC.to_le_bytes().to_vec();
        for version in [self.container_version, self.ir_version, self.debug_version, self.llvm_version] {
            out.extend([version.major, version.minor]);
        }
        out.extend((HEADER_SIZE as u16).to_le_bytes());
        out.extend(self.reserved.to_le_bytes());
        out.extend(offset(scalars_end, "the end of the scalars")?.to_le_bytes());
        out.extend(offset(scalars_end + self.blobs.len(), "the end of the blobs")?.to_le_bytes());
        for scalar in self.scalars.iter().chain([&Scalar { tag: 0, value: 0 }]) {
            out.extend(scalar.tag.to_le_bytes());
            out.extend(scalar.value.to_le_bytes());
        }
        out.extend(self.blobs);
        out.extend(self.body);
        Ok(out)
    }

    /// Returns the value of the first scalar (a number with a tag) of the NVVM IR header that has
    /// this tag.
    pub fn scalar(&self, tag: u16) -> Option<u16> {
        self.scalars.iter().find(|scalar| scalar.tag == tag).map(|scalar| scalar.value)
    }

    /// The architecture that the IR was compiled for. A suffix `f` is not recorded.
    pub fn arch(&self) -> Option<Arch> {
        let is_specific = self.scalar(TAG_ARCH_SPECIFIC).is_some_and(|value| value != 0);
        let suffix = if is_specific { Suffix::A } else { Suffix::None };
        Some(Arch { number: u32::from(self.scalar(TAG_ARCH)?) / 10, suffix })
    }
}
