//! `.debug_str`: strings that entries refer to by offset (DWARF 2.0.0 §7.5.4, `DW_FORM_strp`).
//!
//! ```
//! use dwarf2_writer::strings::StringTable;
//!
//! let mut strings = StringTable::new();
//! assert_eq!(strings.add(b"int")?, 0);
//! assert_eq!(strings.add(b"float")?, 4);
//! assert_eq!(strings.add(b"int")?, 0);
//! assert_eq!(strings.finish(), b"int\0float\0");
//! # Ok::<(), dwarf2_writer::Error>(())
//! ```

use alloc::vec::Vec;

use crate::Error;
use crate::hash_index::HashIndex;
use crate::section::{check_length, put_string};

/// Collects the strings of a `.debug_str` section.
#[derive(Debug, Clone, Default)]
pub struct StringTable {
    /// The section so far.
    bytes: Vec<u8>,
    index: HashIndex,
    /// Offset of each string in the index.
    offsets: Vec<u32>,
}

impl StringTable {
    /// Creates a `.debug_str` section without strings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the byte offset of `string` in the section. Adds the string unless an earlier
    /// [`StringTable::add`] has added it.
    ///
    /// # Errors
    ///
    /// [`Error::NulInString`], and [`Error::TooLong`] if the section would end beyond what 32-bit
    /// DWARF can name.
    pub fn add(&mut self, string: &[u8]) -> Result<u32, Error> {
        let hash = self.index.of_bytes(string);
        let known = self.index.find(hash, |item| {
            let offset = self.offsets.get(item as usize).copied().unwrap_or(0);
            let there = self.bytes.get(offset as usize..).unwrap_or_default();
            there.strip_prefix(string).is_some_and(|rest| rest.first() == Some(&0))
        });
        if let Some(offset) = known.and_then(|item| self.offsets.get(item as usize)) {
            return Ok(*offset);
        }
        let offset = self.append(string)?;
        self.index.insert(hash);
        self.offsets.push(offset);
        Ok(offset)
    }

    /// Appends `string` to the section, even if the section has it already, and returns its byte
    /// offset. This is for sections that must look as another producer made them;
    /// [`StringTable::add`] does not find the string.
    ///
    /// # Errors
    ///
    /// As [`StringTable::add`].
    pub fn append(&mut self, string: &[u8]) -> Result<u32, Error> {
        let offset = self.bytes.len();
        check_length(".debug_str", (offset + string.len() + 1) as u64)?;
        put_string(&mut self.bytes, string, "string")?;
        Ok(offset as u32)
    }

    /// Returns the contents of `.debug_str`.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;
    use crate::section::tests::{LONG, too_long, untouched};

    #[test]
    fn strings_end_before_4_gib() {
        let mut table = StringTable { bytes: untouched(LONG - 3), ..StringTable::new() };
        assert_eq!(table.add(b"ab"), Err(too_long(".debug_str", LONG)));
        assert_eq!(table.add(b"a"), Ok(LONG as u32 - 3));
        assert_eq!(table.append(b""), Err(too_long(".debug_str", LONG)));
        assert_eq!(table.add(b"a"), Ok(LONG as u32 - 3));
        assert_eq!(table.finish().len(), LONG - 1);
    }
}
