//! A compilation unit without children: what readers need to find a line table (DWARF 2.0.0 §3.1).
//!
//! ```
//! use dwarf2_writer::Address;
//! use dwarf2_writer::unit::CompileUnit;
//!
//! let unit = CompileUnit {
//!     producer: b"example",
//!     name: b"kernel.cu",
//!     low_pc: Address::Constant(0x1000),
//!     high_pc: Address::Constant(0x2000),
//!     line_table: 0,
//! };
//! let info = unit.info()?;
//! assert_eq!(info.bytes[..4], u32::to_le_bytes(info.bytes.len() as u32 - 4));
//! # Ok::<(), dwarf2_writer::Error>(())
//! ```

use alloc::vec::Vec;

#[allow(clippy::wildcard_imports, reason = "the tags, attributes and forms of one entry")]
use crate::constants::*;
use crate::section::put_string;
use crate::{Address, DWARF32_RESERVED, Error, Section};

/// `DW_TAG_compile_unit` without children, the only unit of its `.debug_info`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompileUnit<'a> {
    /// `DW_AT_producer`.
    pub producer: &'a [u8],
    /// `DW_AT_name`: the primary source file.
    pub name: &'a [u8],
    /// `DW_AT_low_pc`: first address of the unit's code.
    pub low_pc: Address,
    /// `DW_AT_high_pc`: first address behind it.
    pub high_pc: Address,
    /// `DW_AT_stmt_list`: byte offset of the unit's table in `.debug_line`.
    pub line_table: u32,
}

const VERSION: u16 = 2;
const ADDRESS_SIZE: u8 = 8;

/// The one abbreviation: code, tag, children, attributes with forms, and the ends of attributes and table.
#[rustfmt::skip]
const ABBREV: [u8; 16] = [
    1, DW_TAG_compile_unit as u8, DW_CHILDREN_no,
    DW_AT_producer as u8, DW_FORM_string as u8,
    DW_AT_name as u8, DW_FORM_string as u8,
    DW_AT_stmt_list as u8, DW_FORM_data4 as u8,
    DW_AT_low_pc as u8, DW_FORM_addr as u8,
    DW_AT_high_pc as u8, DW_FORM_addr as u8,
    0, 0,
    0,
];

impl CompileUnit<'_> {
    /// Contents of `.debug_abbrev`.
    pub fn abbrev(&self) -> Vec<u8> {
        ABBREV.to_vec()
    }

    /// Contents of `.debug_info`.
    ///
    /// # Errors
    ///
    /// [`Error::NulInString`], [`Error::TooLong`].
    pub fn info(&self) -> Result<Section, Error> {
        let mut section = Section::default();
        let bytes = &mut section.bytes;
        bytes.extend_from_slice(&[0; 4]); // unit_length, below
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&0_u32.to_le_bytes()); // debug_abbrev_offset
        bytes.push(ADDRESS_SIZE);
        bytes.push(1);
        put_string(bytes, self.producer, "producer")?;
        put_string(bytes, self.name, "name")?;
        bytes.extend_from_slice(&self.line_table.to_le_bytes());
        section.address(self.low_pc);
        section.address(self.high_pc);
        put_length(&mut section.bytes)?;
        Ok(section)
    }
}

/// Whether a `.debug_info` section is one unit from end to end, by its length field (32-bit DWARF).
pub fn is_one(debug_info: &[u8]) -> bool {
    let split = debug_info.split_first_chunk();
    split.is_some_and(|(length, unit)| u32::from_le_bytes(*length) as usize == unit.len())
}

/// Contents of `.debug_aranges` for the unit at offset 0 of `.debug_info`: its code as addresses and lengths in bytes (DWARF 2.0.0 §6.1.2).
///
/// # Errors
///
/// [`Error::TooLong`].
pub fn aranges(ranges: &[(Address, u64)]) -> Result<Section, Error> {
    let mut section = Section::default();
    let bytes = &mut section.bytes;
    bytes.extend_from_slice(&[0; 4]); // unit_length, below
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&0_u32.to_le_bytes()); // debug_info_offset
    bytes.push(ADDRESS_SIZE);
    bytes.push(0); // segment size
    bytes.resize(bytes.len().next_multiple_of(2 * usize::from(ADDRESS_SIZE)), 0);
    for &(address, length) in ranges {
        section.address(address);
        section.bytes.extend_from_slice(&length.to_le_bytes());
    }
    section.bytes.extend_from_slice(&[0; 2 * ADDRESS_SIZE as usize]);
    put_length(&mut section.bytes)?;
    Ok(section)
}

/// Fills in the length field of a finished unit.
fn put_length(bytes: &mut [u8]) -> Result<(), Error> {
    let len = bytes.len() as u64 - 4;
    let field = u32::try_from(len).ok().filter(|_| len < DWARF32_RESERVED);
    let field = field.ok_or(Error::TooLong { field: "unit", len, max: DWARF32_RESERVED - 1 })?;
    if let Some(length) = bytes.first_chunk_mut() {
        *length = field.to_le_bytes();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimli::{AttributeValue, DebugAbbrev, DebugInfo, LittleEndian};

    #[test]
    fn gimli_reads_the_unit() {
        let unit = CompileUnit {
            producer: b"p",
            name: b"k.cu",
            low_pc: Address::Constant(0x1000),
            high_pc: Address::Constant(0x1230),
            line_table: 7,
        };
        let (abbrev, info) = (unit.abbrev(), unit.info().unwrap());
        let debug_abbrev = DebugAbbrev::new(&abbrev, LittleEndian);
        let header = DebugInfo::new(&info.bytes, LittleEndian).units().next().unwrap().unwrap();
        assert_eq!(header.version(), 2);
        let abbreviations = header.abbreviations(&debug_abbrev).unwrap();
        let mut entries = header.entries(&abbreviations);
        let entry = entries.next_dfs().unwrap().unwrap();
        assert_eq!(entry.tag(), gimli::DW_TAG_compile_unit);
        let values: Vec<_> = entry.attrs().iter().map(|attr| (attr.name(), attr.value())).collect();
        assert_eq!(values.len(), 5);
        assert!(
            matches!(values[2], (gimli::DW_AT_stmt_list, AttributeValue::DebugLineRef(offset)) if offset.0 == 7)
        );
        assert_eq!(values[3], (gimli::DW_AT_low_pc, AttributeValue::Addr(0x1000)));
        assert_eq!(values[4], (gimli::DW_AT_high_pc, AttributeValue::Addr(0x1230)));
        assert!(entries.next_dfs().unwrap().is_none());

        let ranges = [(Address::Constant(0x1000), 0x30), (Address::Constant(0x1200), 0x30)];
        let section = aranges(&ranges).unwrap();
        let debug_aranges = gimli::DebugAranges::new(&section.bytes, LittleEndian);
        let header = debug_aranges.headers().next().unwrap().unwrap();
        let mut read = Vec::new();
        let mut entries = header.entries();
        while let Some(entry) = entries.next().unwrap() {
            read.push((Address::Constant(entry.address()), entry.length()));
        }
        assert_eq!(read, ranges);
    }
}
