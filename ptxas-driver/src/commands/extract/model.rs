//! What a list shows, as JSON has it (docs/json.md).

use nv_debug_sections::container::nvvm::{Compatibility, Header, Version, debug_compatibility};
use nv_debug_sections::container::{Arch, Compression, DebugInfo, Entry, EntryKind, FileKind, Flags, Place};
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::level::DebugLevel;
use nv_debug_sections::level::found::Found;
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

/// An array whose items are made while it is written, so that no more than one of them is in memory.
pub(super) struct Stream<'a, T>(Cell<Option<Box<dyn Iterator<Item = T> + 'a>>>);

impl<'a, T> Stream<'a, T> {
    pub(super) fn new(items: impl Iterator<Item = T> + 'a) -> Self {
        Self(Cell::new(Some(Box::new(items))))
    }
}

impl<T: Serialize> Serialize for Stream<'_, T> {
    /// Once: a second time there is nothing left.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}

#[derive(Serialize)]
pub(super) struct Document<'a, F: Serialize> {
    pub(super) schema: &'static str,
    pub(super) schema_version: u32,
    pub(super) files: Stream<'a, F>,
}

/// One file.
#[derive(Serialize)]
pub(super) struct File<'a> {
    #[serde(rename = "file")]
    pub(super) name: &'a str,
    pub(super) kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) errors: Option<Stream<'a, String>>,
    /// How many images there are, selected or not.
    pub(super) count: u64,
    pub(super) images: Stream<'a, Image<'a>>,
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

/// A major and a minor number.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeVersion((u16, u16));

impl fmt::Display for CodeVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.0;
        write!(f, "{major}.{minor}")
    }
}

/// A string as it is shown, or null.
#[allow(clippy::ref_option)] // as serde calls it
fn displayed<T: fmt::Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => serializer.collect_str(value),
        None => serializer.serialize_none(),
    }
}

/// One image.
#[derive(Debug, Serialize)]
pub(super) struct Image<'d> {
    pub(super) index: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) member: Option<Arc<str>>,
    pub(super) section: Arc<str>,
    pub(super) offset: u64,
    pub(super) kind: &'static str,
    pub(super) kind_code: u16,
    #[serde(serialize_with = "displayed")]
    pub(super) arch: Option<Arch>,
    #[serde(serialize_with = "displayed")]
    pub(super) code_version: Option<CodeVersion>,
    pub(super) compression: Option<&'static str>,
    pub(super) obfuscated: bool,
    pub(super) stored_size: u64,
    pub(super) size: u64,
    pub(super) host: Option<&'static str>,
    pub(super) flags: u64,
    /// `None` where only a look inside would tell.
    pub(super) debug: Option<&'static str>,
    /// Where the code is, of cubins that were looked into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<&'static str>,
    /// What a cubin without code is.
    #[serde(skip)]
    pub(super) debug_only: Option<String>,
    /// Of NVVM IR that can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ir: Option<Versions>,
    pub(super) name: Option<Cow<'d, str>>,
    pub(super) options: Option<Cow<'d, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl<'d> Image<'d> {
    pub(super) fn new(index: u64, entry: &Entry<'d>) -> Self {
        let is_alone = entry.version == 0;
        let text = |bytes: &'d [u8]| (!bytes.is_empty()).then(|| String::from_utf8_lossy(bytes));
        Self {
            index,
            member: entry.place.member.clone(),
            section: Arc::clone(&entry.place.section),
            offset: entry.place.offset,
            kind: entry.kind.name(),
            kind_code: entry.kind.code(),
            arch: entry.arch,
            code_version: (!is_alone).then_some(CodeVersion(entry.code_version)),
            compression: entry.flags.compression().map(Compression::name),
            obfuscated: entry.flags.has(Flags::OBFUSCATED),
            stored_size: entry.stored().len() as u64,
            size: entry.size(),
            host: (!is_alone).then(|| entry.flags.host()),
            flags: entry.flags.0,
            // PTX and NVVM IR in files of their own say nothing of it.
            debug: (!is_alone || entry.kind == EntryKind::Elf).then(|| debug_name(entry.debug_info())),
            code: None,
            debug_only: None,
            ir: None,
            name: text(entry.name),
            options: text(entry.options.trim_ascii()),
            path: None,
            error: None,
        }
    }

    /// Member and section for people.
    pub(super) fn label(&self) -> String {
        let (member, section) = (self.member.clone(), Arc::clone(&self.section));
        Place { member, section, offset: self.offset }.label()
    }

    /// Whether a list needs [`look_into`](Self::look_into): the entry of a cubin says neither whether it has code nor, unless
    /// that is `-G`, what debug information it has, and no entry has the versions of NVVM IR. A list does not complain of obfuscated entries.
    pub(super) fn needs_look(entry: &Entry<'_>) -> bool {
        match entry.kind {
            EntryKind::Elf => true,
            EntryKind::Nvvm => !entry.flags.has(Flags::OBFUSCATED),
            _ => false,
        }
    }

    /// Whether the entry of a cubin says what debug information it has.
    pub(super) fn says_debug(entry: &Entry<'_>) -> bool {
        entry.flags.compression().is_some() && entry.debug_info() == DebugInfo::Dwarf
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
        cubin.expect_short_names()?;
        self.code = Some(cubin.code_place().word());
        self.debug_only = cubin.debug_only_words();
        match Found::of(&cubin).level {
            DebugLevel::Full => self.debug = Some(debug_name(DebugInfo::Dwarf)),
            DebugLevel::Lines => self.debug = Some(debug_name(DebugInfo::LineInfo)),
            DebugLevel::None => {}
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
