//! The sections of a host ELF file that hold fatbins.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ContainerPosition, Region, number, slice};
use crate::{Error, ErrorKind, Result};

/// A section that holds fatbins, and what its header has to say.
#[derive(Debug)]
struct FatbinSection {
    name: &'static str,
    inside: &'static str,
    unshared: &'static str,
}

/// The sections of host programs that hold fatbins: that of whole programs (or of the device
/// linker), and that which the device linker has read. `.nvFatBinSegment` has pointers to them,
/// which only relocations fill in.
const KNOWN: [FatbinSection; 2] = [
    FatbinSection {
        name: ".nv_fatbin",
        inside: "an end of .nv_fatbin inside the file",
        unshared: "bytes for .nv_fatbin that overlap no other section with fatbins",
    },
    FatbinSection {
        name: "__nv_relfatbin",
        inside: "an end of __nv_relfatbin inside the file",
        unshared: "bytes for __nv_relfatbin that overlap no other section with fatbins",
    },
];

/// A field: its name, and its place in the file header or in a section's.
type Field = (&'static str, u64, usize);

/// The fields of a class of ELF files (gABI 4, "File Header" and "Section Header").
#[derive(Debug)]
struct Class {
    e_shoff: Field,
    e_shentsize: Field,
    e_shnum: Field,
    e_shstrndx: Field,
    sh_offset: Field,
    sh_size: Field,
    sh_link: Field,
    /// Size of a section's header.
    row: u64,
}

const SH_NAME: Field = ("sh_name", 0, 4);
const SH_TYPE: Field = ("sh_type", 4, 4);

/// By `EI_CLASS`, from 1.
const CLASSES: [Class; 2] = [
    Class {
        e_shoff: ("e_shoff", 0x20, 4),
        e_shentsize: ("e_shentsize", 0x2e, 2),
        e_shnum: ("e_shnum", 0x30, 2),
        e_shstrndx: ("e_shstrndx", 0x32, 2),
        sh_offset: ("sh_offset", 0x10, 4),
        sh_size: ("sh_size", 0x14, 4),
        sh_link: ("sh_link", 0x18, 4),
        row: 40,
    },
    Class {
        e_shoff: ("e_shoff", 0x28, 8),
        e_shentsize: ("e_shentsize", 0x3a, 2),
        e_shnum: ("e_shnum", 0x3c, 2),
        e_shstrndx: ("e_shstrndx", 0x3e, 2),
        sh_offset: ("sh_offset", 0x18, 8),
        sh_size: ("sh_size", 0x20, 8),
        sh_link: ("sh_link", 0x28, 4),
        row: 64,
    },
];

const SHT_NULL: u64 = 0;
const SHT_NOBITS: u64 = 8;
const SHN_XINDEX: u64 = 0xffff;

/// The sections of a host ELF file that hold fatbins. A fault ends its section; later sections
/// follow.
#[derive(Debug, Clone)]
pub(super) struct Sections<'d> {
    /// The file.
    position: ContainerPosition,
    data: &'d [u8],
    table: Table<'d>,
    /// A fault of the table, to be told before its sections.
    fault: Option<Error>,
    taken: TakenBytes,
}

/// The bytes of a file that the sections so far have. A small file could have a lot to list if
/// sections could share them.
#[derive(Debug, Clone, Default)]
pub(super) struct TakenBytes {
    /// Ends of the sections by their starts.
    ends: BTreeMap<u64, u64>,
}

impl TakenBytes {
    /// Takes the bytes from `start` to `end` for a section; false if an earlier section has some of
    /// them.
    pub(super) fn take(&mut self, start: u64, end: u64) -> bool {
        let before = self.ends.range(..end).next_back();
        let is_free = start >= end || before.is_none_or(|(_, taken)| *taken <= start);
        if is_free && start < end {
            self.ends.insert(start, end);
        }
        is_free
    }
}

/// Headers still to be read, and the names of sections.
#[derive(Debug, Clone)]
struct Table<'d> {
    class: &'static Class,
    is_big: bool,
    next: u64,
    end: u64,
    names: &'d [u8],
}

impl<'d> Sections<'d> {
    /// The sections of the file `data`, which is `member` of an archive.
    pub(super) fn new(member: Option<Arc<str>>, data: &'d [u8]) -> Self {
        let position = ContainerPosition { member, ..ContainerPosition::start() };
        let table = Table { class: &CLASSES[0], is_big: false, next: 0, end: 0, names: &[] };
        let mut sections = Self { position, data, table, fault: None, taken: TakenBytes::default() };
        if let Err(error) = sections.open() {
            sections.table.end = sections.table.next;
            sections.fault = Some(error);
        }
        sections
    }

    fn field(&self, base: u64, (name, at, size): Field) -> Result<u64> {
        let at = base.saturating_add(at);
        number(self.data, at, size, self.table.is_big)
            .ok_or_else(|| self.position.error(at.min(self.data.len() as u64), ErrorKind::Truncated(name)))
    }

    /// An error about a field of the header at `base`.
    fn wrong(&self, base: u64, (field, at, _): Field, found: u64, expected: &'static str) -> Error {
        self.position.error(base.saturating_add(at), ErrorKind::Value { field, found, expected })
    }

    /// Finds the table and the names.
    fn open(&mut self) -> Result<()> {
        const EI_CLASS: Field = ("EI_CLASS", 4, 1);
        const EI_DATA: Field = ("EI_DATA", 5, 1);
        let number = self.field(0, EI_CLASS)?;
        let Some(class) = CLASSES.get(usize::try_from(number).unwrap_or(0).wrapping_sub(1)) else {
            return Err(self.wrong(0, EI_CLASS, number, "1 or 2"));
        };
        let order = self.field(0, EI_DATA)?;
        if !(1..=2).contains(&order) {
            return Err(self.wrong(0, EI_DATA, order, "1 or 2"));
        }
        (self.table.class, self.table.is_big) = (class, order == 2);
        let start = self.field(0, class.e_shoff)?;
        if start == 0 {
            return Ok(());
        }
        let size = self.field(0, class.e_shentsize)?;
        if size != class.row {
            return Err(self.wrong(
                0,
                class.e_shentsize,
                size,
                "0x28 in a 32-bit file, 0x40 in a 64-bit one",
            ));
        }
        if start >= self.data.len() as u64 {
            return Err(self.wrong(0, class.e_shoff, start, "a place in the file"));
        }
        // Numbers that do not fit their fields are in the first section's header.
        let count = match self.field(0, class.e_shnum)? {
            0 => self.field(start, class.sh_size)?,
            count => count,
        };
        let room = (self.data.len() as u64 - start) / class.row;
        if count > room {
            self.fault =
                Some(self.wrong(0, class.e_shnum, count, "no more section headers than the file has"));
        }
        self.table.next = start;
        self.table.end = start + count.min(room) * class.row;
        self.table.names = self.names(start)?;
        Ok(())
    }

    fn names(&self, start: u64) -> Result<&'d [u8]> {
        let class = self.table.class;
        let index = match self.field(0, class.e_shstrndx)? {
            0 => return Ok(&[]),
            SHN_XINDEX => self.field(start, class.sh_link)?,
            index => index,
        };
        let header = index.checked_mul(class.row).and_then(|at| at.checked_add(start));
        let header = header
            .filter(|header| *header < self.table.end)
            .ok_or_else(|| self.wrong(0, class.e_shstrndx, index, "the number of a section"))?;
        let (at, size) = (self.field(header, class.sh_offset)?, self.field(header, class.sh_size)?);
        slice(self.data, at, size).ok_or_else(|| {
            self.wrong(header, class.sh_size, size, "an end of the section names inside the file")
        })
    }

    /// The section with this header, if it is one with fatbins.
    fn section(&mut self, header: u64) -> Result<Option<Region<'d>>> {
        let class = self.table.class;
        let kind = self.field(header, SH_TYPE)?;
        if [SHT_NULL, SHT_NOBITS].contains(&kind) {
            return Ok(None); // the latter have no bytes, as in the file of `objcopy --only-keep-debug`
        }
        let name = self.field(header, SH_NAME)?;
        let start = usize::try_from(name).unwrap_or(usize::MAX);
        // No more is read than it takes: many sections may share one long name.
        let Some(names) = self.table.names.get(start..) else {
            return Err(self.wrong(header, SH_NAME, name, "a place in the section names"));
        };
        let is = |known: &&FatbinSection| {
            names.strip_prefix(known.name.as_bytes()).is_some_and(|rest| rest.first() == Some(&0))
        };
        let Some(known) = KNOWN.iter().find(is) else { return Ok(None) };
        let (at, size) = (self.field(header, class.sh_offset)?, self.field(header, class.sh_size)?);
        let data = slice(self.data, at, size)
            .ok_or_else(|| self.wrong(header, class.sh_size, size, known.inside))?;
        if !self.taken.take(at, at + size) {
            return Err(self.wrong(header, class.sh_offset, at, known.unshared));
        }
        Ok(Some(Region {
            position: ContainerPosition { section: known.name.into(), ..self.position.clone() },
            data,
        }))
    }
}

impl<'d> Iterator for Sections<'d> {
    type Item = Result<Region<'d>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(fault) = self.fault.take() {
            return Some(Err(fault));
        }
        while self.table.next < self.table.end {
            let header = self.table.next;
            self.table.next += self.table.class.row;
            if let Some(found) = self.section(header).transpose() {
                return Some(found);
            }
        }
        None
    }
}
