//! The sections that are plain lists.

use super::model::{
    AddressRange, Contents, Located, Location, Lookup, Register, RegisterTypes, Registers, Rest,
    SharedVariable, SharedVariables, Span, TextLine,
};
use super::section::{Decoded, Source, View, padding};
use crate::commands::read::text;
use cubin_read::expression;
use nv_debug_sections::bytes::Cursor;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex};
use nv_debug_sections::ptx_txt::PtxText;
use nv_debug_sections::reg_type::{self, RegisterType};
use nv_debug_sections::shared_window::{self, Stage};
use nv_debug_sections::{Error, ErrorKind, Result, reg_sass};
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
    let mut cursor = Cursor::new(&view.name, &view.data.bytes);
    let mut strings = Vec::new();
    while !cursor.is_empty() {
        let offset = cursor.offset();
        let value = text(cursor.cstr("a string")?);
        strings.push(Located { at: Span::between(offset, cursor.offset()), value });
    }
    Ok(Contents::Strings(strings).into())
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

/// `.debug_loc` (DWARF 2.0.0 §7.7.3) and `.debug_ranges` (DWARF 3 §2.17.3), which has no expressions. A list ends with two zeros; fields under a relocation are no zeros.
pub(super) fn locations(source: &Source<'_, '_>, view: &View<'_>, kind: SectionKind) -> Result<Decoded> {
    let mut cursor = Cursor::new(&view.name, &view.data.bytes);
    let mut entries: Vec<Location> = Vec::new();
    let mut rest = Vec::new();
    while !cursor.is_empty() {
        let offset = cursor.offset();
        let start = cursor.number(8, "the start of a location range")?;
        let end = cursor.number(8, "the end of a location range")?;
        let numbers = Span::between(offset, cursor.offset());
        match view.data.target(offset).or(view.data.target(offset + 8)) {
            None if start == 0 && end == 0 => {
                rest.push(Rest::new(numbers, "end of list"));
                if let Some(last) = entries.last_mut() {
                    last.last = true;
                }
                continue;
            }
            _ if start == u64::MAX && view.data.target(offset).is_none() => {
                let base = source.code_address(view, offset + 8, end);
                rest.push(Rest::new(numbers, format!("from here on relative to {base}")));
                continue;
            }
            _ => {}
        }
        let (start, end) =
            (source.code_address(view, offset, start), source.end_address(view, offset + 8, end));
        let mut expression = None;
        if kind == SectionKind::DebugLoc {
            let length = cursor.number(2, "the length of an expression")?;
            let base = cursor.offset();
            let bytes = cursor.take(length, "an expression")?;
            expression = Some(expression::words(bytes, base, &|at, value| source.field(view, at, value)));
        }
        let at = Span::between(offset, cursor.offset());
        entries.push(Location { at, start, end, expression, last: false });
    }
    let contents = if kind == SectionKind::DebugLoc { Contents::Locations } else { Contents::Ranges };
    Ok((contents(entries), rest).into())
}

/// `.debug_aranges` (DWARF 2.0.0 §7.20): sets of address ranges, each for a unit, aligned in the set as two addresses are.
pub(super) fn addresses(source: &Source<'_, '_>, view: &View<'_>) -> Result<Decoded> {
    let mut cursor = Cursor::new(&view.name, &view.data.bytes);
    let (mut entries, mut rest) = (Vec::new(), Vec::new());
    loop {
        rest.extend(padding(&mut cursor));
        if cursor.is_empty() {
            return Ok((Contents::Addresses(entries), rest).into());
        }
        let start = cursor.offset();
        let length = cursor.u32("the length of a set")?;
        let mut set = cursor.split(length.into(), "a set of addresses")?;
        let version = set.u16("the version of a set")?;
        let unit = set.u32("the unit of a set")?.into();
        let sizes = set.offset();
        if (set.u8("the size of an address")?, set.u8("the size of a segment")?) != (8, 0) {
            let kind = ErrorKind::Other("addresses that are not of 8 bytes and no segment".to_owned());
            return Err(set.error_at(sizes, kind));
        }
        let header = format!("addresses of the unit at {unit:#x}, version {version}");
        rest.push(Rest::new(Span::between(start, set.offset()), header));
        // Addresses start at a multiple of 16 bytes from the start of the set.
        let aligned = set.offset();
        rest.push(Rest::filler(aligned, set.take(4, "padding")?));
        while !set.is_empty() {
            let offset = set.offset();
            let (low, length) = (set.u64("an address")?, set.u64("a length")?);
            let at = Span::between(offset, set.offset());
            match view.data.target(offset) {
                None if low == 0 && length == 0 => rest.push(Rest::new(at, "end of addresses")),
                _ => {
                    let start = source.code_address(view, offset, low);
                    entries.push(AddressRange { at, unit, start, length });
                }
            }
        }
    }
}

/// `.debug_pubnames`, `.debug_pubtypes` (DWARF 2.0.0 §7.19): sets of names, each for a unit.
pub(super) fn lookup(view: &View<'_>) -> Result<Decoded> {
    let mut cursor = Cursor::new(&view.name, &view.data.bytes);
    let (mut entries, mut rest) = (Vec::new(), Vec::new());
    loop {
        rest.extend(padding(&mut cursor));
        if cursor.is_empty() {
            return Ok((Contents::Lookup(entries), rest).into());
        }
        let start = cursor.offset();
        let length = cursor.u32("the length of a set")?;
        let mut set = cursor.split(length.into(), "a set of names")?;
        let version = set.u16("the version of a set")?;
        let unit = set.u32("the unit of a set")?;
        let size = set.u32("the length of a set's unit")?;
        let header = format!("names of the unit at {unit:#x}, {size:#x} bytes, version {version}");
        rest.push(Rest::new(Span::between(start, set.offset()), header));
        loop {
            let offset = set.offset();
            let die = set.u32("the entry of a name")?;
            if die == 0 {
                rest.push(Rest::new(Span::between(offset, set.offset()), "end of names"));
                break;
            }
            let name = text(set.cstr("a name")?);
            let at = Span::between(offset, set.offset());
            entries.push(Lookup { at, name, die: u64::from(unit) + u64::from(die) });
        }
        rest.extend(padding(&mut set));
        if !set.is_empty() {
            let (field, found) = ("bytes behind the names of a set", set.remaining());
            return Err(set.error(ErrorKind::Value { field, found, expected: "0" }));
        }
    }
}

/// DWARF 2.0.0 §7.22.
pub(super) fn macros(view: &View<'_>) -> Result<Decoded> {
    let mut cursor = Cursor::new(&view.name, &view.data.bytes);
    let mut entries = Vec::new();
    while !cursor.is_empty() {
        let offset = cursor.offset();
        let code = cursor.number(1, "a macinfo type")?;
        let value = match code {
            0 => "end".to_owned(),
            1 | 2 | 255 => {
                let name = match code {
                    1 => "DW_MACINFO_define",
                    2 => "DW_MACINFO_undef",
                    _ => "DW_MACINFO_vendor_ext",
                };
                let number = cursor.uleb("a line")?;
                format!("{name} {number} {}", text(cursor.cstr("a macro")?))
            }
            3 => {
                let line = cursor.uleb("a line")?;
                format!("DW_MACINFO_start_file {line} {}", cursor.uleb("a file")?)
            }
            4 => "DW_MACINFO_end_file".to_owned(),
            found => {
                let kind = ErrorKind::Value { field: "macinfo type", found, expected: "one of DWARF 2" };
                return Err(Error::new(&*view.name, offset, kind));
            }
        };
        entries.push(Located { at: Span::between(offset, cursor.offset()), value });
    }
    Ok(Contents::Macros(entries).into())
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
