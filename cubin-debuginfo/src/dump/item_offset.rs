//! Lookup of the item of a section that contains a byte.

use super::contents::Contents;
use super::frames::FrameEntry;
use super::section::Section;
use super::span::Span;
use super::unclaimed_bytes::{ShownUnclaimed, UnclaimedBytes};
use crate::address_query::parse_number;
use std::borrow::Cow;
use std::fmt;

/// A byte of a section, as the argument `.debug_info+0x2d` names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemOffset {
    /// The name of the section before the plus sign.
    pub section: String,
    /// The byte offset in the section after the plus sign.
    pub offset: u64,
}

impl ItemOffset {
    /// Parses an argument of the form `SECTION+OFFSET`. The offset is hexadecimal after `0x`,
    /// otherwise decimal. Returns `None` for other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (section, offset) = text.rsplit_once('+')?;
        Some(Self { section: section.to_owned(), offset: parse_number(offset)? })
    }
}

/// Why a section has no item that contains the byte at an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoItem {
    /// The byte offset is past the end of the section.
    PastEnd {
        /// Name of the section.
        section: String,
        /// `sh_size`, in bytes.
        size: u64,
        /// Byte offset that was asked for.
        offset: u64,
    },
    /// The section has no bytes in the file, only a size: it reserves memory for variables.
    NoBytes {
        /// Name of the section.
        section: String,
    },
}

impl fmt::Display for NoItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PastEnd { section, size, offset } => {
                write!(f, "{section} has {size:#x} bytes, none at {offset:#x}")
            }
            Self::NoBytes { section } => write!(f, "{section} has no bytes in the file"),
        }
    }
}

impl std::error::Error for NoItem {}

impl Section<'_> {
    /// Keeps only the item that contains the byte at `offset`, and the items that enclose it: the
    /// sequence and unit of a row, the unit of an entry. If only the unit contains the byte, its
    /// header is kept. [`Contents::Bytes`] are cut into pieces of `piece` bytes.
    ///
    /// # Errors
    ///
    /// The section is shorter, or has no bytes in the file.
    pub fn keep(self, offset: u64, piece: usize) -> Result<Self, NoItem> {
        let (size, mut section) = (self.size, self);
        if offset >= size {
            return Err(NoItem::PastEnd { section: section.name, size, offset });
        }
        section.rest = ShownUnclaimed::At(offset);
        section.contents = match section.contents {
            Contents::Strings(items) => Contents::Strings(items.filter(move |item| item.at.has(offset))),
            Contents::Macros(items) => Contents::Macros(items.filter(move |item| item.at.has(offset))),
            Contents::Abbreviations(items) => {
                Contents::Abbreviations(items.filter(move |item| item.at.has(offset)))
            }
            Contents::Locations(items) => Contents::Locations(items.filter(move |item| item.at.has(offset))),
            Contents::Ranges(items) => Contents::Ranges(items.filter(move |item| item.at.has(offset))),
            Contents::PtxText(items) => Contents::PtxText(items.filter(move |item| item.at.has(offset))),
            Contents::RegisterTypes(items) => {
                Contents::RegisterTypes(items.filter(move |item| item.at.has(offset)))
            }
            Contents::Addresses(items) => Contents::Addresses(items.filter(move |item| item.at.has(offset))),
            Contents::Lookup(items) => Contents::Lookup(items.filter(move |item| item.at.has(offset))),
            Contents::Attributes(items) => {
                Contents::Attributes(items.filter(move |item| item.at.has(offset)))
            }
            Contents::Info(units) => Contents::Info(units.filter_map(move |mut unit| {
                unit.entries = unit.entries.filter(move |entry| entry.at.has(offset));
                unit.at.has(offset).then_some(unit)
            })),
            Contents::Registers(functions) => {
                Contents::Registers(functions.filter_map(move |mut function| {
                    function.ranges = function.ranges.filter(move |range| range.at.has(offset));
                    function.at.has(offset).then_some(function)
                }))
            }
            Contents::Frames(entries) => Contents::Frames(entries.filter_map(move |mut entry| {
                entry.keep_rule(offset);
                entry.at.has(offset).then_some(entry)
            })),
            Contents::Lines(units) => Contents::Lines(units.filter_map(move |mut unit| {
                unit.sequences = unit.sequences.filter_map(move |mut sequence| {
                    sequence.rows = sequence.rows.filter(move |row| row.at.has(offset));
                    sequence.at.has(offset).then_some(sequence)
                });
                unit.at.has(offset).then_some(unit)
            })),
            Contents::Bytes(bytes) => {
                let piece = piece.max(1);
                let shown = bytes.chunks(piece).nth(offset as usize / piece).unwrap_or_default();
                let at = Span { offset: offset - offset % piece as u64, size: shown.len() as u64 };
                section.rest = ShownUnclaimed::Bytes(UnclaimedBytes {
                    bytes: shown.to_vec(),
                    ..UnclaimedBytes::new(at, "bytes")
                });
                Contents::Bytes(Cow::Borrowed(&[]))
            }
            Contents::Shared(_) => {
                return Err(NoItem::NoBytes { section: section.name });
            }
        };
        // What `.nv.info` says of functions is gathered from all records.
        section.functions.clear();
        Ok(section)
    }
}

impl FrameEntry {
    /// Keeps the rule that has the byte, if one has.
    fn keep_rule(&mut self, offset: u64) {
        let rules = std::mem::take(&mut self.rules).into_iter();
        let offsets = std::mem::take(&mut self.rule_offsets);
        let spans = offsets.windows(2).filter_map(|ends| Some(Span::between(*ends.first()?, *ends.last()?)));
        let kept = rules.zip(spans).find(|(_, at)| at.has(offset));
        if let Some((rule, at)) = kept {
            self.rules = vec![rule];
            self.rule_offsets = vec![at.offset, at.end()];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_sections() {
        let place = |text| ItemOffset::parse(text).map(|place| (place.section, place.offset));
        assert_eq!(place(".debug_info+0x2d"), Some((".debug_info".to_owned(), 0x2d)));
        assert_eq!(place(".a+b+7"), Some((".a+b".to_owned(), 7)));
        assert_eq!((place(".debug_info"), place(".debug_info+k")), (None, None));
    }
}
