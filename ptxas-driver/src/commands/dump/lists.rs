//! The sections that are plain lists.

use super::model::{
    AddressRange, Contents, Located, Location, Lookup, Register, RegisterTypes, Registers, Rest,
    SharedVariable, SharedVariables, Span, TextLine,
};
use super::section::{Decoded, Source, View};
use crate::commands::read::text;
use cubin_read::expression;
use dwarf2_reader::macinfo::Macro;
use dwarf2_reader::{aranges, loc, macinfo, pubnames, ranges, strings};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex};
use nv_debug_sections::ptx_txt::PtxText;
use nv_debug_sections::reg_type::{self, RegisterType};
use nv_debug_sections::shared_window::{self, Stage};
use nv_debug_sections::{Result, reg_sass};
use std::collections::HashMap;

pub(super) fn ptx_text(source: &Source<'_, '_>, view: &View<'_>) -> Result<Decoded> {
    let lines = PtxText::decode(&view.data.bytes)?;
    let mut end = 0;
    let lines = lines.lines().enumerate().map(|(index, line)| TextLine {
        at: Span::next(&mut end, line.len() as u64 + 1),
        line: index + 1,
        text: text(line),
    });
    let wanted =
        |line: &TextLine| source.filter.as_ref().is_none_or(|filter| filter.has_line(view.index, line.line));
    Ok(Contents::PtxText(lines.filter(wanted).collect()).into())
}

pub(super) fn strings(view: &View<'_>) -> Result<Decoded> {
    let strings = strings::strings(&view.data.bytes).map(|string| {
        let (span, string) = string.map_err(|error| view.fault(error))?;
        Ok(Located { at: span.into(), value: text(string) })
    });
    Ok(Contents::Strings(strings.collect::<Result<_>>()?).into())
}

pub(super) fn registers(source: &Source<'_, '_>, view: &View<'_>) -> Result<Decoded> {
    let types = source.sibling(&view.name, SectionKind::NvDebugInfoRegType)?;
    let types =
        types.as_ref().map(|view| reg_type::decode(&view.data.bytes)).transpose()?.unwrap_or_default();
    let types: HashMap<_, _> = types.iter().map(|types| (types.function, types.types)).collect();
    let functions = reg_sass::decode(&view.data.bytes)?;
    let wanted = |name: &str| source.filter.as_ref().is_none_or(|filter| filter.has_name(name));
    let mut end = 0;
    let mut shown = Vec::new();
    for function in &functions {
        let at = Span::next(&mut end, function.size());
        if !wanted(&text(function.function)) {
            continue;
        }
        let header_size = function.header_size();
        let types = types.get(function.function).copied().unwrap_or_default();
        let mut end = at.offset + header_size;
        let ranges = function.ranges.iter().enumerate().map(|(index, range)| Register {
            at: Span::next(&mut end, range.size()),
            ptx: text(range.ptx_name),
            part: range.part,
            r#type: types
                .get(index)
                .and_then(|code| RegisterType::of_code(*code))
                .map(|known| known.to_string()),
            sass: range.register.to_string(),
            start: range.start,
            end: range.end,
        });
        let ranges = ranges.collect();
        shown.push(Registers { at, header_size, function: text(function.function), ranges });
    }
    Ok(Contents::Registers(shown).into())
}

pub(super) fn register_types(view: &View<'_>) -> Result<Decoded> {
    let name = |code: &u8| {
        RegisterType::of_code(*code).map_or_else(|| format!("type {code}"), |known| known.to_string())
    };
    let mut end = 0;
    let functions = reg_type::decode(&view.data.bytes)?.into_iter().map(|function| RegisterTypes {
        at: Span::next(&mut end, function.size()),
        function: text(function.function),
        types: function.types.iter().map(name).collect(),
    });
    Ok(Contents::RegisterTypes(functions.collect()).into())
}

/// `.debug_loc` (DWARF 2.0.0 §7.7.2).
pub(super) fn locations(source: &Source<'_, '_>, view: &View<'_>) -> Result<Decoded> {
    let mut lists = Lists::default();
    for read in loc::items(&view.data.bytes, 0, |at| view.data.target(at).is_some()) {
        let (span, item) = read.map_err(|error| view.fault(error))?;
        match item {
            loc::Item::End => lists.end(span),
            loc::Item::Base(base) => lists.base(source, view, span, base),
            loc::Item::Location { begin, end, expression } => {
                let first = span.end - expression.len() as u64;
                let words = expression::words(expression, first, &|at, value| source.field(view, at, value));
                lists.range(source, view, (span, begin, end), Some(words));
            }
        }
    }
    Ok((Contents::Locations(lists.entries), lists.rest).into())
}

/// `.debug_ranges` (DWARF 3 §2.17.3).
pub(super) fn ranges(source: &Source<'_, '_>, view: &View<'_>) -> Result<Decoded> {
    let mut lists = Lists::default();
    for read in ranges::items(&view.data.bytes, 0, |at| view.data.target(at).is_some()) {
        let (span, item) = read.map_err(|error| view.fault(error))?;
        match item {
            ranges::Item::End => lists.end(span),
            ranges::Item::Base(base) => lists.base(source, view, span, base),
            ranges::Item::Range { begin, end } => lists.range(source, view, (span, begin, end), None),
        }
    }
    Ok((Contents::Ranges(lists.entries), lists.rest).into())
}

/// The lists of a section, one behind another.
#[derive(Default)]
struct Lists {
    entries: Vec<Location>,
    rest: Vec<Rest>,
}

impl Lists {
    fn end(&mut self, at: dwarf2_reader::Span) {
        self.rest.push(Rest::new(at.into(), "end of list"));
        if let Some(last) = self.entries.last_mut() {
            last.last = true;
        }
    }

    fn base(&mut self, source: &Source<'_, '_>, view: &View<'_>, at: dwarf2_reader::Span, base: u64) {
        let base = source.code_address(view, at.start + 8, base);
        self.rest.push(Rest::new(at.into(), format!("from here on relative to {base}")));
    }

    fn range(
        &mut self,
        source: &Source<'_, '_>,
        view: &View<'_>,
        (at, begin, end): (dwarf2_reader::Span, u64, u64),
        expression: Option<String>,
    ) {
        let start = source.code_address(view, at.start, begin);
        let end = source.end_address(view, at.start + 8, end);
        self.entries.push(Location { at: at.into(), start, end, expression, last: false });
    }
}

/// `.debug_aranges` (DWARF 2.0.0 §7.20): sets of address ranges, each for a unit.
pub(super) fn addresses(source: &Source<'_, '_>, view: &View<'_>) -> Result<Decoded> {
    let (mut entries, mut rest) = (Vec::new(), Vec::new());
    let mut unit = 0;
    for read in aranges::items(&view.data.bytes, |at| view.data.target(at).is_some()) {
        let (span, item) = read.map_err(|error| view.fault(error))?;
        let (field, at) = (span.start, span.into());
        match item {
            aranges::Item::Set(set) => {
                unit = set.info;
                let header = format!("addresses of the unit at {unit:#x}, version {}", set.version);
                rest.push(Rest::new(at, header));
            }
            aranges::Item::Padding(bytes) => rest.push(Rest::filler(field, bytes)),
            aranges::Item::Range { address, length } => {
                let start = source.code_address(view, field, address);
                entries.push(AddressRange { at, unit, start, length });
            }
            aranges::Item::End => rest.push(Rest::new(at, "end of addresses")),
        }
    }
    Ok((Contents::Addresses(entries), rest).into())
}

/// `.debug_pubnames`, `.debug_pubtypes` (DWARF 2.0.0 §7.19): sets of names, each for a unit.
pub(super) fn lookup(view: &View<'_>, kind: SectionKind) -> Result<Decoded> {
    let (mut entries, mut rest) = (Vec::new(), Vec::new());
    let mut unit = 0;
    for read in pubnames::items(kind.name(), &view.data.bytes) {
        let (span, item) = read.map_err(|error| view.fault(error))?;
        let (field, at) = (span.start, span.into());
        match item {
            pubnames::Item::Set(pubnames::Set { version, info, info_length, .. }) => {
                unit = info;
                let header =
                    format!("names of the unit at {unit:#x}, {info_length:#x} bytes, version {version}");
                rest.push(Rest::new(at, header));
            }
            pubnames::Item::Padding(bytes) => rest.push(Rest::filler(field, bytes)),
            pubnames::Item::Name { entry, name } => {
                entries.push(Lookup { at, name: text(name), die: unit.saturating_add(entry) });
            }
            pubnames::Item::End => rest.push(Rest::new(at, "end of names")),
        }
    }
    Ok((Contents::Lookup(entries), rest).into())
}

/// `.debug_macinfo` (DWARF 2.0.0 §7.22).
pub(super) fn macros(view: &View<'_>) -> Result<Decoded> {
    let entries = macinfo::items(&view.data.bytes, 0).map(|read| {
        let (span, item) = read.map_err(|error| view.fault(error))?;
        let value = match item {
            None => "end".to_owned(),
            Some(Macro::Define { line, text: macro_text }) => {
                format!("DW_MACINFO_define {line} {}", text(macro_text))
            }
            Some(Macro::Undef { line, text: name }) => format!("DW_MACINFO_undef {line} {}", text(name)),
            Some(Macro::StartFile { line, file }) => format!("DW_MACINFO_start_file {line} {file}"),
            Some(Macro::EndFile) => "DW_MACINFO_end_file".to_owned(),
            Some(Macro::Vendor { constant, text: words }) => {
                format!("DW_MACINFO_vendor_ext {constant} {}", text(words))
            }
        };
        Ok(Located { at: span.into(), value })
    });
    Ok(Contents::Macros(entries.collect::<Result<_>>()?).into())
}

/// `.nv_debug.shared`, which has no bytes: its variables.
pub(super) fn shared(cubin: &Cubin<'_>, index: SectionIndex) -> Result<Decoded> {
    let symbols = (0..).map(SymbolIndex).zip(cubin.symbols());
    let named = symbols.map(|(at, symbol)| (cubin.symbol_name(at), symbol));
    let window = shared_window::decode(cubin.section(index)?, index, named)?;
    let linked = window.stage == Stage::Linked;
    let variables = window.variables.iter().map(|variable| SharedVariable {
        name: variable.name.to_owned(),
        offset: linked.then_some(variable.value),
        align: (!linked).then_some(variable.value),
        size: variable.size,
    });
    let variables = variables.collect();
    Ok(Contents::Shared(SharedVariables { linked, align: window.align, variables }).into())
}
