//! The numbers of the images in a file, by which people select them.

use super::{Container, Entry, EntryKind};
use crate::Result;
use std::collections::HashMap;

/// An image with its 1-based numbers in the file.
#[derive(Debug, Clone)]
pub struct NumberedEntry<'d> {
    /// Among all of the file.
    pub index: u64,
    /// Among those of its kind, which the names of files have.
    pub number: u64,
    /// The image.
    pub entry: Entry<'d>,
}

impl<'d> Container<'d> {
    /// Iterates over the images of [`entries`](Self::entries), each with its numbers.
    pub fn numbered_entries(&self) -> impl Iterator<Item = Result<NumberedEntry<'d>>> + use<'d> {
        let mut count = 0;
        let mut of_kind: HashMap<EntryKind, u64> = HashMap::new();
        self.entries().map(move |entry| {
            let entry = entry?;
            let number = of_kind.entry(entry.kind).or_default();
            (count, *number) = (count + 1, *number + 1);
            Ok(NumberedEntry { index: count, number: *number, entry })
        })
    }
}

impl NumberedEntry<'_> {
    /// Its architecture as text, empty where it has none.
    pub(super) fn arch(&self) -> String {
        self.entry.arch.map(|arch| arch.to_string()).unwrap_or_default()
    }

    /// The text that selects this image alone when it follows the file name and a colon: `sm_90:5`.
    pub fn selector_text(&self) -> String {
        format!("{}:{}", self.arch(), self.index)
    }
}
