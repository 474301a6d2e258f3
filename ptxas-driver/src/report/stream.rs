//! JSON arrays whose items are computed while they are written.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::iter::Flatten;
use std::option::IntoIter;

/// A JSON array whose items are computed while it is written, so that only one of them is in
/// memory.
pub struct Stream<'a, T>(Cell<Option<Items<'a, T>>>);

type Items<'a, T> = Box<dyn Iterator<Item = T> + 'a>;

impl<'a, T> Stream<'a, T> {
    /// Creates a JSON array whose items an iterator computes.
    pub fn new(items: impl Iterator<Item = T> + 'a) -> Self {
        Self(Cell::new(Some(Box::new(items))))
    }

    /// Returns the iterator over the items of the array. A second call returns an empty iterator.
    pub fn take(&self) -> Flatten<IntoIter<Items<'a, T>>> {
        self.0.take().into_iter().flatten()
    }
}

impl<T> fmt::Debug for Stream<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").finish_non_exhaustive()
    }
}

impl<T: Serialize> Serialize for Stream<'_, T> {
    /// Once, as [`take`](Self::take).
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.take())
    }
}

impl<T: JsonSchema> JsonSchema for Stream<'_, T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<T>::json_schema(generator)
    }
}
