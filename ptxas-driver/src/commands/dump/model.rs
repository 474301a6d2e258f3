//! Decoded sections as values: what the text and the JSON document are written from.

use super::stream::{Part, Stream};
use crate::commands::read::text;
use dwarf2_writer::line::Params;
use nv_debug_sections::line::UnitProgram;
use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::rc::Rc;

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
    pub(in crate::commands) sections: Vec<Section<'a>>,
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
#[derive(Debug)]
pub(in crate::commands) struct Section<'s> {
    pub(in crate::commands) index: u32,
    pub(in crate::commands) name: String,
    pub(in crate::commands) size: u64,
    pub(in crate::commands) error: Option<String>,
    pub(in crate::commands) contents: Contents<'s>,
    pub(in crate::commands) rest: ShownRest,
    /// Of records: what they say of each function.
    pub(in crate::commands) functions: Vec<FunctionFacts>,
}

/// Which bytes are shown that belong to no item of a section's contents.
#[derive(Debug)]
pub(in crate::commands) enum ShownRest {
    /// Those among the items of the contents.
    All,
    /// Of those, the ones that have the byte that `--offset` picks.
    At(u64),
    /// The bytes that `--offset` picks of contents of kind `bytes`.
    Bytes(Rest),
    /// None: they are no function's.
    None,
}

impl ShownRest {
    pub(super) fn shows(&self, rest: &Rest) -> bool {
        match self {
            Self::All => true,
            Self::At(offset) => rest.at.has(*offset),
            Self::Bytes(_) | Self::None => false,
        }
    }
}

/// [`Section::rest`] as it is written: by offset.
struct RestOf<'a, 's>(&'a Section<'s>);

impl RestOf<'_, '_> {
    fn each(&self, visit: &mut dyn FnMut(Rest) -> ControlFlow<()>) -> ControlFlow<()> {
        let Self(section) = self;
        if let ShownRest::None | ShownRest::Bytes(_) = section.rest {
            return ControlFlow::Continue(());
        }
        section.contents.rest(&mut |rest| {
            if section.rest.shows(&rest) { visit(rest) } else { ControlFlow::Continue(()) }
        })
    }

    fn is_empty(&self) -> bool {
        !matches!(self.0.rest, ShownRest::Bytes(_))
            && self.each(&mut |_| ControlFlow::Break(())).is_continue()
    }
}

impl Serialize for RestOf<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all = serializer.serialize_seq(None)?;
        if let ShownRest::Bytes(rest) = &self.0.rest {
            all.serialize_element(rest)?;
        }
        let mut result = Ok(());
        let _ = self.each(&mut |rest| {
            result = all.serialize_element(&rest);
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result?;
        all.end()
    }
}

impl Serialize for Section<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Section", 7)?;
        fields.serialize_field("index", &self.index)?;
        fields.serialize_field("name", &self.name)?;
        fields.serialize_field("size", &self.size)?;
        if let Some(error) = &self.error {
            fields.serialize_field("error", error)?;
        }
        fields.serialize_field("contents", &self.contents)?;
        let rest = RestOf(self);
        if !rest.is_empty() {
            fields.serialize_field("rest", &rest)?;
        }
        if !self.functions.is_empty() {
            fields.serialize_field("functions", &self.functions)?;
        }
        fields.end()
    }
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
pub(in crate::commands) enum Contents<'s> {
    Lines(Stream<'s, LineUnit<'s>>),
    PtxText(Stream<'s, TextLine<'s>>),
    Strings(Stream<'s, Located<Cow<'s, str>>>),
    Registers(Stream<'s, Registers<'s>>),
    RegisterTypes(Stream<'s, RegisterTypes<'s>>),
    Frames(Stream<'s, FrameEntry>),
    Abbreviations(Stream<'s, Abbreviation<'s>>),
    Info(Stream<'s, InfoUnit<'s>>),
    Locations(Stream<'s, Location>),
    Ranges(Stream<'s, Location>),
    Lookup(Stream<'s, Lookup<'s>>),
    Addresses(Stream<'s, AddressRange>),
    Macros(Stream<'s, Located<Cow<'s, str>>>),
    Attributes(Stream<'s, NvInfoRecord>),
    Shared(SharedVariables),
    #[serde(serialize_with = "hex")]
    Bytes(Cow<'s, [u8]>),
}

impl Contents<'_> {
    /// The bytes between items, by offset.
    fn rest(&self, visit: &mut dyn FnMut(Rest) -> ControlFlow<()>) -> ControlFlow<()> {
        fn of<T>(
            items: &Stream<'_, T>,
            visit: &mut dyn FnMut(Rest) -> ControlFlow<()>,
            within: impl Fn(T, &mut dyn FnMut(Rest) -> ControlFlow<()>) -> ControlFlow<()>,
        ) -> ControlFlow<()> {
            items.parts(&mut |part| match part {
                Part::Item(item) => within(item, visit),
                Part::Rest(rest) => visit(rest),
            })
        }
        fn nothing<T>(_: T, _: &mut dyn FnMut(Rest) -> ControlFlow<()>) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        match self {
            Self::Lines(units) => of(units, visit, |unit, visit| {
                of(&unit.sequences, visit, |sequence, visit| of(&sequence.rows, visit, nothing))
            }),
            Self::Info(units) => of(units, visit, |unit, visit| of(&unit.entries, visit, nothing)),
            Self::PtxText(items) => of(items, visit, nothing),
            Self::Strings(items) | Self::Macros(items) => of(items, visit, nothing),
            Self::Registers(items) => of(items, visit, nothing),
            Self::RegisterTypes(items) => of(items, visit, nothing),
            Self::Frames(items) => of(items, visit, nothing),
            Self::Abbreviations(items) => of(items, visit, nothing),
            Self::Locations(items) | Self::Ranges(items) => of(items, visit, nothing),
            Self::Lookup(items) => of(items, visit, nothing),
            Self::Addresses(items) => of(items, visit, nothing),
            Self::Attributes(items) => of(items, visit, nothing),
            Self::Shared(_) | Self::Bytes(_) => ControlFlow::Continue(()),
        }
    }
}

fn hex<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
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
pub(in crate::commands) struct LineUnit<'s> {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    /// Bytes before its first part; the parts follow one another to its end.
    pub(in crate::commands) header_size: u64,
    /// 0-based, in the section.
    pub(in crate::commands) number: usize,
    pub(in crate::commands) params: LineParams,
    pub(in crate::commands) directories: Stream<'s, String>,
    pub(in crate::commands) files: Stream<'s, LineFile>,
    pub(in crate::commands) debug_str_base: Option<u32>,
    pub(in crate::commands) sequences: Stream<'s, LineSequence<'s>>,
    /// Its header, for the paths of rows.
    #[serde(skip)]
    pub(in crate::commands) unit: Rc<UnitProgram<'s>>,
}

impl LineUnit<'_> {
    /// The path of a file by its number, 1-based.
    pub(super) fn path(&self, number: u64) -> Option<String> {
        let table = &self.unit.table;
        let file = table.files.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
        Some(table.path(number).unwrap_or_else(|| text(&file.name)))
    }
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
pub(in crate::commands) struct LineSequence<'s> {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    /// Bytes before its first part; the parts follow one another to its end.
    pub(in crate::commands) header_size: u64,
    /// The code section and offset it starts at; `None`: nothing says where.
    pub(in crate::commands) start: Option<String>,
    pub(in crate::commands) end: u64,
    pub(in crate::commands) rows: Stream<'s, LineRow>,
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
pub(in crate::commands) struct TextLine<'s> {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) line: usize,
    pub(in crate::commands) text: Cow<'s, str>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Registers<'s> {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    /// Bytes before its first part; the parts follow one another to its end.
    pub(in crate::commands) header_size: u64,
    pub(in crate::commands) function: String,
    pub(in crate::commands) ranges: Stream<'s, Register<'s>>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Register<'s> {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) ptx: Cow<'s, str>,
    /// 32-bit word of the PTX register.
    pub(in crate::commands) part: u32,
    /// From `.nv_debug_info_reg_type`.
    pub(in crate::commands) r#type: Option<String>,
    pub(in crate::commands) sass: String,
    pub(in crate::commands) start: u32,
    pub(in crate::commands) end: u32,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct RegisterTypes<'s> {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) function: String,
    pub(in crate::commands) types: Stream<'s, String>,
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
pub(in crate::commands) struct Abbreviation<'s> {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) code: u64,
    pub(in crate::commands) tag: Cow<'static, str>,
    pub(in crate::commands) children: bool,
    /// Attribute and form.
    pub(in crate::commands) attributes: Stream<'s, (Cow<'static, str>, Cow<'static, str>)>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct InfoUnit<'s> {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    /// Bytes before its first part; the parts follow one another to its end.
    pub(in crate::commands) header_size: u64,
    pub(in crate::commands) version: u16,
    pub(in crate::commands) address_size: u8,
    pub(in crate::commands) abbrev_offset: u64,
    /// In file order; `depth` makes the tree.
    pub(in crate::commands) entries: Stream<'s, Die<'s>>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Die<'s> {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) depth: usize,
    pub(in crate::commands) tag: Cow<'static, str>,
    pub(in crate::commands) attributes: Stream<'s, Attribute>,
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
pub(in crate::commands) struct Lookup<'s> {
    #[serde(flatten)]
    pub(in crate::commands) at: Span,
    pub(in crate::commands) name: Cow<'s, str>,
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
