//! What breaks DWARF 2 (DWARF 2.0.0 §7.5), whether ptxas minds or not.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::Input;
use super::abbrev::{Form, number, wrapping_uleb};

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

const INFO: &str = ".debug_info";
const ABBREV: &str = ".debug_abbrev";
/// DWARF 2.0.0, figure 15 and §7.7.1.
const TAG_SUBPROGRAM: u64 = 0x2e;
const AT_LOCATION: u64 = 0x02;
const AT_ADDRESS_CLASS: u64 = 0x33;
const DW_OP_ADDR: u8 = 0x03;
/// Bytes of the whole header of a unit.
const HEADER: usize = 11;

/// An abbreviation: whether it has children, and its attributes as a range of [`Table::attributes`].
#[derive(Clone, Copy)]
struct Shape {
    tag: u64,
    children: bool,
    attributes: (usize, usize),
}

/// The abbreviations that start at one offset.
#[derive(Default)]
struct Table {
    shapes: HashMap<u64, Shape>,
    /// Names and forms.
    attributes: Vec<(u64, u64)>,
}

struct Finder<'a> {
    input: &'a Input<'a>,
    faults: Vec<Fault>,
    /// Bytes of tables that may still be read: units may share one.
    fuel: usize,
    given_up: bool,
    unclassed: Vec<u64>,
    homeless: Vec<u64>,
}

/// What was found.
pub(super) struct Found {
    pub(super) faults: Vec<Fault>,
    pub(super) unclassed: Vec<u64>,
    pub(super) homeless: Vec<u64>,
}

/// All faults, or the first [`MAX_FAULTS`].
pub(super) fn find(input: &Input<'_>) -> Found {
    let abbrev = input.abbrev.unwrap_or_default();
    let fuel = 4 * (input.written.len() + abbrev.len());
    let mut finder =
        Finder { input, faults: vec![], fuel, given_up: false, unclassed: vec![], homeless: vec![] };
    if input.abbrev.is_none() {
        if !input.written.is_empty() {
            finder.add(INFO, 0, FaultKind::NoAbbrev);
        }
        return finder.found();
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
        let length = field(rest, 0, 4);
        let left = rest.len() as u64 - 4;
        if length > left {
            finder.add(INFO, start, FaultKind::UnitLength { length, left });
        } else if length + 4 < HEADER as u64 {
            finder.add(INFO, start, FaultKind::HeaderCut { left: length + 4 });
            break; // nothing says where the next unit is
        }
        let end = start + 4 + length.min(left) as usize;
        finder.unit(start, end, &mut table);
        start = end;
    }
    if input.written.is_empty() {
        finder.table(0, abbrev, &mut Table::default());
    }
    finder.found()
}

/// Whether a block of one length byte is `DW_OP_addr` and an address of 8 bytes.
fn is_address(block: &[u8]) -> bool {
    matches!(block, [9, DW_OP_ADDR, address @ ..] if address.len() == 8)
}

fn field(bytes: &[u8], at: usize, width: usize) -> u64 {
    bytes.get(at..at + width).map_or(0, number)
}

impl Finder<'_> {
    fn found(self) -> Found {
        Found { faults: self.faults, unclassed: self.unclassed, homeless: self.homeless }
    }

    fn full(&self) -> bool {
        self.given_up || self.faults.len() > MAX_FAULTS
    }

    fn add(&mut self, section: &'static str, offset: usize, kind: FaultKind) {
        let kind = if self.faults.len() < MAX_FAULTS { kind } else { FaultKind::More };
        if !self.full() {
            self.faults.push(Fault { section, offset: offset as u64, kind });
        }
    }

    /// Gives up.
    fn more(&mut self, section: &'static str, offset: usize) {
        self.given_up = true;
        self.faults.truncate(MAX_FAULTS);
        self.faults.push(Fault { section, offset: offset as u64, kind: FaultKind::More });
    }

    fn unit(&mut self, start: usize, end: usize, known: &mut (usize, Table)) {
        let info = self.input.written;
        let unit = info.get(start..end).unwrap_or_default();
        let version = field(unit, 4, 2) as u16;
        if version != 2 {
            self.add(INFO, start + 4, FaultKind::Version { version });
        }
        let address = field(unit, 10, 1) as u8;
        if address != 8 {
            self.add(INFO, start + 10, FaultKind::AddressSize { size: address });
        }
        // The bytes of a fixup hold 0, and 0 is where `.debug_abbrev` begins.
        let offset = field(unit, 6, 4) as usize;
        let abbrev = self.input.abbrev.unwrap_or_default();
        let Some(bytes) = abbrev.get(offset..).filter(|bytes| !bytes.is_empty()) else {
            let (offset, size) = (offset as u64, abbrev.len() as u64);
            return self.add(INFO, start + 6, FaultKind::AbbrevOffset { offset, size });
        };
        if known.0 != offset {
            *known = (offset, Table::default());
            self.table(offset, bytes, &mut known.1);
        }
        if !self.full() {
            self.entries(start, unit, &known.1, usize::from(address));
        }
    }

    /// Reads the table of abbreviations at `offset` of the section.
    fn table(&mut self, offset: usize, bytes: &[u8], table: &mut Table) {
        let mut at = 0;
        loop {
            let start = at;
            if self.fuel < at {
                return self.more(ABBREV, offset + at);
            }
            if at >= bytes.len() {
                self.add(ABBREV, offset + at, FaultKind::NoTerminator);
                break;
            }
            let Some(code) = self.leb(ABBREV, offset, bytes, &mut at) else {
                self.add(ABBREV, offset + start, FaultKind::AbbrevCut);
                break;
            };
            if code == 0 {
                break;
            }
            let Some(shape) = self.shape(offset, bytes, &mut at, &mut table.attributes) else {
                self.add(ABBREV, offset + start, FaultKind::AbbrevCut);
                break;
            };
            if let Entry::Vacant(place) = table.shapes.entry(code) {
                place.insert(shape);
            } else {
                self.add(ABBREV, offset + start, FaultKind::DuplicateCode { code });
            }
        }
        self.fuel = self.fuel.saturating_sub(at);
    }

    /// An abbreviation behind its code; `None` where the section ends first.
    fn shape(
        &mut self,
        offset: usize,
        bytes: &[u8],
        at: &mut usize,
        attributes: &mut Vec<(u64, u64)>,
    ) -> Option<Shape> {
        let tag = self.leb(ABBREV, offset, bytes, at)?;
        let children = *bytes.get(*at)?;
        if children > 1 {
            self.add(ABBREV, offset + *at, FaultKind::ChildrenFlag { value: children });
        }
        *at += 1;
        let first = attributes.len();
        loop {
            let start = offset + *at;
            let name = self.leb(ABBREV, offset, bytes, at)?;
            let place = offset + *at;
            let form = self.leb(ABBREV, offset, bytes, at)?;
            match (name, form) {
                (0, 0) => break,
                (0, _) | (_, 0) => self.add(ABBREV, start, FaultKind::HalfAttribute { name, form }),
                _ if Form::of(form).is_none() => self.add(ABBREV, place, FaultKind::UnknownForm { form }),
                _ => {}
            }
            attributes.push((name, form));
        }
        Some(Shape { tag, children: children != 0, attributes: (first, attributes.len()) })
    }

    /// A LEB128 number at `at`, which is stepped over; `base` is where `bytes` begin in the section.
    fn leb(&mut self, section: &'static str, base: usize, bytes: &[u8], at: &mut usize) -> Option<u64> {
        let rest = bytes.get(*at..)?;
        let (value, len) = wrapping_uleb(rest)?;
        if leb128_nv::skip(rest).is_err() {
            self.add(section, base + *at, FaultKind::LongLeb);
        }
        *at += len;
        Some(value)
    }

    /// The entries of a unit, header included in `unit`.
    fn entries(&mut self, start: usize, unit: &[u8], table: &Table, address: usize) {
        let mut at = HEADER;
        let mut depth = 0_u64;
        let mut function = None; // the depth of the outermost one that is open
        if at >= unit.len() {
            return self.add(INFO, start + at, FaultKind::NoEntry);
        }
        loop {
            let place = at;
            if at >= unit.len() {
                return self.add(INFO, start + at, FaultKind::OpenChildren { depth });
            }
            let Some(code) = self.leb(INFO, start, unit, &mut at) else {
                let left = (unit.len() - place) as u64;
                return self.add(INFO, start + place, FaultKind::ValueCut { form: 0x0f, left });
            };
            if code == 0 {
                if depth == 0 {
                    return self.add(INFO, start + place, FaultKind::NoEntry);
                }
                depth -= 1;
                function = function.filter(|&function| function < depth);
            } else {
                let Some(shape) = table.shapes.get(&code) else {
                    return self.add(INFO, start + place, FaultKind::UnknownCode { code });
                };
                let (first, last) = shape.attributes;
                let attributes = table.attributes.get(first..last).unwrap_or_default();
                let mut location = None;
                for &(name, form) in attributes {
                    let value = at;
                    if self.value(start, unit, &mut at, form, address).is_none() || self.full() {
                        return;
                    }
                    if name == AT_LOCATION && unit.get(value..at).is_some_and(is_address) {
                        location = Some((start + value + 2) as u64);
                    }
                }
                let is_classed = attributes.iter().any(|&(name, _)| name == AT_ADDRESS_CLASS);
                if self.unclassed.len() < MAX_FAULTS {
                    self.unclassed.extend(location.filter(|_| !is_classed));
                }
                if self.homeless.len() < MAX_FAULTS {
                    self.homeless.extend(location.filter(|_| function.is_none()));
                }
                if shape.tag == TAG_SUBPROGRAM && shape.children {
                    function = function.or(Some(depth));
                }
                depth += u64::from(shape.children);
            }
            if depth == 0 {
                if at < unit.len() {
                    let left = (unit.len() - at) as u64;
                    self.add(INFO, start + at, FaultKind::AfterRoot { left });
                }
                return;
            }
        }
    }

    /// Steps over a value; `None`, with a fault, where what follows cannot be read.
    fn value(&mut self, start: usize, unit: &[u8], at: &mut usize, form: u64, address: usize) -> Option<()> {
        let place = *at;
        let mut number_form = form;
        let mut layout = Form::of(form)?; // else it has its fault in the table
        if layout == Form::Indirect {
            number_form = self.leb(INFO, start, unit, at).or_else(|| self.cut(start, place, unit, form))?;
            layout = match Form::of(number_form) {
                Some(Form::Indirect) | None => {
                    self.add(INFO, start + place, FaultKind::UnknownForm { form: number_form });
                    return None;
                }
                Some(layout) => layout,
            };
        }
        let rest = unit.get(*at..).unwrap_or_default();
        let leb = || wrapping_uleb(rest);
        let len = match layout {
            Form::Address | Form::RefAddress => Some(address),
            Form::Block(width) => {
                rest.get(..width).and_then(|len| width.checked_add(usize::try_from(number(len)).ok()?))
            }
            Form::BlockLeb => leb().and_then(|(len, width)| width.checked_add(usize::try_from(len).ok()?)),
            Form::Data(width) | Form::Ref(width) => Some(width),
            Form::Leb | Form::RefLeb => leb().map(|(_, len)| len),
            Form::String => {
                let Some(len) = memchr::memchr(0, rest) else {
                    self.add(INFO, start + place, FaultKind::OpenString);
                    return None;
                };
                Some(len + 1)
            }
            Form::Strp => Some(4),
            Form::Indirect => None,
        };
        let Some(value) = len.and_then(|len| rest.get(..len)) else {
            return self.cut(start, place, unit, number_form);
        };
        *at += value.len();
        if self.input.is_fixup(start + place) {
            return Some(());
        }
        let size = unit.len() as u64;
        let reference = match layout {
            Form::Ref(_) => Some(number(value)),
            Form::RefLeb => leb().map(|(offset, _)| offset),
            _ => None,
        };
        if let Some(offset) = reference.filter(|offset| !(HEADER as u64..size).contains(offset)) {
            self.add(INFO, start + place, FaultKind::Reference { offset, size });
        }
        if layout == Form::Strp {
            let (offset, size) = (number(value), self.input.str_size.unwrap_or(0));
            if offset >= size {
                self.add(INFO, start + place, FaultKind::StringOffset { offset, size });
            }
        }
        Some(())
    }

    fn cut<T>(&mut self, start: usize, place: usize, unit: &[u8], form: u64) -> Option<T> {
        let left = (unit.len() - place.min(unit.len())) as u64;
        self.add(INFO, start + place, FaultKind::ValueCut { form, left });
        None
    }
}
