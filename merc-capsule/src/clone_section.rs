//! Building the Mercury clones of native debug sections, one by one.

mod line_table;
mod mercury_contents;

use crate::address_translator::AddressTranslator;
use crate::clone_policy::{CloneStorage, clone_policy};
use crate::finalise::expect_first;
use crate::frame::{self, FrameSection};
use crate::line_table_kind::LineTableKind;
use crate::loc_streams::LineTableInputs;
use crate::register_maps::{self, RangeMaps};
use crate::relocations;
use dwarf2_writer::SymbolId;
use nv_debug_sections::Result;
use nv_debug_sections::catalog::{SectionKind, SectionName, Space};
use nv_debug_sections::cubin::{Cubin, MercurySection, Relocation, SectionIndex};
use nv_debug_sections::frame::encode as encode_frame;
use nv_debug_sections::release::Target;
use nv_debug_sections::reloc::{self, RelocKind};
use nv_debug_sections::relocated::RelocatedCubin;
use std::borrow::Cow;
use std::cell::OnceCell;

pub use mercury_contents::MercuryContents;

/// Builds the Mercury clone of the section called `native`, under its
/// [policy](crate::CLONE_POLICIES). `original` has the bytes of the native section.
///
/// ptxas takes the original's bytes for some clones whatever these should hold; with
/// `own_copy_if_different` the clone then has bytes of its own unless they are equal.
///
/// # Errors
///
/// A relocation lies outside the bytes.
pub fn clone_section(
    native: &str,
    values: MercuryContents,
    original: Option<&[u8]>,
    target: Target,
    own_copy_if_different: bool,
) -> Result<MercurySection> {
    let MercuryContents { mut bytes, relocs } = values;
    let rela = reloc::split_relocations(native, target, Space::Mercury, relocs, &mut bytes)?.rela;
    let bytes = match original {
        Some(original) if original == bytes => CloneBytes::Original(original),
        Some(_) => CloneBytes::Other(bytes),
        None => CloneBytes::Alone(bytes),
    };
    Ok(store_clone(native, bytes, rela, own_copy_if_different))
}

/// Bytes of a clone.
enum CloneBytes<'b> {
    /// Those of the original.
    Original(&'b [u8]),
    /// Others than those of the original.
    Other(Vec<u8>),
    /// The clone has no original.
    Alone(Vec<u8>),
}

/// The clone with bytes of its own or in those of the original, as the storage policy says.
fn store_clone(
    native: &str,
    bytes: CloneBytes<'_>,
    rela: Vec<Relocation>,
    own_copy_if_different: bool,
) -> MercurySection {
    let has_line_offset =
        || rela.iter().any(|entry| entry.r_type == RelocKind::LineOffset32.number(Space::Mercury));
    let may_share = match bytes {
        CloneBytes::Original(_) => true,
        CloneBytes::Other(_) => !own_copy_if_different,
        CloneBytes::Alone(_) => false,
    };
    let is_shared = match clone_policy(native).map(|rule| rule.storage) {
        Some(CloneStorage::Alias | CloneStorage::AliasUnlessRelocated) => may_share,
        Some(CloneStorage::AliasUnlessLineOffset) => may_share && !has_line_offset(),
        Some(CloneStorage::AliasIfEqual) => matches!(bytes, CloneBytes::Original(_)),
        Some(CloneStorage::Own | CloneStorage::OwnIfThere) | None => false,
    };
    let bytes = match bytes {
        _ if is_shared => None,
        CloneBytes::Original(bytes) => Some(bytes.to_vec()),
        CloneBytes::Other(bytes) | CloneBytes::Alone(bytes) => Some(bytes),
    };
    MercurySection { native: native.to_owned(), bytes, rela }
}

/// Builds the Mercury clones of a cubin's native debug sections.
#[derive(Debug)]
pub struct Cloner<'c, 'd> {
    cubin: &'c Cubin<'d>,
    translator: AddressTranslator<'c>,
    lines: &'c LineTableInputs<'c>,
    view: RelocatedCubin<'c, 'd>,
    registers: OnceCell<(Vec<u8>, Vec<u8>)>,
}

impl<'c, 'd> Cloner<'c, 'd> {
    /// Creates a cloner for a cubin, which must have `.nv.merc.symtab` and code capsules.
    pub fn new(
        cubin: &'c Cubin<'d>,
        translator: AddressTranslator<'c>,
        lines: &'c LineTableInputs<'c>,
    ) -> Self {
        Self { cubin, translator, lines, view: RelocatedCubin::new(cubin), registers: OnceCell::new() }
    }

    /// Builds the clones of all native debug sections, in the order of the native sections.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn sections(&self) -> Result<Vec<MercurySection>> {
        let is_debug = |name: &SectionName<'_>| name.form.is_none() && name.is_debug();
        let natives = self.cubin.iter().filter(|(_, name, section)| {
            !section.is_mercury() && is_debug(&SectionName::parse(name)) && clone_policy(name).is_some()
        });
        natives.map(|(index, ..)| self.section(index)).collect()
    }

    /// Builds the Mercury clone of the section with the index `native`, with its relocations.
    ///
    /// # Errors
    ///
    /// The section cannot be read, or says something that a map does not: an address or symbol, a
    /// function.
    pub fn section(&self, native: SectionIndex) -> Result<MercurySection> {
        let name = self.cubin.section_name(native);
        let kind = SectionName::parse(name).kind();
        expect_first(self.cubin, native, kind)?;
        match kind {
            Some(SectionKind::DebugLine) => {
                self.line_table(native, LineTableKind::Source, &self.lines.source)
            }
            Some(SectionKind::NvDebugLineSass) => {
                self.line_table(native, LineTableKind::Ptx, &self.lines.ptx)
            }
            Some(SectionKind::TileirDebugLine) => {
                self.line_table(native, LineTableKind::Intermediate, &self.lines.intermediate)
            }
            Some(SectionKind::DebugFrame) => self.frame(native),
            Some(SectionKind::NvDebugInfoRegSass) => {
                let bytes = self.registers()?.0.clone();
                self.made(native, MercuryContents { bytes, relocs: Vec::new() })
            }
            Some(SectionKind::NvDebugInfoRegType) => {
                let bytes = self.registers()?.1.clone();
                self.made(native, MercuryContents { bytes, relocs: Vec::new() })
            }
            kind => {
                let entries: Vec<_> = self.view.relocations_of(native).map(|(_, entry)| *entry).collect();
                let rela = relocations::to_mercury(self.cubin, name, kind, &entries, self.translator)?;
                let bytes = self.cubin.bytes(native)?;
                Ok(store_clone(name, CloneBytes::Original(&bytes), rela, true))
            }
        }
    }

    fn made(&self, native: SectionIndex, values: MercuryContents) -> Result<MercurySection> {
        let original = self.cubin.bytes(native)?;
        clone_section(self.cubin.section_name(native), values, Some(&original), self.cubin.target(), true)
    }

    fn frame(&self, native: SectionIndex) -> Result<MercurySection> {
        let frames = FrameSection::read(&self.view, native)?;
        let mut entries = frame::translate(&frames, self.translator)?;
        let clone = self.translator.section_pairs().mercury_section(native);
        if let Some(clone) = clone.filter(|_| self.cubin.is_linked()) {
            entries = frame::with_dropped(entries, &FrameSection::read(&self.view, clone)?);
        }
        let section = encode_frame(&entries, self.section_symbol(SectionKind::DebugFrame))?;
        let native_symbol = self.cubin.section_symbol(native).filter(|_| self.cubin.header.is_relocatable());
        let encoded = encode_frame(&frames.entries, native_symbol.map(|symbol| SymbolId(symbol.0)))?;
        let relocs = nv_debug_sections::frame::debug_relocs(&section);
        let relocs = frame::in_order_of(&self.view, native, &encoded, relocs);
        self.made(native, MercuryContents { bytes: section.bytes, relocs })
    }

    /// The symbol of a section in Mercury space, in relocatable files.
    fn section_symbol(&self, kind: SectionKind) -> Option<SymbolId> {
        let native =
            self.cubin.section_by_name(kind.name()).filter(|_| self.cubin.header.is_relocatable())?;
        let symbol = self.translator.symbol_to_mercury(self.cubin.section_symbol(native)?).ok()?;
        Some(SymbolId(symbol.0))
    }

    /// `.nv_debug_info_reg_sass` and `.nv_debug_info_reg_type`.
    fn registers(&self) -> Result<&(Vec<u8>, Vec<u8>)> {
        if let Some(made) = self.registers.get() {
            return Ok(made);
        }
        let native = |kind: SectionKind| {
            let index = self.cubin.section_by_name(kind.name());
            index.map_or(Ok(Cow::default()), |index| self.cubin.bytes(index))
        };
        let (ranges, types) =
            (native(SectionKind::NvDebugInfoRegSass)?, native(SectionKind::NvDebugInfoRegType)?);
        let mut maps = RangeMaps::of(self.cubin, self.translator.maps());
        // What a clone in the file says of code that nvlink dropped is not of the file's code, and
        // native sections have lost it.
        let clones = [SectionKind::NvDebugInfoRegSass, SectionKind::NvDebugInfoRegType].map(|kind| {
            let native = self.cubin.section_by_name(kind.name())?;
            self.cubin.bytes(self.translator.section_pairs().mercury_section(native)?).ok()
        });
        let known = match &clones {
            [Some(ranges), Some(types)] if self.cubin.is_linked() => register_maps::decode(ranges, types)?,
            _ => Vec::new(),
        };
        let made = register_maps::translate(Space::Native, &ranges, &types, &mut maps, &known)?;
        Ok(self.registers.get_or_init(|| made))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

    use super::*;
    use dwarf2_writer::Referent;
    use dwarf2_writer::Reloc;
    use nv_debug_sections::release::Release;

    fn relocs(width: u8, referent: Referent) -> Vec<Reloc> {
        vec![Reloc { in_place: None, referent, ..Reloc::new(4, width, SymbolId(3), 7) }]
    }

    /// Whether the clone lies in the original's bytes.
    fn is_shared(native: &str, bytes: &[u8], relocs: Vec<Reloc>, own_copy_if_different: bool) -> bool {
        let values = MercuryContents { bytes: bytes.to_vec(), relocs };
        clone_section(native, values, Some(&[0; 16]), Release::V13_0.target(100), own_copy_if_different)
            .unwrap()
            .bytes
            .is_none()
    }

    #[test]
    fn bytes_are_shared_as_the_policy_says() {
        let (same, other) = ([0; 16], [9; 16]);
        let rows = [
            (".debug_loc", [true, true, false]),
            (".debug_info", [true, true, false]),
            (".debug_line", [true, false, false]),
            (".debug_types", [false, false, false]),
        ];
        for (native, want) in rows {
            let found = [
                is_shared(native, &same, Vec::new(), true),
                is_shared(native, &other, Vec::new(), false),
                is_shared(native, &other, Vec::new(), true),
            ];
            assert_eq!(found, want, "{native}");
        }
        assert!(!is_shared(".debug_info", &same, relocs(4, Referent::LineTable), false));
        assert!(is_shared(".debug_info", &same, relocs(4, Referent::Any), false));
    }

    #[test]
    fn relocations_have_the_types_of_mercury() {
        let values = MercuryContents { bytes: vec![0; 16], relocs: relocs(8, Referent::Code) };
        let clone =
            clone_section(".debug_loc", values.clone(), None, Release::V13_0.target(120), false).unwrap();
        assert_eq!(clone.rela.iter().map(|entry| entry.r_type).collect::<Vec<_>>(), [0x1_003d]);
        assert_eq!(clone.bytes.map(|bytes| bytes.len()), Some(16), "there is nothing to share");
        let values = MercuryContents { bytes: vec![0; 8], ..values };
        assert!(
            clone_section(".debug_loc", values, None, Release::V13_0.target(120), false).is_err(),
            "the field ends past the bytes"
        );
    }
}
