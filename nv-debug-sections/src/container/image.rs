//! The description of an image, for people and, with serde, for programs.

use super::ir_versions::IrVersions;
use super::nvvm::Header;
use super::{Compression, ContainerPosition, DebugInfo, Entry, EntryKind, Flags};
use crate::Result;
use crate::arch::Arch;
use crate::cubin::{CodeLocation, Cubin, ReleaseSource};
use crate::level::DebugLevel;
use crate::level::detected::DetectedLevel;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A string as it is shown, or null.
#[allow(clippy::ref_option)] // as serde calls it
fn displayed<T: fmt::Display, S: Serializer>(
    value: &Option<T>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}

/// The description of one image of a file, made from its fatbin entry and, for facts that the entry
/// lacks, from its payload.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Image<'d> {
    /// The number of the image among all images of the file, from 1.
    pub index: u64,
    /// The archive member that has the image. Absent for other files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<Arc<str>>,
    /// The section that has the image; empty for a file that is a fatbin or an image.
    pub section: Arc<str>,
    /// Byte offset in the section of the image's entry.
    pub offset: u64,
    /// The kind of the image.
    #[schemars(extend("enum" = [
        "cubin", "ptx", "ltoir", "old-cubin", "index", "relocatable-ptx", "tile-ir", "concatenated", "unknown"
    ]))]
    pub kind: &'static str,
    /// The number of the image's kind: `ptx` 1, `cubin` 2, `old-cubin` 4, `ltoir` 8, `index` 32,
    /// `relocatable-ptx` 64, `tile-ir` 128, `concatenated` 256.
    pub kind_code: u16,
    /// The architecture that the image is for, such as `sm_90a`, also of PTX and LTO IR; `None` for
    /// a PTX file.
    #[serde(serialize_with = "displayed")]
    #[schemars(with = "Option<String>")]
    pub arch: Option<Arch>,
    /// `EI_ABIVERSION` of the ELF header of a cubin: 7 or 8. Absent for an image that is not a
    /// cubin, and for a compressed cubin that was not decompressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abi_version: Option<u8>,
    /// The toolkit release by whose rules a cubin is read: `13.0`. Absent where `abi_version` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<&'static str>,
    /// How the release is known. Absent where `abi_version` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release_source: Option<ReleaseSource>,
    /// The version of the image's format, major and minor, from its entry in a fatbin; for PTX it
    /// is the `.version`. `None` for a file that is not a fatbin but the image itself.
    pub code_version: Option<String>,
    /// The compression of the payload; `None` where it is not compressed.
    #[schemars(extend("enum" = ["zstd", "lz4", "zlib", "unknown", null]))]
    pub compression: Option<&'static str>,
    /// Whether the image is LTO IR that fatbinary obfuscated, which cannot be extracted.
    pub obfuscated: bool,
    /// The size of the payload in the file, in bytes.
    pub stored_size: u64,
    /// The size of the decompressed payload in bytes; of PTX with its NUL.
    pub size: u64,
    /// The operating system of the host that the image is for; `None` for a file that is an image.
    #[schemars(extend("enum" = ["linux", "mac", "windows", "unknown", null]))]
    pub host: Option<&'static str>,
    /// All flags of the image's entry, as in [formats/fatbins.md](formats/fatbins.md).
    pub flags: u64,
    /// How much debug information the image has: a cubin by its sections (the level that `sections`
    /// finds), another image by its flag and options. `None` for a file of PTX or LTO IR, which has
    /// neither, and for a compressed cubin that was not decompressed, since a listing decompresses
    /// at most 64 MiB of a file.
    pub debug: Option<DebugInfo>,
    /// The location of the machine code. Absent for an image that is not a cubin, and for a cubin
    /// that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<CodeLocation>,
    /// A description of a cubin that has no code, for people; `None` for other images.
    #[serde(skip)]
    pub debug_only: Option<String>,
    /// The versions in the header of LTO IR. Absent for other kinds, and for IR that is obfuscated
    /// or cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ir: Option<IrVersions>,
    /// The identifier of the image: the source file from which it was made; `None` where it has
    /// none.
    pub name: Option<Cow<'d, str>>,
    /// The options with which ptxas or the NVVM compiler has to finish the image; `None` where it
    /// has none.
    pub options: Option<Cow<'d, str>>,
}

impl<'d> Image<'d> {
    /// Creates the description of an image from its entry. `index` is the image's 1-based number
    /// among all images of the file.
    pub fn new(index: u64, entry: &Entry<'d>) -> Self {
        let is_alone = entry.version == 0;
        let text = |bytes: &'d [u8]| (!bytes.is_empty()).then(|| String::from_utf8_lossy(bytes));
        Self {
            index,
            member: entry.position.member.clone(),
            section: Arc::clone(&entry.position.section),
            offset: entry.position.offset,
            kind: entry.kind.name(),
            kind_code: entry.kind.code(),
            arch: entry.arch,
            abi_version: None,
            release: None,
            release_source: None,
            code_version: (!is_alone).then(|| format!("{}.{}", entry.code_version.0, entry.code_version.1)),
            compression: entry.flags.compression().map(Compression::name),
            obfuscated: entry.flags.has(Flags::OBFUSCATED),
            stored_size: entry.stored().len() as u64,
            size: entry.size(),
            host: (!is_alone).then(|| entry.flags.host()),
            flags: entry.flags.0,
            // PTX and NVVM IR in files of their own say nothing of it.
            debug: (!is_alone || entry.kind == EntryKind::Elf).then(|| entry.debug_info()),
            code: None,
            debug_only: None,
            ir: None,
            name: text(entry.name),
            options: text(entry.options.trim_ascii()),
        }
    }

    /// The archive member and the section of the image as linkers write them:
    /// [`ContainerPosition::label`].
    pub fn label(&self) -> String {
        let (member, section) = (self.member.clone(), Arc::clone(&self.section));
        ContainerPosition { member, section, offset: self.offset }.label()
    }

    /// Whether a listing of images must read the payload with
    /// [`add_payload_facts`](Self::add_payload_facts), since the entry lacks facts. The entry of a
    /// cubin tells neither whether the cubin has code nor, except for `-G`, its debug information.
    /// The versions of NVVM IR are only in its payload, which is not read if it is obfuscated.
    pub fn needs_payload(entry: &Entry<'_>) -> bool {
        match entry.kind {
            EntryKind::Elf => true,
            EntryKind::Nvvm => !entry.flags.has(Flags::OBFUSCATED),
            _ => false,
        }
    }

    /// Whether a compressed entry states that its image has full debug information, which is then
    /// known without decompressing the image.
    pub fn claims_debug(entry: &Entry<'_>) -> bool {
        entry.flags.compression().is_some() && entry.debug_info() == DebugInfo::Dwarf
    }

    /// Adds the facts that the entry lacks, from a cubin's sections or from the header of NVVM IR.
    ///
    /// # Errors
    ///
    /// The payload is not what its entry says.
    pub fn add_payload_facts(&mut self, payload: &[u8]) -> Result<()> {
        match EntryKind::from_code(self.kind_code) {
            EntryKind::Elf => self.look_into_cubin(payload),
            EntryKind::Nvvm => Header::decode(payload).map(|header| self.ir = Some(IrVersions::new(&header))),
            _ => Ok(()),
        }
    }

    fn look_into_cubin(&mut self, payload: &[u8]) -> Result<()> {
        let cubin = Cubin::parse(payload)?;
        cubin.check_name_expansion()?;
        self.abi_version = Some(cubin.header.abi_version);
        self.release = Some(cubin.release().name());
        self.release_source = Some(cubin.release_source());
        self.code = Some(cubin.code_location());
        self.debug_only = cubin.debug_only_text();
        match DetectedLevel::of(&cubin).level {
            DebugLevel::Full => self.debug = Some(DebugInfo::Dwarf),
            DebugLevel::Lines => self.debug = Some(DebugInfo::LineInfo),
            DebugLevel::None => {}
        }
        Ok(())
    }
}
