//! Decoded sections as values: what the text and the JSON document are written from.

use dwarf2_writer::line::Params;
use serde::Serialize;
use std::borrow::Cow;

/// The document of `--json`.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Document<'a> {
    pub(in crate::commands) schema: &'static str,
    pub(in crate::commands) schema_version: u32,
    pub(in crate::commands) file: &'a str,
    pub(in crate::commands) sm: u32,
    pub(in crate::commands) e_type: u16,
    /// Where the machine code is: `here`, `other-file` or `none`.
    pub(in crate::commands) code: &'static str,
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
    /// By offset: the bytes that belong to no item of `contents`, and those of `contents` of kind `bytes` that `--offset` picks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::commands) rest: Vec<Rest>,
    /// Of records: what they say of each function.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::commands) functions: Vec<FunctionFacts>,
}

/// Where an item stands in its section: in bytes, from the section's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(in crate::commands) struct Span {
    pub(in crate::commands) offset: u64,
    pub(in crate::commands) size: u64,
}

impl From<dwarf2_reader::Span> for Span {
    fn from(span: dwarf2_reader::Span) -> Self {
        Self::between(span.start, span.end)
    }
}

impl Span {
    /// From one offset up to another.
    pub(in crate::commands) fn between(offset: u64, end: u64) -> Self {
        Self { offset, size: end.saturating_sub(offset) }
    }

    /// From `start`, which is moved to `end`, up to that.
    pub(in crate::commands) fn until(start: &mut u64, end: u64) -> Self {
        Self::between(std::mem::replace(start, end), end)
    }

    /// The item of that size at `start`, which is moved behind it.
    pub(in crate::commands) fn next(start: &mut u64, size: u64) -> Self {
        let end = start.saturating_add(size);
        Self::until(start, end)
    }

    pub(in crate::commands) fn end(self) -> u64 {
        self.offset.saturating_add(self.size)
    }

    pub(in crate::commands) fn has(self, offset: u64) -> bool {
        (self.offset..self.end()).contains(&offset)
    }
}

/// Bytes between items: headers of sets, ends of lists, padding.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Rest {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    /// In words.
    pub(in crate::commands) what: Cow<'static, str>,
    /// Where the words do not say them.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "hex")]
    pub(in crate::commands) bytes: Vec<u8>,
}

impl Rest {
    pub(in crate::commands) fn new(at: Span, what: impl Into<Cow<'static, str>>) -> Self {
        Self { at, what: what.into(), bytes: Vec::new() }
    }

    /// Bytes that mean nothing: padding, unless they are no zeros.
    pub(in crate::commands) fn filler(offset: u64, bytes: &[u8]) -> Self {
        let at = Span { offset, size: bytes.len() as u64 };
        if bytes.iter().all(|byte| *byte == 0) {
            return Self::new(at, "padding");
        }
        Self { bytes: bytes.to_vec(), ..Self::new(at, "unknown") }
    }
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
    Ranges(Vec<Location>),
    Lookup(Vec<Lookup>),
    Addresses(Vec<AddressRange>),
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

/// Something at a place of its section.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Located<T> {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) value: T,
}

/// One unit of a line section.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct LineUnit {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    /// Bytes before its first part; the parts follow one another to its end.
    pub(in crate::commands) header_size: u64,
    /// 0-based, in the section.
    pub(in crate::commands) number: usize,
    pub(in crate::commands) params: LineParams,
    pub(in crate::commands) directories: Vec<String>,
    pub(in crate::commands) files: Vec<LineFile>,
    pub(in crate::commands) debug_str_base: Option<u32>,
    pub(in crate::commands) sequences: Vec<LineSequence>,
}

/// The numbers of a unit's header, by DWARF's names.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(in crate::commands) struct LineParams {
    pub(in crate::commands) minimum_instruction_length: u8,
    pub(in crate::commands) default_is_stmt: bool,
    pub(in crate::commands) line_base: i8,
    pub(in crate::commands) line_range: u8,
    pub(in crate::commands) opcode_base: u8,
}

impl From<Params> for LineParams {
    fn from(params: Params) -> Self {
        let Params { minimum_instruction_length, default_is_stmt, line_base, line_range, opcode_base } =
            params;
        Self { minimum_instruction_length, default_is_stmt, line_base, line_range, opcode_base }
    }
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
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    /// Bytes before its first part; the parts follow one another to its end.
    pub(in crate::commands) header_size: u64,
    /// The code section and offset it starts at; `None`: nothing says where.
    pub(in crate::commands) start: Option<String>,
    pub(in crate::commands) end: u64,
    pub(in crate::commands) rows: Vec<LineRow>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct LineRow {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    /// What contexts refer to; `None` for a doubled row.
    pub(in crate::commands) number: Option<u32>,
    pub(in crate::commands) address: u64,
    pub(in crate::commands) file: u64,
    pub(in crate::commands) line: u32,
    /// Number of the call site's row, 0 for none.
    pub(in crate::commands) context: u64,
    /// ptxas writes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) column: Option<u64>,
    #[serde(skip_serializing_if = "Clone::clone")]
    pub(in crate::commands) is_stmt: bool,
    /// The inlined callee.
    pub(in crate::commands) callee: Option<String>,
    /// Why `callee` may be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) callee_doubt: Option<&'static str>,
    pub(in crate::commands) entry: bool,
    /// In the row's bytes, what none of its members tells; with `--offset` everything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::commands) operations: Vec<Located<String>>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct TextLine {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) line: usize,
    pub(in crate::commands) text: String,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Registers {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    /// Bytes before its first part; the parts follow one another to its end.
    pub(in crate::commands) header_size: u64,
    pub(in crate::commands) function: String,
    pub(in crate::commands) ranges: Vec<Register>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Register {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) ptx: String,
    /// 32-bit word of the PTX register.
    pub(in crate::commands) part: u32,
    /// From `.nv_debug_info_reg_type`.
    pub(in crate::commands) r#type: Option<String>,
    pub(in crate::commands) sass: String,
    pub(in crate::commands) start: u32,
    pub(in crate::commands) end: u32,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct RegisterTypes {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) function: String,
    pub(in crate::commands) types: Vec<String>,
}

/// A record of `.nv.info`.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct NvInfoRecord {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
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
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    /// Bytes before its first part; the parts follow one another to its end.
    pub(in crate::commands) header_size: u64,
    pub(in crate::commands) entry: &'static str,
    /// The fields of the header, in words.
    pub(in crate::commands) header: String,
    pub(in crate::commands) rules: Vec<String>,
    /// Of each rule, in the section, and last where the rules end. They follow one another.
    pub(in crate::commands) rule_offsets: Vec<u64>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Abbreviation {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) code: u64,
    pub(in crate::commands) tag: Cow<'static, str>,
    pub(in crate::commands) children: bool,
    /// Attribute and form.
    pub(in crate::commands) attributes: Vec<(Cow<'static, str>, Cow<'static, str>)>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct InfoUnit {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    /// Bytes before its first part; the parts follow one another to its end.
    pub(in crate::commands) header_size: u64,
    pub(in crate::commands) version: u16,
    pub(in crate::commands) address_size: u8,
    pub(in crate::commands) abbrev_offset: u64,
    /// In file order; `depth` makes the tree.
    pub(in crate::commands) entries: Vec<Die>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Die {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) depth: usize,
    pub(in crate::commands) tag: Cow<'static, str>,
    pub(in crate::commands) attributes: Vec<Attribute>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Attribute {
    pub(in crate::commands) name: Cow<'static, str>,
    pub(in crate::commands) value: String,
}

/// An entry of `.debug_loc` or `.debug_ranges`.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Location {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) start: String,
    pub(in crate::commands) end: String,
    /// `None` in `.debug_ranges`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) expression: Option<String>,
    /// Whether a list ends behind it.
    pub(in crate::commands) last: bool,
}

/// An entry of `.debug_pubnames` or `.debug_pubtypes`.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct Lookup {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) name: String,
    /// In `.debug_info`.
    pub(in crate::commands) die: u64,
}

/// An entry of `.debug_aranges`.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct AddressRange {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    /// Offset of the unit in `.debug_info`.
    pub(in crate::commands) unit: u64,
    pub(in crate::commands) start: String,
    pub(in crate::commands) length: u64,
}
