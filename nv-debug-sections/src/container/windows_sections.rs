//! The sections of a Windows PE file that hold fatbins (Microsoft's "PE Format", sections
//! "Signature" to "Section Table").

use std::sync::Arc;

use super::host_sections::TakenBytes;
use super::{ContainerPosition, Region, number, slice};
use crate::{Error, ErrorKind, Result};

/// The first bytes of a DOS program, as which a PE file begins.
const DOS_MAGIC: &[u8] = b"MZ";
const SIGNATURE: &[u8] = b"PE\0\0";

/// The sections that hold fatbins, and what their names mean. A name in an image has at most eight
/// bytes, so that those of Linux are cut. Observed: libraries of CUDA 11.7 to 13.5 for Windows.
const KNOWN: [(&[u8; 8], &str); 2] = [(b".nv_fatb", ".nv_fatb"), (b"__nv_rel", "__nv_rel")];

/// A field: its name, its place in the structure, and its size in bytes.
type Field = (&'static str, u64, usize);

const E_LFANEW: Field = ("e_lfanew", 0x3c, 4);
const NUMBER_OF_SECTIONS: Field = ("NumberOfSections", 6, 2);
const SIZE_OF_OPTIONAL_HEADER: Field = ("SizeOfOptionalHeader", 20, 2);
const VIRTUAL_SIZE: Field = ("VirtualSize", 8, 4);
const SIZE_OF_RAW_DATA: Field = ("SizeOfRawData", 16, 4);
const POINTER_TO_RAW_DATA: Field = ("PointerToRawData", 20, 4);

/// The size of the signature and the file header, after which the optional header begins.
const HEADERS: u64 = 24;
/// The size of a section's header.
const ROW: u64 = 40;

/// Whether a file is one of Windows: a program or a DLL.
pub(super) fn is_windows(data: &[u8]) -> bool {
    let signature = || {
        let at = number(data, E_LFANEW.1, E_LFANEW.2, false)?;
        slice(data, at, SIGNATURE.len() as u64)
    };
    data.starts_with(DOS_MAGIC) && signature() == Some(SIGNATURE)
}

/// The sections of a Windows PE file that hold fatbins. A fault ends its section; later sections
/// follow.
#[derive(Debug, Clone)]
pub(super) struct WindowsSections<'d> {
    /// The file.
    position: ContainerPosition,
    data: &'d [u8],
    /// The headers still to be read.
    next: u64,
    end: u64,
    fault: Option<Error>,
    taken: TakenBytes,
}

impl<'d> WindowsSections<'d> {
    /// The sections of the file `data`, which is `member` of an archive.
    pub(super) fn new(member: Option<Arc<str>>, data: &'d [u8]) -> Self {
        let position = ContainerPosition { member, ..ContainerPosition::start() };
        let mut sections =
            Self { position, data, next: 0, end: 0, fault: None, taken: TakenBytes::default() };
        sections.fault = sections.open().err();
        sections
    }

    fn open(&mut self) -> Result<()> {
        let start = self.field(0, E_LFANEW)?;
        let count = self.field(start, NUMBER_OF_SECTIONS)?;
        let table = start + HEADERS + self.field(start, SIZE_OF_OPTIONAL_HEADER)?;
        let room = (self.data.len() as u64).saturating_sub(table) / ROW;
        (self.next, self.end) = (table, table + count.min(room) * ROW);
        if count > room {
            let expected = "no more section headers than the file has";
            return Err(self.wrong(start, NUMBER_OF_SECTIONS, count, expected));
        }
        Ok(())
    }

    fn field(&self, base: u64, (name, at, size): Field) -> Result<u64> {
        let at = base.saturating_add(at);
        number(self.data, at, size, false)
            .ok_or_else(|| self.position.error(at.min(self.data.len() as u64), ErrorKind::Truncated(name)))
    }

    /// An error about a field of the structure at `base`.
    fn wrong(&self, base: u64, (field, at, _): Field, found: u64, expected: &'static str) -> Error {
        self.position.error(base.saturating_add(at), ErrorKind::Value { field, found, expected })
    }

    /// The section with this header, if it is one with fatbins.
    fn section(&mut self, header: u64) -> Result<Option<Region<'d>>> {
        let name = slice(self.data, header, 8);
        let Some((_, name)) = KNOWN.iter().find(|(known, _)| name == Some(&known[..])) else {
            return Ok(None);
        };
        // The bytes in the file are padded. `VirtualSize` is 0 before linking.
        let raw = self.field(header, SIZE_OF_RAW_DATA)?;
        let size = match self.field(header, VIRTUAL_SIZE)? {
            0 => raw,
            size => size.min(raw),
        };
        let at = self.field(header, POINTER_TO_RAW_DATA)?;
        let data = slice(self.data, at, size).ok_or_else(|| {
            self.wrong(header, POINTER_TO_RAW_DATA, at, "a section that ends inside the file")
        })?;
        if !self.taken.take(at, at + size) {
            let expected = "bytes that no other section with fatbins has";
            return Err(self.wrong(header, POINTER_TO_RAW_DATA, at, expected));
        }
        let position = ContainerPosition { section: (*name).into(), ..self.position.clone() };
        Ok(Some(Region { position, data }))
    }
}

impl<'d> Iterator for WindowsSections<'d> {
    type Item = Result<Region<'d>>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(fault) = self.fault.take() {
            return Some(Err(fault));
        }
        while self.next < self.end {
            let header = self.next;
            self.next += ROW;
            if let Some(found) = self.section(header).transpose() {
                return Some(found);
            }
        }
        None
    }
}
