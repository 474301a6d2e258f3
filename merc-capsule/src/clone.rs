//! Making clones of sections from what they say in Mercury space.

mod line_table;

use crate::finalise::expect_first;
use crate::frame::{self, Frames};
use crate::line_table_kind::LineTableKind;
use crate::policy::{Storage, rule};
use crate::registers::{self, RangeMaps};
use crate::relocations;
use crate::streams::{self, Streams};
use crate::translation::Translation;
use dwarf2_writer::{Reloc, SymbolId};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::{SectionKind, SectionName, Space};
use nv_debug_sections::cubin::{Cubin, MercurySection, Relocation, SectionIndex};
use nv_debug_sections::frame::encode as encode_frame;
use nv_debug_sections::release::Target;
use nv_debug_sections::reloc::{self, RelocKind};
use nv_debug_sections::relocated::RelocatedCubin;
use std::borrow::Cow;
use std::cell::OnceCell;

/// What a section says in Mercury space.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MercuryValues {
    /// Its bytes, with 0 or what ptxas leaves there under relocations.
    pub bytes: Vec<u8>,
    /// Its relocations against symbols of `.nv.merc.symtab`, in the order in which [`reloc::split_relocations`] takes them.
    pub relocs: Vec<Reloc>,
}

/// Makes the clone of the section called `native`, whose own bytes are `original`, as the [policy](crate::RULES) has it.
///
/// ptxas takes the original's bytes for some clones whatever these should hold; with `must_hold` the clone then has bytes of its own
/// unless they are equal.
///
/// # Errors
///
/// A relocation lies outside the bytes.
pub fn clone_section(
    native: &str,
    values: MercuryValues,
    original: Option<&[u8]>,
    target: Target,
    must_hold: bool,
) -> Result<MercurySection> {
    let MercuryValues { mut bytes, relocs } = values;
    let rela = reloc::split_relocations(native, target, Space::Mercury, relocs, &mut bytes)?.rela;
    let bytes = match original {
        Some(original) if original == bytes => Bytes::Original(original),
        Some(_) => Bytes::Other(bytes),
        None => Bytes::Alone(bytes),
    };
    Ok(stored(native, bytes, rela, must_hold))
}

/// Bytes of a clone.
enum Bytes<'b> {
    /// Those of the original.
    Original(&'b [u8]),
    /// Others than those of the original.
    Other(Vec<u8>),
    /// There is no original.
    Alone(Vec<u8>),
}

/// Puts a clone where the policy has it.
fn stored(native: &str, bytes: Bytes<'_>, rela: Vec<Relocation>, must_hold: bool) -> MercurySection {
    let has_line_offset =
        || rela.iter().any(|entry| entry.r_type == RelocKind::LineOffset32.number(Space::Mercury));
    let may_share = match bytes {
        Bytes::Original(_) => true,
        Bytes::Other(_) => !must_hold,
        Bytes::Alone(_) => false,
    };
    let is_shared = match rule(native).map(|rule| rule.storage) {
        Some(Storage::Alias | Storage::AliasUnlessRelocated) => may_share,
        Some(Storage::AliasUnlessLineOffset) => may_share && !has_line_offset(),
        Some(Storage::AliasIfEqual) => matches!(bytes, Bytes::Original(_)),
        Some(Storage::Own | Storage::OwnIfThere) | None => false,
    };
    let bytes = match bytes {
        _ if is_shared => None,
        Bytes::Original(bytes) => Some(bytes.to_vec()),
        Bytes::Other(bytes) | Bytes::Alone(bytes) => Some(bytes),
    };
    MercurySection { native: native.to_owned(), bytes, rela }
}

/// What the clones of line tables are made of.
#[derive(Debug, Clone, Default)]
pub struct Lines<'l> {
    /// Of `.debug_line`.
    pub source: Streams<'l>,
    /// Of `.nv_debug_line_sass`.
    pub ptx: Streams<'l>,
}

impl Lines<'static> {
    /// What the tables of a cubin say: of PTX lines the clone, where there is one; of source locations the native table, since a clone is
    /// not to be made of itself.
    ///
    /// # Errors
    ///
    /// As [`streams::of_table`].
    pub fn of_tables(cubin: &Cubin<'_>, translation: Translation<'_>) -> Result<Self> {
        let streams = |kind: SectionKind| {
            let native = cubin.section_by_name(kind.name());
            let clone = native.and_then(|native| translation.spaces().mercury(native));
            let table = if kind == SectionKind::NvDebugLineSass { clone.or(native) } else { native };
            table.map_or(Ok(Streams::new()), |table| streams::of_table(cubin, table, translation))
        };
        let (source, ptx) = (streams(SectionKind::DebugLine)?, streams(SectionKind::NvDebugLineSass)?);
        Ok(Self { source, ptx })
    }
}

/// Makes the clones of a cubin's native debug sections.
#[derive(Debug)]
pub struct Cloner<'c, 'd> {
    cubin: &'c Cubin<'d>,
    translation: Translation<'c>,
    lines: &'c Lines<'c>,
    view: RelocatedCubin<'c, 'd>,
    registers: OnceCell<(Vec<u8>, Vec<u8>)>,
}

impl<'c, 'd> Cloner<'c, 'd> {
    /// For this cubin, which has `.nv.merc.symtab` and capsules of code.
    pub fn new(cubin: &'c Cubin<'d>, translation: Translation<'c>, lines: &'c Lines<'c>) -> Self {
        Self { cubin, translation, lines, view: RelocatedCubin::new(cubin), registers: OnceCell::new() }
    }

    /// The clones of all native debug sections, in the order of these.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn sections(&self) -> Result<Vec<MercurySection>> {
        let is_debug = |name: &SectionName<'_>| name.form.is_none() && name.is_debug();
        let natives = self.cubin.iter().filter(|(_, name, section)| {
            !section.is_mercury() && is_debug(&SectionName::parse(name)) && rule(name).is_some()
        });
        natives.map(|(index, ..)| self.section(index)).collect()
    }

    /// The clone of the native section at `native`, with its relocations.
    ///
    /// # Errors
    ///
    /// The section cannot be read, or says something that a map does not: an address or symbol, a function.
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
            Some(SectionKind::DebugFrame) => self.frame(native),
            Some(SectionKind::NvDebugInfoRegSass) => {
                let bytes = self.registers()?.0.clone();
                self.made(native, MercuryValues { bytes, relocs: Vec::new() })
            }
            Some(SectionKind::NvDebugInfoRegType) => {
                let bytes = self.registers()?.1.clone();
                self.made(native, MercuryValues { bytes, relocs: Vec::new() })
            }
            kind => {
                let entries: Vec<_> = self.view.relocations_of(native).map(|(_, entry)| *entry).collect();
                let rela = relocations::to_mercury(self.cubin, (name, kind), &entries, self.translation)?;
                let bytes = self.cubin.bytes(native)?;
                Ok(stored(name, Bytes::Original(&bytes), rela, true))
            }
        }
    }

    fn made(&self, native: SectionIndex, values: MercuryValues) -> Result<MercurySection> {
        let original = self.cubin.bytes(native)?;
        clone_section(self.cubin.section_name(native), values, Some(&original), self.cubin.target(), true)
    }

    fn frame(&self, native: SectionIndex) -> Result<MercurySection> {
        let frames = Frames::read(&self.view, native)?;
        let mut entries = frame::translate(&frames, self.translation)?;
        let clone = self.translation.spaces().mercury(native);
        if let Some(clone) = clone.filter(|_| self.cubin.is_linked()) {
            entries = frame::with_dropped(entries, &Frames::read(&self.view, clone)?);
        }
        let section = encode_frame(&entries, self.section_symbol(SectionKind::DebugFrame))?;
        let native_symbol = self.cubin.section_symbol(native).filter(|_| self.cubin.header.is_relocatable());
        let here = encode_frame(&frames.entries, native_symbol.map(|symbol| SymbolId(symbol.0)))?;
        let relocs = nv_debug_sections::frame::debug_relocs(&section);
        let relocs = frame::in_order_of(&self.view, native, &here, relocs);
        self.made(native, MercuryValues { bytes: section.bytes, relocs })
    }

    /// The symbol of a section in Mercury space, in relocatable files.
    fn section_symbol(&self, kind: SectionKind) -> Option<SymbolId> {
        let native =
            self.cubin.section_by_name(kind.name()).filter(|_| self.cubin.header.is_relocatable())?;
        let symbol = self.translation.mercury_symbol(self.cubin.section_symbol(native)?).ok()?;
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
        let mut maps = RangeMaps::of(self.cubin, self.translation.maps());
        // What a clone in the file says of code that nvlink dropped is not of the file's code, and native sections have lost it.
        let clones = [SectionKind::NvDebugInfoRegSass, SectionKind::NvDebugInfoRegType].map(|kind| {
            let native = self.cubin.section_by_name(kind.name())?;
            self.cubin.bytes(self.translation.spaces().mercury(native)?).ok()
        });
        let known = match &clones {
            [Some(ranges), Some(types)] if self.cubin.is_linked() => registers::decode(ranges, types)?,
            _ => Vec::new(),
        };
        let made = registers::translate(Space::Native, (&ranges, &types), &mut maps, &known)?;
        Ok(self.registers.get_or_init(|| made))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

    use super::*;
    use dwarf2_writer::Referent;
    use nv_debug_sections::release::Release;

    fn relocs(width: u8, referent: Referent) -> Vec<Reloc> {
        vec![Reloc { in_place: None, referent, ..Reloc::new(4, width, SymbolId(3), 7) }]
    }

    /// Whether the clone lies in the original's bytes.
    fn is_shared(native: &str, bytes: &[u8], relocs: Vec<Reloc>, must_hold: bool) -> bool {
        let values = MercuryValues { bytes: bytes.to_vec(), relocs };
        clone_section(native, values, Some(&[0; 16]), Release::V13_0.target(100), must_hold)
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
        let values = MercuryValues { bytes: vec![0; 16], relocs: relocs(8, Referent::Code) };
        let clone =
            clone_section(".debug_loc", values.clone(), None, Release::V13_0.target(120), false).unwrap();
        assert_eq!(clone.rela.iter().map(|entry| entry.r_type).collect::<Vec<_>>(), [0x1_003d]);
        assert_eq!(clone.bytes.map(|bytes| bytes.len()), Some(16), "there is nothing to share");
        let values = MercuryValues { bytes: vec![0; 8], ..values };
        assert!(
            clone_section(".debug_loc", values, None, Release::V13_0.target(120), false).is_err(),
            "the field ends behind the bytes"
        );
    }
}
