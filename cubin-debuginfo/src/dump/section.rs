//! A debug section with its decoded contents.

use super::FunctionFacts;
use super::contents::Contents;
use super::unclaimed_bytes::{ShownUnclaimed, UnclaimedBytes};
use nv_debug_sections::Error;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::ser::SerializeSeq as _;
use serde::ser::Serializer;
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

/// [`Section::rest`] as it is written: by offset.
pub(super) struct RestOf<'a, 's>(&'a Section<'s>);

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
pub(super) struct SectionMembers<'a, 's> {
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
