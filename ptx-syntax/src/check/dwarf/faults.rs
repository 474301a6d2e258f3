//! Violations of DWARF 2 (DWARF 2.0.0 §7.5), whether ptxas reports them or not.

use dwarf2_reader::abbrev::{self, AbbrevTable};
use dwarf2_reader::info::{self, HEADER_SIZE, Unit};
use dwarf2_reader::{Cursor, Error, ErrorKind, Span, WorkBudget};

use super::Input;
use super::facts::Facts;
use crate::limits::{ABBREV_TABLE_BYTES, MAX_FAULTS, UNIT_END_BYTES};

/// One fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    /// `.debug_info` or `.debug_abbrev`.
    pub(crate) section: &'static str,
    /// Byte offset into the section; its size where something is missing at the end.
    pub(crate) offset: u64,
    pub(crate) kind: FaultKind,
}

/// The kind of a fault in `.debug_info` or `.debug_abbrev`. Sizes, lengths and offsets are in
/// bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// There are further faults, which are not listed: [`MAX_FAULTS`] were found, or the sections
    /// refer to the same bytes too often.
    More,
    /// `.debug_info` has contents, but `.debug_abbrev` is missing.
    NoAbbrev,
    /// The bytes of the unit end within its header, which has 11 bytes.
    HeaderCut { left: u64 },
    /// The length of the unit is more than what follows it in the section.
    UnitLength { length: u64, left: u64 },
    /// The version of the unit is not 2.
    Version { version: u16 },
    /// The abbreviation offset of the unit is outside `.debug_abbrev`.
    AbbrevOffset { offset: u64, size: u64 },
    /// The length of the unit is wrong: its entries end elsewhere, where the next unit begins or
    /// the section ends.
    WrongLength { length: u64, expected: u64 },
    /// The address size of the unit is not 8.
    AddressSize { size: u8 },
    /// An entry has an abbreviation code that its table does not have; the rest of the unit cannot
    /// be read.
    UnknownCode { code: u64 },
    /// The value of an attribute extends past the end of the unit; the rest of the unit cannot be
    /// read.
    ValueCut { form: u64, left: u64 },
    /// A `DW_FORM_string` value has no NUL before the end of the unit.
    OpenString,
    /// A `DW_FORM_strp` value is an offset outside `.debug_str`.
    StringOffset { offset: u64, size: u64 },
    /// A reference to an entry has an offset outside its unit, or in the unit's header. `size` is
    /// that of the unit.
    Reference { offset: u64, size: u64 },
    /// An operand extends past the end of its location expression.
    OperandCut { operation: u8 },
    /// The unit ends before the end of this number of lists of children.
    OpenChildren { depth: u64 },
    /// The unit has no entry after its header.
    NoEntry,
    /// The root entry of the unit and its children are followed by this number of bytes.
    AfterRoot { left: u64 },
    /// An abbreviation, or a `DW_FORM_indirect` value, has a form that DWARF 2 does not define.
    UnknownForm { form: u64 },
    /// The section `.debug_abbrev` ends within an abbreviation.
    AbbrevCut,
    /// The children flag of an abbreviation is neither 0 nor 1.
    ChildrenFlag { value: u8 },
    /// Two abbreviations of one table have the same code.
    DuplicateCode { code: u64 },
    /// An abbreviation has an attribute without a form, or a form without an attribute.
    HalfAttribute { name: u64, form: u64 },
    /// The table of abbreviations is not ended by a zero.
    NoTerminator,
    /// A LEB128 number takes more than 64 bits, or more than 10 bytes.
    LongLeb,
}

/// Walks over both sections.
pub(super) struct Finder<'a> {
    pub(super) input: &'a Input<'a>,
    faults: Vec<Fault>,
    /// Bytes of `.debug_abbrev` that may still be read.
    tables: WorkBudget,
    /// Bytes of units that may still be read to find their ends.
    unit_ends: WorkBudget,
    given_up: bool,
    pub(super) facts: Facts,
}

/// All faults, or the first [`MAX_FAULTS`], and what the entries say.
pub(super) fn find(input: &Input<'_>) -> (Vec<Fault>, Facts) {
    let abbrev = input.abbrev.unwrap_or_default();
    let size = input.written.len() as u64;
    let both = size + abbrev.len() as u64;
    let mut finder = Finder {
        input,
        faults: vec![],
        tables: WorkBudget::of_input(both, ABBREV_TABLE_BYTES),
        unit_ends: WorkBudget::of_input(both, UNIT_END_BYTES),
        given_up: false,
        facts: Facts::default(),
    };
    if input.abbrev.is_none() {
        if size != 0 {
            finder.info(0, FaultKind::NoAbbrev);
        }
        return (finder.faults, finder.facts);
    }
    let mut known = None;
    let mut start = 0;
    while start < size && !finder.full() {
        let Some(header) = Header::read(input.written, start) else {
            finder.info(start, FaultKind::HeaderCut { left: size - start });
            break;
        };
        let Some(end) = finder.unit(start, header, &mut known) else { break };
        start = end;
    }
    if size == 0 {
        finder.table(0);
    }
    (finder.faults, finder.facts)
}

/// The header of a unit, whatever its fields are. DWARF 2 has no 64-bit format: the escape of later
/// versions is a length here.
#[derive(Clone, Copy)]
struct Header {
    length: u64,
    version: u16,
    abbrev_offset: u64,
    address_size: u8,
}

impl Header {
    /// The header at a byte offset of `.debug_info`; none if the section ends in it.
    fn read(section: &[u8], start: u64) -> Option<Self> {
        let mut cursor = Cursor::at(info::SECTION, section, start, "a unit").ok()?;
        Some(Self {
            length: cursor.u32("unit_length").ok()?.into(),
            version: cursor.u16("version").ok()?,
            // The bytes of a fixup hold 0, and 0 is where `.debug_abbrev` begins.
            abbrev_offset: cursor.u32("debug_abbrev_offset").ok()?.into(),
            address_size: cursor.u8("address_size").ok()?,
        })
    }

    /// A unit with this header.
    fn unit(&self, span: Span) -> Unit {
        Unit::of_version_2(span, self.abbrev_offset, self.address_size)
    }
}

/// The faults found up to a point of the reading, to which it can return.
struct Mark {
    faults: usize,
    given_up: bool,
    facts: super::facts::Mark,
}

/// Bytes of the length of a unit, which do not count in it.
const LENGTH_SIZE: u64 = 4;

impl Finder<'_> {
    pub(super) fn full(&self) -> bool {
        self.given_up || self.faults.len() > MAX_FAULTS
    }

    /// Adds a fault of `.debug_info`.
    pub(super) fn info(&mut self, offset: u64, kind: FaultKind) {
        self.add(info::SECTION, offset, kind);
    }

    fn add(&mut self, section: &'static str, offset: u64, kind: FaultKind) {
        let kind = if self.faults.len() < MAX_FAULTS { kind } else { FaultKind::More };
        if !self.full() {
            self.faults.push(Fault { section, offset, kind });
        }
    }

    fn mark(&self) -> Mark {
        Mark { faults: self.faults.len(), given_up: self.given_up, facts: self.facts.mark() }
    }

    fn back_to(&mut self, mark: &Mark) {
        self.faults.truncate(mark.faults);
        self.given_up = mark.given_up;
        self.facts.back_to(&mark.facts);
    }

    /// Reads the unit at `start`. Returns where the next one is, if that is known.
    fn unit(&mut self, start: u64, header: Header, known: &mut Option<AbbrevTable>) -> Option<u64> {
        let all = self.input.written.len() as u64;
        let (length, left) = (header.length, all - start - LENGTH_SIZE);
        let least = HEADER_SIZE - LENGTH_SIZE;
        let has_end = (least..=left).contains(&length);
        let end = start + LENGTH_SIZE + length.clamp(least, left);
        let before = self.mark();
        let has_table = self.header(start, header, known);
        let table = known.as_ref().filter(|_| has_table);
        let of_header = self.mark();
        let is_sound = table.is_some_and(|table| self.entries(&header.unit(start..end), table));
        if is_sound && has_end {
            return Some(end);
        }
        let of_entries = self.faults.get(of_header.faults..).unwrap_or_default().to_vec();
        if let Some(table) = table
            && let Some(found) =
                self.end_by_entries(&header.unit(start..all), table).filter(|&found| found != end || !has_end)
        {
            self.back_to(&before);
            let expected = found - start - LENGTH_SIZE;
            self.info(start, FaultKind::WrongLength { length, expected });
            self.header(start, header, known);
            if let Some(table) = known {
                self.entries(&header.unit(start..found), table);
            }
            return Some(found);
        }
        if has_end {
            return Some(end);
        }
        // The length comes first, and then what is wrong with the entries up to the end of the
        // section.
        let of_header: Vec<Fault> =
            self.faults.get(before.faults..of_header.faults).unwrap_or_default().to_vec();
        self.faults.truncate(before.faults);
        if length > left {
            self.info(start, FaultKind::UnitLength { length, left });
            self.faults.extend(of_header.into_iter().chain(of_entries));
            return Some(end);
        }
        self.info(start, FaultKind::HeaderCut { left: length + LENGTH_SIZE });
        None // nothing says where the next unit is
    }

    /// Checks the header of the unit at `start` and reads its table, unless that is the one known;
    /// whether there is one.
    fn header(&mut self, start: u64, header: Header, known: &mut Option<AbbrevTable>) -> bool {
        let Header { version, abbrev_offset: offset, address_size, .. } = header;
        if version != 2 {
            self.info(start + 4, FaultKind::Version { version });
        }
        if address_size != 8 {
            self.info(start + 10, FaultKind::AddressSize { size: address_size });
        }
        let size = self.abbrev_size();
        if offset >= size {
            self.info(start + 6, FaultKind::AbbrevOffset { offset, size });
            return false;
        }
        if known.as_ref().is_none_or(|table| table.span().start != offset) {
            *known = Some(self.table(offset));
        }
        !self.full()
    }

    fn abbrev_size(&self) -> u64 {
        self.input.abbrev.unwrap_or_default().len() as u64
    }

    /// Where the unit ends by its entries, whatever its length says: the list of its first entry is
    /// closed there, and the next unit begins, or the section ends. `unit` goes up to the end of
    /// the section.
    fn end_by_entries(&mut self, unit: &Unit, table: &AbbrevTable) -> Option<u64> {
        if !self.unit_ends.take(unit.span.end - unit.span.start) {
            return None;
        }
        let mark = self.mark();
        let found = std::mem::take(&mut self.faults);
        let end = self.closed(unit, table);
        self.faults = found;
        self.back_to(&mark);
        let end = end?;
        let is_unit = |next: Header| {
            next.length >= HEADER_SIZE - LENGTH_SIZE
                && next.version == 2
                && next.abbrev_offset < self.abbrev_size()
                && matches!(next.address_size, 4 | 8)
        };
        let is_end = end == unit.span.end || Header::read(self.input.written, end).is_some_and(is_unit);
        is_end.then_some(end)
    }

    /// Reads the abbreviation table at `offset` of `.debug_abbrev`, up to its end or first fault.
    fn table(&mut self, offset: u64) -> AbbrevTable {
        let mut table = AbbrevTable::new(offset);
        let section = self.input.abbrev.unwrap_or_default();
        let Ok(mut cursor) = Cursor::at(abbrev::SECTION, section, offset, "a table") else { return table };
        let mut counted = offset;
        loop {
            let start = cursor.offset();
            if !self.tables.take(start - std::mem::replace(&mut counted, start)) {
                self.given_up = true;
                self.faults.truncate(MAX_FAULTS);
                self.faults.push(Fault { section: abbrev::SECTION, offset: start, kind: FaultKind::More });
                return table;
            }
            if cursor.is_empty() {
                self.add(abbrev::SECTION, start, FaultKind::NoTerminator);
                break;
            }
            let on_fault = &mut |error| {
                self.of_table(error);
                Ok(())
            };
            match table.read_next(&mut cursor, on_fault) {
                Ok(true) => {}
                Ok(false) => break,
                Err(_) => {
                    self.add(abbrev::SECTION, start, FaultKind::AbbrevCut);
                    break;
                }
            }
        }
        self.tables.take(cursor.offset() - counted);
        table
    }

    /// Adds a fault of a table of abbreviations.
    fn of_table(&mut self, error: Error) {
        let kind = match error.kind {
            ErrorKind::LebOverflow(_) => FaultKind::LongLeb,
            ErrorKind::ChildrenFlag(value) => FaultKind::ChildrenFlag { value },
            ErrorKind::HalfAttribute { name, form } => FaultKind::HalfAttribute { name, form },
            ErrorKind::UnknownForm { form } => FaultKind::UnknownForm { form },
            ErrorKind::DuplicateCode { code } => FaultKind::DuplicateCode { code },
            _ => return, // tags and names that DWARF does not have are for producers to give a meaning
        };
        self.add(error.section, error.offset, kind);
    }
}
