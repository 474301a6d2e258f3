//! A decoded section as a value: what it holds, and what is between its items.

use super::model::{
    Abbreviation, AddressRange, FrameEntry, FunctionFacts, InfoUnit, LineUnit, Located, Location, Lookup,
    NvInfoRecord, RegisterTypes, Registers, SharedVariables, TextLine,
};
use super::span::{Rest, hex};
use super::stream::{Part, Stream};
use nv_debug_sections::Error;
use serde::ser::{Serialize, SerializeSeq, SerializeStruct, Serializer};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// A section, decoded as far as it can be.
#[derive(Debug)]
pub struct Section<'s> {
    /// Its number in the section table.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// `sh_size`, in bytes.
    pub size: u64,
    /// Why its decoder gave up. Its contents are [`Contents::Bytes`] then.
    pub error: Option<Error>,
    /// What it holds.
    pub contents: Contents<'s>,
    /// Which of the bytes between the items of the contents belong to what is shown.
    pub rest: ShownRest,
    /// What the records of `.nv.info` say of each function; empty for other sections.
    pub functions: Vec<FunctionFacts>,
}

/// Which bytes are shown that belong to no item of a section's contents.
#[derive(Debug)]
pub enum ShownRest {
    /// All that the contents have between their items.
    All,
    /// Those that have the byte at this offset, which [`Section::keep`] picks.
    At(u64),
    /// The bytes that [`Section::keep`] picks of [`Contents::Bytes`].
    Bytes(Rest),
    /// None of them: they belong to no function.
    None,
}

impl ShownRest {
    /// Whether bytes between items are among them.
    pub fn shows(&self, rest: &Rest) -> bool {
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
            fields.serialize_field("error", &error.to_string())?;
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

/// The decoded contents of a debug section, by the kind of section.
#[derive(Debug, serde::Serialize)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
pub enum Contents<'s> {
    /// `.debug_line`, `.nv_debug_line_sass`: line tables.
    Lines(Stream<'s, LineUnit<'s>>),
    /// `.nv_debug_ptx_txt`: lines of PTX.
    PtxText(Stream<'s, TextLine<'s>>),
    /// `.debug_str`: strings.
    Strings(Stream<'s, Located<Cow<'s, str>>>),
    /// `.nv_debug_info_reg_sass`: which SASS registers hold PTX registers.
    Registers(Stream<'s, Registers<'s>>),
    /// `.nv_debug_info_reg_type`: the types of those PTX registers.
    RegisterTypes(Stream<'s, RegisterTypes<'s>>),
    /// `.debug_frame`: CIEs and FDEs.
    Frames(Stream<'s, FrameEntry>),
    /// `.debug_abbrev`: abbreviations.
    Abbreviations(Stream<'s, Abbreviation<'s>>),
    /// `.debug_info`: units with their entries.
    Info(Stream<'s, InfoUnit<'s>>),
    /// `.debug_loc`: entries of location lists.
    Locations(Stream<'s, Location>),
    /// `.debug_ranges`: entries of range lists.
    Ranges(Stream<'s, Location>),
    /// `.debug_pubnames`, `.debug_pubtypes`: names of entries.
    Lookup(Stream<'s, Lookup<'s>>),
    /// `.debug_aranges`: address ranges of units.
    Addresses(Stream<'s, AddressRange>),
    /// `.debug_macinfo`: macro operations, in words.
    Macros(Stream<'s, Located<Cow<'s, str>>>),
    /// `.nv.info`, `.nv.info.FUNCTION`: records.
    Attributes(Stream<'s, NvInfoRecord>),
    /// `.nv_debug.shared`: variables in shared memory. The section has no bytes in the file.
    Shared(SharedVariables),
    /// The bytes of a section without a decoder, or whose decoder gave up.
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

/// What a decoder makes of a section.
pub(super) struct Decoded<'s> {
    pub(super) contents: Contents<'s>,
    pub(super) functions: Vec<FunctionFacts>,
}

impl<'s> From<Contents<'s>> for Decoded<'s> {
    fn from(contents: Contents<'s>) -> Self {
        Self { contents, functions: Vec::new() }
    }
}
