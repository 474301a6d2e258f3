//! The entries of a fatbin, one after the other.

use super::super::{ContainerPosition, Entry, slice};
use super::{ByteRanges, find_entry, options, wrong};
use crate::{Error, Result};

/// An iterator over the entries of a fatbin. It goes on after a fault in an entry's header, unless
/// the entry's size is unknown. An entry whose name or options are damaged comes after the fault,
/// without name and options.
#[derive(Debug, Clone)]
pub struct Entries<'d> {
    /// The position of the next entry.
    pub(super) position: ContainerPosition,
    pub(super) rest: &'d [u8],
    /// An entry whose fault was told first.
    pub(super) held: Option<Entry<'d>>,
}

impl<'d> Iterator for Entries<'d> {
    type Item = Result<Entry<'d>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(entry) = self.held.take() {
            return Some(Ok(entry));
        }
        if self.rest.is_empty() {
            return None;
        }
        let (entry, size) = match find_entry(&self.position, self.rest) {
            Ok(found) => {
                let size = found.head.len() + found.body.len();
                (found.read(), size)
            }
            Err(error) => (Err(error), self.rest.len()),
        };
        // `find_entry` saw that many bytes.
        self.rest = self.rest.get(size..).unwrap_or_default();
        self.position.offset += size as u64;
        Some(entry.and_then(|(entry, fault)| match fault {
            None => Ok(entry),
            Some(fault) => {
                self.held = Some(entry);
                Err(fault)
            }
        }))
    }
}

/// An entry whose end is known.
pub(super) struct FoundEntry<'d> {
    pub(super) entry: Entry<'d>,
    pub(super) extents: ByteRanges,
    pub(super) head: &'d [u8],
    pub(super) body: &'d [u8],
}

impl<'d> FoundEntry<'d> {
    /// The entry with its payload, and with name and options, unless they are damaged.
    fn read(self) -> Result<(Entry<'d>, Option<Error>)> {
        let Self { mut entry, extents, head, body } = self;
        let position = entry.position.clone();
        (entry.header, entry.room, entry.stored) = (head, body, body);
        if entry.flags.compression().is_some() {
            entry.stored = slice(body, 0, extents.compressed_size).ok_or_else(|| {
                wrong(&position, 16, "compressedSize", extents.compressed_size, "no more than the size")
            })?;
        }
        let mut fault = None;
        let missing = |at, field, found| wrong(&position, at, field, found, "a place in the entry's header");
        if extents.name.1 != 0 {
            match slice(head, extents.name.0, extents.name.1) {
                Some(name) => entry.name = name,
                None => fault = Some(missing(32, "identifier offset", extents.name.0)),
            }
        }
        if extents.options != 0 {
            match options(entry.kind, head, extents.options) {
                Some(found) => (entry.options, entry.compat) = found,
                None => fault = fault.or_else(|| Some(missing(20, "options offset", extents.options))),
            }
        }
        Ok((entry, fault))
    }
}
