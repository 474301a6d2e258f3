//! `.debug_loc`: location lists, which give an object's location for each range of code (DWARF
//! 2.0.0 §2.4.6 and §7.7.2), with addresses of 8 bytes.
//!
//! As in `.debug_ranges`, two zeros end a list unless one of the fields has a relocation.
//!
//! ```
//! use dwarf2_reader::loc::{Item, items};
//!
//! let mut section = [0; 35];
//! (section[0], section[8], section[16], section[18]) = (0x10, 0x40, 1, 0x53);
//! let all: Vec<_> = items(&section, 0, |_| false).collect::<Result<_, _>>()?;
//! let location = Item::Location { begin: 0x10, end: 0x40, expression: &[0x53] };
//! assert_eq!(all, [(0..19, location), (19..35, Item::End)]);
//! # Ok::<(), dwarf2_reader::Error>(())
//! ```

use crate::{Cursor, Result, Span, cursor, ranges};

/// The name of the section, `.debug_loc`.
pub const SECTION: &str = ".debug_loc";

/// One entry of a location list in `.debug_loc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Item<'d> {
    /// The two zeros that end a location list.
    End,
    /// A base address selection: the base to which later entries of the location list are relative.
    Base(u64),
    /// The location of the variable, as an expression, in a range of code addresses.
    Location {
        /// First address, relative to the base.
        begin: u64,
        /// The first address after the range, relative to the base.
        end: u64,
        /// Operations, which end where the entry ends.
        expression: &'d [u8],
    },
}

/// Iterates over the entries of all location lists of `.debug_loc` that follow a byte offset, each
/// with its byte range. An error is the last item. `is_relocated` says whether the field at a byte
/// offset of the section has a relocation.
pub fn items(
    section: &[u8],
    offset: u64,
    is_relocated: impl Fn(u64) -> bool,
) -> impl Iterator<Item = Result<(Span, Item<'_>)>> {
    cursor::items(Cursor::at(SECTION, section, offset, "a list"), move |cursor| item(cursor, &is_relocated))
}

fn item<'d>(cursor: &mut Cursor<'d>, is_relocated: &impl Fn(u64) -> bool) -> Result<Item<'d>> {
    Ok(match ranges::pair(cursor, is_relocated)? {
        ranges::Item::End => Item::End,
        ranges::Item::Base(base) => Item::Base(base),
        ranges::Item::Range { begin, end } => {
            let length = cursor.u16("the length of an expression")?;
            Item::Location { begin, end, expression: cursor.take(length.into(), "an expression")? }
        }
    })
}
