//! The items of decoded sections as values, from which text and JSON are written.

use super::span::Span;
use super::stream::ItemStream;
use dwarf2_writer::line::Params;
use nv_debug_sections::line::UnitProgram;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::rc::Rc;

/// An item of a debug section, with the byte range that it takes in the section.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LocatedText")]
pub struct WithOffset<T> {
    /// The byte range of the item in its section.
    #[serde(flatten)]
    pub at: Span,
    /// The decoded item.
    pub value: T,
}

/// A unit of a line section: its header, and the rows of its sequences.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineUnit<'s> {
    /// The byte range of the unit in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Bytes from its start to its first part. The parts follow one another from there to its end.
    pub header_size: u64,
    /// Number of the unit in its section, from 0.
    pub number: usize,
    /// The numbers of its header.
    pub params: LineParams,
    /// Directories of its header; the first has number 1.
    pub directories: ItemStream<'s, String>,
    /// Files of its header, which rows refer to.
    pub files: ItemStream<'s, LineFile>,
    /// Byte offset in `.debug_str` from which the names of inlined functions count; `None` if the
    /// header has none.
    pub debug_str_base: Option<u32>,
    /// Its rows, one sequence for each stretch of code.
    pub sequences: ItemStream<'s, LineSequence<'s>>,
    /// Its header, for the paths of rows.
    #[serde(skip)]
    pub(super) unit: Rc<UnitProgram<'s>>,
}

impl LineUnit<'_> {
    /// The path of a file, by its 1-based number in the header.
    pub fn path(&self, number: u64) -> Option<String> {
        let table = &self.unit.table;
        let file = table.files.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
        Some(table.path(number).unwrap_or_else(|| String::from_utf8_lossy(&file.name).into_owned()))
    }
}

/// The numbers of a line unit's header, by the names of DWARF 2 (§6.2.4).
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineParams {
    /// The DWARF version of the unit: 2, or 3 from CUDA 13.5 on.
    pub version: u16,
    /// Bytes that operations on the address count in.
    pub minimum_instruction_length: u8,
    /// Whether rows begin statements, as long as no operation says otherwise.
    pub default_is_stmt: bool,
    /// Lines that the lowest special opcode advances by.
    pub line_base: i8,
    /// Number of line advances that special opcodes have.
    pub line_range: u8,
    /// The lowest special opcode.
    pub opcode_base: u8,
}

impl From<Params> for LineParams {
    fn from(params: Params) -> Self {
        let Params {
            version,
            minimum_instruction_length,
            default_is_stmt,
            line_base,
            line_range,
            opcode_base,
        } = params;
        Self { version, minimum_instruction_length, default_is_stmt, line_base, line_range, opcode_base }
    }
}

/// A file of a line unit's header.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineFile {
    /// Its number, from 1, by which rows refer to it.
    pub number: u64,
    /// Its path, with its directory.
    pub path: String,
    /// Time of its last change, in seconds since 1970; 0 if unknown.
    pub mtime: u64,
    /// Its size in bytes; 0 if unknown.
    pub size: u64,
}

/// The rows that a line unit has for one code section.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineSequence<'s> {
    /// The byte range of the sequence in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Bytes from its start to its first part. The parts follow one another from there to its end.
    pub header_size: u64,
    /// The code section and byte offset that its addresses count from, such as `.text.saxpy+0x0`;
    /// `None` where the linker dropped the function.
    pub start: Option<String>,
    /// Address of its end, in bytes from `start`.
    pub end: u64,
    /// Its rows, in file order.
    pub rows: ItemStream<'s, LineRow>,
}

/// A row of a line table.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LineRow {
    /// The byte range of the row's operations in the section.
    #[serde(flatten)]
    pub at: Span,
    /// Number of the row, which `context` of others refers to; `None` for a row that ptxas doubles
    /// and does not count.
    pub number: Option<u32>,
    /// Address in bytes, from the start of its sequence.
    pub address: u64,
    /// Number of its file in the unit's header, from 1; 0 for none.
    pub file: u64,
    /// Line in that file, from 1; 0 for none.
    pub line: u32,
    /// Number of the row of the call site if the code was inlined, else 0.
    pub context: u64,
    /// Column in the line, from 1. Absent where the table gives none; ptxas writes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// `false` where the row does not begin a statement. Absent where it does.
    #[serde(skip_serializing_if = "Clone::clone")]
    pub is_stmt: bool,
    /// Name of the inlined function; `None` where `context` is 0.
    pub callee: Option<String>,
    /// Why `callee` may be wrong. Absent where it is certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callee_doubt: Option<&'static str>,
    /// Whether NVIDIA's opcode 0x92 marks the row as the entry of a function.
    pub entry: bool,
    /// The operations in the bytes of the row that no other member tells, such as a step of the
    /// address alone, in words; of the row that `--offset` asks for all operations. The bytes of a
    /// row are all operations since the row before. Absent where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<WithOffset<String>>,
}

/// A line of a PTX text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TextLine<'s> {
    /// The byte range of the line in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Number of the line, from 1.
    pub line: usize,
    /// The line without its end.
    pub text: Cow<'s, str>,
}

/// The register ranges of a function in `.nv_debug_info_reg_sass`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FunctionRegisters")]
pub struct Registers<'s> {
    /// The byte range of the function's registers in the section.
    #[serde(flatten)]
    pub at: Span,
    /// Bytes from its start to its first part. The parts follow one another from there to its end.
    pub header_size: u64,
    /// Name of the function, as its symbol.
    pub function: String,
    /// Which registers hold which, and over which code.
    pub ranges: ItemStream<'s, Register<'s>>,
}

/// A PTX register in a SASS register over a range of code.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RegisterRange")]
pub struct Register<'s> {
    /// The byte range of the register in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Name of the PTX register, such as `%rd1`.
    pub ptx: Cow<'s, str>,
    /// Which 32-bit word of the PTX register it is: 0 is the lowest; of `.b128` 0, 1, 1, 2.
    pub part: u32,
    /// PTX type of the register, such as `b64`, from `.nv_debug_info_reg_type`; `None` if that does
    /// not say it.
    pub r#type: Option<String>,
    /// Name of the SASS register, such as `R4`.
    pub sass: String,
    /// Start of the range, in bytes from the start of the function.
    pub start: u32,
    /// End of the range, in bytes from the start of the function.
    pub end: u32,
}

/// The types of a function's register ranges in `.nv_debug_info_reg_type`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RegisterTypes<'s> {
    /// The byte range of the function's types in the section.
    #[serde(flatten)]
    pub at: Span,
    /// Name of the function, as its symbol.
    pub function: String,
    /// PTX types, one for each register range of the function.
    pub types: ItemStream<'s, String>,
}

/// A record of `.nv.info` or `.nv.info.FUNCTION`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NvInfoRecord {
    /// The byte range of the record in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Name of the attribute, such as `EIATTR_REGCOUNT`; `EIATTR_0x6d` where it has no name.
    pub attribute: String,
    /// Name of the format of its value, such as `EIFMT_SVAL`.
    pub format: &'static str,
    /// The value in words.
    pub value: String,
}

/// The resources of a function, from the records of `.nv.info` or of `.nv.info.F`. Sizes are in
/// bytes.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct FunctionFacts {
    /// Name of the function, as its symbol.
    pub function: String,
    /// Number of SASS registers that it uses. Absent where no record says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<u32>,
    /// Size of its stack frame. Absent where no record says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_size: Option<u32>,
    /// Stack that it needs with its callees; 4294967295 with recursion. Absent where no record says
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_stack_size: Option<u32>,
    /// Largest stack that it may need with its callees. Absent where no record says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_stack_size: Option<u32>,
    /// Byte offsets of its `EXIT` instructions in its code section. Absent where no record says
    /// them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exits: Vec<u32>,
}

/// The variables of `.nv_debug.shared`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SharedVariables {
    /// Whether the file is linked, so that the variables have addresses.
    pub linked: bool,
    /// Alignment of the section, in bytes.
    pub align: u64,
    /// The variables, in the order of their symbols.
    pub variables: Vec<SharedVariable>,
}

/// A variable of `.nv_debug.shared`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SharedVariable {
    /// Name of its symbol.
    pub name: String,
    /// Byte offset in the shared window. Absent before linking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Alignment in bytes. Absent once the file is linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub align: Option<u64>,
    /// Size in bytes; 0 for an array without a size.
    pub size: u64,
}

/// A CIE or FDE of `.debug_frame`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FrameEntry {
    /// The byte range of the entry in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Bytes from its start to its first part. The parts follow one another from there to its end.
    pub header_size: u64,
    /// Which of the two kinds it is.
    #[schemars(extend("enum" = ["CIE", "FDE"]))]
    pub entry: &'static str,
    /// The fields of its header, in words.
    pub header: String,
    /// The rules in words. A run of registers with the same rule is one of them.
    pub rules: Vec<String>,
    /// Byte offset in the section of each rule, and last where the rules end. They follow one
    /// another.
    pub rule_offsets: Vec<u64>,
}

/// An abbreviation of `.debug_abbrev`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Abbreviation<'s> {
    /// The byte range of the abbreviation in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Its code, by which entries refer to it.
    pub code: u64,
    /// Name of the tag, `DW_TAG_*`, or its number.
    pub tag: Cow<'static, str>,
    /// Whether entries of this abbreviation have children.
    pub children: bool,
    /// Pairs of an attribute and its form, by their names, `DW_AT_*` and `DW_FORM_*`, or by number.
    pub attributes: ItemStream<'s, (Cow<'static, str>, Cow<'static, str>)>,
}

/// A unit of `.debug_info` with its entries.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InfoUnit<'s> {
    /// The byte range of the unit in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Bytes from its start to its first part. The parts follow one another from there to its end.
    pub header_size: u64,
    /// Version of DWARF.
    pub version: u16,
    /// Bytes of an address.
    pub address_size: u8,
    /// Byte offset of its abbreviations in `.debug_abbrev`.
    pub abbrev_offset: u64,
    /// Its entries in file order; their `depth` makes the tree.
    pub entries: ItemStream<'s, Die<'s>>,
}

/// An entry of `.debug_info`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InfoEntry")]
pub struct Die<'s> {
    /// The byte range of the entry in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Number of entries around it; 0 for the unit's own.
    pub depth: usize,
    /// Name of its tag, `DW_TAG_*`, or the number.
    pub tag: Cow<'static, str>,
    /// Its attributes.
    pub attributes: ItemStream<'s, Attribute>,
}

/// An attribute of an entry of `.debug_info`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Attribute {
    /// Its name, `DW_AT_*`, or the number.
    pub name: Cow<'static, str>,
    /// Its value in words: a string in quotes, an entry as `<0x2d>`, an address as a place in a
    /// section.
    pub value: String,
}

/// An entry of a list in `.debug_loc` or `.debug_ranges`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListEntry")]
pub struct Location {
    /// The byte range of the list entry in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Start of the range: a place in a section, or a number where no relocation says more.
    pub start: String,
    /// End of the range, in the same way.
    pub end: String,
    /// The location in words. Absent in `.debug_ranges`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    /// Whether it is the last of its list.
    pub last: bool,
}

/// An entry of `.debug_pubnames` or `.debug_pubtypes`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LookupName")]
pub struct NameLookup<'s> {
    /// The byte range of the name in its section.
    #[serde(flatten)]
    pub at: Span,
    /// The name.
    pub name: Cow<'s, str>,
    /// Byte offset of its entry in `.debug_info`.
    pub die: u64,
}

/// An entry of `.debug_aranges`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AddressRange {
    /// The byte range of the address range in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Byte offset of its unit in `.debug_info`.
    pub unit: u64,
    /// Start of the range: a place in a section, or a number where no relocation says more.
    pub start: String,
    /// Length of the range, in bytes.
    pub length: u64,
}
