//! What breaks DWARF 2 (DWARF 2.0.0 §7.5), whether ptxas minds or not.

use super::Input;
use super::abbrev::{number, wrapping_uleb};
use super::facts::Facts;
use super::table::Table;

/// Most faults that are listed; one more says that there were others.
pub(crate) const MAX_FAULTS: usize = 64;

/// One fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    /// `.debug_info` or `.debug_abbrev`.
    pub(crate) section: &'static str,
    /// Byte offset into the section; its size where something is missing at the end.
    pub(crate) offset: u64,
    pub(crate) kind: FaultKind,
}

/// What is wrong. Sizes, lengths and offsets are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// [`MAX_FAULTS`] faults were found, or the sections refer to the same bytes too often; the rest is not listed.
    More,
    /// `.debug_info` has contents, and there is no `.debug_abbrev`.
    NoAbbrev,
    /// The unit has no room for its header of 11 bytes.
    HeaderCut { left: u64 },
    /// The unit is longer than what is left of the section behind the length.
    UnitLength { length: u64, left: u64 },
    /// A version other than 2.
    Version { version: u16 },
    /// An abbreviation offset outside `.debug_abbrev`.
    AbbrevOffset { offset: u64, size: u64 },
    /// The unit's entries end elsewhere than its length says, and there the next unit begins or the section ends.
    WrongLength { length: u64, expected: u64 },
    /// An address size other than 8.
    AddressSize { size: u8 },
    /// The table has no such abbreviation; the rest of the unit cannot be read.
    UnknownCode { code: u64 },
    /// A value goes past the end of the unit; the rest of it cannot be read.
    ValueCut { form: u64, left: u64 },
    /// `DW_FORM_string` without a NUL before the end of the unit.
    OpenString,
    /// A `DW_FORM_strp` outside `.debug_str`.
    StringOffset { offset: u64, size: u64 },
    /// A reference that leads outside its unit, or into its header; the size is that of the unit.
    Reference { offset: u64, size: u64 },
    /// An operand goes past the end of its expression.
    OperandCut { operation: u8 },
    /// The unit ends with so many lists of children open.
    OpenChildren { depth: u64 },
    /// The unit has no entry.
    NoEntry,
    /// So many bytes follow the only entry that a unit may have at its top.
    AfterRoot { left: u64 },
    /// An abbreviation, or a form within a value, of a number that DWARF 2 does not define.
    UnknownForm { form: u64 },
    /// An abbreviation ends with the section.
    AbbrevCut,
    /// Children flag neither 0 nor 1.
    ChildrenFlag { value: u8 },
    /// Two abbreviations of one table have this code.
    DuplicateCode { code: u64 },
    /// An attribute without a form, or a form without an attribute.
    HalfAttribute { name: u64, form: u64 },
    /// The table is not ended by a zero.
    NoTerminator,
    /// A code that takes more than 64 bits, or more than 10 bytes.
    LongLeb,
}

pub(super) const INFO: &str = ".debug_info";
pub(super) const ABBREV: &str = ".debug_abbrev";
/// Bytes of the whole header of a unit.
pub(super) const HEADER: usize = 11;

/// Walks over both sections.
pub(super) struct Finder<'a> {
    pub(super) input: &'a Input<'a>,
    faults: Vec<Fault>,
    /// How many bytes may still be read a second time. Units may share a table of abbreviations, or overlap.
    pub(super) fuel: usize,
    given_up: bool,
    pub(super) facts: Facts,
}

/// All faults, or the first [`MAX_FAULTS`], and what the entries say.
pub(super) fn find(input: &Input<'_>) -> (Vec<Fault>, Facts) {
    let abbrev = input.abbrev.unwrap_or_default();
    let fuel = 4 * (input.written.len() + abbrev.len());
    let mut finder = Finder { input, faults: vec![], fuel, given_up: false, facts: Facts::default() };
    if input.abbrev.is_none() {
        if !input.written.is_empty() {
            finder.add(INFO, 0, FaultKind::NoAbbrev);
        }
        return (finder.faults, finder.facts);
    }
    let mut table = (usize::MAX, Table::default());
    let mut start = 0;
    while let Some(rest) = input.written.get(start..).filter(|rest| !rest.is_empty()) {
        if finder.full() {
            break;
        }
        if rest.len() < HEADER {
            finder.add(INFO, start, FaultKind::HeaderCut { left: rest.len() as u64 });
            break;
        }
        let Some(end) = finder.unit(start, &mut table) else { break };
        start = end;
    }
    if input.written.is_empty() {
        finder.table(0, abbrev, &mut Table::default());
    }
    (finder.faults, finder.facts)
}

fn field(bytes: &[u8], at: usize, width: usize) -> u64 {
    bytes.get(at..at + width).map_or(0, number)
}

/// What was found so far, to come back to.
struct Mark {
    faults: usize,
    given_up: bool,
    facts: super::facts::Mark,
}

impl Finder<'_> {
    pub(super) fn full(&self) -> bool {
        self.given_up || self.faults.len() > MAX_FAULTS
    }

    pub(super) fn add(&mut self, section: &'static str, offset: usize, kind: FaultKind) {
        let kind = if self.faults.len() < MAX_FAULTS { kind } else { FaultKind::More };
        if !self.full() {
            self.faults.push(Fault { section, offset: offset as u64, kind });
        }
    }

    /// Gives up.
    pub(super) fn more(&mut self, section: &'static str, offset: usize) {
        self.given_up = true;
        self.faults.truncate(MAX_FAULTS);
        self.faults.push(Fault { section, offset: offset as u64, kind: FaultKind::More });
    }

    fn mark(&self) -> Mark {
        Mark { faults: self.faults.len(), given_up: self.given_up, facts: self.facts.mark() }
    }

    fn back_to(&mut self, mark: &Mark) {
        self.faults.truncate(mark.faults);
        self.given_up = mark.given_up;
        self.facts.back_to(&mark.facts);
    }

    /// Reads the unit at `start`, which has room for its header. Returns where the next one is, if that is known.
    fn unit(&mut self, start: usize, known: &mut (usize, Table)) -> Option<usize> {
        let rest = self.input.written.get(start..).unwrap_or_default();
        let (length, left) = (field(rest, 0, 4), rest.len() as u64 - 4);
        let has_end = (HEADER as u64 - 4..=left).contains(&length);
        let size = 4 + length.clamp(HEADER as u64 - 4, left) as usize;
        let before = self.mark();
        let abbrev = self.header(start, rest, known);
        let of_header = self.mark();
        let is_sound = abbrev && self.entries(start, rest.get(..size).unwrap_or_default(), &known.1);
        if is_sound && has_end {
            return Some(start + size);
        }
        let of_entries = self.faults.get(of_header.faults..).unwrap_or_default().to_vec();
        if abbrev
            && let Some(expected) =
                self.size_by_entries(start, rest, &known.1).filter(|&found| found != size || !has_end)
        {
            self.back_to(&before);
            let expected_length = expected as u64 - 4;
            self.add(INFO, start, FaultKind::WrongLength { length, expected: expected_length });
            self.header(start, rest, known);
            self.entries(start, rest.get(..expected).unwrap_or_default(), &known.1);
            return Some(start + expected);
        }
        if has_end {
            return Some(start + size);
        }
        // The length comes first, and then what is wrong with the entries up to the end of the section.
        let of_header: Vec<Fault> =
            self.faults.get(before.faults..of_header.faults).unwrap_or_default().to_vec();
        self.faults.truncate(before.faults);
        if length > left {
            self.add(INFO, start, FaultKind::UnitLength { length, left });
            self.faults.extend(of_header.into_iter().chain(of_entries));
            return Some(start + size);
        }
        self.add(INFO, start, FaultKind::HeaderCut { left: length + 4 });
        None // nothing says where the next unit is
    }

    /// Reads the header and the unit's table; whether there is one.
    fn header(&mut self, start: usize, rest: &[u8], known: &mut (usize, Table)) -> bool {
        let version = field(rest, 4, 2) as u16;
        if version != 2 {
            self.add(INFO, start + 4, FaultKind::Version { version });
        }
        let address = field(rest, 10, 1) as u8;
        if address != 8 {
            self.add(INFO, start + 10, FaultKind::AddressSize { size: address });
        }
        // The bytes of a fixup hold 0, and 0 is where `.debug_abbrev` begins.
        let offset = field(rest, 6, 4) as usize;
        let abbrev = self.input.abbrev.unwrap_or_default();
        let Some(bytes) = abbrev.get(offset..).filter(|bytes| !bytes.is_empty()) else {
            let (offset, size) = (offset as u64, abbrev.len() as u64);
            self.add(INFO, start + 6, FaultKind::AbbrevOffset { offset, size });
            return false;
        };
        if known.0 != offset {
            *known = (offset, Table::default());
            self.table(offset, bytes, &mut known.1);
        }
        !self.full()
    }

    /// The size of the unit by its own entries: their list is closed, and the next unit begins there, or the section ends.
    fn size_by_entries(&mut self, start: usize, rest: &[u8], table: &Table) -> Option<usize> {
        self.fuel = self.fuel.checked_sub(rest.len())?;
        let mark = self.mark();
        let found = std::mem::take(&mut self.faults);
        let size = self.closed(start, rest, table);
        self.faults = found;
        self.back_to(&mark);
        let size = size?;
        let next = rest.get(size..)?;
        let is_unit = || {
            let (length, version) = (field(next, 0, 4), field(next, 4, 2));
            let abbrev = self.input.abbrev.unwrap_or_default();
            let in_table = (field(next, 6, 4) as usize) < abbrev.len();
            next.len() >= HEADER
                && length >= 7
                && version == 2
                && in_table
                && matches!(field(next, 10, 1), 4 | 8)
        };
        (next.is_empty() || is_unit()).then_some(size)
    }

    /// A LEB128 number at `at`, which is stepped over; `base` is where `bytes` begin in the section.
    pub(super) fn leb(
        &mut self,
        section: &'static str,
        base: usize,
        bytes: &[u8],
        at: &mut usize,
    ) -> Option<u64> {
        let rest = bytes.get(*at..)?;
        let (value, len) = wrapping_uleb(rest)?;
        if leb128_nv::skip(rest).is_err() {
            self.add(section, base + *at, FaultKind::LongLeb);
        }
        *at += len;
        Some(value)
    }
}
