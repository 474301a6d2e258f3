//! What leads other readers to the lines of a debug-only object: most look for them through `.debug_info` and `.debug_aranges`.
//!
//! Cubins get none of this; it is only added to objects that are ours.

use super::{Context, Lowered, debug_relocs};
use crate::code_image::CodeSection;
use anyhow::Result;
use dwarf2_writer::unit::{self, CompileUnit};
use dwarf2_writer::{Address, Section, SymbolId};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::file_table::SourceFile;

/// Adds a unit if the PTX brings none, and address ranges if it brings none and there is one unit.
pub(super) fn add(context: &Context<'_>, files: &[SourceFile<'_>], lowered: &mut Vec<Lowered>) -> Result<()> {
    let has =
        |lowered: &[Lowered], kind: SectionKind| lowered.iter().any(|section| section.kind == Some(kind));
    if context.image.sections.is_empty() || !has(lowered, SectionKind::DebugLine) {
        return Ok(());
    }
    if !has(lowered, SectionKind::DebugInfo) {
        lowered.retain(|section| section.kind != Some(SectionKind::DebugAbbrev));
        lowered.extend(compile_unit(context, files)?);
    }
    if !has(lowered, SectionKind::DebugAranges) && has_one_unit(lowered) {
        let ranges: Vec<_> =
            context.image.sections.iter().map(|section| (address(section, 0), section.size)).collect();
        lowered.push(finished(SectionKind::DebugAranges, unit::aranges(&ranges)?));
    }
    Ok(())
}

fn compile_unit(context: &Context<'_>, files: &[SourceFile<'_>]) -> Result<Vec<Lowered>> {
    let sections = &context.image.sections;
    let (Some(first), Some(last)) = (sections.first(), sections.last()) else { return Ok(Vec::new()) };
    let unit = CompileUnit {
        producer: concat!("nvdwarf ", env!("CARGO_PKG_VERSION")).as_bytes(),
        name: files.first().map_or(b"<unnamed>", |file| file.path),
        low_pc: address(first, 0),
        high_pc: address(last, last.size as i64),
        line_table: 0,
    };
    let abbrev = Section { bytes: unit.abbrev(), relocs: Vec::new() };
    Ok(vec![finished(SectionKind::DebugAbbrev, abbrev), finished(SectionKind::DebugInfo, unit.info()?)])
}

/// Whether `.debug_info` is one unit.
fn has_one_unit(lowered: &[Lowered]) -> bool {
    let info = lowered.iter().find(|section| section.kind == Some(SectionKind::DebugInfo));
    info.is_some_and(|info| unit::is_one(&info.bytes))
}

fn address(section: &CodeSection, addend: i64) -> Address {
    Address::Symbol { symbol: SymbolId(section.symbol.0), addend }
}

fn finished(kind: SectionKind, Section { bytes, relocs }: Section) -> Lowered {
    Lowered::of(kind, bytes, debug_relocs(&relocs))
}
