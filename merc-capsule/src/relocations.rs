//! The relocations of debug sections in native and in Mercury space, and how one becomes the other.

use crate::address_map::AddressRole;
use crate::address_translator::{AddressTranslator, SymbolAndAddend, Untranslatable};
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::{Cubin, Relocation, SectionIndex};
use nv_debug_sections::reloc::{RelocKind, RelocType};
use nv_debug_sections::relocated::RelocatedCubin;
use nv_debug_sections::{Error, ErrorKind, Result};

/// The kinds of debug section in which ptxas translates relocated code addresses from Mercury to
/// native space. In other sections the addresses stay Mercury addresses, also in native sections
/// (docs/formats/capsule.md, contents of clones).
pub const TRANSLATED_KINDS: [SectionKind; 2] = [SectionKind::DebugInfo, SectionKind::DebugLoc];

/// The place whose address relocations of `section` have.
fn address_role(section: Option<SectionKind>) -> Option<AddressRole> {
    section.filter(|section| TRANSLATED_KINDS.contains(section)).map(|_| AddressRole::Instruction)
}

/// Relocations of code in a debug section of either space: offset of the field, code section, and
/// address in it.
pub(crate) fn code_targets(
    view: &RelocatedCubin<'_, '_>,
    section: SectionIndex,
) -> impl Iterator<Item = (u64, SectionIndex, u64)> {
    let cubin = view.cubin();
    view.relocations_of(section).filter_map(move |(table, entry)| {
        let symtab = SectionIndex(cubin.section(table).ok()?.link);
        let symbol = cubin.symbols_of(symtab).get(entry.symbol.as_usize())?;
        let code = symbol.section().filter(|_| symbol.is_function())?;
        Some((entry.offset, code, symbol.value.wrapping_add_signed(entry.addend?)))
    })
}

/// Converts the relocations of a native debug section to those of its Mercury clone, in the same
/// order. `name` is the name of the native relocation section, and `kind` is the kind of the
/// section to which the relocations apply.
///
/// # Errors
///
/// A type that does not occur in debug sections, a symbol without counterpart, an address that the
/// map lacks.
pub fn to_mercury(
    cubin: &Cubin<'_>,
    name: &str,
    kind: Option<SectionKind>,
    native: &[Relocation],
    translator: AddressTranslator<'_>,
) -> Result<Vec<Relocation>> {
    let mut all = Vec::with_capacity(native.len());
    for entry in native {
        let fault = |error: Untranslatable| fault(name, entry.offset, &error);
        let reloc = native_kind(cubin, kind, entry).ok_or_else(|| unknown(name, entry))?;
        let own = SymbolAndAddend { symbol: entry.symbol, addend: entry.addend.unwrap_or(0) };
        let is_code = matches!(reloc, RelocKind::Code64 | RelocKind::Code32);
        let other = match address_role(kind).filter(|_| is_code) {
            Some(role) => translator.native_to_mercury(own, role).map_err(fault)?,
            None => {
                SymbolAndAddend { symbol: translator.symbol_to_mercury(own.symbol).map_err(fault)?, ..own }
            }
        };
        let SymbolAndAddend { symbol, addend } = other;
        all.push(Relocation { symbol, addend: Some(addend), r_type: reloc.number(Space::Mercury), ..*entry });
    }
    Ok(all)
}

/// Converts the relocations of a Mercury debug clone to those of the native section, in the same
/// order.
///
/// # Errors
///
/// As [`to_mercury`].
pub fn to_native(
    name: &str,
    kind: Option<SectionKind>,
    mercury: &[Relocation],
    translator: AddressTranslator<'_>,
) -> Result<Vec<Relocation>> {
    let mut all = Vec::with_capacity(mercury.len());
    for entry in mercury {
        let fault = |error: Untranslatable| fault(name, entry.offset, &error);
        let reloc = RelocKind::from_mercury(entry.r_type).ok_or_else(|| unknown(name, entry))?;
        let own = SymbolAndAddend { symbol: entry.symbol, addend: entry.addend.unwrap_or(0) };
        let is_code = matches!(reloc, RelocKind::Code64 | RelocKind::Code32);
        let other = match address_role(kind).filter(|_| is_code) {
            Some(role) => translator.mercury_to_native(own, role).map_err(fault)?,
            None => {
                SymbolAndAddend { symbol: translator.symbol_to_native(own.symbol).map_err(fault)?, ..own }
            }
        };
        let SymbolAndAddend { symbol, addend } = other;
        all.push(Relocation { symbol, addend: Some(addend), r_type: reloc.number(Space::Native), ..*entry });
    }
    Ok(all)
}

/// What a native entry says. Mercury's types tell apart what is one native type: addresses inside
/// code by the symbol, which is a function's, offsets of line programs by the section they lead to.
fn native_kind(cubin: &Cubin<'_>, section: Option<SectionKind>, entry: &Relocation) -> Option<RelocKind> {
    let RelocType { number, space: Space::Native, .. } = *RelocType::from_number(entry.r_type)? else {
        return None;
    };
    let symbol = cubin.symbols().get(entry.symbol.as_usize())?;
    let is_line = symbol.is_section()
        && section == Some(SectionKind::DebugInfo)
        && symbol
            .section()
            .is_some_and(|section| cubin.section_name(section) == SectionKind::DebugLine.name());
    let kinds = [
        (RelocKind::Code64, symbol.is_function()),
        (RelocKind::Code32, symbol.is_function()),
        (RelocKind::LineOffset32, is_line),
        (RelocKind::Absolute64, true),
        (RelocKind::Absolute32, true),
        (RelocKind::Generic64, true),
        (RelocKind::UnusedClear64, true),
    ];
    kinds.into_iter().find(|(kind, is)| *is && kind.number(Space::Native) == number).map(|(kind, _)| kind)
}

fn fault(section: &str, offset: u64, error: &Untranslatable) -> Error {
    Error::new(section, offset, ErrorKind::NoCounterpart(error.to_string()))
}

fn unknown(section: &str, entry: &Relocation) -> Error {
    let expected = "a relocation type of debug sections of its space";
    Error::new(
        section,
        entry.offset,
        ErrorKind::Value { field: "r_type", found: entry.r_type.into(), expected },
    )
}
