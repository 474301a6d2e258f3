//! The numbers of the images in a file, by which people select them.

use super::{Container, Entry, EntryKind};
use crate::Result;
use std::collections::HashMap;

/// An image of a file, with its number among all images and among those of its kind.
#[derive(Debug, Clone)]
pub struct NumberedEntry<'d> {
    /// The number among all images of the file, from 1.
    pub index: u64,
    /// The number among the images of the same kind, from 1. It is used in the names of extracted
    /// files.
    pub number: u64,
    /// The image with this number.
    pub entry: Entry<'d>,
}

impl<'d> Container<'d> {
    /// Iterates over the images of a file with their numbers, by which people select them: the
    /// number among all images, and among those of the same kind.
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

    /// The text `ARCH:NUMBER` that selects only this image when it follows the file name and a
    /// colon: `sm_90:5`.
    pub fn selector_text(&self) -> String {
        format!("{}:{}", self.arch(), self.index)
    }
}
