//! `.debug_loc`: location lists, which give an object's location for each range of code (DWARF
//! 2.0.0 §2.4.6 and §7.7.2).
//!
//! ```
//! use dwarf2_writer::loc::{Location, LocationTable};
//! use dwarf2_writer::{Address, Expression, Operation};
//!
//! let mut table = LocationTable::new();
//! let location = Expression::new(&[Operation::Reg(3)])?;
//! let (begin, end) = (Address::Constant(0x10), Address::Constant(0x40));
//! assert_eq!(table.list(&[Location::Range { begin, end, location }])?, 0);
//! let section = table.finish();
//! assert_eq!(section.bytes[16..19], [1, 0, 0x53]);
//! assert_eq!(section.bytes[19..], [0; 16]);
//! # Ok::<(), dwarf2_writer::Error>(())
//! ```

use crate::expression::check_relocs;
use crate::section::check_range;
use crate::{Address, Error, Expression, Section};

/// An entry of a location list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A base address selection: the address from which later entries of the list count. Before the
    /// first one they count from the lowest address of the unit.
    Base(Address),
    /// The location of the object in a range of code.
    Range {
        /// First address, relative to the base.
        begin: Address,
        /// The first address after the range, relative to the base.
        end: Address,
        /// At most 65535 bytes.
        location: Expression,
    },
}

/// Begins a base address selection, in place of a range.
const BASE: u64 = u64::MAX;

/// Collects the lists of a `.debug_loc` section (8-byte addresses).
#[derive(Debug, Clone, Default)]
pub struct LocationTable {
    section: Section,
}

impl LocationTable {
    /// Creates a `.debug_loc` section without lists.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a location list and the entry that ends it. Returns its byte offset, for a
    /// [`Value::Offset`](crate::info::Value::Offset).
    ///
    /// # Errors
    ///
    /// [`Error::BackwardRange`], [`Error::EmptyRange`], [`Error::LocationAtMax`],
    /// [`Error::TooLong`] and [`Error::ExpressionReloc`]; nothing is appended then.
    pub fn list(&mut self, locations: &[Location]) -> Result<u32, Error> {
        self.section.all_or_nothing(|section| {
            let offset = section.next_offset(".debug_loc")?;
            locations.iter().try_for_each(|location| put(section, location))?;
            section.bytes.extend_from_slice(&[0; 16]);
            Ok(offset)
        })
    }

    /// Returns the finished `.debug_loc` section.
    #[must_use]
    pub fn finish(self) -> Section {
        self.section
    }
}

fn put(section: &mut Section, location: &Location) -> Result<(), Error> {
    match *location {
        Location::Base(address) => {
            section.bytes.extend_from_slice(&BASE.to_le_bytes());
            section.address(address);
        }
        Location::Range { begin, end, ref location } => {
            if begin == Address::Constant(BASE) {
                return Err(Error::LocationAtMax);
            }
            check_range("location", begin, end)?;
            let len = location.bytes.len() as u64;
            let field = u16::try_from(len).map_err(|_| Error::TooLong {
                field: "location",
                len,
                max: u64::from(u16::MAX),
            })?;
            check_relocs(&location.bytes, &location.relocs)?;
            section.address(begin);
            section.address(end);
            section.bytes.extend_from_slice(&field.to_le_bytes());
            section.append_parts(&location.bytes, &location.relocs);
        }
    }
    Ok(())
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;
    use crate::section::tests::untouched;

    #[test]
    fn lists_begin_before_4_gib() {
        let mut table = LocationTable::new();
        table.section.bytes = untouched(u32::MAX as usize);
        assert_eq!(table.list(&[]), Ok(u32::MAX));
        let len = table.section.bytes.len();
        let error = Error::TooLong { field: ".debug_loc", len: len as u64, max: u32::MAX.into() };
        assert_eq!(table.list(&[]), Err(error));
        assert_eq!(table.section.bytes.len(), len);
    }
}
