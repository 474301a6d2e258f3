//! Decoded sections as values: what the text and the JSON document are written from.

use serde::Serialize;

/// The document of `--json`.
#[derive(Debug, Serialize)]
pub(super) struct Document<'a> {
    pub(super) schema: &'static str,
    pub(super) schema_version: u32,
    pub(super) file: &'a str,
    pub(super) sm: u32,
    pub(super) e_type: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) section_table: Option<Vec<Header>>,
    pub(super) sections: Vec<Section>,
}

/// A row of the section table.
#[derive(Debug, Serialize)]
pub(super) struct Header {
    pub(super) index: u32,
    pub(super) name: String,
    pub(super) r#type: String,
    pub(super) flags: u64,
    pub(super) address: u64,
    pub(super) size: u64,
    /// Relocations that apply to it.
    pub(super) relocations: usize,
    /// What it holds, of known debug sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<&'static str>,
    /// `assembler`, or `ptx` for those that the PTX file has itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<&'static str>,
}

/// One section, decoded.
#[derive(Debug, Serialize)]
pub(super) struct Section {
    pub(super) index: u32,
    pub(super) name: String,
    pub(super) size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    pub(super) contents: Contents,
    /// Of records: what they say of each function.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) functions: Vec<FunctionFacts>,
}

/// What a section holds.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
pub(super) enum Contents {
    Lines(Vec<LineUnit>),
    PtxText(Vec<TextLine>),
    Strings(Vec<Located<String>>),
    Registers(Vec<Registers>),
    RegisterTypes(Vec<RegisterTypes>),
    Frames(Vec<FrameEntry>),
    Abbreviations(Vec<Abbreviation>),
    Info(Vec<InfoUnit>),
    Locations(Vec<Location>),
    Lookup(Vec<Lookup>),
    Macros(Vec<Located<String>>),
    Attributes(Vec<NvInfoRecord>),
    Shared(SharedVariables),
    #[serde(serialize_with = "hex")]
    Bytes(Vec<u8>),
}

fn hex<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    serializer.serialize_str(&text)
}

/// Something at a byte offset of its section.
#[derive(Debug, Serialize)]
pub(super) struct Located<T> {
    pub(super) offset: u64,
    pub(super) value: T,
}

/// One unit of a line section.
#[derive(Debug, Serialize)]
pub(super) struct LineUnit {
    pub(super) directories: Vec<String>,
    pub(super) files: Vec<LineFile>,
    pub(super) debug_str_base: Option<u32>,
    pub(super) sequences: Vec<LineSequence>,
}

#[derive(Debug, Serialize)]
pub(super) struct LineFile {
    pub(super) number: u64,
    pub(super) path: String,
    pub(super) mtime: u64,
    pub(super) size: u64,
}

/// The rows of one code section.
#[derive(Debug, Serialize)]
pub(super) struct LineSequence {
    /// The code section and offset it starts at; `None`: nothing says where.
    pub(super) start: Option<String>,
    pub(super) end: u64,
    pub(super) rows: Vec<LineRow>,
}

#[derive(Debug, Serialize)]
pub(super) struct LineRow {
    /// What contexts refer to; `None` for a doubled row.
    pub(super) number: Option<u32>,
    pub(super) address: u64,
    pub(super) file: u64,
    pub(super) line: u32,
    /// Number of the call site's row, 0 for none.
    pub(super) context: u64,
    /// The inlined callee.
    pub(super) callee: Option<String>,
    /// Why `callee` may be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) callee_doubt: Option<&'static str>,
    pub(super) entry: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct TextLine {
    pub(super) line: usize,
    pub(super) text: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Registers {
    pub(super) function: String,
    pub(super) ranges: Vec<Register>,
}

#[derive(Debug, Serialize)]
pub(super) struct Register {
    pub(super) ptx: String,
    /// 32-bit word of the PTX register.
    pub(super) part: u32,
    /// From `.nv_debug_info_reg_type`.
    pub(super) r#type: Option<&'static str>,
    pub(super) sass: String,
    pub(super) start: u32,
    pub(super) end: u32,
}

#[derive(Debug, Serialize)]
pub(super) struct RegisterTypes {
    pub(super) function: String,
    pub(super) types: Vec<String>,
}

/// A record of `.nv.info`.
#[derive(Debug, Serialize)]
pub(super) struct NvInfoRecord {
    /// `EIATTR_*`.
    pub(super) attribute: String,
    /// `EIFMT_*`.
    pub(super) format: &'static str,
    /// In words.
    pub(super) value: String,
}

/// What `.nv.info` says of a function, or `.nv.info.F` of F. Sizes in bytes.
#[derive(Debug, Default, Serialize)]
pub(super) struct FunctionFacts {
    pub(super) function: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) registers: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) frame_size: Option<u32>,
    /// `u32::MAX` with recursion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_stack_size: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_stack_size: Option<u32>,
    /// Offsets of the `EXIT` instructions in the function's code section.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) exits: Vec<u32>,
}

/// `.nv_debug.shared`.
#[derive(Debug, Serialize)]
pub(super) struct SharedVariables {
    /// Whether addresses have been given.
    pub(super) linked: bool,
    pub(super) align: u64,
    pub(super) variables: Vec<SharedVariable>,
}

/// A variable of it.
#[derive(Debug, Serialize)]
pub(super) struct SharedVariable {
    pub(super) name: String,
    /// Byte offset in the shared window; absent before linking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) offset: Option<u64>,
    /// Alignment in bytes; absent once linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) align: Option<u64>,
    /// 0 for an array without a size.
    pub(super) size: u64,
}

/// A CIE or FDE.
#[derive(Debug, Serialize)]
pub(super) struct FrameEntry {
    pub(super) entry: &'static str,
    /// The fields of the header, in words.
    pub(super) header: String,
    pub(super) rules: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Abbreviation {
    pub(super) offset: u64,
    pub(super) code: u64,
    pub(super) tag: String,
    pub(super) children: bool,
    /// Attribute and form.
    pub(super) attributes: Vec<(String, String)>,
}

#[derive(Debug, Serialize)]
pub(super) struct InfoUnit {
    pub(super) offset: u64,
    pub(super) version: u16,
    pub(super) address_size: u8,
    pub(super) abbrev_offset: u64,
    /// In file order; `depth` makes the tree.
    pub(super) entries: Vec<Die>,
}

#[derive(Debug, Serialize)]
pub(super) struct Die {
    /// In `.debug_info`.
    pub(super) offset: u64,
    pub(super) depth: usize,
    pub(super) tag: String,
    pub(super) attributes: Vec<Attribute>,
}

#[derive(Debug, Serialize)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Location {
    pub(super) offset: u64,
    pub(super) start: String,
    pub(super) end: String,
    pub(super) expression: String,
    /// Whether a list ends behind it.
    pub(super) last: bool,
}

/// An entry of `.debug_pubnames` or `.debug_pubtypes`.
#[derive(Debug, Serialize)]
pub(super) struct Lookup {
    pub(super) name: String,
    /// In `.debug_info`.
    pub(super) die: u64,
}
