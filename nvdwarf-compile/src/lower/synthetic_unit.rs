//! The synthetic unit of a debug-only object, by which other readers find its lines: most look for
//! them through `.debug_info` and `.debug_aranges`.
//!
//! Cubins get none of this; it is only added to objects that are ours.

use super::{Context, LoweredSection};
use crate::code_facts::CodeSection;
use crate::error::Result;
use dwarf2_writer::aranges::ArangeTable;
use dwarf2_writer::constants::{
    DW_AT_high_pc, DW_AT_low_pc, DW_AT_name, DW_AT_producer, DW_AT_stmt_list, DW_TAG_compile_unit,
};
use dwarf2_writer::info::{DebugInfo, Params, Value, is_one_unit};
use dwarf2_writer::{Address, Section, SymbolId};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::file_table::SourceFile;

/// Adds a unit if the PTX brings none, and address ranges if it brings none and there is one unit.
pub(super) fn add(
    context: &Context<'_>,
    files: &[SourceFile<'_>],
    lowered: &mut Vec<LoweredSection>,
) -> Result<()> {
    let has = |lowered: &[LoweredSection], kind: SectionKind| {
        lowered.iter().any(|section| section.kind == Some(kind))
    };
    if context.image.sections.is_empty() || !has(lowered, SectionKind::DebugLine) {
        return Ok(());
    }
    if !has(lowered, SectionKind::DebugInfo) {
        lowered.retain(|section| section.kind != Some(SectionKind::DebugAbbrev));
        lowered.extend(compile_unit(context, files)?);
    }
    if !has(lowered, SectionKind::DebugAranges) && has_one_unit(lowered) {
        // Sections without code have no addresses to be found by.
        let sections = context.image.sections.iter().filter(|section| section.size > 0);
        let ranges: Vec<_> = sections.map(|section| (address(section, 0), section.size)).collect();
        let mut table = ArangeTable::new();
        table.unit(0.into(), &ranges)?;
        lowered.push(finished(SectionKind::DebugAranges, table.finish()));
    }
    Ok(())
}

fn compile_unit(context: &Context<'_>, files: &[SourceFile<'_>]) -> Result<Vec<LoweredSection>> {
    let sections = &context.image.sections;
    let (Some(first), Some(last)) = (sections.first(), sections.last()) else { return Ok(Vec::new()) };
    let attributes = [
        (DW_AT_producer, Value::String(concat!("nvdwarf ", env!("CARGO_PKG_VERSION")).as_bytes())),
        (DW_AT_name, Value::String(files.first().map_or(b"<unnamed>", |file| file.path))),
        (DW_AT_stmt_list, Value::Offset(0.into())),
        (DW_AT_low_pc, Value::Addr(address(first, 0))),
        (DW_AT_high_pc, Value::Addr(address(last, last.size as i64))),
    ];
    let mut info = DebugInfo::new(Params::default());
    info.unit(DW_TAG_compile_unit, &attributes)?;
    let sections = info.finish()?;
    let abbrev = Section { bytes: sections.abbrev, relocs: Vec::new() };
    Ok(vec![finished(SectionKind::DebugAbbrev, abbrev), finished(SectionKind::DebugInfo, sections.info)])
}

/// Whether `.debug_info` is one unit.
fn has_one_unit(lowered: &[LoweredSection]) -> bool {
    let info = lowered.iter().find(|section| section.kind == Some(SectionKind::DebugInfo));
    info.is_some_and(|info| is_one_unit(&info.bytes))
}

fn address(section: &CodeSection, addend: i64) -> Address {
    Address::Symbol { symbol: SymbolId(section.symbol.0), addend }
}

fn finished(kind: SectionKind, Section { bytes, relocs }: Section) -> LoweredSection {
    LoweredSection::of(kind, bytes, relocs)
}
