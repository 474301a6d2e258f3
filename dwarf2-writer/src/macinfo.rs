//! `.debug_macinfo`: macros and where they were defined (DWARF 2.0.0 §6.3 and §7.22).
//!
//! ```
//! use dwarf2_writer::macinfo::{Macro, MacroTable};
//!
//! let mut macros = MacroTable::new();
//! let list = [
//!     Macro::StartFile { line: 0, file: 1 },
//!     Macro::Define { line: 3, text: b"WARP 32" },
//!     Macro::EndFile,
//! ];
//! assert_eq!(macros.list(&list)?, 0);
//! assert_eq!(macros.finish(), b"\x03\0\x01\x01\x03WARP 32\0\x04\0");
//! # Ok::<(), dwarf2_writer::Error>(())
//! ```

use alloc::vec::Vec;

use leb128_nv::uleb128;

use crate::constants::{
    DW_MACINFO_define, DW_MACINFO_end_file, DW_MACINFO_start_file, DW_MACINFO_undef, DW_MACINFO_vendor_ext,
};
use crate::section::put_string;
use crate::{Error, Section};

/// An entry of a macro list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Macro<'a> {
    /// `DW_MACINFO_define`: the definition of a macro.
    Define {
        /// 1-based; 0 on the command line.
        line: u64,
        /// Name, parameters without blanks, a blank, and the definition: `F(a,b) ((a)+(b))`.
        text: &'a [u8],
    },
    /// `DW_MACINFO_undef`: the end of a macro's definition.
    Undef {
        /// 1-based; 0 on the command line.
        line: u64,
        /// The name.
        text: &'a [u8],
    },
    /// `DW_MACINFO_start_file`: the entries that follow are of this file.
    StartFile {
        /// The line of the `#include`, 1-based; 0 for the first file.
        line: u64,
        /// In the file table of the unit's line program, 1-based.
        file: u64,
    },
    /// `DW_MACINFO_end_file`: the entries that follow are again of the file that includes the ended
    /// one.
    EndFile,
    /// `DW_MACINFO_vendor_ext`: an entry that a vendor defines.
    Vendor {
        /// A number whose meaning the vendor defines.
        constant: u64,
        /// Same.
        text: &'a [u8],
    },
}

/// Collects the lists of a `.debug_macinfo` section.
#[derive(Debug, Clone, Default)]
pub struct MacroTable {
    section: Section,
}

impl MacroTable {
    /// Creates a `.debug_macinfo` section without lists.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a list: the macros of a unit and the entry that ends them. Returns the byte offset
    /// of the list, for a [`Value::Offset`](crate::info::Value::Offset) (`DW_AT_macro_info`).
    ///
    /// # Errors
    ///
    /// [`Error::NulInString`], [`Error::MacroNesting`] unless each file that starts also ends, and
    /// [`Error::TooLong`] past 4 GiB; nothing is appended then.
    pub fn list(&mut self, macros: &[Macro<'_>]) -> Result<u32, Error> {
        self.section.all_or_nothing(|section| {
            let offset = section.next_offset(".debug_macinfo")?;
            let mut depth = 0_usize;
            for (index, entry) in macros.iter().enumerate() {
                match entry {
                    Macro::StartFile { .. } => depth += 1,
                    Macro::EndFile => {
                        depth = depth.checked_sub(1).ok_or(Error::MacroNesting { index, depth })?;
                    }
                    _ => {}
                }
                put(&mut section.bytes, entry)?;
            }
            if depth != 0 {
                return Err(Error::MacroNesting { index: macros.len(), depth });
            }
            section.bytes.push(0);
            Ok(offset)
        })
    }

    /// Returns the contents of `.debug_macinfo`.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.section.bytes
    }
}

fn put(out: &mut Vec<u8>, entry: &Macro<'_>) -> Result<(), Error> {
    let (kind, number, text) = match *entry {
        Macro::Define { line, text } => (DW_MACINFO_define, line, text),
        Macro::Undef { line, text } => (DW_MACINFO_undef, line, text),
        Macro::Vendor { constant, text } => (DW_MACINFO_vendor_ext, constant, text),
        Macro::StartFile { line, file } => {
            out.push(DW_MACINFO_start_file);
            out.extend_from_slice(&uleb128(line));
            out.extend_from_slice(&uleb128(file));
            return Ok(());
        }
        Macro::EndFile => {
            out.push(DW_MACINFO_end_file);
            return Ok(());
        }
    };
    out.push(kind);
    out.extend_from_slice(&uleb128(number));
    put_string(out, text, "macro")
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;
    use crate::section::tests::untouched;

    #[test]
    fn lists_begin_before_4_gib() {
        let mut table = MacroTable::new();
        table.section.bytes = untouched(u32::MAX as usize);
        assert_eq!(table.list(&[]), Ok(u32::MAX));
        let len = table.section.bytes.len();
        let error = Error::TooLong { field: ".debug_macinfo", len: len as u64, max: u32::MAX.into() };
        assert_eq!(table.list(&[]), Err(error));
        assert_eq!(table.section.bytes.len(), len);
    }
}
