//! `--offset`: the item of a section that has a byte.

use super::model::{Contents, FrameEntry, Rest, Section, ShownRest, Span};
use super::text::HEX_WIDTH;
use std::borrow::Cow;

/// A byte of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Its name, alone.
    pub(super) section: Vec<String>,
    /// Byte offset in it.
    offset: u64,
}

impl Place {
    /// `SECTION+0x2d`, hexadecimal behind 0x, else decimal.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let place = text.rsplit_once('+').and_then(|(section, offset)| {
            let offset = match offset.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => offset.parse(),
            };
            Some(Self { section: vec![section.to_owned()], offset: offset.ok()? })
        });
        place.ok_or_else(|| "expected a section and an offset, such as .debug_info+0x2d".to_owned())
    }

    /// Byte offset in the section.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Leaves of a section the item that has the byte, inside of what has the item: a row's sequence and unit, an entry's unit. A byte
    /// of their headers leaves these alone.
    ///
    /// # Errors
    ///
    /// The section is shorter, or has no bytes in the file.
    pub(super) fn keep<'s>(&self, mut section: Section<'s>) -> Result<Section<'s>, String> {
        let (name, size, offset) = (&section.name, section.size, self.offset);
        if offset >= size {
            return Err(format!("{name} has {size:#x} bytes, none at {offset:#x}"));
        }
        section.rest = ShownRest::At(offset);
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
                let line = Span { offset: offset - offset % HEX_WIDTH as u64, size: HEX_WIDTH as u64 };
                let shown = bytes.chunks(HEX_WIDTH).nth(offset as usize / HEX_WIDTH).unwrap_or_default();
                let at = Span { size: shown.len() as u64, ..line };
                section.rest = ShownRest::Bytes(Rest { bytes: shown.to_vec(), ..Rest::new(at, "bytes") });
                Contents::Bytes(Cow::Borrowed(&[]))
            }
            Contents::Shared(_) => {
                return Err(format!("{name} has no bytes in the file; --section {name} shows its variables"));
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
