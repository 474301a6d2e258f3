//! `.debug_pubnames` and `.debug_pubtypes`: lookup of entries by name. Both have one format, for
//! the names of objects and functions (DWARF 2.0.0 §6.1.1) and of types (DWARF 3 §6.1.1).
//!
//! ```
//! use dwarf2_writer::constants::*;
//! use dwarf2_writer::info::{DebugInfo, Params, Value};
//! use dwarf2_writer::pubnames::{NameSet, PubTable};
//!
//! let mut info = DebugInfo::new(Params::default());
//! let unit = info.unit(DW_TAG_compile_unit, &[])?;
//! let int = info.entry(unit, DW_TAG_base_type, &[(DW_AT_name, Value::String(b"int"))])?;
//! let sections = info.finish()?;
//!
//! let (Some((offset, size)), Some(entry)) = (sections.unit(unit), sections.entry_offset(int)) else { unreachable!() };
//! let mut types = PubTable::new();
//! types.unit(&NameSet { info: offset.into(), info_length: size, names: &[(entry, b"int")] })?;
//! assert_eq!(types.finish().bytes[14..], *b"\x0c\0\0\0int\0\0\0\0\0");
//! # Ok::<(), dwarf2_writer::Error>(())
//! ```

use crate::section::put_string;
use crate::{Address, Error, Section};

const VERSION: u16 = 2;

/// The names of one unit's entries, for `.debug_pubnames` or `.debug_pubtypes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameSet<'a> {
    /// Byte offset of the unit in `.debug_info`.
    pub info: Address,
    /// Size of the unit in `.debug_info`, in bytes.
    pub info_length: u32,
    /// The named entries: the byte offset of each from the start of the unit, which is not 0, and
    /// its name.
    pub names: &'a [(u32, &'a [u8])],
}

/// Collects the names of a `.debug_pubnames` or `.debug_pubtypes` section, unit by unit (version 2,
/// 32-bit DWARF).
#[derive(Debug, Clone, Default)]
pub struct PubTable {
    section: Section,
}

impl PubTable {
    /// Creates a `.debug_pubnames` or `.debug_pubtypes` section without units.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a set: the names of a unit. Returns the byte offset of the set.
    ///
    /// # Errors
    ///
    /// [`Error::NameAtZero`], [`Error::NulInString`], [`Error::Operand`] for an offset past 4 GiB
    /// and [`Error::TooLong`]; nothing is appended then.
    pub fn unit(&mut self, set: &NameSet<'_>) -> Result<u32, Error> {
        self.section.unit("unit of names", |section| {
            section.bytes.extend_from_slice(&VERSION.to_le_bytes());
            section.offset4(set.info, "debug_info_offset")?;
            section.bytes.extend_from_slice(&set.info_length.to_le_bytes());
            for &(offset, name) in set.names {
                if offset == 0 {
                    return Err(Error::NameAtZero);
                }
                section.bytes.extend_from_slice(&offset.to_le_bytes());
                put_string(&mut section.bytes, name, "name")?;
            }
            section.bytes.extend_from_slice(&[0; 4]);
            Ok(())
        })
    }

    /// Returns the finished `.debug_pubnames` or `.debug_pubtypes` section.
    #[must_use]
    pub fn finish(self) -> Section {
        self.section
    }
}
