//! Fatbins: several images of one program, for several GPUs, one behind the other.
//!
//! A fatbin is a header of 16 bytes and its entries; an entry is a header of at least 64 bytes and a payload. Several
//! fatbins may follow each other, as a host linker leaves those of its objects. `docs/containers.md` has every field;
//! observed: nvcc and fatbinary 13.0.88 (written), cuobjdump 13.2.86 (how it reads changed fields).

use std::sync::Arc;

use super::{Arch, Entry, EntryKind, Flags, Place};
use crate::bytes::Cursor;
use crate::{Error, ErrorKind, Result};

/// First four bytes of a fatbin, little-endian.
pub const MAGIC: u32 = 0xba55_ed50;

/// Size of a fatbin's header. cuobjdump takes no other.
const HEADER_SIZE: u64 = 16;

/// Size of an entry's header without name and options.
const ENTRY_HEADER_SIZE: u64 = 64;

/// The fatbins of a section, or of a file that is one.
///
/// Zero bytes between fatbins are skipped. Behind a fault in a fatbin's header nothing follows: where the next one begins
/// is then unknown.
#[derive(Debug, Clone)]
pub struct Fatbins<'d> {
    place: Place,
    data: &'d [u8],
    at: u64,
}

/// One fatbin.
#[derive(Debug, Clone)]
pub struct Fatbin<'d> {
    place: Place,
    entries: &'d [u8],
    version: u16,
}

/// The entries of a fatbin. Behind a fault in an entry's header nothing follows.
#[derive(Debug, Clone)]
pub struct Entries<'d> {
    /// Of the next entry.
    place: Place,
    rest: &'d [u8],
}

impl<'d> Fatbins<'d> {
    /// The fatbins in `data`, the contents of `section` (empty for a file; for messages).
    pub fn new(section: impl Into<Arc<str>>, data: &'d [u8]) -> Self {
        Self { place: Place { member: None, section: section.into(), offset: 0 }, data, at: 0 }
    }

    pub(super) fn at(place: Place, data: &'d [u8]) -> Self {
        Self { place, data, at: 0 }
    }

    fn read(&mut self) -> Result<Fatbin<'d>> {
        let place = self.place.at(self.at);
        let label = place.label();
        let mut header = Cursor::new(&label, self.data);
        header.take(self.at, "the section")?;
        let value = |offset, field, found, expected| {
            Error::new(label.as_str(), offset, ErrorKind::Value { field, found, expected })
        };
        let magic = header.u32("the fatbin's magic")?;
        if magic != MAGIC {
            return Err(value(self.at, "magic", magic.into(), "0xba55ed50, a fatbin"));
        }
        let version = header.u16("the fatbin's version")?;
        let size = header.u16("the fatbin's header size")?;
        if u64::from(size) != HEADER_SIZE {
            return Err(value(self.at + 6, "headerSize", size.into(), "16"));
        }
        let size = header.u64("the fatbin's size")?;
        let start = self.at + HEADER_SIZE;
        let entries = slice(self.data, start, size)
            .ok_or_else(|| value(self.at + 8, "fatSize", size, "no more than the bytes that follow"))?;
        self.at = start + size;
        Ok(Fatbin { place: place.at(start), entries, version })
    }
}

impl<'d> Iterator for Fatbins<'d> {
    type Item = Result<Fatbin<'d>>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.data.get(usize::try_from(self.at).ok()?..)?;
        self.at += rest.iter().position(|byte| *byte != 0)? as u64;
        let fatbin = self.read();
        if fatbin.is_err() {
            self.at = self.data.len() as u64;
        }
        Some(fatbin)
    }
}

impl<'d> Fatbin<'d> {
    /// Byte offset of its header in its section.
    pub fn offset(&self) -> u64 {
        self.place.offset - HEADER_SIZE
    }

    /// Version of the fatbin's header: 1. cuobjdump takes any.
    pub fn version(&self) -> u16 {
        self.version
    }

    /// Its entries, each read when it is asked for.
    pub fn entries(&self) -> Entries<'d> {
        Entries { place: self.place.clone(), rest: self.entries }
    }
}

impl<'d> Iterator for Entries<'d> {
    type Item = Result<Entry<'d>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let entry = read_entry(&self.place, self.rest);
        match &entry {
            Ok((_, size)) => {
                // `read_entry` saw that many bytes.
                self.rest = self.rest.get(*size..).unwrap_or_default();
                self.place.offset += *size as u64;
            }
            Err(_) => self.rest = &[],
        }
        Some(entry.map(|(entry, _)| entry))
    }
}

/// Fields of an entry's header that say where the others' bytes are.
struct Extents {
    header_size: u64,
    padded_size: u64,
    compressed_size: u64,
    options: u64,
    name: (u64, u64),
}

/// The entry at the start of `data`, and how many bytes it takes.
fn read_entry<'d>(place: &Place, data: &'d [u8]) -> Result<(Entry<'d>, usize)> {
    let label = place.label();
    let fail = |at: u64, kind| Error::new(label.as_str(), place.offset + at, kind);
    let value = |at, field, found, expected| fail(at, ErrorKind::Value { field, found, expected });
    // Errors of the cursor would count from the entry on.
    let cut = |error: Error| fail(error.offset(), error.kind().clone());

    let mut cursor = Cursor::new(&label, data);
    let (mut entry, extents) = read_header(&mut cursor, place).map_err(cut)?;
    if extents.header_size < ENTRY_HEADER_SIZE {
        return Err(value(4, "headerSize", extents.header_size, "at least 64"));
    }
    let head = slice(data, 0, extents.header_size)
        .ok_or_else(|| value(4, "headerSize", extents.header_size, "no more than the fatbin has"))?;
    let body = slice(data, extents.header_size, extents.padded_size)
        .ok_or_else(|| value(8, "size", extents.padded_size, "no more than the fatbin has"))?;

    entry.stored = body;
    if entry.flags.compression().is_some() {
        entry.stored = slice(body, 0, extents.compressed_size)
            .ok_or_else(|| value(16, "compressedSize", extents.compressed_size, "no more than the size"))?;
    }
    if extents.name.1 != 0 {
        entry.name = slice(head, extents.name.0, extents.name.1)
            .ok_or_else(|| value(32, "identifier offset", extents.name.0, "a place in the entry's header"))?;
    }
    if extents.options != 0 {
        (entry.options, entry.compat) = options(entry.kind, head, extents.options)
            .ok_or_else(|| value(20, "options offset", extents.options, "a place in the entry's header"))?;
    }
    Ok((entry, head.len() + body.len()))
}

/// The first 64 bytes of an entry.
fn read_header<'d>(cursor: &mut Cursor<'_>, place: &Place) -> Result<(Entry<'d>, Extents)> {
    let kind = EntryKind::from_code(cursor.u16("an entry's kind")?);
    let version = cursor.u16("an entry's version")?;
    let header_size = cursor.u32("an entry's header size")?.into();
    let padded_size = cursor.u64("an entry's size")?;
    let compressed_size = cursor.u32("an entry's compressed size")?.into();
    let options = cursor.u32("an entry's options offset")?.into();
    let minor = cursor.u16("an entry's code version")?;
    let major = cursor.u16("an entry's code version")?;
    let number = cursor.u32("an entry's architecture")?;
    let name = (
        cursor.u32("an entry's identifier offset")?.into(),
        cursor.u32("an entry's identifier size")?.into(),
    );
    let flags = Flags(cursor.u64("an entry's flags")?);
    let ir_word = cursor.u64("an entry's IR word")?;
    let uncompressed_size = cursor.u64("an entry's uncompressed size")?;
    let entry = Entry {
        place: place.clone(),
        kind,
        version,
        code_version: (major, minor),
        arch: Some(Arch { number, variant: flags.variant() }),
        flags,
        name: &[],
        options: &[],
        compat: &[],
        ir_word,
        stored: &[],
        uncompressed_size,
    };
    Ok((entry, Extents { header_size, padded_size, compressed_size, options, name }))
}

/// Options and compatibility records by the record at `at`: an offset and a size.
///
/// PTX and NVVM entries have `size` bytes of options there and a NUL; ELF entries an empty string's NUL and then `size`
/// bytes, those of the cubin's `.nv.compat`.
fn options(kind: EntryKind, head: &[u8], at: u64) -> Option<(&[u8], &[u8])> {
    let number = |at| Some(u64::from(u32::from_le_bytes(slice(head, at, 4)?.try_into().ok()?)));
    let (text, size) = (number(at)?, number(at + 4)?);
    if kind == EntryKind::Elf {
        return Some((&[], slice(head, text + 1, size)?));
    }
    Some((slice(head, text, size)?, &[]))
}

/// `size` bytes from `at` on, if there are as many.
fn slice(data: &[u8], at: u64, size: u64) -> Option<&[u8]> {
    let end = usize::try_from(at.checked_add(size)?).ok()?;
    data.get(usize::try_from(at).ok()?..end)
}
