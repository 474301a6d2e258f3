//! An image as `extract` shows it.

use nv_debug_sections::container::Image;
use schemars::JsonSchema;
use serde::Serialize;

/// An image of a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Image")]
pub(super) struct Listed<'d> {
    #[serde(flatten)]
    pub(super) image: Image<'d>,
    /// The file to which the image was written. Absent without `--output-dir`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    /// Why the image could not be decompressed, read or written. Absent where nothing is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

impl Listed<'_> {
    /// Takes from the payload what the entry does not say.
    pub(super) fn look_into(&mut self, payload: &[u8]) {
        let fault = self.image.add_payload_facts(payload).err();
        self.error = fault.map(|error| format!("in the {}: {error}", self.image.kind));
    }
}
