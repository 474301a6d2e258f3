//! `.debug_abbrev`: the shapes of entries, each once (DWARF 2.0.0 §7.5.3).
//!
//! [`DebugInfo`](crate::info::DebugInfo) makes the table of its entries by itself; this one is for
//! entries that are encoded elsewhere.
//!
//! ```
//! use dwarf2_writer::abbrev::AbbrevTable;
//! use dwarf2_writer::constants::*;
//!
//! let mut abbrevs = AbbrevTable::new();
//! let attributes = [(DW_AT_name, DW_FORM_string), (DW_AT_byte_size, DW_FORM_data1)];
//! assert_eq!(abbrevs.add(DW_TAG_base_type, false, &attributes)?, 1);
//! assert_eq!(abbrevs.add(DW_TAG_base_type, true, &attributes)?, 2);
//! assert_eq!(abbrevs.add(DW_TAG_base_type, false, &attributes)?, 1);
//! assert_eq!(abbrevs.finish()[..9], [1, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0, 0]);
//! # Ok::<(), dwarf2_writer::Error>(())
//! ```

use alloc::vec::Vec;
use core::ops::Range;

use leb128_nv::uleb128;

use crate::Error;
use crate::constants::{DW_CHILDREN_no, DW_CHILDREN_yes};
use crate::hash_index::HashIndex;

/// Collects the abbreviations that one or more units share.
#[derive(Debug, Clone, Default)]
pub struct AbbrevTable {
    /// Tag and attributes, then whether there are children; item n has code n + 1.
    known: Shapes,
    bytes: Vec<u8>,
}

impl AbbrevTable {
    /// Creates a table without abbreviations.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the 1-based code of the abbreviation with this tag, children flag and list of
    /// attributes with their forms, and adds the abbreviation if it is new. Any number but 0 is
    /// accepted, so vendors' numbers are too.
    ///
    /// # Errors
    ///
    /// [`Error::ZeroCode`], [`Error::DuplicateAttribute`].
    pub fn add(&mut self, tag: u16, children: bool, attributes: &[(u16, u16)]) -> Result<u32, Error> {
        let attributes: Vec<_> = attributes.iter().map(|&(name, form)| attribute(name, form)).collect();
        self.add_shape(tag, children, &attributes)
    }

    /// [`AbbrevTable::add`] with attributes as [`attribute`] makes them.
    pub(crate) fn add_shape(&mut self, tag: u16, children: bool, attributes: &[u32]) -> Result<u32, Error> {
        let mut key = Vec::with_capacity(attributes.len() + 2);
        key.push(u32::from(tag));
        key.extend_from_slice(attributes);
        key.push(children.into());
        if let Some(item) = self.known.find(&key) {
            return Ok(item + 1);
        }
        check(tag, attributes)?;
        let code = self.known.insert(&key) + 1;
        self.bytes.extend_from_slice(&uleb128(code.into()));
        self.bytes.extend_from_slice(&uleb128(tag.into()));
        self.bytes.push(if children { DW_CHILDREN_yes } else { DW_CHILDREN_no });
        for attribute in attributes {
            self.bytes.extend_from_slice(&uleb128(u64::from(attribute >> 16)));
            self.bytes.extend_from_slice(&uleb128(u64::from(attribute & 0xffff)));
        }
        self.bytes.extend_from_slice(&[0, 0]);
        Ok(code)
    }

    /// Returns the contents of `.debug_abbrev`: the table and the 0 that ends it.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

/// Name and form in one word.
pub(crate) const fn attribute(name: u16, form: u16) -> u32 {
    (name as u32) << 16 | form as u32
}

/// Refuses what a reader would take for an end, and attributes that an entry has twice.
pub(crate) fn check(tag: u16, attributes: &[u32]) -> Result<(), Error> {
    let zero = |field| Err(Error::ZeroCode { tag, field });
    if tag == 0 {
        return zero("tag");
    }
    let mut names: Vec<_> = attributes.iter().map(|attribute| (attribute >> 16) as u16).collect();
    names.sort_unstable();
    if names.first() == Some(&0) {
        return zero("attribute");
    }
    if attributes.iter().any(|attribute| *attribute as u16 == 0) {
        return zero("form");
    }
    let twice = names.windows(2).find(|pair| pair.first() == pair.last());
    match twice.and_then(|pair| pair.first()) {
        Some(&name) => Err(Error::DuplicateAttribute { tag, name }),
        None => Ok(()),
    }
}

/// Sequences of words, each once, numbered from 0.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shapes {
    index: HashIndex,
    words: Vec<u32>,
    spans: Vec<Range<usize>>,
}

impl Shapes {
    #[inline]
    pub(crate) fn find(&self, shape: &[u32]) -> Option<u32> {
        self.index.find(self.index.of_words(shape), |item| self.get(item) == shape)
    }

    pub(crate) fn insert(&mut self, shape: &[u32]) -> u32 {
        let start = self.words.len();
        self.words.extend_from_slice(shape);
        self.spans.push(start..self.words.len());
        self.index.insert(self.index.of_words(shape))
    }

    #[inline]
    pub(crate) fn get(&self, item: u32) -> &[u32] {
        let span = self.spans.get(item as usize).cloned();
        span.and_then(|span| self.words.get(span)).unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }
}
