//! Decoding of the sections that are plain lists.

use super::contents::Contents;
use super::items::{
    AddressRange, Location, NameLookup, Register, RegisterTypes, Registers, SharedVariable, SharedVariables,
    TextLine, WithOffset,
};
use super::source::{DumpSource, OpenSection, RelocatedView};
use super::span::{Span, UnclaimedBytes};
use super::stream::{ItemStream, StreamPart, Visit};
use crate::expression;
use dwarf2_reader::macinfo::Macro;
use dwarf2_reader::{aranges, loc, macinfo, pubnames, ranges, strings};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex};
use nv_debug_sections::ptx_txt::PtxText;
use nv_debug_sections::reg_type::{self, RegisterType};
use nv_debug_sections::shared_window::{self, LinkStage};
use nv_debug_sections::{Result, reg_sass};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

pub(super) fn ptx_text<'s>(
    source: &'s DumpSource<'_, '_>,
    view: &'s RelocatedView<'_>,
) -> Result<Contents<'s>> {
    let decoded = PtxText::decode(&view.data.bytes)?;
    let lines = ItemStream::of(move || {
        let mut end = 0;
        decoded.lines().enumerate().map(move |(index, line)| TextLine {
            at: Span::next(&mut end, line.len() as u64 + 1),
            line: index + 1,
            text: String::from_utf8_lossy(line),
        })
    });
    Ok(Contents::PtxText(match &source.filter {
        Some(filter) => lines.filter(|line| filter.has_line(view.index, line.line)),
        None => lines,
    }))
}

pub(super) fn strings<'s>(view: &'s RelocatedView<'_>) -> Result<Contents<'s>> {
    let strings = || strings::strings(&view.data.bytes);
    all(view, strings())?;
    Ok(Contents::Strings(ItemStream::of(move || {
        let strings = strings().map_while(Result::ok);
        strings.map(|(span, string)| WithOffset { at: span.into(), value: String::from_utf8_lossy(string) })
    })))
}

/// Reads all items.
///
/// # Errors
///
/// That of the first that cannot be read.
fn all<T>(view: &RelocatedView<'_>, items: impl IntoIterator<Item = dwarf2_reader::Result<T>>) -> Result<()> {
    items.into_iter().try_for_each(|item| item.map(|_| ())).map_err(|error| view.fault(error))
}

pub(super) fn registers<'s>(
    source: &'s DumpSource<'_, '_>,
    opened: &'s OpenSection<'_>,
) -> Result<Contents<'s>> {
    let (view, types) = (opened.view()?, reg_type::decode(opened.types()?)?);
    let types: HashMap<_, _> = types.iter().map(|types| (types.function, types.types)).collect();
    let functions: Vec<_> = reg_sass::decode(&view.data.bytes)?.into_iter().map(Rc::new).collect();
    let wanted = |name: &str| source.filter.as_ref().is_none_or(|filter| filter.has_name(name));
    Ok(Contents::Registers(ItemStream::new(move |visit| {
        let mut end = 0;
        for function in &functions {
            let at = Span::next(&mut end, function.size());
            if !wanted(&String::from_utf8_lossy(function.function)) {
                continue;
            }
            let header_size = function.header_size();
            let types = types.get(function.function).copied().unwrap_or_default();
            let own = Rc::clone(function);
            let ranges = ItemStream::new(move |visit| {
                let mut end = at.offset + header_size;
                own.ranges.iter().enumerate().try_for_each(|(index, range)| {
                    visit(StreamPart::Item(Register {
                        at: Span::next(&mut end, range.size()),
                        ptx: String::from_utf8_lossy(range.ptx_name),
                        part: range.part,
                        r#type: types
                            .get(index)
                            .and_then(|code| RegisterType::of_code(*code))
                            .map(|known| known.to_string()),
                        sass: range.register.to_string(),
                        start: range.start,
                        end: range.end,
                    }))
                })
            });
            let function = String::from_utf8_lossy(function.function).into_owned();
            visit(StreamPart::Item(Registers { at, header_size, function, ranges }))?;
        }
        ControlFlow::Continue(())
    })))
}

pub(super) fn register_types<'s>(view: &'s RelocatedView<'_>) -> Result<Contents<'s>> {
    let name = |code: &u8| {
        RegisterType::of_code(*code).map_or_else(|| format!("type {code}"), |known| known.to_string())
    };
    let functions = reg_type::decode(&view.data.bytes)?;
    Ok(Contents::RegisterTypes(ItemStream::new(move |visit| {
        let mut end = 0;
        functions.iter().try_for_each(|function| {
            let types = function.types;
            visit(StreamPart::Item(RegisterTypes {
                at: Span::next(&mut end, function.size()),
                function: String::from_utf8_lossy(function.function).into_owned(),
                types: ItemStream::of(move || types.iter().map(name)),
            }))
        })
    })))
}

/// `.debug_loc` (DWARF 2.0.0 §7.7.2).
pub(super) fn locations<'s, 'c>(
    source: &'s DumpSource<'c, '_>,
    view: &'s RelocatedView<'c>,
) -> Result<Contents<'s>> {
    let items = || loc::items(&view.data.bytes, 0, |at| view.data.target(at).is_some());
    all(view, items())?;
    Ok(Contents::Locations(ItemStream::new(move |visit| {
        let mut lists = Lists { source, view, open: None };
        for (span, item) in items().map_while(Result::ok) {
            match item {
                loc::Item::End => lists.end(span, visit)?,
                loc::Item::Base(base) => lists.base(span, base, visit)?,
                loc::Item::Location { begin, end, expression } => {
                    let first = span.end - expression.len() as u64;
                    let field = |at, value| source.field(view, at, value);
                    let words = expression::operations_text(expression, first, &field);
                    lists.range(span, begin, end, Some(words), visit)?;
                }
            }
        }
        lists.flush(visit)
    })))
}

/// `.debug_ranges` (DWARF 3 §2.17.3).
pub(super) fn ranges<'s, 'c>(
    source: &'s DumpSource<'c, '_>,
    view: &'s RelocatedView<'c>,
) -> Result<Contents<'s>> {
    let items = || ranges::items(&view.data.bytes, 0, |at| view.data.target(at).is_some());
    all(view, items())?;
    Ok(Contents::Ranges(ItemStream::new(move |visit| {
        let mut lists = Lists { source, view, open: None };
        for (span, item) in items().map_while(Result::ok) {
            match item {
                ranges::Item::End => lists.end(span, visit)?,
                ranges::Item::Base(base) => lists.base(span, base, visit)?,
                ranges::Item::Range { begin, end } => lists.range(span, begin, end, None, visit)?,
            }
        }
        lists.flush(visit)
    })))
}

/// The lists of a section, one after another.
struct Lists<'s, 'c, 'd> {
    source: &'s DumpSource<'c, 'd>,
    view: &'s RelocatedView<'c>,
    /// An entry that may be the last of its list, and the changes of the base that follow it.
    open: Option<(Location, Vec<UnclaimedBytes>)>,
}

impl Lists<'_, '_, '_> {
    fn end(&mut self, at: dwarf2_reader::Span, visit: &mut Visit<'_, Location>) -> ControlFlow<()> {
        if let Some((last, _)) = &mut self.open {
            last.last = true;
        }
        self.flush(visit)?;
        visit(StreamPart::Rest(UnclaimedBytes::new(at.into(), "end of list")))
    }

    fn flush(&mut self, visit: &mut Visit<'_, Location>) -> ControlFlow<()> {
        let Some((entry, rest)) = self.open.take() else { return ControlFlow::Continue(()) };
        visit(StreamPart::Item(entry))?;
        rest.into_iter().try_for_each(|rest| visit(StreamPart::Rest(rest)))
    }

    fn base(
        &mut self,
        at: dwarf2_reader::Span,
        base: u64,
        visit: &mut Visit<'_, Location>,
    ) -> ControlFlow<()> {
        let base = self.source.code_address(self.view, at.start + 8, base);
        let rest = UnclaimedBytes::new(at.into(), format!("from here on relative to {base}"));
        match &mut self.open {
            Some((_, after)) => after.push(rest),
            None => visit(StreamPart::Rest(rest))?,
        }
        ControlFlow::Continue(())
    }

    fn range(
        &mut self,
        at: dwarf2_reader::Span,
        begin: u64,
        end: u64,
        expression: Option<String>,
        visit: &mut Visit<'_, Location>,
    ) -> ControlFlow<()> {
        self.flush(visit)?;
        let start = self.source.code_address(self.view, at.start, begin);
        let end = self.source.end_address(self.view, at.start + 8, end);
        self.open = Some((Location { at: at.into(), start, end, expression, last: false }, Vec::new()));
        ControlFlow::Continue(())
    }
}

/// `.debug_aranges` (DWARF 2.0.0 §7.20): sets of address ranges, each for a unit.
pub(super) fn addresses<'s>(
    source: &'s DumpSource<'_, '_>,
    view: &'s RelocatedView<'_>,
) -> Result<Contents<'s>> {
    let items = || aranges::items(&view.data.bytes, |at| view.data.target(at).is_some());
    all(view, items())?;
    Ok(Contents::Addresses(ItemStream::new(move |visit| {
        let mut unit = 0;
        for (span, item) in items().map_while(Result::ok) {
            let (field, at) = (span.start, span.into());
            visit(match item {
                aranges::Item::Set(set) => {
                    unit = set.info;
                    let header = format!("addresses of the unit at {unit:#x}, version {}", set.version);
                    StreamPart::Rest(UnclaimedBytes::new(at, header))
                }
                aranges::Item::Padding(bytes) => StreamPart::Rest(UnclaimedBytes::filler(field, bytes)),
                aranges::Item::Range { address, length } => {
                    let start = source.code_address(view, field, address);
                    StreamPart::Item(AddressRange { at, unit, start, length })
                }
                aranges::Item::End => StreamPart::Rest(UnclaimedBytes::new(at, "end of addresses")),
            })?;
        }
        ControlFlow::Continue(())
    })))
}

/// `.debug_pubnames`, `.debug_pubtypes` (DWARF 2.0.0 §7.19): sets of names, each for a unit.
pub(super) fn lookup<'s>(view: &'s RelocatedView<'_>, kind: SectionKind) -> Result<Contents<'s>> {
    let items = move || pubnames::items(kind.name(), &view.data.bytes);
    all(view, items())?;
    Ok(Contents::Lookup(ItemStream::new(move |visit| {
        let mut unit = 0;
        for (span, item) in items().map_while(Result::ok) {
            let (field, at) = (span.start, span.into());
            visit(match item {
                pubnames::Item::Set(pubnames::Set { version, info, info_length, .. }) => {
                    unit = info;
                    let header =
                        format!("names of the unit at {unit:#x}, {info_length:#x} bytes, version {version}");
                    StreamPart::Rest(UnclaimedBytes::new(at, header))
                }
                pubnames::Item::Padding(bytes) => StreamPart::Rest(UnclaimedBytes::filler(field, bytes)),
                pubnames::Item::Name { entry, name } => {
                    let (name, die) = (String::from_utf8_lossy(name), unit.saturating_add(entry));
                    StreamPart::Item(NameLookup { at, name, die })
                }
                pubnames::Item::End => StreamPart::Rest(UnclaimedBytes::new(at, "end of names")),
            })?;
        }
        ControlFlow::Continue(())
    })))
}

/// `.debug_macinfo` (DWARF 2.0.0 §7.22).
pub(super) fn macros<'s>(view: &'s RelocatedView<'_>) -> Result<Contents<'s>> {
    let items = || macinfo::items(&view.data.bytes, 0);
    all(view, items())?;
    let words = |item| match item {
        None => "end".to_owned(),
        Some(Macro::Define { line, text: macro_text }) => {
            format!("DW_MACINFO_define {line} {}", String::from_utf8_lossy(macro_text))
        }
        Some(Macro::Undef { line, text: name }) => {
            format!("DW_MACINFO_undef {line} {}", String::from_utf8_lossy(name))
        }
        Some(Macro::StartFile { line, file }) => format!("DW_MACINFO_start_file {line} {file}"),
        Some(Macro::EndFile) => "DW_MACINFO_end_file".to_owned(),
        Some(Macro::Vendor { constant, text: words }) => {
            format!("DW_MACINFO_vendor_ext {constant} {}", String::from_utf8_lossy(words))
        }
    };
    Ok(Contents::Macros(ItemStream::of(move || {
        let items = items().map_while(Result::ok);
        items.map(move |(span, item)| WithOffset { at: span.into(), value: words(item).into() })
    })))
}

/// `.nv_debug.shared`, which has no bytes: its variables.
pub(super) fn shared<'s>(cubin: &Cubin<'_>, index: SectionIndex) -> Result<Contents<'s>> {
    let symbols = (0..).map(SymbolIndex).zip(cubin.symbols());
    let named = symbols.map(|(at, symbol)| (cubin.symbol_name(at), symbol));
    let window = shared_window::decode(cubin.section(index)?, index, named)?;
    let linked = window.stage == LinkStage::Linked;
    let variables = window.variables.iter().map(|variable| SharedVariable {
        name: variable.name.to_owned(),
        offset: linked.then_some(variable.value),
        align: (!linked).then_some(variable.value),
        size: variable.size,
    });
    let variables = variables.collect();
    Ok(Contents::Shared(SharedVariables { linked, align: window.align, variables }))
}
