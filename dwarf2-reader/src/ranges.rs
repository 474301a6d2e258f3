//! `.debug_ranges`: lists of code ranges (DWARF 3 §2.17.3), with addresses of 8 bytes.
//!
//! A list ends with two zeros. A field that has a relocation is not a zero, whatever its bytes are;
//! so the reader is told which have one.
//!
//! ```
//! use dwarf2_reader::ranges::{Item, items};
//!
//! let mut section = [0; 32];
//! section[8] = 0x40;
//! let all: Vec<_> = items(&section, 0, |_| false).collect::<Result<_, _>>()?;
//! assert_eq!(all, [(0..16, Item::Range { begin: 0, end: 0x40 }), (16..32, Item::End)]);
//! # Ok::<(), dwarf2_reader::Error>(())
//! ```

use crate::{Cursor, Result, Span, cursor};

/// The name of the section, `.debug_ranges`.
pub const SECTION: &str = ".debug_ranges";

/// Begins a base address selection, in place of a range.
pub(crate) const BASE: u64 = u64::MAX;

/// One entry of a range list in `.debug_ranges`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Item {
    /// The two zeros that end a range list.
    End,
    /// A base address selection: the base to which later entries of the range list are relative.
    Base(u64),
    /// A range of code addresses, relative to the base.
    Range {
        /// First address.
        begin: u64,
        /// The first address after the range.
        end: u64,
    },
}

/// Iterates over the entries of all range lists of `.debug_ranges` that follow a byte offset, each
/// with its byte range. An error is the last item. `is_relocated` says whether the field at a byte
/// offset of the section has a relocation.
pub fn items(
    section: &[u8],
    offset: u64,
    is_relocated: impl Fn(u64) -> bool,
) -> impl Iterator<Item = Result<(Span, Item)>> {
    cursor::items(Cursor::at(SECTION, section, offset, "a list"), move |cursor| pair(cursor, &is_relocated))
}

/// The two addresses at the cursor.
pub(crate) fn pair(cursor: &mut Cursor<'_>, is_relocated: &impl Fn(u64) -> bool) -> Result<Item> {
    let at = cursor.offset();
    let begin = cursor.number(8, "the start of a range")?;
    let end = cursor.number(8, "the end of a range")?;
    Ok(match (begin, end) {
        (0, 0) if !is_relocated(at) && !is_relocated(at + 8) => Item::End,
        (BASE, base) if !is_relocated(at) => Item::Base(base),
        _ => Item::Range { begin, end },
    })
}
