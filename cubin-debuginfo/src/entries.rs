//! `.debug_info` as a tree of entries.
//!
//! DWARF 2.0.0 §7.5, read with `dwarf2_reader`; versions 3 and 4 occur too. Relocations are
//! applied, and addresses keep what they refer to. Of an entry only its place in the tree is
//! stored: its attributes are read when they are asked for.

use crate::limits::{LEAST_ENTRY, MAX_ORIGINS};
use dwarf2_reader::abbrev::AttributeSpec;
use dwarf2_reader::constants as dw;
use dwarf2_reader::constants::DW_FORM_data8;
use dwarf2_reader::info::{self, Node, Units};
use dwarf2_reader::{WorkBudget, strings};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, SectionIndex, Symbol, SymbolIndex};
use nv_debug_sections::relocated::{RelocatedCubin, RelocatedSection};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::ops::Range;

/// The entries of all units of `.debug_info`, in the order of the section.
#[derive(Debug, Clone)]
pub struct Entries<'c> {
    name: &'c str,
    info: Option<RelocatedSection<'c>>,
    strings: Option<RelocatedSection<'c>>,
    headers: Units,
    units: Vec<Unit>,
    places: Vec<TreePosition>,
}

/// The header of one unit of `.debug_info`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Byte offset of the unit in `.debug_info`.
    pub offset: u64,
    /// The DWARF version in the header of the unit.
    pub version: u16,
    /// Byte offset of the unit's abbreviations in `.debug_abbrev`.
    pub abbrev_offset: u64,
    /// Size of an address in the unit, in bytes.
    pub address_size: u8,
    /// The range of the numbers that the unit's entries have among all entries.
    pub entries: Range<usize>,
}

/// The position of an entry: its offset, parent and depth.
#[derive(Debug, Clone, Copy)]
struct TreePosition {
    /// Byte offset in the section.
    offset: u32,
    /// Number of the entry around; `NO_PARENT` at the top of a unit.
    parent: u32,
    /// The number of entries around this one.
    depth: u32,
}

const NO_PARENT: u32 = u32::MAX;

/// The forms of blocks, and that of a value that may be one.
const BLOCKS: [u16; 6] = [
    dw::DW_FORM_block,
    dw::DW_FORM_block1,
    dw::DW_FORM_block2,
    dw::DW_FORM_block4,
    dw::DW_FORM_exprloc,
    dw::DW_FORM_indirect,
];

/// Bytes of a `DW_FORM_strp` value in 32-bit DWARF, the shortest.
const STRING_FIELD_BYTES: u64 = 4;

/// One entry of `.debug_info` (a DIE).
#[derive(Debug, Clone, Copy)]
pub struct Entry<'e> {
    entries: &'e Entries<'e>,
    number: usize,
    position: TreePosition,
    read: info::Entry<'e, 'e>,
}

/// One attribute of a `.debug_info` entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute<'e> {
    /// The number of the attribute, `DW_AT_*`.
    pub name: u16,
    /// Byte offset of the attribute's value in `.debug_info`.
    pub offset: u64,
    /// The decoded value of the attribute.
    pub value: Value<'e>,
    /// Whether the value of the attribute is a location expression.
    pub is_expression: bool,
}

/// The value of a `.debug_info` attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'e> {
    /// The value is an address.
    Address(Address),
    /// The value is a string, in `.debug_info` itself or in `.debug_str`; `None` if its offset is
    /// outside `.debug_str`.
    String(Option<&'e [u8]>),
    /// The value is an unsigned constant or a flag.
    Unsigned(u64),
    /// The value is a signed constant.
    Signed(i64),
    /// The value refers to an entry, by its byte offset in `.debug_info`.
    Entry(u64),
    /// The value is a location expression or a block: its byte range in `.debug_info`.
    Block(Range<u64>),
    /// The value is an offset in another section, such as `.debug_loc`.
    Offset(SectionKind, u64),
    /// The value has a form (`DW_FORM_*`) that does not occur in cubins.
    Other(u16),
}

impl<'e> Value<'e> {
    /// Returns the value if it is a constant that is not negative, or a flag; `None` for other
    /// values.
    pub fn unsigned(&self) -> Option<u64> {
        match self {
            Self::Unsigned(value) => Some(*value),
            Self::Signed(value) => u64::try_from(*value).ok(),
            _ => None,
        }
    }

    /// Returns the value if it is a string, with bytes that are not UTF-8 replaced; `None` for
    /// other values.
    pub fn text(&self) -> Option<Cow<'e, str>> {
        match self {
            Self::String(Some(bytes)) => Some(String::from_utf8_lossy(bytes)),
            _ => None,
        }
    }
}

/// The target of an address in `.debug_info`: a byte of a section, an undefined symbol, or a
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// The address is an offset in a section, which a relocation names.
    InSection {
        /// The section.
        section: SectionIndex,
        /// The byte offset of the address in that section.
        offset: u64,
        /// The relocation's symbol, in `.symtab`.
        symbol: SymbolIndex,
    },
    /// The address is that of a symbol that the file does not define.
    Undefined(SymbolIndex),
    /// The address is a number without relocation: an offset in a window of shared or constant
    /// memory, 0 where ptxas knew no address, or a virtual address in a debug-only object.
    Constant(u64),
}

impl Address {
    /// Returns what the address field at byte `offset` of a section refers to. `constant` is the
    /// value of the field, used if it has no relocation.
    pub fn at(section: &RelocatedSection<'_>, offset: u64, constant: u64) -> Self {
        match section.target(offset) {
            Some(target) => match target.section {
                Some(section) => Self::InSection { section, offset: target.offset, symbol: target.symbol },
                None => Self::Undefined(target.symbol),
            },
            None => Self::Constant(constant),
        }
    }

    /// Whether the address is that of a symbol that no file can define, since it is local and
    /// undefined in `cubin`.
    pub fn is_local_undefined(self, cubin: &Cubin<'_>) -> bool {
        let Self::Undefined(symbol) = self else { return false };
        cubin.symbols().get(symbol.as_usize()).is_some_and(Symbol::is_local_undefined)
    }

    /// The section and the byte offset in it to which an address refers; `None` if the address is
    /// not in a section.
    pub fn section_offset(self) -> Option<(SectionIndex, u64)> {
        match self {
            Self::InSection { section, offset, .. } => Some((section, offset)),
            Self::Undefined(_) | Self::Constant(_) => None,
        }
    }
}

impl Attribute<'_> {
    /// The name of the attribute as text, such as `DW_AT_low_pc`.
    pub fn name_text(&self) -> Cow<'static, str> {
        dw::DW_AT.name_or_number(self.name)
    }
}

impl<'e> Entry<'e> {
    /// The number of the entry among all entries of the section, 0-based.
    pub fn number(self) -> usize {
        self.number
    }

    /// The byte offset of the entry in `.debug_info`.
    pub fn offset(self) -> u64 {
        self.position.offset.into()
    }

    /// The number of entries that enclose this one: 0 for the entry of a unit.
    pub fn depth(self) -> usize {
        self.position.depth as usize
    }

    /// The number of the entry that encloses this one; `None` for the entry of a unit.
    pub fn parent(self) -> Option<usize> {
        (self.position.parent != NO_PARENT).then_some(self.position.parent as usize)
    }

    /// The number of the entry's tag, `DW_TAG_*`.
    pub fn tag(self) -> u16 {
        self.read.tag()
    }

    /// The name of the entry's tag, such as `DW_TAG_subprogram`.
    pub fn tag_text(self) -> Cow<'static, str> {
        dw::DW_TAG.name_or_number(self.tag())
    }

    /// Iterates over the attributes of the entry, in the order of the section.
    pub fn attributes(self) -> impl Iterator<Item = Attribute<'e>> {
        self.read.attributes().map(move |attribute| self.decoded(&attribute))
    }

    /// Iterates over the attributes of the entry whose values are blocks, such as location
    /// expressions.
    pub fn blocks(self) -> impl Iterator<Item = Attribute<'e>> {
        let is_wanted = |spec: &AttributeSpec| BLOCKS.contains(&spec.form);
        self.read.attributes_where(is_wanted).map(move |attribute| self.decoded(&attribute))
    }

    /// Returns the entry's first attribute with this `DW_AT_*` number.
    pub fn attribute(self, name: u16) -> Option<Attribute<'e>> {
        self.read.attribute(name).map(|attribute| self.decoded(&attribute))
    }

    /// Returns the value of the entry's first attribute with this `DW_AT_*` number.
    pub fn value(self, name: u16) -> Option<Value<'e>> {
        self.attribute(name).map(|attribute| attribute.value)
    }

    /// The `DW_AT_name` of the entry as text, in which bytes that are not UTF-8 are replaced.
    pub fn name(self) -> Option<Cow<'e, str>> {
        self.string(dw::DW_AT_name)
    }

    /// Returns the text of the entry's string attribute with this `DW_AT_*` number.
    pub fn string(self, name: u16) -> Option<Cow<'e, str>> {
        self.value(name)?.text()
    }

    /// Returns the value of the entry's unsigned constant attribute with this `DW_AT_*` number.
    pub fn unsigned(self, name: u16) -> Option<u64> {
        self.value(name)?.unsigned()
    }

    /// Returns the value of the entry's address attribute with this `DW_AT_*` number.
    pub fn address(self, name: u16) -> Option<Address> {
        match self.value(name)? {
            Value::Address(address) => Some(address),
            _ => None,
        }
    }

    /// The section and byte range from `DW_AT_low_pc` to `DW_AT_high_pc` of the entry. The latter
    /// is an address in DWARF 2 and may be a size in later versions. `None` if one of the two is
    /// missing or not in a section.
    pub fn code(self) -> Option<(SectionIndex, Range<u64>)> {
        let (section, start) = self.address(dw::DW_AT_low_pc)?.section_offset()?;
        let end = match self.value(dw::DW_AT_high_pc)? {
            Value::Address(address) => address.section_offset().filter(|(other, _)| *other == section)?.1,
            Value::Unsigned(size) => start.checked_add(size)?,
            _ => return None,
        };
        Some((section, start..end))
    }

    fn decoded(self, attribute: &info::Attribute<'e>) -> Attribute<'e> {
        let (name, offset) = (attribute.name, attribute.span.start);
        let is_expression = attribute.expression().is_some();
        Attribute { name, offset, value: self.entries.value(attribute, self.read), is_expression }
    }
}

impl<'c> Entries<'c> {
    /// Reads `.debug_info` with `.debug_abbrev` and `.debug_str`. A file without these sections has
    /// no entries.
    ///
    /// # Errors
    ///
    /// A section cannot be decoded, or a relocation not be applied; the error names section and
    /// byte offset.
    pub fn read(cubin: &'c Cubin<'_>) -> Result<Self> {
        let relocated = RelocatedCubin::new(cubin);
        let section = |kind: SectionKind| {
            let index = cubin.section_by_name(kind.name());
            index.map(|index| Ok::<_, Error>((index, relocated.section(index)?))).transpose()
        };
        let Some((index, info)) = section(SectionKind::DebugInfo)? else {
            return Ok(Self {
                name: SectionKind::DebugInfo.name(),
                info: None,
                strings: None,
                headers: Units::default(),
                units: Vec::new(),
                places: Vec::new(),
            });
        };
        let abbrev = section(SectionKind::DebugAbbrev)?;
        let strings = section(SectionKind::DebugStr)?.map(|(_, strings)| strings);
        let abbrev = abbrev.as_ref().map_or(&[][..], |(_, abbrev)| &abbrev.bytes);
        let headers = Units::read(&info.bytes, abbrev)?;
        let (name, info) = (cubin.section_name(index), Some(info));
        let mut entries = Self { name, info, strings, headers, units: Vec::new(), places: Vec::new() };
        (entries.units, entries.places) = entries.tree()?;
        entries.check_strings()?;
        Ok(entries)
    }

    /// The units, and the place of each entry.
    fn tree(&self) -> Result<(Vec<Unit>, Vec<TreePosition>)> {
        let bytes = self.bytes();
        let fault = |offset: u64| {
            let text = format!("{} is larger than 4 GiB", self.name);
            Error::new(self.name, offset, ErrorKind::Limit(text.into()))
        };
        let (mut units, mut places) = (Vec::new(), Vec::new());
        let mut budget = WorkBudget::of_input(bytes.len() as u64 / LEAST_ENTRY, 1);
        for header in self.headers.all() {
            let first = places.len();
            // The entries that may still get children.
            let mut open: Vec<u32> = Vec::new();
            for node in self.headers.nodes(header, bytes) {
                let Node::Entry(entry) = node? else { continue };
                if !budget.take(1) {
                    let what = "entries with so few bytes that all are to be kept";
                    return Err(Error::new(self.name, entry.offset(), ErrorKind::Limit(what.into())));
                }
                let offset = u32::try_from(entry.offset()).map_err(|_| fault(entry.offset()))?;
                let number = u32::try_from(places.len()).map_err(|_| fault(entry.offset()))?;
                open.truncate(entry.depth() as usize);
                let parent = open.last().copied().unwrap_or(NO_PARENT);
                open.push(number);
                places.push(TreePosition { offset, parent, depth: entry.depth() });
            }
            units.push(Unit {
                offset: header.span.start,
                version: header.version,
                abbrev_offset: header.abbrev_offset,
                address_size: header.address_size,
                entries: first..places.len(),
            });
        }
        Ok((units, places))
    }

    /// Rejects sections whose entries share long strings so often that reading them all takes too
    /// long.
    fn check_strings(&self) -> Result<()> {
        let strings = self.strings.as_ref().map_or(&[][..], |strings| &strings.bytes);
        let mut budget = WorkBudget::of_strings(self.bytes().len() as u64, strings.len() as u64);
        // The NULs, so that no string is looked through twice.
        let ends: Vec<usize> = memchr::memchr_iter(0, strings).collect();
        // Where no string is long, the fields that fit into the section cannot use the budget up.
        let lengths = ends.iter().zip(std::iter::once(&0).chain(&ends)).map(|(end, before)| end - before);
        let longest = lengths.max().unwrap_or(0) as u64;
        if budget.clone().take(longest.saturating_mul(self.bytes().len() as u64 / STRING_FIELD_BYTES)) {
            return Ok(());
        }
        for entry in self.iter() {
            let is_wanted =
                |spec: &AttributeSpec| matches!(spec.form, dw::DW_FORM_strp | dw::DW_FORM_indirect);
            for attribute in entry.read.attributes_where(is_wanted) {
                let info::Value::StringOffset(offset) = attribute.value else { continue };
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let end = ends.get(ends.partition_point(|end| *end < start)).copied();
                let length = end.map_or(0, |end| end.saturating_sub(start));
                if !budget.take(length as u64) {
                    let text = "too many attributes refer to long strings to read them all";
                    let kind = ErrorKind::Limit(text.into());
                    return Err(Error::new(self.name, attribute.span.start, kind));
                }
            }
        }
        Ok(())
    }

    /// The name of the section that has the entries, such as `.debug_info`.
    pub fn section_name(&self) -> &'c str {
        self.name
    }

    /// The bytes of `.debug_info`, with relocations applied.
    pub fn bytes(&self) -> &[u8] {
        self.info.as_ref().map_or(&[], |info| &info.bytes)
    }

    /// The section `.debug_info` with the targets of its relocated fields; `None` if the file does
    /// not have it.
    pub fn section(&self) -> Option<&RelocatedSection<'c>> {
        self.info.as_ref()
    }

    /// The number of `.debug_info` entries.
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Returns the entry with this number, 0-based. A parent comes before its children.
    pub fn get(&self, number: usize) -> Option<Entry<'_>> {
        self.range(number..number.checked_add(1)?).next()
    }

    /// Iterates over all entries of `.debug_info`. A parent comes before its children.
    pub fn iter(&self) -> impl Iterator<Item = Entry<'_>> {
        self.range(0..self.count())
    }

    /// Iterates over the entries whose numbers are in `numbers`.
    pub fn range(&self, numbers: Range<usize>) -> impl Iterator<Item = Entry<'_>> {
        let mut unit: Option<&info::Unit> = None;
        numbers.filter_map(move |number| {
            let place = *self.places.get(number)?;
            let offset = place.offset.into();
            if unit.is_none_or(|unit| !unit.span.contains(&offset)) {
                unit = self.headers.at(offset);
            }
            let read = self.headers.entry(unit?, self.bytes(), offset)?;
            Some(Entry { entries: self, number, position: place, read })
        })
    }

    /// The depth of entry `number`, as [`Entry::depth`]; 0 if there is no such entry.
    pub fn depth(&self, number: usize) -> usize {
        self.places.get(number).map_or(0, |place| place.depth as usize)
    }

    /// The units of `.debug_info`, in the order of the section.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Returns the unit that contains entry `number`.
    pub fn unit_of(&self, number: usize) -> Option<&Unit> {
        let at = self.units.partition_point(|unit| unit.entries.end <= number);
        self.units.get(at)
    }

    /// The address that numbers in the lists of a unit count from: its `DW_AT_low_pc` (DWARF 3
    /// §2.17.3).
    pub(crate) fn base_address(&self, unit: &Unit) -> Option<Address> {
        let first = self.get(unit.entries.start).filter(|_| !unit.entries.is_empty())?;
        first.address(dw::DW_AT_low_pc)
    }

    /// Returns the number of the entry that starts at byte `offset` of `.debug_info`.
    pub fn at(&self, offset: u64) -> Option<usize> {
        self.places.binary_search_by_key(&offset, |place| place.offset.into()).ok()
    }

    /// Returns the number of the entry that an attribute of `entry` refers to.
    pub fn referenced_entry(&self, entry: Entry<'_>, name: u16) -> Option<usize> {
        match entry.value(name)? {
            Value::Entry(offset) => self.at(offset),
            _ => None,
        }
    }

    /// Returns an attribute of entry `number`; if it has none, that of the entry to which it refers
    /// by `DW_AT_abstract_origin` or `DW_AT_specification`.
    pub fn inherited(&self, number: usize, name: u16) -> Option<(Entry<'_>, Value<'_>)> {
        let mut entry = self.get(number)?;
        for _ in 0..MAX_ORIGINS {
            if let Some(value) = entry.value(name) {
                return Some((entry, value));
            }
            let origin = [dw::DW_AT_abstract_origin, dw::DW_AT_specification];
            let origin = origin.into_iter().find_map(|name| self.referenced_entry(entry, name))?;
            entry = self.get(origin)?;
        }
        None
    }

    /// Iterates over entry `number` and the entries that enclose it, the outermost last.
    pub fn ancestors(&self, number: usize) -> impl Iterator<Item = Entry<'_>> {
        let parent = |number: usize| self.get(number)?.parent();
        std::iter::successors(parent(number), move |number| parent(*number))
            .filter_map(|number| self.get(number))
    }

    fn value<'e>(&'e self, attribute: &info::Attribute<'e>, entry: info::Entry<'e, 'e>) -> Value<'e> {
        let at = attribute.span.start;
        let place = |constant| match &self.info {
            Some(info) => Value::Address(Address::at(info, at, constant)),
            None => Value::Unsigned(constant),
        };
        if let Some((section, offset)) = attribute.section_offset() {
            return SectionKind::from_name(section)
                .map_or(Value::Unsigned(offset), |section| Value::Offset(section, offset));
        }
        let is_relocated = || self.info.as_ref().is_some_and(|info| info.target(at).is_some());
        match attribute.value {
            info::Value::Address(address) => place(address),
            info::Value::String(string) => Value::String(Some(string)),
            info::Value::StringOffset(offset) => {
                let strings = self.strings.as_ref().map_or(&[][..], |strings| &strings.bytes);
                Value::String(strings::string_at(strings, offset))
            }
            info::Value::Block(_) => Value::Block(attribute.content()),
            info::Value::Flag(flag) => Value::Unsigned((flag != 0).into()),
            info::Value::UnitReference(offset) => Value::Entry(entry.in_unit(offset).unwrap_or(u64::MAX)),
            info::Value::InfoReference(offset) => Value::Entry(offset),
            info::Value::Signed(value) => Value::Signed(value),
            // A field of 8 bytes that is relocated is an address, whatever its form.
            info::Value::Data(value) if attribute.form == DW_FORM_data8 && is_relocated() => place(value),
            info::Value::Data(value) | info::Value::Unsigned(value) | info::Value::SectionOffset(value) => {
                Value::Unsigned(value)
            }
            info::Value::Signature(_) => Value::Other(attribute.form),
        }
    }
}
