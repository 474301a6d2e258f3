//! Decoding of `.debug_abbrev` and of the entries of `.debug_info`.
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

use super::abbreviation::Abbreviation;
use super::contents::Contents;
use super::dump_source::{DumpSource, rest_of};
use super::open_section::OpenSection;
use super::relocated_view::RelocatedView;
use super::span::Span;
use super::stream::{ItemStream, StreamPart, Visit};
use crate::expression;
#[allow(clippy::wildcard_imports, reason = "all of DWARF's tables of names")]
use dwarf2_reader::constants::*;
use dwarf2_reader::info::{self, Entry, Node, Units, Value};
use dwarf2_reader::{WorkBudget, abbrev, strings};
use nv_debug_sections::Result;
use nv_debug_sections::address_class::AddressClass;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::rc::Rc;

/// DWARF 2.0.0 §7.5.3.
pub(super) fn abbreviations<'s>(view: &'s RelocatedView<'_>) -> Result<Contents<'s>> {
    let bytes = &*view.data.bytes;
    for table in abbrev::tables(bytes) {
        table.map_err(|error| view.fault(error))?;
    }
    let all = ItemStream::new(move |visit| {
        for table in abbrev::tables(bytes).map_while(Result::ok) {
            let table = Rc::new(table);
            let mut end = table.span().start;
            for abbreviation in table.all() {
                end = abbreviation.span.end;
                let (own, shape) = (Rc::clone(&table), abbreviation.clone());
                let attributes = ItemStream::new(move |visit| {
                    own.attributes(&shape).iter().try_for_each(|spec| {
                        let names = (DW_AT.name_or_number(spec.name), DW_FORM.name_or_number(spec.form));
                        visit(StreamPart::Item(names))
                    })
                });
                visit(StreamPart::Item(Abbreviation {
                    at: abbreviation.span.clone().into(),
                    code: abbreviation.code,
                    tag: DW_TAG.name_or_number(abbreviation.tag),
                    children: abbreviation.has_children,
                    attributes,
                }))?;
            }
            rest_of(visit, end..table.span().end, "end of table")?;
        }
        ControlFlow::Continue(())
    });
    Ok(Contents::Abbreviations(all))
}

/// Every unit's entries.
pub(super) fn info<'s, 'c>(
    source: &'s DumpSource<'c, '_>,
    opened: &'s OpenSection<'c>,
) -> Result<Contents<'s>> {
    let (view, strings) = (opened.view()?, opened.strings()?);
    let section = &*view.data.bytes;
    let read = Units::read(section, opened.abbrev()?).map_err(|error| view.fault(error))?;
    let units = opened.units.get_or_init(|| read);
    let entries = Entries { source, view, strings, units };
    entries.check()?;
    Ok(Contents::Info(ItemStream::new(move |visit| {
        let mut end = 0;
        for header in units.all() {
            rest_of(visit, end..header.span.start, "padding")?;
            end = header.span.end;
            let unit = InfoUnit {
                at: header.span.clone().into(),
                header_size: header.entries - header.span.start,
                version: header.version,
                address_size: header.address_size,
                abbrev_offset: header.abbrev_offset,
                entries: ItemStream::new(move |visit| entries.of_unit(header, visit)),
            };
            let is_shown = source.filter.is_none()
                || unit.entries.find_map(|entry| (entry.depth > 0).then_some(())).is_some();
            if is_shown {
                visit(StreamPart::Item(unit))?;
            }
        }
        rest_of(visit, end..section.len() as u64, "padding")
    })))
}

impl<'c> DumpSource<'c, '_> {
    /// Returns the tag and the name of the `.debug_info` entry at a byte offset, the name written
    /// as in an [`Attribute`]. The section must have been decoded before; `None` if no entry starts
    /// at the offset.
    pub fn entry_words(
        &self,
        opened: &OpenSection<'c>,
        offset: u64,
    ) -> Option<(Cow<'static, str>, Option<String>)> {
        let (view, units, strings) = (opened.view().ok()?, opened.units.get()?, opened.strings().ok()?);
        let unit = units.at(offset)?;
        let entry = units.entry(unit, &view.data.bytes, offset)?;
        let words = Words { source: self, view, strings, unit, entry };
        let name = entry.attribute(DW_AT_name).map(|attribute| words.value(&attribute));
        Some((DW_TAG.name_or_number(entry.tag()), name))
    }
}

/// The entries of a section.
#[derive(Clone, Copy)]
struct Entries<'s, 'c, 'd> {
    source: &'s DumpSource<'c, 'd>,
    view: &'s RelocatedView<'c>,
    strings: &'s [u8],
    units: &'s Units,
}

impl<'s, 'c, 'd> Entries<'s, 'c, 'd> {
    /// Rejects what cannot be read, and entries that share long strings so often that the output
    /// would be too long.
    fn check(self) -> Result<()> {
        let section = &*self.view.data.bytes;
        let mut budget = WorkBudget::of_strings(section.len() as u64, self.strings.len() as u64);
        for header in self.units.all() {
            for node in self.units.nodes(header, section) {
                let Node::Entry(entry) = node.map_err(|error| self.view.fault(error))? else { continue };
                let words = self.words(header, entry);
                for attribute in entry.attributes() {
                    self.view.take_text(&mut budget, words.shared(&attribute), attribute.span.start)?;
                }
            }
        }
        Ok(())
    }

    fn words(self, unit: &'s info::Unit, entry: Entry<'s, 's>) -> Words<'s, 'c, 'd> {
        Words { source: self.source, view: self.view, strings: self.strings, unit, entry }
    }

    fn of_unit(self, header: &'s info::Unit, visit: &mut Visit<'_, Die<'s>>) -> ControlFlow<()> {
        let mut kept = KeptEntries::default();
        for node in self.units.nodes(header, &self.view.data.bytes).map_while(Result::ok) {
            let entry = match node {
                Node::Entry(entry) => entry,
                Node::End(span) => {
                    rest_of(visit, span, "end of children")?;
                    continue;
                }
                Node::Padding(span) => {
                    rest_of(visit, span, "padding")?;
                    continue;
                }
            };
            let words = self.words(header, entry);
            let depth = entry.depth() as usize;
            if self.source.filter.is_some() {
                let own = entry.attributes().any(|attribute| words.is_wanted(&attribute));
                if !kept.keep(depth, own) {
                    continue;
                }
            }
            let attributes = ItemStream::of(move || {
                entry.attributes().map(move |attribute| {
                    let value = words.value(&attribute);
                    Attribute { name: DW_AT.name_or_number(attribute.name), value }
                })
            });
            let tag = DW_TAG.name_or_number(entry.tag());
            visit(StreamPart::Item(Die { at: entry.span().into(), depth, tag, attributes }))?;
        }
        ControlFlow::Continue(())
    }
}

/// Which entries a filter keeps: unit entries, and the trees below entries of the function.
#[derive(Default)]
struct KeptEntries {
    /// Depth of the entry whose tree is being kept.
    root: Option<usize>,
}

impl KeptEntries {
    fn keep(&mut self, depth: usize, own: bool) -> bool {
        if self.root.is_some_and(|root| depth > root) {
            return true;
        }
        self.root = (own && depth > 0).then_some(depth);
        depth == 0 || own
    }
}

#[derive(Clone, Copy)]
struct Words<'s, 'c, 'd> {
    source: &'s DumpSource<'c, 'd>,
    view: &'s RelocatedView<'c>,
    strings: &'s [u8],
    unit: &'s info::Unit,
    entry: Entry<'s, 's>,
}

impl Words<'_, '_, '_> {
    /// Whether the attribute is the start of one of the functions that the filter has.
    fn is_wanted(&self, attribute: &info::Attribute<'_>) -> bool {
        let Some(filter) = &self.source.filter else { return false };
        if attribute.name != DW_AT_low_pc {
            return false;
        }
        let place = match (self.view.data.target(attribute.span.start), attribute.value) {
            (Some(target), _) => {
                target.section.map(|section| (self.source.cubin.section_name(section), target.offset))
            }
            (None, Value::Address(address)) => self.source.at_address(address),
            (None, _) => None,
        };
        place.is_some_and(|(section, offset)| filter.has_offset(section, offset))
    }

    /// Bytes of the value in words that other attributes may share.
    fn shared(&self, attribute: &info::Attribute<'_>) -> usize {
        match attribute.value {
            Value::StringOffset(offset) => strings::string_at(self.strings, offset).map_or(0, <[u8]>::len),
            Value::String(string) => string.len(),
            Value::Block(block) if memchr::memchr(DW_OP_addr, block).is_none() => 0,
            Value::Block(_) if attribute.expression().is_some() => self.value(attribute).len(),
            Value::Block(_) => 0,
            _ if self.view.data.target(attribute.span.start).is_some() => self.value(attribute).len(),
            _ => 0,
        }
    }

    fn value(&self, attribute: &info::Attribute<'_>) -> String {
        let field = attribute.span.start;
        if let Some(operations) = attribute.expression() {
            let address = |at, value| self.source.field(self.view, at, value);
            return format!(
                "{{ {} }}",
                expression::operations_text(operations, attribute.content().start, &address)
            );
        }
        if let Some((section, offset)) = attribute.section_offset() {
            return format!("{section}+{offset:#x}");
        }
        match attribute.value {
            Value::Address(address) => {
                let place = match attribute.name {
                    DW_AT_high_pc => self.source.end_place(self.view, field, address),
                    _ => self.source.code_place(self.view, field, address),
                };
                place.unwrap_or_else(|| format!("{address:#x} (no relocation)"))
            }
            Value::String(string) => format!("{:?}", String::from_utf8_lossy(string)),
            Value::StringOffset(offset) => match strings::string_at(self.strings, offset) {
                Some(string) => format!("{:?}", String::from_utf8_lossy(string)),
                None => format!("{}+{offset:#x}", strings::SECTION),
            },
            Value::Block(block) => format!("{block:02x?}"),
            Value::Flag(flag) => (flag != 0).to_string(),
            Value::UnitReference(offset) => {
                match self.entry.in_unit(offset).filter(|entry| self.unit.span.contains(entry)) {
                    Some(entry) => format!("<{entry:#x}>"),
                    None => format!("unit+{offset:#x} (outside the unit)"),
                }
            }
            Value::InfoReference(offset) => format!("<{offset:#x}>"),
            Value::Signature(signature) => format!("type {signature:#018x}"),
            Value::SectionOffset(offset) => format!("{offset:#x}"),
            Value::Data(value) => match self.view.data.target(field) {
                Some(target) if attribute.form == DW_FORM_data8 => self.source.place(target),
                _ => constant(attribute.name, value),
            },
            Value::Unsigned(value) => constant(attribute.name, value),
            Value::Signed(value) => match u64::try_from(value) {
                Ok(value) => constant(attribute.name, value),
                Err(_) => value.to_string(),
            },
        }
    }
}

/// The value of an attribute in words: by name where DWARF has names for it.
fn constant(attribute: u16, value: u64) -> String {
    let table = match attribute {
        DW_AT_language => {
            let language = u16::try_from(value).ok();
            return language
                .map_or_else(|| value.to_string(), |value| DW_LANG.name_or_number(value).into_owned());
        }
        DW_AT_decl_file | DW_AT_call_file => return format!("file {value}"),
        DW_AT_address_class => {
            let class = AddressClass::of_value(value);
            return class.map_or_else(|| value.to_string(), |class| format!("{value} {class}"));
        }
        DW_AT_encoding => &DW_ATE,
        DW_AT_inline => &DW_INL,
        DW_AT_accessibility => &DW_ACCESS,
        DW_AT_virtuality => &DW_VIRTUALITY,
        DW_AT_visibility => &DW_VIS,
        DW_AT_calling_convention => &DW_CC,
        DW_AT_ordering => &DW_ORD,
        DW_AT_identifier_case => &DW_ID,
        _ => return value.to_string(),
    };
    u8::try_from(value).map_or_else(|_| value.to_string(), |value| table.name_or_number(value).into_owned())
}

/// A unit of `.debug_info` with its entries.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InfoUnit<'s> {
    /// The byte range of the unit in its section.
    #[serde(flatten)]
    pub at: Span,
    /// Number of bytes from the start of the unit to its first entry. The entries follow one
    /// another from there to the end of the unit.
    pub header_size: u64,
    /// The DWARF version in the header of the unit.
    pub version: u16,
    /// The size in bytes of an address in the unit.
    pub address_size: u8,
    /// Byte offset in `.debug_abbrev` of the unit's abbreviations.
    pub abbrev_offset: u64,
    /// The entries of the unit in file order; their `depth` makes the tree.
    pub entries: ItemStream<'s, Die<'s>>,
}

/// An entry of `.debug_info`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InfoEntry")]
pub struct Die<'s> {
    /// The byte range of the entry in its section.
    #[serde(flatten)]
    pub at: Span,
    /// The number of entries that enclose this one; 0 for the entry of the unit.
    pub depth: usize,
    /// Name of the entry's tag, `DW_TAG_*`, or its number if it has no name.
    pub tag: Cow<'static, str>,
    /// The attributes of the entry, in file order.
    pub attributes: ItemStream<'s, Attribute>,
}

/// An attribute of an entry of `.debug_info`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Attribute {
    /// Name of the attribute, `DW_AT_*`, or its number if it has no name.
    pub name: Cow<'static, str>,
    /// The value of the attribute in words: a string in quotes, a reference to an entry as
    /// `<0x2d>`, an address as section and offset.
    pub value: String,
}
