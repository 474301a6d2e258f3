//! `--offset`: the item of a section that has a byte.

use super::model::{Contents, FrameEntry, Rest, Section, Span};
use super::text::HEX_WIDTH;

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
    pub(super) fn keep(&self, section: &mut Section) -> Result<(), String> {
        let (name, size, offset) = (&section.name, section.size, self.offset);
        if offset >= size {
            return Err(format!("{name} has {size:#x} bytes, none at {offset:#x}"));
        }
        section.rest.retain(|rest| rest.at.has(offset));
        match &mut section.contents {
            Contents::Strings(items) | Contents::Macros(items) => keep(items, offset, |item| item.at),
            Contents::Abbreviations(items) => keep(items, offset, |item| item.at),
            Contents::Locations(items) | Contents::Ranges(items) => keep(items, offset, |item| item.at),
            Contents::PtxText(items) => keep(items, offset, |item| item.at),
            Contents::RegisterTypes(items) => keep(items, offset, |item| item.at),
            Contents::Addresses(items) => keep(items, offset, |item| item.at),
            Contents::Lookup(items) => keep(items, offset, |item| item.at),
            Contents::Attributes(items) => keep(items, offset, |item| item.at),
            Contents::Info(units) => {
                keep(units, offset, |unit| unit.at);
                for unit in units {
                    keep(&mut unit.entries, offset, |entry| entry.at);
                }
            }
            Contents::Registers(functions) => {
                keep(functions, offset, |function| function.at);
                for function in functions {
                    keep(&mut function.ranges, offset, |range| range.at);
                }
            }
            Contents::Frames(entries) => {
                keep(entries, offset, |entry| entry.at);
                for entry in entries {
                    entry.keep_rule(offset);
                }
            }
            Contents::Lines(units) => {
                keep(units, offset, |unit| unit.at);
                for unit in units {
                    keep(&mut unit.sequences, offset, |sequence| sequence.at);
                    for sequence in &mut unit.sequences {
                        keep(&mut sequence.rows, offset, |row| row.at);
                    }
                }
            }
            Contents::Bytes(bytes) => {
                let line = Span { offset: offset - offset % HEX_WIDTH as u64, size: HEX_WIDTH as u64 };
                let shown = bytes.chunks(HEX_WIDTH).nth(offset as usize / HEX_WIDTH).unwrap_or_default();
                let at = Span { size: shown.len() as u64, ..line };
                section.rest.push(Rest { bytes: shown.to_vec(), ..Rest::new(at, "bytes") });
                bytes.clear();
            }
            Contents::Shared(_) => {
                return Err(format!("{name} has no bytes in the file; --section {name} shows its variables"));
            }
        }
        // What `.nv.info` says of functions is gathered from all records.
        section.functions.clear();
        Ok(())
    }
}

/// Keeps the item that has the byte.
fn keep<T>(items: &mut Vec<T>, offset: u64, at: impl Fn(&T) -> Span) {
    items.retain(|item| at(item).has(offset));
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
