//! Fatbins: several images of one program for several GPUs, one after the other.
//!
//! A fatbin is a header of 16 bytes and its entries; an entry is a header of at least 64 bytes and
//! a payload. Several fatbins may follow each other, as a host linker leaves those of its objects.
//! `docs/formats/fatbins.md` has every field; observed: nvcc and fatbinary 13.0.88 (written),
//! cuobjdump 13.2.86 (how it reads changed fields).

mod entries;

use entries::FoundEntry;
use std::sync::Arc;

use memchr::memmem;

use super::{ContainerPosition, Entry, EntryKind, Flags, number, slice};
use crate::arch::Arch;
use crate::cursor::Cursor;
use crate::{Error, ErrorKind, Result};

pub use entries::Entries;

/// The first four bytes of a fatbin, little-endian.
pub const MAGIC: u32 = 0xba55_ed50;

/// Size of a fatbin's header. cuobjdump takes no other.
const HEADER_SIZE: u64 = 16;

/// Size of an entry's header without name and options.
const ENTRY_HEADER_SIZE: u64 = 64;

/// An iterator over the fatbins in a section, or in a file that is a fatbin.
///
/// Zero bytes between fatbins are skipped. After a fault in a header they go on where the next
/// header is; of a fatbin that says it is larger than what follows the fault is told first, and
/// then it has the bytes up to there.
#[derive(Debug, Clone)]
pub struct Fatbins<'d> {
    position: ContainerPosition,
    data: &'d [u8],
    at: u64,
    /// A fatbin whose fault was told first.
    held: Option<Fatbin<'d>>,
}

/// One fatbin: its header and its entries.
#[derive(Debug, Clone)]
pub struct Fatbin<'d> {
    position: ContainerPosition,
    entries: &'d [u8],
    version: u16,
}

impl<'d> Fatbins<'d> {
    /// Creates an iterator over the fatbins in `data`. `section` is the section's name for
    /// messages, empty for a file.
    pub fn new(section: impl Into<Arc<str>>, data: &'d [u8]) -> Self {
        Self::at(ContainerPosition { member: None, section: section.into(), offset: 0 }, data)
    }

    pub(super) fn at(position: ContainerPosition, data: &'d [u8]) -> Self {
        Self { position, data, at: 0, held: None }
    }

    /// Version and size in the header at `at`.
    fn header(&self) -> Result<(u16, u64)> {
        let value = |at, field, found, expected| {
            self.position.error(self.at + at, ErrorKind::Value { field, found, expected })
        };
        let field = |at, size, what| {
            number(self.data, self.at + at, size, false)
                .ok_or_else(|| self.position.error(self.at + at, ErrorKind::Truncated(what)))
        };
        let magic = field(0, 4, "the fatbin's magic")?;
        if magic != u64::from(MAGIC) {
            return Err(value(0, "magic", magic, "0xba55ed50, a fatbin"));
        }
        let version = field(4, 2, "the fatbin's version")?;
        let header_size = field(6, 2, "the fatbin's header size")?;
        if header_size != HEADER_SIZE {
            return Err(value(6, "headerSize", header_size, "16"));
        }
        Ok((version as u16, field(8, 8, "the fatbin's size")?))
    }

    /// Reads the fatbin at `at`, and moves `at` after it, or after a fault to what may be the next
    /// one.
    fn read(&mut self) -> Result<Fatbin<'d>> {
        let at = self.at;
        let (version, size) = match self.header() {
            Ok(fields) => fields,
            Err(fault) => {
                self.at = next_header(self.data, at + 1);
                return Err(fault);
            }
        };
        let start = at + HEADER_SIZE;
        let fatbin = |entries| Fatbin { position: self.position.at(start), entries, version };
        if let Some(entries) = slice(self.data, start, size) {
            self.at = start + size;
            return Ok(fatbin(entries));
        }
        self.at = next_header(self.data, start);
        let rest = slice(self.data, start, self.at - start).unwrap_or_default();
        self.held = (!rest.is_empty()).then(|| fatbin(rest));
        let kind = ErrorKind::Value {
            field: "fatSize",
            found: size,
            expected: "no more than the bytes that follow",
        };
        Err(self.position.error(at + 8, kind))
    }
}

/// Offset from `from` on of what looks like a fatbin's header, else the end.
fn next_header(data: &[u8], from: u64) -> u64 {
    let end = data.len() as u64;
    let rest = slice(data, from, end.saturating_sub(from)).unwrap_or_default();
    let magic = MAGIC.to_le_bytes();
    let mut headers = memmem::find_iter(rest, &magic).map(|found| from + found as u64);
    headers.find(|at| number(data, at + 6, 2, false) == Some(HEADER_SIZE)).unwrap_or(end)
}

impl<'d> Iterator for Fatbins<'d> {
    type Item = Result<Fatbin<'d>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(fatbin) = self.held.take() {
            return Some(Ok(fatbin));
        }
        let rest = self.data.get(usize::try_from(self.at).ok()?..)?;
        self.at += rest.iter().position(|byte| *byte != 0)? as u64;
        Some(self.read())
    }
}

impl<'d> Fatbin<'d> {
    /// The byte offset of the fatbin's header in its section.
    pub fn offset(&self) -> u64 {
        self.position.offset - HEADER_SIZE
    }

    /// Returns the version number in the header of the fatbin. It is 1 in all known files, and
    /// cuobjdump accepts any number.
    pub fn version(&self) -> u16 {
        self.version
    }

    /// Iterates over the entries of the fatbin. Each is read when the iterator reaches it.
    pub fn entries(&self) -> Entries<'d> {
        Entries { position: self.position.clone(), rest: self.entries, held: None }
    }
}

/// The byte ranges of the payload, the name and the options of an entry.
struct ByteRanges {
    header_size: u64,
    padded_size: u64,
    compressed_size: u64,
    options: u64,
    name: (u64, u64),
}

fn wrong(
    position: &ContainerPosition,
    at: u64,
    field: &'static str,
    found: u64,
    expected: &'static str,
) -> Error {
    position.error(position.offset + at, ErrorKind::Value { field, found, expected })
}

/// The entry at the start of `data`.
fn find_entry<'d>(position: &ContainerPosition, data: &'d [u8]) -> Result<FoundEntry<'d>> {
    // Errors of the cursor would count from the entry on.
    let cut = |error: Error| position.error(position.offset + error.offset(), error.kind().clone());
    let (entry, extents) = read_header(&mut Cursor::new("", data), position).map_err(cut)?;
    if extents.header_size < ENTRY_HEADER_SIZE {
        return Err(wrong(position, 4, "headerSize", extents.header_size, "at least 64"));
    }
    let head = slice(data, 0, extents.header_size).ok_or_else(|| {
        wrong(position, 4, "headerSize", extents.header_size, "no more than the fatbin has")
    })?;
    let body = slice(data, extents.header_size, extents.padded_size)
        .ok_or_else(|| wrong(position, 8, "size", extents.padded_size, "no more than the fatbin has"))?;
    Ok(FoundEntry { entry, extents, head, body })
}

/// The first 64 bytes of an entry.
fn read_header<'d>(cursor: &mut Cursor<'_>, position: &ContainerPosition) -> Result<(Entry<'d>, ByteRanges)> {
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
        position: position.clone(),
        kind,
        version,
        code_version: (major, minor),
        arch: Some(Arch { number, suffix: flags.suffix() }),
        flags,
        name: &[],
        options: &[],
        compat: &[],
        ir_word,
        header: &[],
        room: &[],
        stored: &[],
        uncompressed_size,
    };
    Ok((entry, ByteRanges { header_size, padded_size, compressed_size, options, name }))
}

/// Options and compatibility records by the record at `at`: an offset and a size.
///
/// PTX and NVVM entries have `size` bytes of options there and a NUL; ELF entries an empty string's
/// NUL and then `size` bytes, those of the cubin's `.nv.compat`.
fn options(kind: EntryKind, head: &[u8], at: u64) -> Option<(&[u8], &[u8])> {
    let (text, size) = (number(head, at, 4, false)?, number(head, at + 4, 4, false)?);
    if kind == EntryKind::Elf {
        return Some((&[], slice(head, text + 1, size)?));
    }
    Some((slice(head, text, size)?, &[]))
}
