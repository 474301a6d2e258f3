//! `.debug_str`: strings that entries refer to by offset (DWARF 2.0.0 §7.5.4, `DW_FORM_strp`).
//!
//! ```
//! use dwarf2_reader::strings::{string_at, strings};
//!
//! assert_eq!(string_at(b"int\0float\0", 4), Some(&b"float"[..]));
//! assert_eq!(string_at(b"int\0float\0", 6), Some(&b"oat"[..]));
//! assert_eq!(string_at(b"int\0flo", 4), None);
//! let all: Vec<_> = strings(b"int\0float\0").collect::<Result<_, _>>()?;
//! assert_eq!(all, [(0..4, &b"int"[..]), (4..10, &b"float"[..])]);
//! # Ok::<(), dwarf2_reader::Error>(())
//! ```

use crate::{Cursor, Result, Span, cursor};

/// The name of the section, `.debug_str`.
pub const SECTION: &str = ".debug_str";

/// Returns the string at a byte offset of `.debug_str`, without its NUL; `None` if no NUL follows
/// in the section.
#[must_use]
pub fn string_at(section: &[u8], offset: u64) -> Option<&[u8]> {
    let rest = section.get(usize::try_from(offset).ok()?..)?;
    rest.get(..memchr::memchr(0, rest)?)
}

/// Iterates over all strings of `.debug_str`, each with its byte range, which includes the NUL. A
/// string without a NUL is an error, and the last item.
pub fn strings(section: &[u8]) -> impl Iterator<Item = Result<(Span, &[u8])>> {
    cursor::items(Ok(Cursor::new(SECTION, section)), |cursor| cursor.string("a string"))
}
