//! A decoded section as a value: its items, and the bytes between them.

use super::span::{UnclaimedBytes, hex};
use super::stream::{ItemStream, StreamPart};
use super::{
    Abbreviation, AddressRange, FrameEntry, FunctionFacts, InfoUnit, LineUnit, Location, NameLookup,
    NvInfoRecord, RegisterTypes, Registers, SharedVariables, TextLine, WithOffset,
};
use nv_debug_sections::Error;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// A debug section of a cubin with its decoded contents, or with its bytes and the reason why it
/// cannot be decoded.
#[derive(Debug)]
pub struct Section<'s> {
    /// The index of the section in the section table.
    pub index: u32,
    /// The name of the section.
    pub name: String,
    /// The size of the section (`sh_size`), in bytes.
    pub size: u64,
    /// Why the section cannot be decoded. Its contents are [`Contents::Bytes`] then.
    pub error: Option<Error>,
    /// The decoded contents of the section.
    pub contents: Contents<'s>,
    /// Which of the bytes between the items of the section are shown.
    pub rest: ShownUnclaimed,
    /// The resources of each function, from the records of `.nv.info`; empty for other sections.
    pub functions: Vec<FunctionFacts>,
}

/// Which of the bytes between the items of a section to show, such as padding and list ends.
#[derive(Debug)]
pub enum ShownUnclaimed {
    /// All bytes between the items are shown.
    All,
    /// Only the run of bytes between items that contains this byte offset is shown.
    At(u64),
    /// Only these bytes of a section without a decoder are shown: the piece of it that the user
    /// asked for.
    Bytes(UnclaimedBytes),
    /// No bytes between items are shown, since only the items of a function are wanted.
    None,
}

impl ShownUnclaimed {
    /// Whether this run of bytes between the items of a section is to be shown.
    pub fn shows(&self, rest: &UnclaimedBytes) -> bool {
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
    fn each(&self, visit: &mut dyn FnMut(UnclaimedBytes) -> ControlFlow<()>) -> ControlFlow<()> {
        let Self(section) = self;
        if let ShownUnclaimed::None | ShownUnclaimed::Bytes(_) = section.rest {
            return ControlFlow::Continue(());
        }
        section.contents.rest(&mut |rest| {
            if section.rest.shows(&rest) { visit(rest) } else { ControlFlow::Continue(()) }
        })
    }

    fn is_empty(&self) -> bool {
        !matches!(self.0.rest, ShownUnclaimed::Bytes(_))
            && self.each(&mut |_| ControlFlow::Break(())).is_continue()
    }
}

impl Serialize for RestOf<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all = serializer.serialize_seq(None)?;
        if let ShownUnclaimed::Bytes(rest) = &self.0.rest {
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

impl JsonSchema for RestOf<'_, '_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<UnclaimedBytes>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<UnclaimedBytes>::json_schema(generator)
    }
}

/// A section that is decoded.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DecodedSection")]
struct SectionMembers<'a, 's> {
    /// The index of the section in the section table.
    index: u32,
    /// The name of the section.
    name: &'a str,
    /// The size of the section in bytes.
    size: u64,
    /// The fault of the section, or of a section that it refers to, with its offset. `contents` are
    /// then `bytes`. Absent where the section was decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// The decoded contents.
    contents: &'a Contents<'s>,
    /// The bytes that no item is made from, in ascending order. Without `--function` and `--offset`
    /// these and the items together, headers in place of items with parts, are every byte of the
    /// section once. With `--offset` there is what has the byte; of `bytes` there is an entry with
    /// 16 bytes. Absent where there is none.
    #[serde(skip_serializing_if = "RestOf::is_empty")]
    rest: RestOf<'a, 's>,
    /// Beside `attributes`: what its records say of each function. Absent for other sections, and
    /// with `--offset`.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    functions: &'a [FunctionFacts],
}

impl Serialize for Section<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let members = SectionMembers {
            index: self.index,
            name: &self.name,
            size: self.size,
            error: self.error.as_ref().map(ToString::to_string),
            contents: &self.contents,
            rest: RestOf(self),
            functions: &self.functions,
        };
        members.serialize(serializer)
    }
}

impl JsonSchema for Section<'_> {
    fn schema_name() -> Cow<'static, str> {
        SectionMembers::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        SectionMembers::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        SectionMembers::json_schema(generator)
    }
}

/// The contents of a debug section, by the kind of section. Mercury copies (`.nv.merc.debug_line`
/// and so on) have the same kinds.
///
/// All items but those of `shared` and `bytes` have `offset` and `size`: the bytes of the section
/// that they are made from. So have the parts of an item: `sequences`, their `rows`, `ranges`,
/// `entries`. An item with parts has also `header_size`. The parts of a frame are its rules.
///
/// Words (`header`, `rules`, `value`, `expression`) are for people; their wording may change
/// without a new version. Addresses in them are `section+0xoffset`; registers are PTX names (`%f1`)
/// in `.debug_info` and `.debug_loc`, SASS names in `.debug_frame`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
pub enum Contents<'s> {
    /// `.debug_line`, `.nv_debug_line_sass`: line tables.
    Lines(ItemStream<'s, LineUnit<'s>>),
    /// `.nv_debug_ptx_txt*`: lines of PTX.
    PtxText(ItemStream<'s, TextLine<'s>>),
    /// `.debug_str`: strings.
    Strings(ItemStream<'s, WithOffset<Cow<'s, str>>>),
    /// `.nv_debug_info_reg_sass`: which SASS registers hold PTX registers.
    Registers(ItemStream<'s, Registers<'s>>),
    /// `.nv_debug_info_reg_type`: the types of the PTX registers in `.nv_debug_info_reg_sass`.
    RegisterTypes(ItemStream<'s, RegisterTypes<'s>>),
    /// `.debug_frame`: CIEs and FDEs.
    Frames(ItemStream<'s, FrameEntry>),
    /// `.debug_abbrev`: abbreviations.
    Abbreviations(ItemStream<'s, Abbreviation<'s>>),
    /// `.debug_info`: units with their entries.
    Info(ItemStream<'s, InfoUnit<'s>>),
    /// `.debug_loc`: entries of location lists.
    Locations(ItemStream<'s, Location>),
    /// `.debug_ranges`: entries of range lists.
    Ranges(ItemStream<'s, Location>),
    /// `.debug_pubnames`, `.debug_pubtypes`: names of entries.
    Lookup(ItemStream<'s, NameLookup<'s>>),
    /// `.debug_aranges`: address ranges of units.
    Addresses(ItemStream<'s, AddressRange>),
    /// `.debug_macinfo`: macro operations, in words.
    Macros(ItemStream<'s, WithOffset<Cow<'s, str>>>),
    /// `.nv.info`, `.nv.info.FUNCTION`, where `--section` asks for them: records.
    Attributes(ItemStream<'s, NvInfoRecord>),
    /// `.nv_debug.shared`: variables in shared memory. The section has no bytes in the file.
    Shared(SharedVariables),
    /// The bytes of a section without a decoder, or whose decoder gave up, as hexadecimal digits.
    Bytes(
        #[serde(serialize_with = "hex")]
        #[schemars(with = "String")]
        Cow<'s, [u8]>,
    ),
}

impl Contents<'_> {
    /// The bytes between items, by offset.
    fn rest(&self, visit: &mut dyn FnMut(UnclaimedBytes) -> ControlFlow<()>) -> ControlFlow<()> {
        fn of<T>(
            items: &ItemStream<'_, T>,
            visit: &mut dyn FnMut(UnclaimedBytes) -> ControlFlow<()>,
            within: impl Fn(T, &mut dyn FnMut(UnclaimedBytes) -> ControlFlow<()>) -> ControlFlow<()>,
        ) -> ControlFlow<()> {
            items.parts(&mut |part| match part {
                StreamPart::Item(item) => within(item, visit),
                StreamPart::Rest(rest) => visit(rest),
            })
        }
        fn nothing<T>(_: T, _: &mut dyn FnMut(UnclaimedBytes) -> ControlFlow<()>) -> ControlFlow<()> {
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

/// The result of decoding a section.
pub(super) struct Decoded<'s> {
    pub(super) contents: Contents<'s>,
    pub(super) functions: Vec<FunctionFacts>,
}

impl<'s> From<Contents<'s>> for Decoded<'s> {
    fn from(contents: Contents<'s>) -> Self {
        Self { contents, functions: Vec::new() }
    }
}
