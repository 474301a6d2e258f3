//! `--offset`: the item of a section that has a byte.

use super::model::{Contents, Section};

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

    /// Leaves of a section the item that has the byte. Items follow one another, so that is the last one that starts at
    /// the byte or before; of `.debug_info` a unit, without entries where the byte is in its header.
    ///
    /// # Errors
    ///
    /// The section is shorter, or has items whose offsets are not known.
    pub(super) fn keep(&self, section: &mut Section) -> Result<(), String> {
        let (name, size, offset) = (&section.name, section.size, self.offset);
        if offset >= size {
            return Err(format!("{name} has {size:#x} bytes, none at {offset:#x}"));
        }
        match &mut section.contents {
            Contents::Strings(items) | Contents::Macros(items) => {
                keep_last(items, |item| item.offset <= offset);
            }
            Contents::Abbreviations(items) => keep_last(items, |item| item.offset <= offset),
            Contents::Locations(items) => keep_last(items, |item| item.offset <= offset),
            Contents::Info(units) => {
                keep_last(units, |unit| unit.offset <= offset);
                for unit in units {
                    keep_last(&mut unit.entries, |entry| entry.offset <= offset);
                }
            }
            _ => {
                return Err(format!("items of {name} are shown without offsets; --section {name} shows all"));
            }
        }
        Ok(())
    }
}

/// Keeps the last of the first items that start early enough.
fn keep_last<T>(items: &mut Vec<T>, starts: impl Fn(&T) -> bool) {
    let count = items.partition_point(starts);
    items.truncate(count);
    items.drain(..count.saturating_sub(1));
}
