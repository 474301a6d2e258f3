//! The list as JSON has it (docs/json.md).

use nv_debug_sections::container::Image;
use serde::{Serialize, Serializer};
use std::cell::Cell;

/// An array whose items are made while it is written, so that no more than one of them is in memory.
pub(super) struct Stream<'a, T>(Cell<Option<Box<dyn Iterator<Item = T> + 'a>>>);

impl<'a, T> Stream<'a, T> {
    pub(super) fn new(items: impl Iterator<Item = T> + 'a) -> Self {
        Self(Cell::new(Some(Box::new(items))))
    }
}

impl<T: Serialize> Serialize for Stream<'_, T> {
    /// Once: a second time there is nothing left.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}

/// What the document has.
#[derive(Serialize)]
pub(super) struct Files<'a, F: Serialize> {
    pub(super) files: Stream<'a, F>,
}

/// One file.
#[derive(Serialize)]
pub(super) struct File<'a> {
    #[serde(rename = "file")]
    pub(super) name: &'a str,
    pub(super) kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) errors: Option<Stream<'a, String>>,
    /// How many images there are, selected or not.
    pub(super) count: u64,
    pub(super) images: Stream<'a, Listed<'a>>,
}

/// An image that was looked at or written.
#[derive(Debug, Serialize)]
pub(super) struct Listed<'d> {
    #[serde(flatten)]
    pub(super) image: Image<'d>,
    /// The file that it was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl Listed<'_> {
    /// Takes from the payload what the entry does not say.
    pub(super) fn look_into(&mut self, payload: &[u8]) {
        let fault = self.image.look_into(payload).err();
        self.error = fault.map(|error| format!("in the {}: {error}", self.image.kind));
    }
}
