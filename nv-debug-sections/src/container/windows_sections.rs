//! The sections of a Windows program, DLL or object file that hold fatbins (Microsoft's "PE
//! Format": "Signature" to "Section Table", and "COFF String Table").

use std::sync::Arc;

use super::host_sections::TakenBytes;
use super::{ContainerPosition, Region, number, slice};
use crate::{Error, ErrorKind, Result};

/// The first bytes of a DOS program, as which a Windows program begins.
const DOS_MAGIC: &[u8] = b"MZ";
const SIGNATURE: &[u8] = b"PE\0\0";
/// The first bytes of objects, by the machines that CUDA for Windows is for (`IMAGE_FILE_MACHINE_*`
/// AMD64, ARM64 and I386).
const MACHINES: [[u8; 2]; 3] = [[0x64, 0x86], [0x64, 0xaa], [0x4c, 0x01]];
/// The class of an object for many sections, as `cl /bigobj` writes it (`ANON_OBJECT_HEADER_BIGOBJ`
/// of winnt.h).
const BIG_CLASS: [u8; 16] =
    [0xc7, 0xa1, 0xba, 0xd1, 0xee, 0xba, 0xa9, 0x4b, 0xaf, 0x20, 0xfa, 0xf6, 0x6a, 0xa4, 0xdc, 0xb8];

/// A section that holds fatbins, by the two names that it may have.
#[derive(Debug)]
struct FatbinSection {
    /// A name in a header has at most eight bytes, so that linkers cut that of Linux. Observed:
    /// libraries of CUDA 11.7 to 13.5 for Windows.
    cut: &'static str,
    /// In objects a longer name is in the string table. Observed: cudadevrt.lib of CUDA 12.9.
    whole: &'static str,
}

const KNOWN: [FatbinSection; 2] = [
    FatbinSection { cut: ".nv_fatb", whole: ".nv_fatbin" },
    FatbinSection { cut: "__nv_rel", whole: "__nv_relfatbin" },
];

/// A field: its name, its place in the structure, and its size in bytes.
type Field = (&'static str, u64, usize);

const E_LFARLC: Field = ("e_lfarlc", 0x18, 2);
const E_LFANEW: Field = ("e_lfanew", 0x3c, 4);
const SIZE_OF_OPTIONAL_HEADER: Field = ("SizeOfOptionalHeader", 16, 2);
const NAME: Field = ("Name", 0, 8);
const VIRTUAL_SIZE: Field = ("VirtualSize", 8, 4);
const SIZE_OF_RAW_DATA: Field = ("SizeOfRawData", 16, 4);
const POINTER_TO_RAW_DATA: Field = ("PointerToRawData", 20, 4);

/// A kind of file header, which leads to the tables of sections and strings.
#[derive(Debug)]
struct FileHeader {
    number_of_sections: Field,
    pointer_to_symbol_table: Field,
    number_of_symbols: Field,
    /// The size of a symbol. The strings follow the symbols.
    symbol: u64,
    /// The size of the header. The optional header follows it.
    size: u64,
    has_optional_header: bool,
}

const FILE_HEADER: FileHeader = FileHeader {
    number_of_sections: ("NumberOfSections", 2, 2),
    pointer_to_symbol_table: ("PointerToSymbolTable", 8, 4),
    number_of_symbols: ("NumberOfSymbols", 12, 4),
    symbol: 18,
    size: 20,
    has_optional_header: true,
};

const BIG_HEADER: FileHeader = FileHeader {
    number_of_sections: ("NumberOfSections", 44, 4),
    pointer_to_symbol_table: ("PointerToSymbolTable", 48, 4),
    number_of_symbols: ("NumberOfSymbols", 52, 4),
    symbol: 20,
    size: 56,
    has_optional_header: false,
};

/// The size of a section's header.
const ROW: u64 = 40;
const ROW_STEP: usize = ROW as usize;
/// The value of `e_lfarlc` in a DOS program that another program follows.
const NEW_PROGRAM: u64 = 0x40;

/// The kinds of Windows files.
#[derive(Debug, Clone, Copy)]
enum WindowsFile {
    /// A program or DLL.
    Program,
    /// An object, with its kind of header.
    Object(&'static FileHeader),
}

impl WindowsFile {
    fn of(data: &[u8]) -> Option<Self> {
        if is_program(data) {
            Some(Self::Program)
        } else if data.starts_with(&[0, 0, 0xff, 0xff]) && slice(data, 12, 16) == Some(&BIG_CLASS) {
            Some(Self::Object(&BIG_HEADER))
        } else {
            // Objects have no magic number, and no optional header.
            let (_, at, size) = SIZE_OF_OPTIONAL_HEADER;
            let is_object = MACHINES.iter().any(|machine| data.starts_with(machine));
            (is_object && number(data, at, size, false) == Some(0)).then_some(Self::Object(&FILE_HEADER))
        }
    }
}

/// Whether a file is a Windows program or DLL, also one that is cut off.
fn is_program(data: &[u8]) -> bool {
    let field = |(_, at, size): Field| number(data, at, size, false);
    let signature = field(E_LFANEW).and_then(|at| slice(data, at, SIGNATURE.len() as u64));
    // Whether another program than that of DOS was to follow, e_lfarlc says too.
    let is_followed = match signature {
        Some(signature) => signature == SIGNATURE,
        None => field(E_LFARLC) == Some(NEW_PROGRAM),
    };
    data.starts_with(DOS_MAGIC) && is_followed
}

/// Whether a file is one of Windows: a program, a DLL or an object.
pub(super) fn is_windows(data: &[u8]) -> bool {
    WindowsFile::of(data).is_some()
}

/// The sections of a Windows file that hold fatbins. A fault ends its section; later sections
/// follow.
#[derive(Debug, Clone)]
pub(super) struct WindowsSections<'d> {
    /// The file.
    position: ContainerPosition,
    data: &'d [u8],
    /// The headers still to be read.
    next: u64,
    end: u64,
    /// The string table with its size in front; empty if the file has none.
    strings: &'d [u8],
    fault: Option<Error>,
    taken: TakenBytes,
}

impl<'d> WindowsSections<'d> {
    /// The sections of the file `data`, which is `member` of an archive.
    pub(super) fn new(member: Option<Arc<str>>, data: &'d [u8]) -> Self {
        let position = ContainerPosition { member, ..ContainerPosition::start() };
        let taken = TakenBytes::default();
        let mut sections = Self { position, data, next: 0, end: 0, strings: &[], fault: None, taken };
        if let Err(error) = sections.open() {
            sections.fault.get_or_insert(error);
        }
        sections
    }

    fn open(&mut self) -> Result<()> {
        let (start, header) = match WindowsFile::of(self.data) {
            Some(WindowsFile::Object(header)) => (0, header),
            _ => (self.end_of_signature()?, &FILE_HEADER),
        };
        let count = self.field(start, header.number_of_sections)?;
        let optional =
            if header.has_optional_header { self.field(start, SIZE_OF_OPTIONAL_HEADER)? } else { 0 };
        let table = start + header.size + optional;
        let room = (self.data.len() as u64).saturating_sub(table) / ROW;
        (self.next, self.end) = (table, table + count.min(room) * ROW);
        if count > room {
            let expected = "no more section headers than the Windows file has, which may be cut off";
            self.fault = Some(self.wrong(start, header.number_of_sections, count, expected));
        }
        self.strings = self.strings(start, header)?;
        Ok(())
    }

    /// The end of the signature of a program.
    fn end_of_signature(&self) -> Result<u64> {
        let cut = || {
            let what = "the headers of a Windows program, which is cut off";
            self.position.error(self.data.len() as u64, ErrorKind::Truncated(what))
        };
        let (_, at, size) = E_LFANEW;
        let start = number(self.data, at, size, false).ok_or_else(cut)?;
        let size = SIGNATURE.len() as u64;
        slice(self.data, start, size).map(|_| start + size).ok_or_else(cut)
    }

    /// The string table. Programs have none, unless symbols were left in them.
    fn strings(&self, start: u64, header: &FileHeader) -> Result<&'d [u8]> {
        let symbols = self.field(start, header.pointer_to_symbol_table)?;
        let mut names = (self.next..self.end).step_by(ROW_STEP).map(|header| slice(self.data, header, 1));
        if symbols == 0 || !names.any(|first| first == Some(b"/")) {
            return Ok(&[]);
        }
        let at = symbols + self.field(start, header.number_of_symbols)? * header.symbol;
        let size = number(self.data, at, 4, false);
        size.and_then(|size| slice(self.data, at, size)).ok_or_else(|| {
            let expected = "a place before a string table in the Windows file, which may be cut off";
            self.wrong(start, header.pointer_to_symbol_table, symbols, expected)
        })
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

    /// The name of the section with this header, if it is one with fatbins.
    fn name(&self, header: u64) -> Result<Option<&'static str>> {
        let own = slice(self.data, header, NAME.2 as u64).unwrap_or_default();
        let Some(place) = own.strip_prefix(b"/") else {
            return Ok(KNOWN.iter().map(|known| known.cut).find(|cut| cut.as_bytes() == own));
        };
        // A program without symbols has lost the strings too.
        let Some(at) = place_of_string(place).filter(|_| !self.strings.is_empty()) else { return Ok(None) };
        let name = usize::try_from(at)
            .ok()
            .and_then(|at| self.strings.get(at..))
            .ok_or_else(|| self.wrong(header, NAME, at, "a place in the string table, after a slash"))?;
        // No more is read than it takes: many sections may share one long name.
        let is = |whole: &&str| {
            name.strip_prefix(whole.as_bytes()).is_some_and(|rest| rest.first().is_none_or(|end| *end == 0))
        };
        Ok(KNOWN.iter().map(|known| known.whole).find(is))
    }

    /// The section with this header, if it is one with fatbins.
    fn section(&mut self, header: u64) -> Result<Option<Region<'d>>> {
        let Some(name) = self.name(header)? else { return Ok(None) };
        // The bytes in the file are padded. `VirtualSize` is 0 before linking.
        let raw = self.field(header, SIZE_OF_RAW_DATA)?;
        let size = match self.field(header, VIRTUAL_SIZE)? {
            0 => raw,
            size => size.min(raw),
        };
        let at = self.field(header, POINTER_TO_RAW_DATA)?;
        if at == 0 {
            return Ok(None); // without bytes, as `llvm-objcopy --only-keep-debug` leaves it
        }
        let data = slice(self.data, at, size).ok_or_else(|| {
            self.wrong(
                header,
                POINTER_TO_RAW_DATA,
                at,
                "a section that ends inside the Windows file, which may be cut off",
            )
        })?;
        if !self.taken.take(at, at + size) {
            let expected = "bytes that no other section with fatbins has";
            return Err(self.wrong(header, POINTER_TO_RAW_DATA, at, expected));
        }
        let position = ContainerPosition { section: name.into(), ..self.position.clone() };
        Ok(Some(Region { position, data }))
    }
}

/// The place in the string table that follows the slash of a name: a decimal number, or, after a
/// second slash, one in base 64, as LLVM writes those of more than seven digits.
fn place_of_string(text: &[u8]) -> Option<u64> {
    const BASE_64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if let Some(digits) = text.strip_prefix(b"/") {
        return digits.iter().try_fold(0, |value: u64, digit| {
            let digit = BASE_64.iter().position(|known| known == digit)?;
            Some(value * 64 + digit as u64)
        });
    }
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    let digits = text.get(..end).filter(|text| text.iter().all(u8::is_ascii_digit))?;
    std::str::from_utf8(digits).ok()?.parse().ok()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_strings() {
        let places: [&[u8]; 8] =
            [b"4\0\0\0\0\0\0", b"9999999", b"/AAmJaA", b"/AAAAAB", b"", b"x", b"+1", b"/\0\0\0\0\0\0"];
        let found = places.map(place_of_string);
        assert_eq!(found[..4], [Some(4), Some(9_999_999), Some(10_000_000), Some(1)]);
        assert_eq!(found[4..], [None; 4]);
    }
}
