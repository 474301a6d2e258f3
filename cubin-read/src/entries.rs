//! `.debug_info` as a tree of entries.
//!
//! DWARF 2.0.0 §7.5, read with `gimli`; versions 3 and 4 occur too. Relocations are applied, and addresses keep what they refer to.

use gimli::{AttributeValue, DebugAbbrev, DebugInfo, DwAt, DwTag, EndianSlice, LittleEndian};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, SectionIndex, Symbol, SymbolIndex};
use nv_debug_sections::relocated::{Relocated, RelocatedSection};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// The entries of all units, in the order of the section.
#[derive(Debug, Clone)]
pub struct Entries<'c> {
    name: &'c str,
    info: Option<RelocatedSection<'c>>,
    all: Vec<Entry>,
    units: Vec<Unit>,
    by_offset: HashMap<u64, usize>,
}

/// The header of one unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Byte offset in `.debug_info`.
    pub offset: u64,
    /// DWARF version.
    pub version: u16,
    /// Offset of its abbreviations in `.debug_abbrev`.
    pub abbrev_offset: u64,
    /// Size of an address in bytes.
    pub address_size: u8,
    /// Its entries, by number.
    pub entries: Range<usize>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Byte offset in `.debug_info`.
    pub offset: u64,
    /// 0 for that of a unit.
    pub depth: usize,
    /// Number of the entry it belongs to; `None` at the top of a unit.
    pub parent: Option<usize>,
    /// What it is.
    pub tag: DwTag,
    /// In the order in which they stand.
    pub attributes: Vec<Attribute>,
}

/// One attribute of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: DwAt,
    /// Byte offset of the value in `.debug_info`.
    pub offset: u64,
    /// The value.
    pub value: Value,
}

/// Value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// An address.
    Address(Address),
    /// A string, in this section or in `.debug_str`; `None` if its offset leads to none.
    String(Option<Vec<u8>>),
    /// A constant without sign, or a flag.
    Unsigned(u64),
    /// A constant with sign.
    Signed(i64),
    /// An entry, by its byte offset in `.debug_info`.
    Entry(u64),
    /// An expression or block: byte range in `.debug_info`.
    Block(Range<u64>),
    /// An offset in another section, such as `.debug_loc`.
    Offset(SectionKind, u64),
    /// Of a form that does not occur in cubins, in words.
    Other(String),
}

/// What an address refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// A place in a section, which a relocation names.
    Place {
        /// The section.
        section: SectionIndex,
        /// Byte offset there.
        offset: u64,
        /// The relocation's symbol, in `.symtab`.
        symbol: SymbolIndex,
    },
    /// A symbol that the file does not define.
    Undefined(SymbolIndex),
    /// A number without relocation: an offset in a window of shared or constant memory, 0 for what ptxas could not place, or a
    /// virtual address in a debug-only object.
    Constant(u64),
}

impl Address {
    /// What the field of `bytes` bytes at `offset` refers to.
    pub fn at(section: &RelocatedSection<'_>, offset: u64, constant: u64) -> Self {
        match section.target(offset) {
            Some(target) => match target.section {
                Some(section) => Self::Place { section, offset: target.offset, symbol: target.symbol },
                None => Self::Undefined(target.symbol),
            },
            None => Self::Constant(constant),
        }
    }

    /// Whether it is an address of a symbol that no file can define: one of `cubin` that is local and undefined.
    pub fn is_local_undefined(self, cubin: &Cubin<'_>) -> bool {
        let Self::Undefined(symbol) = self else { return false };
        cubin.symbols().get(symbol.as_usize()).is_some_and(Symbol::is_local_undefined)
    }

    /// Section and offset, of a place.
    pub fn place(self) -> Option<(SectionIndex, u64)> {
        match self {
            Self::Place { section, offset, .. } => Some((section, offset)),
            Self::Undefined(_) | Self::Constant(_) => None,
        }
    }
}

impl Entry {
    /// Value of the first attribute of this name.
    pub fn value(&self, name: DwAt) -> Option<&Value> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| &attribute.value)
    }

    /// Its `DW_AT_name` as text; bytes that are no UTF-8 are replaced.
    pub fn name(&self) -> Option<Cow<'_, str>> {
        self.string(gimli::DW_AT_name)
    }

    /// A string attribute as text.
    pub fn string(&self, name: DwAt) -> Option<Cow<'_, str>> {
        match self.value(name)? {
            Value::String(Some(bytes)) => Some(String::from_utf8_lossy(bytes)),
            _ => None,
        }
    }

    /// A constant without sign.
    pub fn unsigned(&self, name: DwAt) -> Option<u64> {
        match *self.value(name)? {
            Value::Unsigned(value) => Some(value),
            Value::Signed(value) => u64::try_from(value).ok(),
            _ => None,
        }
    }

    /// An address.
    pub fn address(&self, name: DwAt) -> Option<Address> {
        match self.value(name)? {
            Value::Address(address) => Some(*address),
            _ => None,
        }
    }

    /// Code from `DW_AT_low_pc` to `DW_AT_high_pc`, which is an address in DWARF 2 and may be a size later: section and byte range.
    /// `None` if one of the two is not there or not in a section.
    pub fn code(&self) -> Option<(SectionIndex, Range<u64>)> {
        let (section, start) = self.address(gimli::DW_AT_low_pc)?.place()?;
        let end = match self.value(gimli::DW_AT_high_pc)? {
            Value::Address(address) => address.place().filter(|(other, _)| *other == section)?.1,
            Value::Unsigned(size) => start.checked_add(*size)?,
            _ => return None,
        };
        Some((section, start..end))
    }
}

impl<'c> Entries<'c> {
    /// Reads `.debug_info` with `.debug_abbrev` and `.debug_str`; no entries in a file without.
    ///
    /// # Errors
    ///
    /// A section cannot be decoded, or a relocation not be applied; the error names section and byte offset.
    pub fn read(cubin: &'c Cubin<'_>) -> Result<Self> {
        let relocated = Relocated::new(cubin);
        let section = |kind: SectionKind| {
            cubin.section_by_name(kind.name()).map(|index| Ok((index, relocated.section(index)?))).transpose()
        };
        let Some((index, info)) = section(SectionKind::DebugInfo)? else {
            let (name, info) = (SectionKind::DebugInfo.name(), None);
            return Ok(Self { name, info, all: Vec::new(), units: Vec::new(), by_offset: HashMap::new() });
        };
        let abbrev = section(SectionKind::DebugAbbrev)?;
        let strings = section(SectionKind::DebugStr)?;
        let name = cubin.section_name(index);
        let mut reader = Reader {
            name,
            info: &info,
            abbrev: abbrev.as_ref().map_or(&[], |(_, section)| &section.bytes),
            strings: strings.as_ref().map_or(&[], |(_, section)| &section.bytes),
            strings_left: (info.bytes.len() + strings.as_ref().map_or(0, |(_, strings)| strings.bytes.len()))
                .saturating_mul(MAX_STRINGS)
                .max(MIN_STRINGS),
            all: Vec::new(),
            units: Vec::new(),
        };
        reader.read()?;
        let Reader { all, units, .. } = reader;
        let by_offset = all.iter().enumerate().map(|(number, entry)| (entry.offset, number)).collect();
        Ok(Self { name, info: Some(info), all, units, by_offset })
    }

    /// Name of the section.
    pub fn section_name(&self) -> &'c str {
        self.name
    }

    /// The section with its relocations applied.
    pub fn bytes(&self) -> &[u8] {
        self.info.as_ref().map_or(&[], |info| &info.bytes)
    }

    /// The section, with what its fields refer to; `None` in a file without.
    pub fn section(&self) -> Option<&RelocatedSection<'c>> {
        self.info.as_ref()
    }

    /// All entries, each before those that belong to it.
    pub fn all(&self) -> &[Entry] {
        &self.all
    }

    /// The units in order.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The unit that an entry is in.
    pub fn unit_of(&self, number: usize) -> Option<&Unit> {
        let at = self.units.partition_point(|unit| unit.entries.end <= number);
        self.units.get(at)
    }

    /// Number of the entry at a byte offset.
    pub fn at(&self, offset: u64) -> Option<usize> {
        self.by_offset.get(&offset).copied()
    }

    /// The entry that an attribute of `entry` refers to.
    pub fn referred(&self, entry: &Entry, name: DwAt) -> Option<usize> {
        match entry.value(name)? {
            Value::Entry(offset) => self.at(*offset),
            _ => None,
        }
    }

    /// An attribute of an entry, or of the one that it refers to as its origin or specification.
    pub fn inherited(&self, number: usize, name: DwAt) -> Option<(&Entry, &Value)> {
        let mut entry = self.all.get(number)?;
        for _ in 0..MAX_ORIGINS {
            if let Some(value) = entry.value(name) {
                return Some((entry, value));
            }
            let origin = [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification];
            let origin = origin.into_iter().find_map(|name| self.referred(entry, name))?;
            entry = self.all.get(origin)?;
        }
        None
    }

    /// The entries from `number` up, the outermost last.
    pub fn ancestors(&self, number: usize) -> impl Iterator<Item = &Entry> {
        let parent = |number: &usize| self.all.get(*number)?.parent;
        std::iter::successors(parent(&number), move |number| parent(number))
            .filter_map(|number| self.all.get(number))
    }
}

/// Most steps to where an attribute is: an inlined variable's name is with the abstract one, whose class may be with a declaration.
const MAX_ORIGINS: usize = 8;

/// Bytes that strings of entries may take in any case, and as a multiple of the sections: many entries may share a long string.
const MIN_STRINGS: usize = 64 << 20;
const MAX_STRINGS: usize = 256;

struct Reader<'r> {
    name: &'r str,
    info: &'r RelocatedSection<'r>,
    abbrev: &'r [u8],
    strings: &'r [u8],
    strings_left: usize,
    all: Vec<Entry>,
    units: Vec<Unit>,
}

impl Reader<'_> {
    fn fault(&self, offset: usize, kind: ErrorKind) -> Error {
        Error::new(self.name, offset as u64, kind)
    }

    fn read(&mut self) -> Result<()> {
        let info = self.info;
        let abbrev = DebugAbbrev::new(self.abbrev, LittleEndian);
        let debug_info = DebugInfo::new(&info.bytes, LittleEndian);
        let mut headers = debug_info.units();
        let mut at = 0;
        let fail = |offset: usize, error: gimli::Error| {
            Error::new(self.name, offset as u64, ErrorKind::Other(error.to_string()))
        };
        let mut units = Vec::new();
        while let Some(header) = headers.next().map_err(|error| fail(at, error))? {
            let start = header.offset().0;
            at = start + header.length_including_self();
            units.push((header, start, at));
        }
        for (header, start, end) in units {
            let name = self.name;
            let fail = |offset: usize, error: gimli::Error| {
                Error::new(name, offset as u64, ErrorKind::Other(error.to_string()))
            };
            let first = self.all.len();
            let abbreviations = header.abbreviations(&abbrev).map_err(|error| fail(start, error))?;
            let mut raw = header.entries_raw(&abbreviations, None).map_err(|error| fail(start, error))?;
            // The entries that may still get children.
            let mut open: Vec<usize> = Vec::new();
            while !raw.is_empty() {
                let offset = start + raw.next_offset().0;
                let depth = usize::try_from(raw.next_depth()).unwrap_or(0);
                let Some(abbreviation) = raw.read_abbreviation().map_err(|error| fail(offset, error))? else {
                    continue;
                };
                let mut attributes = Vec::with_capacity(abbreviation.attributes().len());
                for spec in abbreviation.attributes() {
                    let field = start + raw.next_offset().0;
                    let attribute = raw.read_attribute(*spec).map_err(|error| fail(field, error))?;
                    let field_end = start + raw.next_offset().0;
                    let value = self.value(&attribute, start..end, field..field_end)?;
                    attributes.push(Attribute { name: attribute.name(), offset: field as u64, value });
                }
                open.truncate(depth);
                let parent = open.last().copied();
                open.push(self.all.len());
                self.all.push(Entry {
                    offset: offset as u64,
                    depth,
                    parent,
                    tag: abbreviation.tag(),
                    attributes,
                });
            }
            self.units.push(Unit {
                offset: start as u64,
                version: header.version(),
                abbrev_offset: header.debug_abbrev_offset().0 as u64,
                address_size: header.address_size(),
                entries: first..self.all.len(),
            });
        }
        Ok(())
    }

    fn value(
        &mut self,
        attribute: &gimli::Attribute<EndianSlice<'_, LittleEndian>>,
        unit: Range<usize>,
        field: Range<usize>,
    ) -> Result<Value> {
        let block = |length: usize| {
            // A block is the last thing in its field, behind its length.
            let start = field.end.saturating_sub(length) as u64;
            Value::Block(start..field.end as u64)
        };
        let place = |constant| Value::Address(Address::at(self.info, field.start as u64, constant));
        Ok(match attribute.value() {
            AttributeValue::Addr(address) => place(address),
            AttributeValue::String(string) => self.string(field.start, Some(string.slice()))?,
            AttributeValue::DebugStrRef(offset) => {
                let rest = self.strings.get(offset.0..);
                let string = rest.and_then(|rest| rest.get(..memchr::memchr(0, rest)?));
                self.string(field.start, string)?
            }
            AttributeValue::Exprloc(expression) => block(expression.0.slice().len()),
            AttributeValue::Block(bytes) => block(bytes.slice().len()),
            AttributeValue::Flag(flag) => Value::Unsigned(flag.into()),
            AttributeValue::UnitRef(offset) => Value::Entry(unit.start.saturating_add(offset.0) as u64),
            AttributeValue::DebugInfoRef(offset) => Value::Entry(offset.0 as u64),
            AttributeValue::DebugLineRef(offset) => Value::Offset(SectionKind::DebugLine, offset.0 as u64),
            AttributeValue::LocationListsRef(offset) => Value::Offset(SectionKind::DebugLoc, offset.0 as u64),
            AttributeValue::DebugMacinfoRef(offset) => {
                Value::Offset(SectionKind::DebugMacinfo, offset.0 as u64)
            }
            AttributeValue::RangeListsRef(offset) => Value::Offset(SectionKind::DebugRanges, offset.0 as u64),
            AttributeValue::Sdata(value) => Value::Signed(value),
            // A field of 8 bytes that is relocated is an address, whatever its form.
            AttributeValue::Data8(value) if self.info.target(field.start as u64).is_some() => place(value),
            _ => match (attribute.udata_value(), attribute.sdata_value()) {
                (Some(value), _) => Value::Unsigned(value),
                (None, Some(value)) => Value::Signed(value),
                (None, None) => match attribute.value() {
                    AttributeValue::Language(value) => Value::Unsigned(value.0.into()),
                    AttributeValue::Encoding(value) => Value::Unsigned(value.0.into()),
                    AttributeValue::Inline(value) => Value::Unsigned(value.0.into()),
                    AttributeValue::Accessibility(value) => Value::Unsigned(value.0.into()),
                    AttributeValue::Virtuality(value) => Value::Unsigned(value.0.into()),
                    AttributeValue::Visibility(value) => Value::Unsigned(value.0.into()),
                    AttributeValue::CallingConvention(value) => Value::Unsigned(value.0.into()),
                    AttributeValue::FileIndex(value) => Value::Unsigned(value),
                    AttributeValue::AddressClass(value) => Value::Unsigned(value.0),
                    other => Value::Other(format!("{other:?}")),
                },
            },
        })
    }

    fn string(&mut self, offset: usize, string: Option<&[u8]>) -> Result<Value> {
        let length = string.map_or(0, <[u8]>::len);
        self.strings_left = self.strings_left.checked_sub(length).ok_or_else(|| {
            let text = "too many attributes refer to long strings to read them all";
            self.fault(offset, ErrorKind::Other(text.to_owned()))
        })?;
        Ok(Value::String(string.map(<[u8]>::to_vec)))
    }
}
