//! One image of a fatbin: its kind, architecture, flags and payload.

use std::borrow::Cow;

use super::payload;
use super::{ContainerPosition, DebugInfo, EntryKind, Flags};
use crate::arch::Arch;
use crate::limits::MAX_EXPANSION;
use crate::{ErrorKind, Result};

/// One image of GPU code: an entry of a fatbin, or a file that is itself an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'d> {
    /// The position of the entry's header; for a file that is itself an image, of its first byte.
    pub position: ContainerPosition,
    /// The kind of the image.
    pub kind: EntryKind,
    /// Version in the entry's header: 0x101. cuobjdump accepts any.
    pub version: u16,
    /// The version of the payload's format: 1.8 for ELF, the `.version` of PTX, the version of NVVM
    /// IR's container. 0.0 for a file that is itself an image.
    pub code_version: (u16, u16),
    /// The architecture that the image was compiled for; `None` for a PTX file that is itself an
    /// image.
    pub arch: Option<Arch>,
    /// The flag bits of the entry's header.
    pub flags: Flags,
    /// The identifier of the entry: the name of its source file, or the names of several files with
    /// blanks between them. It is empty without debug options.
    pub name: &'d [u8],
    /// Options with which ptxas or the NVVM compiler has to finish a PTX or NVVM entry.
    pub options: &'d [u8],
    /// A copy of the cubin's `.nv.compat`, from sm_100 on.
    pub compat: &'d [u8],
    /// A 32-bit number of unknown meaning that fatbinary copies from an NVVM IR container when it
    /// obfuscates it ([`TAG_WORD`](super::nvvm::TAG_WORD)); 0 for all other entries.
    pub ir_word: u64,
    /// The header of the entry with its name and options; empty for a file that is itself an image.
    pub(super) header: &'d [u8],
    /// All bytes for the payload, with the zeros after it.
    pub(super) room: &'d [u8],
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
            header: &[],
            room: data,
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

    /// Returns how much debug information the fatbin entry says it has, by its flag or its options.
    /// An entry with a `-lineinfo` cubin does not say it.
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
        // An image that was replaced by a smaller one is as large in its file as before.
        let taken = self.stored.len().max(self.room.len()) as u64;
        payload::check_size(taken, self.uncompressed_size, max_expansion)
            .map_err(|kind| self.position.error(self.position.offset, kind))
    }

    /// Returns the payload as [`payload`](Self::payload) does, with a limit other than
    /// [`MAX_EXPANSION`].
    pub fn payload_within(&self, max_expansion: u64) -> Result<Cow<'d, [u8]>> {
        let payload = self.decompressed(max_expansion)?;
        Ok(if self.kind.is_text() { without_nuls(payload) } else { payload })
    }

    /// The payload with the NUL of a text.
    pub(super) fn decompressed(&self, max_expansion: u64) -> Result<Cow<'d, [u8]>> {
        let fail = |kind| self.position.error(self.position.offset, kind);
        if self.flags.has(Flags::OBFUSCATED) {
            return Err(fail(ErrorKind::UnsupportedEncoding("obfuscated by fatbinary")));
        }
        self.check_size(max_expansion)?;
        Ok(match self.flags.compression() {
            None => self.stored.into(),
            Some(method) => {
                payload::decompress(method, self.stored, self.uncompressed_size).map_err(fail)?.into()
            }
        })
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
