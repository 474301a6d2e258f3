//! `.debug_abbrev` and the entries of `.debug_info`.
#![allow(non_upper_case_globals, reason = "the names of the specification as patterns")]

use super::model::{Abbreviation, Attribute, Contents, Die, InfoUnit, Rest, Span};
use super::section::{Decoded, Source, View, rest_of, string_budget, take};
use crate::commands::read::text;
use cubin_read::expression;
use dwarf2_reader::abbrev;
#[allow(clippy::wildcard_imports, reason = "all of DWARF's tables of names")]
use dwarf2_reader::constants::*;
use dwarf2_reader::info::{self, Entry, Node, Units, Value};
use dwarf2_reader::strings;
use nv_debug_sections::Result;
use nv_debug_sections::address_class::AddressClass;
use nv_debug_sections::catalog::SectionKind;

/// DWARF 2.0.0 §7.5.3.
pub(super) fn abbreviations(view: &View<'_>) -> Result<Decoded> {
    let (mut all, mut rest) = (Vec::new(), Vec::new());
    let mut end = 0;
    for table in abbrev::tables(&view.data.bytes) {
        let table = table.map_err(|error| view.fault(error))?;
        for abbreviation in table.all() {
            let attributes = table.attributes(abbreviation).iter();
            end = abbreviation.span.end;
            all.push(Abbreviation {
                at: abbreviation.span.clone().into(),
                code: abbreviation.code,
                tag: DW_TAG.name_or_number(abbreviation.tag),
                children: abbreviation.has_children,
                attributes: attributes
                    .map(|spec| (DW_AT.name_or_number(spec.name), DW_FORM.name_or_number(spec.form)))
                    .collect(),
            });
        }
        let terminator = Span::until(&mut end, table.span().end);
        if terminator.size > 0 {
            rest.push(Rest::new(terminator, "end of table"));
        }
    }
    Ok((Contents::Abbreviations(all), rest).into())
}

/// Every unit's entries.
pub(super) fn info(source: &Source<'_, '_>, view: &View<'_>) -> Result<Decoded> {
    let abbreviations = source.sibling(&view.name, SectionKind::DebugAbbrev)?;
    let abbreviations = abbreviations.as_ref().map_or(&[][..], |view| &view.data.bytes);
    let strings = source.sibling(&view.name, SectionKind::DebugStr)?;
    let strings = strings.as_ref().map_or(&[][..], |view| &view.data.bytes);
    let section = &*view.data.bytes;
    let mut budget = string_budget(section, strings);
    let all = Units::read(section, abbreviations).map_err(|error| view.fault(error))?;
    let (mut units, mut rest) = (Vec::new(), Vec::new());
    let mut end = 0;
    for header in all.all() {
        rest.extend(rest_of(end..header.span.start, "padding"));
        end = header.span.end;
        let mut unit = InfoUnit {
            at: header.span.clone().into(),
            header_size: header.entries - header.span.start,
            version: header.version,
            address_size: header.address_size,
            abbrev_offset: header.abbrev_offset,
            entries: Vec::new(),
        };
        let mut kept = Kept::default();
        for node in all.nodes(header, section) {
            let entry = match node.map_err(|error| view.fault(error))? {
                Node::Entry(entry) => entry,
                Node::End(span) => {
                    rest.extend(rest_of(span, "end of children"));
                    continue;
                }
                Node::Padding(span) => {
                    rest.extend(rest_of(span, "padding"));
                    continue;
                }
            };
            let words = Words { source, view, strings, unit: header, entry };
            let mut attributes = Vec::new();
            let (mut own, mut behind) = (false, entry.offset());
            for attribute in entry.attributes() {
                own |= words.is_wanted(&attribute);
                behind = attribute.span.end;
                let value = words.value(&attribute);
                take(&mut budget, value.len(), view, attribute.span.start)?;
                attributes.push(Attribute { name: DW_AT.name_or_number(attribute.name), value });
            }
            let depth = entry.depth() as usize;
            if source.filter.is_none() || kept.keep(depth, own) {
                let at = if attributes.is_empty() { entry.span() } else { entry.offset()..behind };
                let tag = DW_TAG.name_or_number(entry.tag());
                unit.entries.push(Die { at: at.into(), depth, tag, attributes });
            }
        }
        if source.filter.is_none() || unit.entries.iter().any(|entry| entry.depth > 0) {
            units.push(unit);
        }
    }
    rest.extend(rest_of(end..section.len() as u64, "padding"));
    Ok((Contents::Info(units), rest).into())
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
    unit: &'s info::Unit,
    entry: Entry<'s, 's>,
}

impl Words<'_, '_, '_> {
    /// Whether the attribute is the start of one of the functions that `--function` names.
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

    fn value(&self, attribute: &info::Attribute<'_>) -> String {
        let field = attribute.span.start;
        if let Some(operations) = attribute.expression() {
            let address = |at, value| self.source.field(self.view, at, value);
            return format!("{{ {} }}", expression::words(operations, attribute.content().start, &address));
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
            Value::String(string) => format!("{:?}", text(string)),
            Value::StringOffset(offset) => match strings::string_at(self.strings, offset) {
                Some(string) => format!("{:?}", text(string)),
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
