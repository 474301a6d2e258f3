//! A decoded section as a value: its items, and the bytes between them.

use super::stream::{ItemStream, StreamPart};
use super::unclaimed_bytes::{UnclaimedBytes, hex};
use super::{
    Abbreviation, AddressRange, FrameEntry, FunctionFacts, InfoUnit, LineUnit, Location, NameLookup,
    NvInfoRecord, RegisterTypes, Registers, SharedVariables, TextLine, WithOffset,
};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::ops::ControlFlow;

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
    pub(super) fn rest(&self, visit: &mut dyn FnMut(UnclaimedBytes) -> ControlFlow<()>) -> ControlFlow<()> {
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
