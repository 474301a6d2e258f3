//! `.debug_aranges`: the unit of an address (DWARF 2.0.0 §6.1.2 and §7.20), with addresses of 8
//! bytes and no segments.
//!
//! ```
//! use dwarf2_reader::aranges::{Item, items};
//!
//! let mut section = [0; 48];
//! (section[0], section[4], section[10], section[24]) = (44, 2, 8, 0x40);
//! let all: Vec<_> = items(&section, |_| false).collect::<Result<_, _>>()?;
//! let [(_, Item::Set(set)), (_, Item::Padding(_)), range, end] = &all[..] else { panic!() };
//! assert_eq!((set.version, set.info), (2, 0));
//! assert_eq!(*range, (16..32, Item::Range { address: 0, length: 0x40 }));
//! assert_eq!(*end, (32..48, Item::End));
//! # Ok::<(), dwarf2_reader::Error>(())
//! ```

use crate::{Cursor, ErrorKind, Format, Result, Span, pubnames};

/// The name of the section, `.debug_aranges`.
pub const SECTION: &str = ".debug_aranges";

/// An item of `.debug_aranges`: a set's header, an address range, an end or padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Item<'d> {
    /// The header of a set. All items up to the next header belong to the set.
    Set(Set),
    /// Padding: the bytes that align the ranges of a set to 16 bytes from the start of its header,
    /// or zeros between sets.
    Padding(&'d [u8]),
    /// A range of addresses with code of the set's unit.
    Range {
        /// The first address of the range, before relocation.
        address: u64,
        /// The number of bytes in the range.
        length: u64,
    },
    /// Two zeros, which end the set. Address ranges may follow nevertheless: a linker leaves zeros
    /// where it dropped a function.
    End,
}

/// The header of a set of `.debug_aranges`: the address ranges of one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Set {
    /// The DWARF format of the set, 32-bit or 64-bit, which is the width of its offsets.
    pub format: Format,
    /// DWARF version of the set; 2 in all versions up to 5.
    pub version: u16,
    /// Byte offset in `.debug_info` of the unit whose address ranges the set has.
    pub info: u64,
    /// The byte offset in `.debug_aranges` of the first byte after the set.
    pub end: u64,
}

/// Reads the items of a section one after another; see [`items`].
#[derive(Debug, Clone)]
struct Reader<'d> {
    sets: Cursor<'d>,
    /// The current set: where it begins, and what is left of it.
    set: Option<(u64, Cursor<'d>)>,
    is_header_next: bool,
}

/// Iterates over all items of `.debug_aranges`, each with its byte range. Zeros between sets are
/// [`Item::Padding`], and an error is the last item. `is_relocated` says whether the field at a
/// byte offset has a relocation: two zeros with a relocation do not end a set.
pub fn items(
    section: &[u8],
    is_relocated: impl Fn(u64) -> bool,
) -> impl Iterator<Item = Result<(Span, Item<'_>)>> {
    let mut reader = Some(Reader { sets: Cursor::new(SECTION, section), set: None, is_header_next: false });
    core::iter::from_fn(move || {
        let mut state = reader.take()?;
        let item = state.next(&is_relocated).transpose()?;
        reader = item.is_ok().then_some(state);
        Some(item)
    })
}

impl<'d> Reader<'d> {
    fn next(&mut self, is_relocated: &impl Fn(u64) -> bool) -> Result<Option<(Span, Item<'d>)>> {
        if let Some((start, set)) = &mut self.set {
            if self.is_header_next {
                self.is_header_next = false;
                let at = set.offset();
                let header = at - *start;
                let padding = set.take(header.next_multiple_of(16) - header, "padding")?;
                if !padding.is_empty() {
                    return Ok(Some((at..set.offset(), Item::Padding(padding))));
                }
            }
            if !set.is_empty() {
                let at = set.offset();
                let address = set.number(8, "an address")?;
                let length = set.number(8, "a length")?;
                let is_end = (address, length) == (0, 0) && !is_relocated(at);
                let item = if is_end { Item::End } else { Item::Range { address, length } };
                return Ok(Some((at..set.offset(), item)));
            }
            self.set = None;
        }
        if let Some((span, padding)) = pubnames::padding(&mut self.sets) {
            return Ok(Some((span, Item::Padding(padding))));
        }
        if self.sets.is_empty() {
            return Ok(None);
        }
        let start = self.sets.offset();
        let (mut set, format, version, info) = pubnames::set(&mut self.sets)?;
        for (field, expected, word) in [("address_size", 8, "8"), ("segment_size", 0, "0, no segments")] {
            let at = set.offset();
            let found = set.u8(field)?.into();
            if found != expected {
                return Err(set.error_at(at, ErrorKind::Value { field, found, expected: word }));
            }
        }
        let span = start..set.offset();
        let end = self.sets.offset();
        self.set = Some((start, set));
        self.is_header_next = true;
        Ok(Some((span, Item::Set(Set { format, version, info, end }))))
    }
}
