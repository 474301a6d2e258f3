//! What a list shows, as JSON has it (docs/json.md).

use crate::commands::read;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::container::nvvm::{Compatibility, Header, Version, debug_compatibility};
use nv_debug_sections::container::{Compression, DebugInfo, Entry, EntryKind, FileKind, Flags};
use nv_debug_sections::cubin::Cubin;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Document {
    pub(super) schema: &'static str,
    pub(super) schema_version: u32,
    pub(super) files: Vec<File>,
}

/// One file.
#[derive(Debug, Default, Serialize)]
pub(super) struct File {
    #[serde(rename = "file")]
    pub(super) name: String,
    pub(super) kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) errors: Vec<String>,
    /// How many images there are, selected or not.
    pub(super) count: u64,
    pub(super) images: Vec<Image>,
}

/// One word for a kind of file.
pub(super) fn kind_name(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Cubin => "cubin",
        FileKind::Fatbin => "fatbin",
        FileKind::Host => "host",
        FileKind::Archive => "archive",
        FileKind::Nvvm => "ltoir",
        FileKind::Ptx => "ptx",
    }
}

/// One image.
#[derive(Debug, Serialize)]
pub(super) struct Image {
    pub(super) index: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) member: Option<String>,
    pub(super) section: String,
    pub(super) offset: u64,
    pub(super) kind: &'static str,
    pub(super) kind_code: u16,
    pub(super) arch: Option<String>,
    pub(super) code_version: Option<String>,
    pub(super) compression: Option<&'static str>,
    pub(super) obfuscated: bool,
    pub(super) stored_size: u64,
    pub(super) size: u64,
    pub(super) host: Option<&'static str>,
    pub(super) flags: u64,
    pub(super) debug: &'static str,
    /// Of NVVM IR that can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ir: Option<Versions>,
    pub(super) name: Option<String>,
    pub(super) options: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    /// Member, section and offset for people.
    #[serde(skip)]
    pub(super) label: String,
}

impl Image {
    pub(super) fn new(index: u64, entry: &Entry<'_>) -> Self {
        let is_alone = entry.version == 0;
        let text = |bytes: &[u8]| (!bytes.is_empty()).then(|| read::text(bytes));
        Self {
            index,
            member: entry.place.member.as_deref().map(str::to_owned),
            section: entry.place.section.to_string(),
            offset: entry.place.offset,
            kind: entry.kind.name(),
            kind_code: entry.kind.code(),
            arch: entry.arch.map(|arch| arch.to_string()),
            code_version: (!is_alone).then(|| format!("{}.{}", entry.code_version.0, entry.code_version.1)),
            compression: entry.flags.compression().map(Compression::name),
            obfuscated: entry.flags.has(Flags::OBFUSCATED),
            stored_size: entry.stored().len() as u64,
            size: entry.size(),
            host: (!is_alone).then(|| entry.flags.host()),
            flags: entry.flags.0,
            debug: debug_name(entry.debug_info()),
            ir: None,
            name: text(entry.name),
            options: text(entry.options.trim_ascii()),
            path: None,
            error: None,
            label: entry.place.label(),
        }
    }

    /// Whether [`look_into`](Self::look_into) finds something in images of this kind.
    pub(super) fn has_inside(entry: &Entry<'_>) -> bool {
        matches!(entry.kind, EntryKind::Elf | EntryKind::Nvvm)
    }

    /// Takes from a cubin's sections, and the header of NVVM IR, what their entry does not say.
    pub(super) fn look_into(&mut self, payload: &[u8]) {
        let looked = match EntryKind::from_code(self.kind_code) {
            EntryKind::Elf => self.look_into_cubin(payload),
            EntryKind::Nvvm => Header::decode(payload).map(|header| self.ir = Some(Versions::new(&header))),
            _ => Ok(()),
        };
        if let Err(error) = looked {
            self.error = Some(format!("in the {}: {error}", self.kind));
        }
    }

    fn look_into_cubin(&mut self, payload: &[u8]) -> nv_debug_sections::Result<()> {
        let cubin = Cubin::parse(payload)?;
        let has = |kind| cubin.iter().any(|(_, name, _)| SectionKind::from_name(name) == Some(kind));
        if has(SectionKind::DebugInfo) {
            self.debug = debug_name(DebugInfo::Dwarf);
        } else if has(SectionKind::DebugLine) {
            self.debug = debug_name(DebugInfo::LineInfo);
        }
        Ok(())
    }
}

fn debug_name(debug: DebugInfo) -> &'static str {
    match debug {
        DebugInfo::None => "none",
        DebugInfo::LineInfo => "lineinfo",
        DebugInfo::Dwarf => "g",
    }
}

/// The versions of NVVM IR.
#[derive(Debug, Serialize)]
pub(super) struct Versions {
    container_version: String,
    ir_version: String,
    debug_version: String,
    llvm_version: String,
    debug_compatible: bool,
    #[serde(skip)]
    pub(super) debug: Version,
}

impl Versions {
    pub(super) fn new(header: &Header<'_>) -> Self {
        Self {
            container_version: header.container_version.to_string(),
            ir_version: header.ir_version.to_string(),
            debug_version: header.debug_version.to_string(),
            llvm_version: header.llvm_version.to_string(),
            debug_compatible: debug_compatibility(Some(header.debug_version)) != Compatibility::Incompatible,
            debug: header.debug_version,
        }
    }

    /// One line for people.
    pub(super) fn words(&self) -> String {
        format!(
            "NVVM IR {}, debug metadata {}, LLVM {}",
            self.ir_version, self.debug_version, self.llvm_version
        )
    }
}
