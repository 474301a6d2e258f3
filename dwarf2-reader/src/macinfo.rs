//! `.debug_macinfo`: macros and where they were defined (DWARF 2.0.0 §6.3 and §7.22).
//!
//! ```
//! use dwarf2_reader::macinfo::{Macro, items};
//!
//! let section = b"\x03\0\x01\x01\x03WARP 32\0\x04\0";
//! let all: Vec<_> = items(section, 0).map(|item| Ok(item?.1)).collect::<Result<_, _>>()?;
//! let (start, define) = (Macro::StartFile { line: 0, file: 1 }, Macro::Define { line: 3, text: b"WARP 32" });
//! assert_eq!(all, [Some(start), Some(define), Some(Macro::EndFile), None]);
//! # Ok::<(), dwarf2_reader::Error>(())
//! ```
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

pub use dwarf2_writer::macinfo::Macro;

use crate::constants::{
    DW_MACINFO_define, DW_MACINFO_end_file, DW_MACINFO_start_file, DW_MACINFO_undef, DW_MACINFO_vendor_ext,
};
use crate::{Cursor, ErrorKind, Result, Span, cursor};

/// The name of the section, `.debug_macinfo`.
pub const SECTION: &str = ".debug_macinfo";

/// Iterates over the entries of all macro lists of `.debug_macinfo` that follow a byte offset, each
/// with its byte range. `None` is the zero that ends a list; an error is the last item.
pub fn items(section: &[u8], offset: u64) -> impl Iterator<Item = Result<(Span, Option<Macro<'_>>)>> {
    cursor::items(Cursor::at(SECTION, section, offset, "a list"), item)
}

fn item<'d>(cursor: &mut Cursor<'d>) -> Result<Option<Macro<'d>>> {
    let at = cursor.offset();
    Ok(Some(match cursor.u8("a macinfo type")? {
        0 => return Ok(None),
        DW_MACINFO_define => Macro::Define { line: cursor.uleb("a line")?, text: cursor.string("a macro")? },
        DW_MACINFO_undef => Macro::Undef { line: cursor.uleb("a line")?, text: cursor.string("a macro")? },
        DW_MACINFO_start_file => {
            Macro::StartFile { line: cursor.uleb("a line")?, file: cursor.uleb("a file")? }
        }
        DW_MACINFO_end_file => Macro::EndFile,
        DW_MACINFO_vendor_ext => {
            Macro::Vendor { constant: cursor.uleb("a constant")?, text: cursor.string("a macro")? }
        }
        found => {
            let kind =
                ErrorKind::Value { field: "macinfo type", found: found.into(), expected: "one of DWARF 2" };
            return Err(cursor.error_at(at, kind));
        }
    }))
}
