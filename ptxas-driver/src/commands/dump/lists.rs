//! The sections that are plain lists.

use super::model::{
    Contents, Located, Location, Lookup, Register, RegisterTypes, Registers, SharedVariable, SharedVariables,
    TextLine,
};
use super::section::{Source, View};
use crate::commands::read::text;
use cubin_read::expression;
use nv_debug_sections::bytes::Cursor;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex};
use nv_debug_sections::ptx_txt::PtxText;
use nv_debug_sections::shared_window::{self, Stage};
use nv_debug_sections::{Error, ErrorKind, Result, reg_sass, reg_type};
use std::collections::HashMap;

pub(super) fn ptx_text(source: &Source<'_, '_>, view: &View<'_>) -> Result<Contents> {
    let lines = PtxText::decode(&view.data.bytes)?;
    let lines = lines.lines().enumerate().map(|(index, line)| TextLine { line: index + 1, text: text(line) });
    let wanted =
        |line: &TextLine| source.filter.as_ref().is_none_or(|filter| filter.has_line(view.index, line.line));
    Ok(Contents::PtxText(lines.filter(wanted).collect()))
}

pub(super) fn strings(view: &View<'_>) -> Result<Contents> {
    let mut cursor = Cursor::new(&view.name, &view.data.bytes);
    let mut strings = Vec::new();
    while !cursor.is_empty() {
        strings.push(Located { offset: cursor.offset(), value: text(cursor.cstr("a string")?) });
    }
    Ok(Contents::Strings(strings))
}

pub(super) fn registers(source: &Source<'_, '_>, view: &View<'_>) -> Result<Contents> {
    let types = source.sibling(&view.name, SectionKind::NvDebugInfoRegType)?;
    let types =
        types.as_ref().map(|view| reg_type::decode(&view.data.bytes)).transpose()?.unwrap_or_default();
    let types: HashMap<_, _> = types.iter().map(|types| (types.function, types.types)).collect();
    let functions = reg_sass::decode(&view.data.bytes)?;
    let wanted = |name: &str| source.filter.as_ref().is_none_or(|filter| filter.has_name(name));
    let functions = functions.iter().filter(|function| wanted(&text(function.function))).map(|function| {
        let types = types.get(function.function).copied().unwrap_or_default();
        let ranges = function.ranges.iter().enumerate().map(|(index, range)| Register {
            ptx: text(range.ptx_name),
            part: range.part,
            r#type: types.get(index).and_then(|code| reg_type::type_name(*code)),
            sass: range.register.to_string(),
            start: range.start,
            end: range.end,
        });
        Registers { function: text(function.function), ranges: ranges.collect() }
    });
    Ok(Contents::Registers(functions.collect()))
}

pub(super) fn register_types(view: &View<'_>) -> Result<Contents> {
    let name = |code: &u8| reg_type::type_name(*code).map_or_else(|| format!("type {code}"), str::to_owned);
    let functions = reg_type::decode(&view.data.bytes)?.into_iter().map(|function| RegisterTypes {
        function: text(function.function),
        types: function.types.iter().map(name).collect(),
    });
    Ok(Contents::RegisterTypes(functions.collect()))
}

/// DWARF 2.0.0 §7.7.3. A list ends with two zeros; fields under a relocation are no zeros.
pub(super) fn locations(source: &Source<'_, '_>, view: &View<'_>) -> Result<Contents> {
    let mut cursor = Cursor::new(&view.name, &view.data.bytes);
    let mut entries: Vec<Location> = Vec::new();
    while !cursor.is_empty() {
        let offset = cursor.offset();
        let start = cursor.number(8, "the start of a location range")?;
        let end = cursor.number(8, "the end of a location range")?;
        let relocated = view.data.target(offset).or(view.data.target(offset + 8)).is_some();
        if start == 0 && end == 0 && !relocated {
            if let Some(last) = entries.last_mut() {
                last.last = true;
            }
            continue;
        }
        let (start, end) =
            (source.code_address(view, offset, start), source.end_address(view, offset + 8, end));
        let length = cursor.number(2, "the length of an expression")?;
        let base = cursor.offset();
        let expression = cursor.take(length, "an expression")?;
        let expression = expression::words(expression, base, &|at, value| source.field(view, at, value));
        entries.push(Location { offset, start, end, expression, last: false });
    }
    Ok(Contents::Locations(entries))
}

/// `.debug_pubnames`, `.debug_pubtypes` (DWARF 2.0.0 §7.19): sets of names, each for a unit.
pub(super) fn lookup(view: &View<'_>) -> Result<Contents> {
    let mut cursor = Cursor::new(&view.name, &view.data.bytes);
    let mut entries = Vec::new();
    while !cursor.is_empty() {
        let length = cursor.u32("the length of a set")?;
        let mut set = cursor.split(length.into(), "a set of names")?;
        set.u16("the version of a set")?;
        let unit = set.u32("the unit of a set")?;
        set.u32("the length of a set's unit")?;
        loop {
            let die = set.u32("the entry of a name")?;
            if die == 0 {
                break;
            }
            let name = text(set.cstr("a name")?);
            entries.push(Lookup { name, die: u64::from(unit) + u64::from(die) });
        }
        if !set.is_empty() {
            let (field, found) = ("bytes behind the names of a set", set.remaining());
            return Err(set.error(ErrorKind::Value { field, found, expected: "0" }));
        }
    }
    Ok(Contents::Lookup(entries))
}

/// DWARF 2.0.0 §7.22.
pub(super) fn macros(view: &View<'_>) -> Result<Contents> {
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
        entries.push(Located { offset, value });
    }
    Ok(Contents::Macros(entries))
}

/// `.nv_debug.shared`, which has no bytes: its variables.
pub(super) fn shared(cubin: &Cubin<'_>, index: SectionIndex) -> Result<Contents> {
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
    Ok(Contents::Shared(SharedVariables { linked, align: window.align, variables: variables.collect() }))
}
