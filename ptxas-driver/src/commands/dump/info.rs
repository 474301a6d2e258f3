//! `.debug_abbrev` and the entries of `.debug_info`.

use super::model::{Abbreviation, Attribute, Contents, Die, InfoUnit, Rest, Span};
use super::section::{Decoded, Room, Source, View, padding};
use crate::commands::read::text;
use cubin_read::expression;
use gimli::{
    AttributeValue, DebugAbbrev, DebugInfo, DebugInfoOffset, DwAt, DwForm, DwTag, EndianSlice, LittleEndian,
};
use nv_debug_sections::address_class::AddressClass;
use nv_debug_sections::bytes::Cursor;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::ops::Range;

/// Most attributes of one abbreviation: DWARF has fewer names.
const MAX_ATTRIBUTES: usize = 1 << 12;

type Bytes<'d> = EndianSlice<'d, LittleEndian>;

macro_rules! dwarf_name {
    ($value:expr, $prefix:literal) => {
        $value.static_string().map_or_else(|| format!(concat!($prefix, "{:#x}"), $value.0), str::to_owned)
    };
}

/// DWARF 2.0.0 §7.5.3.
pub(super) fn abbreviations(view: &View<'_>) -> Result<Decoded> {
    let mut cursor = Cursor::new(&view.name, &view.data.bytes);
    let (mut all, mut rest) = (Vec::new(), Vec::new());
    while !cursor.is_empty() {
        let offset = cursor.offset();
        let code = cursor.uleb("an abbreviation code")?;
        if code == 0 {
            rest.push(Rest::new(Span::between(offset, cursor.offset()), "end of table"));
            continue;
        }
        let tag = DwTag(number_16(&mut cursor, "a tag")?);
        let children = cursor.number(1, "the children flag")? != 0;
        let mut attributes = Vec::new();
        loop {
            let name = DwAt(number_16(&mut cursor, "an attribute name")?);
            let form = DwForm(number_16(&mut cursor, "an attribute form")?);
            if (name.0, form.0) == (0, 0) {
                break;
            }
            if attributes.len() == MAX_ATTRIBUTES {
                let kind = ErrorKind::Other(format!(
                    "abbreviation {code} has more than {MAX_ATTRIBUTES} attributes"
                ));
                return Err(cursor.error(kind));
            }
            attributes.push((dwarf_name!(name, "DW_AT_"), dwarf_name!(form, "DW_FORM_")));
        }
        let at = Span::between(offset, cursor.offset());
        all.push(Abbreviation { at, code, tag: dwarf_name!(tag, "DW_TAG_"), children, attributes });
    }
    Ok((Contents::Abbreviations(all), rest).into())
}

/// A tag, an attribute's name or a form: DWARF defines none above 16 bits.
fn number_16(cursor: &mut Cursor<'_>, what: &'static str) -> Result<u16> {
    let at = cursor.offset();
    let found = cursor.uleb(what)?;
    let kind = ErrorKind::Value { field: what, found, expected: "a number of 16 bits" };
    u16::try_from(found).map_err(|_| cursor.error_at(at, kind))
}

/// Every unit's entries.
pub(super) fn info(source: &Source<'_, '_>, view: &View<'_>) -> Result<Decoded> {
    let abbrev = source.sibling(&view.name, SectionKind::DebugAbbrev)?;
    let abbrev = DebugAbbrev::new(abbrev.as_ref().map_or(&[][..], |view| &view.data.bytes), LittleEndian);
    let strings = source.sibling(&view.name, SectionKind::DebugStr)?;
    let strings = strings.as_ref().map_or(&[][..], |view| &view.data.bytes);
    let mut room = Room::new(&view.data.bytes, strings);
    let fail = |offset: usize, error: gimli::Error| {
        Error::new(&*view.name, offset as u64, ErrorKind::Other(error.to_string()))
    };
    let debug_info = DebugInfo::new(&view.data.bytes, LittleEndian);
    let mut cursor = Cursor::new(&view.name, &view.data.bytes);
    let (mut units, mut rest) = (Vec::new(), Vec::new());
    loop {
        rest.extend(padding(&mut cursor));
        if cursor.is_empty() {
            return Ok((Contents::Info(units), rest).into());
        }
        let start = cursor.offset() as usize;
        let header =
            debug_info.header_from_offset(DebugInfoOffset(start)).map_err(|error| fail(start, error))?;
        let size = header.length_including_self();
        cursor.take(size as u64, "a unit")?;
        let abbreviations = header.abbreviations(&abbrev).map_err(|error| fail(start, error))?;
        let mut raw = header.entries_raw(&abbreviations, None).map_err(|error| fail(start, error))?;
        let mut unit = InfoUnit {
            at: Span::between(start as u64, cursor.offset()),
            header_size: raw.next_offset().0 as u64,
            version: header.version(),
            address_size: header.address_size(),
            abbrev_offset: header.debug_abbrev_offset().0 as u64,
            entries: Vec::new(),
        };
        let mut kept = Kept::default();
        while !raw.is_empty() {
            let offset = start + raw.next_offset().0;
            let depth = usize::try_from(raw.next_depth()).unwrap_or(0);
            let Some(abbreviation) = raw.read_abbreviation().map_err(|error| fail(offset, error))? else {
                let at = Span::between(offset as u64, (start + raw.next_offset().0) as u64);
                rest.push(Rest::new(at, if depth > 0 { "end of children" } else { "padding" }));
                continue;
            };
            let mut attributes = Vec::new();
            let mut own = false;
            for spec in abbreviation.attributes() {
                let field = start + raw.next_offset().0;
                let attribute = raw.read_attribute(*spec).map_err(|error| fail(field, error))?;
                let end = (start + raw.next_offset().0) as u64;
                let unit = start..start + size;
                let words = Words { source, view, strings, unit, field: field as u64, end };
                own |= words.is_wanted(&attribute);
                let name = dwarf_name!(attribute.name(), "DW_AT_");
                let value = words.value(&attribute);
                room.take(value.len(), view, field as u64)?;
                attributes.push(Attribute { name, value });
            }
            if source.filter.is_none() || kept.keep(depth, own) {
                let at = Span::between(offset as u64, (start + raw.next_offset().0) as u64);
                let tag = dwarf_name!(abbreviation.tag(), "DW_TAG_");
                unit.entries.push(Die { at, depth, tag, attributes });
            }
        }
        if source.filter.is_none() || unit.entries.iter().any(|entry| entry.depth > 0) {
            units.push(unit);
        }
    }
}

/// Which entries `--function` keeps: unit entries, and the trees below entries of the function.
#[derive(Default)]
struct Kept {
    /// Depth of the entry whose tree is being kept.
    root: Option<usize>,
}

impl Kept {
    fn keep(&mut self, depth: usize, own: bool) -> bool {
        if self.root.is_some_and(|root| depth > root) {
            return true;
        }
        self.root = (own && depth > 0).then_some(depth);
        depth == 0 || own
    }
}

struct Words<'s, 'c, 'd> {
    source: &'s Source<'c, 'd>,
    view: &'s View<'c>,
    strings: &'s [u8],
    /// The unit in `.debug_info`.
    unit: Range<usize>,
    /// Offset of the attribute's value in `.debug_info`.
    field: u64,
    /// Offset behind it.
    end: u64,
}

impl Words<'_, '_, '_> {
    /// Whether the attribute is the start of one of the functions that `--function` names.
    fn is_wanted(&self, attribute: &gimli::Attribute<Bytes<'_>>) -> bool {
        let Some(filter) = &self.source.filter else { return false };
        if attribute.name() != gimli::DW_AT_low_pc {
            return false;
        }
        let place = match (self.view.data.target(self.field), attribute.value()) {
            (Some(target), _) => {
                target.section.map(|section| (self.source.cubin.section_name(section), target.offset))
            }
            (None, AttributeValue::Addr(address)) => self.source.at_address(address),
            (None, _) => None,
        };
        place.is_some_and(|(section, offset)| filter.has_offset(section, offset))
    }

    fn value(&self, attribute: &gimli::Attribute<Bytes<'_>>) -> String {
        let bytes = |block: &[u8]| {
            // A block is the last thing in its field, behind its length.
            let start = self.end.saturating_sub(block.len() as u64);
            let address = |at, value| self.source.field(self.view, at, value);
            format!("{{ {} }}", expression::words(block, start, &address))
        };
        match attribute.value() {
            AttributeValue::Addr(address) => {
                let place = match attribute.name() {
                    gimli::DW_AT_high_pc => self.source.end_place(self.view, self.field, address),
                    _ => self.source.code_place(self.view, self.field, address),
                };
                place.unwrap_or_else(|| format!("{address:#x} (no relocation)"))
            }
            AttributeValue::String(string) => format!("{:?}", text(string.slice())),
            AttributeValue::DebugStrRef(offset) => match string_at(self.strings, offset.0) {
                Some(string) => format!("{:?}", text(string)),
                None => place(SectionKind::DebugStr, offset.0),
            },
            AttributeValue::Exprloc(expression) => bytes(expression.0.slice()),
            AttributeValue::Block(block) => format!("{:02x?}", block.slice()),
            AttributeValue::Flag(flag) => flag.to_string(),
            AttributeValue::UnitRef(offset) => {
                let die = self.unit.start.checked_add(offset.0).filter(|die| self.unit.contains(die));
                die.map_or_else(
                    || format!("unit+{:#x} (outside the unit)", offset.0),
                    |die| format!("<{die:#x}>"),
                )
            }
            AttributeValue::DebugInfoRef(offset) => format!("<{:#x}>", offset.0),
            AttributeValue::DebugLineRef(offset) => place(SectionKind::DebugLine, offset.0),
            AttributeValue::LocationListsRef(offset) => place(SectionKind::DebugLoc, offset.0),
            AttributeValue::DebugMacinfoRef(offset) => place(SectionKind::DebugMacinfo, offset.0),
            AttributeValue::RangeListsRef(offset) => place(SectionKind::DebugRanges, offset.0),
            AttributeValue::SecOffset(offset) => format!("{offset:#x}"),
            AttributeValue::Language(value) => dwarf_name!(value, "DW_LANG_"),
            AttributeValue::Encoding(value) => dwarf_name!(value, "DW_ATE_"),
            AttributeValue::Inline(value) => dwarf_name!(value, "DW_INL_"),
            AttributeValue::Accessibility(value) => dwarf_name!(value, "DW_ACCESS_"),
            AttributeValue::Virtuality(value) => dwarf_name!(value, "DW_VIRTUALITY_"),
            AttributeValue::Visibility(value) => dwarf_name!(value, "DW_VIS_"),
            AttributeValue::CallingConvention(value) => dwarf_name!(value, "DW_CC_"),
            AttributeValue::FileIndex(index) => format!("file {index}"),
            AttributeValue::AddressClass(class) => match AddressClass::of_value(class.0) {
                Some(named) => format!("{} {named}", class.0),
                None => class.0.to_string(),
            },
            AttributeValue::Udata(value) => value.to_string(),
            AttributeValue::Sdata(value) => value.to_string(),
            AttributeValue::Data1(value) => value.to_string(),
            AttributeValue::Data2(value) => value.to_string(),
            AttributeValue::Data4(value) => value.to_string(),
            AttributeValue::Data8(value) => match self.view.data.target(self.field) {
                Some(target) => self.source.place(target),
                None => value.to_string(),
            },
            other => format!("{other:?}"),
        }
    }
}

/// A place in a section, by its offset.
fn place(section: SectionKind, offset: usize) -> String {
    format!("{}+{offset:#x}", section.name())
}

fn string_at(strings: &[u8], offset: usize) -> Option<&[u8]> {
    let rest = strings.get(offset..)?;
    rest.get(..memchr::memchr(0, rest)?)
}
