//! `.debug_macinfo`: macros and where they were defined (DWARF 2.0.0 §6.3 and §7.22).
//!
//! ```
//! use dwarf2_reader::macinfo::{Item, items};
//!
//! let section = b"\x03\0\x01\x01\x03WARP 32\0\x04\0";
//! let all: Vec<_> = items(section, 0).map(|item| Ok(item?.1)).collect::<Result<_, _>>()?;
//! let define = Item::Define { line: 3, text: b"WARP 32" };
//! assert_eq!(all, [Item::StartFile { line: 0, file: 1 }, define, Item::EndFile, Item::End]);
//! # Ok::<(), dwarf2_reader::Error>(())
//! ```
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

use crate::constants::{
    DW_MACINFO_define, DW_MACINFO_end_file, DW_MACINFO_start_file, DW_MACINFO_undef, DW_MACINFO_vendor_ext,
};
use crate::{Cursor, ErrorKind, Result, Span, cursor};

/// Name of the section.
pub const SECTION: &str = ".debug_macinfo";

/// An entry of a list of macros.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Item<'d> {
    /// `DW_MACINFO_define`.
    Define {
        /// 1-based; 0 on the command line.
        line: u64,
        /// Name, parameters without blanks, a blank, and the definition: `F(a,b) ((a)+(b))`.
        text: &'d [u8],
    },
    /// `DW_MACINFO_undef`.
    Undef {
        /// 1-based; 0 on the command line.
        line: u64,
        /// The name.
        text: &'d [u8],
    },
    /// `DW_MACINFO_start_file`: what follows is in this file.
    StartFile {
        /// Of the `#include`, 1-based; 0 for the first file.
        line: u64,
        /// In the file table of the unit's line program, 1-based.
        file: u64,
    },
    /// `DW_MACINFO_end_file`: back in the file before.
    EndFile,
    /// `DW_MACINFO_vendor_ext`.
    Vendor {
        /// What it says is the vendor's.
        constant: u64,
        /// Same.
        text: &'d [u8],
    },
    /// A zero, which ends the list.
    End,
}

/// The entries from a byte offset on, of one list behind another up to the end of the section, each with its span. An error is
/// the last.
pub fn items(section: &[u8], offset: u64) -> impl Iterator<Item = Result<(Span, Item<'_>)>> {
    cursor::items(Cursor::at(SECTION, section, offset, "a list"), item)
}

fn item<'d>(cursor: &mut Cursor<'d>) -> Result<Item<'d>> {
    let at = cursor.offset();
    Ok(match cursor.u8("a macinfo type")? {
        0 => Item::End,
        DW_MACINFO_define => Item::Define { line: cursor.uleb("a line")?, text: cursor.string("a macro")? },
        DW_MACINFO_undef => Item::Undef { line: cursor.uleb("a line")?, text: cursor.string("a macro")? },
        DW_MACINFO_start_file => {
            Item::StartFile { line: cursor.uleb("a line")?, file: cursor.uleb("a file")? }
        }
        DW_MACINFO_end_file => Item::EndFile,
        DW_MACINFO_vendor_ext => {
            Item::Vendor { constant: cursor.uleb("a constant")?, text: cursor.string("a macro")? }
        }
        found => {
            let kind =
                ErrorKind::Value { field: "macinfo type", found: found.into(), expected: "one of DWARF 2" };
            return Err(cursor.error_at(at, kind));
        }
    })
}
