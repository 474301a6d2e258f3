//! Decoded sections as values: what the text and the JSON document are written from.

use serde::Serialize;

/// The document of `--json`.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Document<'a> {
    pub(in crate::commands) schema: &'static str,
    pub(in crate::commands) schema_version: u32,
    pub(in crate::commands) file: &'a str,
    pub(in crate::commands) sm: u32,
    pub(in crate::commands) e_type: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) section_table: Option<Vec<Header>>,
    pub(in crate::commands) sections: Vec<Section>,
}

/// A row of the section table.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Header {
    pub(in crate::commands) index: u32,
    pub(in crate::commands) name: String,
    pub(in crate::commands) r#type: String,
    pub(in crate::commands) flags: u64,
    pub(in crate::commands) address: u64,
    pub(in crate::commands) size: u64,
    /// Relocations that apply to it.
    pub(in crate::commands) relocations: usize,
    /// What it holds, of known debug sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) content: Option<&'static str>,
    /// `assembler`, or `ptx` for those that the PTX file has itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) origin: Option<&'static str>,
}

/// One section, decoded.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Section {
    pub(in crate::commands) index: u32,
    pub(in crate::commands) name: String,
    pub(in crate::commands) size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) error: Option<String>,
    pub(in crate::commands) contents: Contents,
    /// Of records: what they say of each function.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::commands) functions: Vec<FunctionFacts>,
}

/// What a section holds.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
pub(in crate::commands) enum Contents {
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
pub(in crate::commands) struct Located<T> {
    pub(in crate::commands) offset: u64,
    pub(in crate::commands) value: T,
}

/// One unit of a line section.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct LineUnit {
    pub(in crate::commands) directories: Vec<String>,
    pub(in crate::commands) files: Vec<LineFile>,
    pub(in crate::commands) debug_str_base: Option<u32>,
    pub(in crate::commands) sequences: Vec<LineSequence>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct LineFile {
    pub(in crate::commands) number: u64,
    pub(in crate::commands) path: String,
    pub(in crate::commands) mtime: u64,
    pub(in crate::commands) size: u64,
}

/// The rows of one code section.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct LineSequence {
    /// The code section and offset it starts at; `None`: nothing says where.
    pub(in crate::commands) start: Option<String>,
    pub(in crate::commands) end: u64,
    pub(in crate::commands) rows: Vec<LineRow>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct LineRow {
    /// What contexts refer to; `None` for a doubled row.
    pub(in crate::commands) number: Option<u32>,
    pub(in crate::commands) address: u64,
    pub(in crate::commands) file: u64,
    pub(in crate::commands) line: u32,
    /// Number of the call site's row, 0 for none.
    pub(in crate::commands) context: u64,
    /// The inlined callee.
    pub(in crate::commands) callee: Option<String>,
    /// Why `callee` may be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) callee_doubt: Option<&'static str>,
    pub(in crate::commands) entry: bool,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct TextLine {
    pub(in crate::commands) line: usize,
    pub(in crate::commands) text: String,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Registers {
    pub(in crate::commands) function: String,
    pub(in crate::commands) ranges: Vec<Register>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Register {
    pub(in crate::commands) ptx: String,
    /// 32-bit word of the PTX register.
    pub(in crate::commands) part: u32,
    /// From `.nv_debug_info_reg_type`.
    pub(in crate::commands) r#type: Option<&'static str>,
    pub(in crate::commands) sass: String,
    pub(in crate::commands) start: u32,
    pub(in crate::commands) end: u32,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct RegisterTypes {
    pub(in crate::commands) function: String,
    pub(in crate::commands) types: Vec<String>,
}

/// A record of `.nv.info`.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct NvInfoRecord {
    /// `EIATTR_*`.
    pub(in crate::commands) attribute: String,
    /// `EIFMT_*`.
    pub(in crate::commands) format: &'static str,
    /// In words.
    pub(in crate::commands) value: String,
}

/// What `.nv.info` says of a function, or `.nv.info.F` of F. Sizes in bytes.
#[derive(Debug, Default, Serialize)]
pub(in crate::commands) struct FunctionFacts {
    pub(in crate::commands) function: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) registers: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) frame_size: Option<u32>,
    /// `u32::MAX` with recursion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) min_stack_size: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) max_stack_size: Option<u32>,
    /// Offsets of the `EXIT` instructions in the function's code section.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::commands) exits: Vec<u32>,
}

/// `.nv_debug.shared`.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct SharedVariables {
    /// Whether addresses have been given.
    pub(in crate::commands) linked: bool,
    pub(in crate::commands) align: u64,
    pub(in crate::commands) variables: Vec<SharedVariable>,
}

/// A variable of it.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct SharedVariable {
    pub(in crate::commands) name: String,
    /// Byte offset in the shared window; absent before linking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) offset: Option<u64>,
    /// Alignment in bytes; absent once linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) align: Option<u64>,
    /// 0 for an array without a size.
    pub(in crate::commands) size: u64,
}

/// A CIE or FDE.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct FrameEntry {
    pub(in crate::commands) entry: &'static str,
    /// The fields of the header, in words.
    pub(in crate::commands) header: String,
    pub(in crate::commands) rules: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Abbreviation {
    pub(in crate::commands) offset: u64,
    pub(in crate::commands) code: u64,
    pub(in crate::commands) tag: String,
    pub(in crate::commands) children: bool,
    /// Attribute and form.
    pub(in crate::commands) attributes: Vec<(String, String)>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct InfoUnit {
    pub(in crate::commands) offset: u64,
    pub(in crate::commands) version: u16,
    pub(in crate::commands) address_size: u8,
    pub(in crate::commands) abbrev_offset: u64,
    /// In file order; `depth` makes the tree.
    pub(in crate::commands) entries: Vec<Die>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Die {
    /// In `.debug_info`.
    pub(in crate::commands) offset: u64,
    pub(in crate::commands) depth: usize,
    pub(in crate::commands) tag: String,
    pub(in crate::commands) attributes: Vec<Attribute>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Attribute {
    pub(in crate::commands) name: String,
    pub(in crate::commands) value: String,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Location {
    pub(in crate::commands) offset: u64,
    pub(in crate::commands) start: String,
    pub(in crate::commands) end: String,
    pub(in crate::commands) expression: String,
    /// Whether a list ends behind it.
    pub(in crate::commands) last: bool,
}

/// An entry of `.debug_pubnames` or `.debug_pubtypes`.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Lookup {
    pub(in crate::commands) name: String,
    /// In `.debug_info`.
    pub(in crate::commands) die: u64,
}
