//! The chain of inlined calls that contain an address, as an answer.

use super::LineLookup;
use super::named_frame::{FrameMembers, NamedFrame};
use crate::symbolize::ResolvedAddress;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// The chain of inlined calls that contain an address, innermost first. Each iteration reads it
/// again.
#[derive(Debug)]
pub struct CallChain<'a, 's> {
    pub(super) lookup: &'a LineLookup<'s>,
    pub(super) place: ResolvedAddress<'s>,
    pub(super) limit: usize,
}

impl<'s> CallChain<'_, 's> {
    /// Whether the call chain has no frame, because `.debug_line` does not cover the address.
    pub fn is_empty(&self) -> bool {
        self.place.depth() == 0
    }

    /// Iterates over the frames of the call chain, innermost first.
    pub fn iter(&self) -> impl Iterator<Item = NamedFrame<'s>> {
        self.lookup.frames(&self.place).take(self.limit)
    }
}

impl Serialize for CallChain<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl JsonSchema for CallChain<'_, '_> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<FrameMembers<'_>>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<FrameMembers<'_>>::json_schema(generator)
    }
}
