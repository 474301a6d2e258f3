//! `.debug_aranges`: the unit that has code or data at an address (DWARF 2.0.0 §6.1.2).
//!
//! ```
//! use dwarf2_writer::aranges::ArangeTable;
//! use dwarf2_writer::{Address, SymbolId};
//!
//! let mut aranges = ArangeTable::new();
//! let kernel = Address::Symbol { symbol: SymbolId(1), addend: 0 };
//! aranges.unit(0.into(), &[(kernel, 0x180)])?;
//! assert_eq!(aranges.finish().bytes.len(), 16 + 2 * 16);
//! # Ok::<(), dwarf2_writer::Error>(())
//! ```

use crate::section::check_range;
use crate::{Address, Error, Section};

const VERSION: u16 = 2;
const ADDRESS_SIZE: u8 = 8;
const SEGMENT_SIZE: u8 = 0;

/// Tuples are aligned to their size, from the start of the unit.
const TUPLE: usize = 2 * ADDRESS_SIZE as usize;

/// Collects the address ranges of a `.debug_aranges` section, unit by unit (version 2, 32-bit
/// DWARF, 8-byte addresses).
#[derive(Debug, Clone, Default)]
pub struct ArangeTable {
    section: Section,
}

impl ArangeTable {
    /// Creates a `.debug_aranges` section without units.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a set: the address ranges of the unit at a byte offset in `.debug_info`, each as
    /// address and length in bytes. Returns the byte offset of the set.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyRange`], [`Error::BackwardRange`] for a range beyond the largest address,
    /// [`Error::Operand`] for an offset past 4 GiB and [`Error::TooLong`]; nothing is appended
    /// then.
    pub fn unit(&mut self, info: Address, ranges: &[(Address, u64)]) -> Result<u32, Error> {
        self.section.unit(".debug_aranges unit", |section| {
            let start = section.bytes.len() - 4;
            section.bytes.extend_from_slice(&VERSION.to_le_bytes());
            section.offset4(info, "debug_info_offset")?;
            section.bytes.extend_from_slice(&[ADDRESS_SIZE, SEGMENT_SIZE]);
            let header = section.bytes.len() - start;
            section.bytes.resize(start + header.next_multiple_of(TUPLE), 0);
            for &(address, length) in ranges {
                if let Address::Constant(begin) = address {
                    check_range("range", address, Address::Constant(begin.wrapping_add(length)))?;
                } else if length == 0 && address.in_place() == 0 {
                    return Err(Error::EmptyRange { field: "range" });
                }
                section.address(address);
                section.bytes.extend_from_slice(&length.to_le_bytes());
            }
            section.bytes.extend_from_slice(&[0; TUPLE]);
            Ok(())
        })
    }

    /// Returns the finished `.debug_aranges` section.
    #[must_use]
    pub fn finish(self) -> Section {
        self.section
    }
}
