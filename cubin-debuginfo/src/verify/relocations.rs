//! Checks of the relocations of debug sections, native and Mercury.

use super::{RuleId, Verifier, short};
use nv_debug_sections::address_space::shared_window_reserve;
use nv_debug_sections::catalog::{SectionKind, SectionName, Space};
use nv_debug_sections::cubin::{Contents, Cubin, Relocation, SectionIndex, Symbol, sht};
use nv_debug_sections::generation::Generation;
use nv_debug_sections::reloc::{RelocAction, RelocType};
use std::borrow::Cow;
use std::collections::BTreeMap;

pub(super) fn check(check: &mut Verifier<'_, '_>) {
    let cubin = check.cubin;
    let mut tables: BTreeMap<SectionIndex, Vec<SectionIndex>> = BTreeMap::new();
    for (index, _, section) in cubin.iter().filter(|(_, _, section)| section.relocations().is_some()) {
        tables.entry(SectionIndex(section.info)).or_default().push(index);
    }
    for (target, tables) in tables {
        let name = SectionName::parse(cubin.section_name(target));
        if name.is_debug_contents() {
            of_section(check, target, name.space, &tables);
        }
    }
}

fn of_section(check: &mut Verifier<'_, '_>, target: SectionIndex, space: Space, tables: &[SectionIndex]) {
    let cubin = check.cubin;
    let bytes = cubin.bytes(target).unwrap_or_default();
    let name = cubin.section_name(target);
    let mut fields: Vec<(u64, u8)> = Vec::new();
    for &table in tables {
        let Ok(section) = cubin.section(table) else { continue };
        let symtab = SectionIndex(section.link);
        for relocation in section.relocations().unwrap_or_default() {
            let one = AppliedRelocation { cubin, target, symtab, space, bytes: &bytes, relocation };
            match one.faults() {
                Ok(width) => fields.push((relocation.offset, width)),
                Err((rule, found, expected)) => check.find(rule, name, relocation.offset, found, expected),
            }
        }
    }
    fields.sort_unstable();
    for (first, second) in fields.iter().zip(fields.iter().skip(1)) {
        if second.0 - first.0 < first.1.into() {
            let found = format!("a field of a relocation in that at {:#x}", first.0);
            check.find(RuleId::RelocationOverlap, name, second.0, found, "fields apart from each other");
        }
    }
}

/// How many times the size of `.debug_frame` its Mercury form may have, where the file does not
/// have that.
const MERCURY_FRAME_SPREAD: u64 = 2;

/// A relocation, and the section to which it applies.
struct AppliedRelocation<'c, 'd> {
    cubin: &'c Cubin<'d>,
    /// The section that the field is in.
    target: SectionIndex,
    symtab: SectionIndex,
    space: Space,
    bytes: &'c Cow<'c, [u8]>,
    relocation: &'c Relocation,
}

type Fault = (RuleId, String, String);

impl AppliedRelocation<'_, '_> {
    /// Width of the field, if all is well with it.
    fn faults(&self) -> Result<u8, Fault> {
        let &Relocation { offset, r_type, symbol, addend } = self.relocation;
        let known = RelocType::from_number(r_type).filter(|known| known.space == self.space);
        let Some(&RelocType { width, action, .. }) = known else {
            let expected = "a type that occurs in debug sections of the space";
            return Err((RuleId::RelocationType, format!("relocation type {r_type:#x}"), expected.into()));
        };
        let symbols = self.cubin.symbols_of(self.symtab);
        let Some(entry) = symbols.get(symbol.as_usize()) else {
            let found = format!("symbol {} of {}", symbol.0, self.cubin.section_name(self.symtab));
            let expected = format!("one of {} symbols", symbols.len());
            return Err((RuleId::RelocationSymbol, found, expected));
        };
        let start = usize::try_from(offset).ok();
        let field = start.and_then(|start| self.bytes.get(start..start.checked_add(width.into())?));
        let Some(field) = field else {
            let found = format!("a field of {width} bytes");
            let expected = format!("one in the section's {:#x} bytes", self.bytes.len());
            return Err((RuleId::RelocationField, found, expected));
        };
        if action == RelocAction::Clear {
            return Ok(width);
        }
        let in_place = field.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
        let addend = addend.unwrap_or(in_place as i64);
        let value = entry.value.wrapping_add_signed(addend);
        if width == 4 && u32::try_from(value).is_err() {
            return Err((RuleId::RelocationValue, format!("the value {value:#x}"), "one of 4 bytes".into()));
        }
        self.place(entry, value).map_or(Ok(width), Err)
    }

    /// Mercury addresses are in code whose size is not known, so its sections are left out.
    fn place(&self, symbol: &Symbol, value: u64) -> Option<Fault> {
        let section = symbol.section()?;
        let entry = self.cubin.section(section).ok()?;
        if self.space == Space::Mercury || entry.is_mercury() {
            return None;
        }
        if entry.sh_type == sht::CUDA_SHARED && symbol.kind() == Symbol::CUDA_OBJECT {
            return self.shared_place(symbol, value.wrapping_sub(symbol.value));
        }
        let size = match &entry.contents {
            Contents::NoBits(size) => *size,
            _ => self.cubin.bytes(section).ok()?.len() as u64,
        };
        let offset = value.wrapping_sub(entry.address);
        let size = if self.is_cie_pointer(section) { self.cie_pointer_limit(size) } else { size };
        (offset > size).then(|| {
            let name = self.cubin.section_name(section);
            let expected = format!("a place in the {size:#x} bytes of that section");
            (RuleId::RelocationPlace, format!("{name}+{offset:#x}"), expected)
        })
    }

    /// Whether the field is a CIE_pointer of a relocatable file: in `.debug_frame`, with that
    /// section's own symbol.
    fn is_cie_pointer(&self, section: SectionIndex) -> bool {
        section == self.target && self.cubin.section_name(section) == SectionKind::DebugFrame.name()
    }

    /// The largest `CIE_pointer` of a `.debug_frame` of `size` bytes.
    ///
    /// From sm_90 on `ptxas -c` 13.0.88 writes the offset of the CIE in the Mercury `.debug_frame`,
    /// whose entries have other sizes; F101 finds it. Only files for sm_100 and later have that
    /// section.
    fn cie_pointer_limit(&self, size: u64) -> u64 {
        if self.cubin.target().generation() < Generation::HiddenMercury {
            return size;
        }
        let mercury =
            SectionKind::DebugFrame.mercury().and_then(|clone| self.cubin.section_by_name(clone.name));
        let there = mercury.and_then(|index| self.cubin.bytes(index).ok());
        // nvlink joins frames without changing their pointers, and makes other Mercury frames.
        match there.filter(|_| !self.cubin.is_linked()) {
            Some(there) => size.max(there.len() as u64),
            None => size.saturating_mul(MERCURY_FRAME_SPREAD),
        }
    }

    /// Of a shared variable in an object, which has no address yet: its symbol's value is an
    /// alignment, and its addend in `.debug_info` counts the bytes that the system keeps
    /// (docs/formats/relocations.md, what a name in PTX becomes); in `.debug_ranges` ptxas leaves
    /// them out.
    fn shared_place(&self, symbol: &Symbol, addend: u64) -> Option<Fault> {
        let first = shared_window_reserve(self.cubin.target());
        let is_in = |start: u64| addend.wrapping_sub(start) <= symbol.size;
        (!is_in(first) && !is_in(0)).then(|| {
            let name = self.cubin.symbol_name(self.relocation.symbol);
            let expected = format!("from {first:#x} on one of the variable's {:#x} bytes", symbol.size);
            (RuleId::RelocationPlace, format!("{}+{addend:#x}", short(name)), expected)
        })
    }
}
