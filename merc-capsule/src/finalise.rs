//! Finalising: building native debug sections from the Mercury clones in a capsule.

use crate::address_translator::AddressTranslator;
use crate::clone_policy::native_name;
use crate::code_map::CodeMap;
use crate::code_map_recovery::maps_or_recovered;
use crate::frame::{self, FrameSection};
pub use crate::line_table_kind::LineTableKind;
use crate::plan::expect_spaces;
use crate::register_maps::{self, RangeMaps};
use crate::relocations;
use crate::section_pairs::SectionPairs;
use dwarf2_writer::{Reloc, Section, SymbolId};
use foldhash::{HashMap, HashSet};
use nv_debug_sections::catalog::{SectionKind, SectionName, Space};
use nv_debug_sections::cubin::{Contents, Cubin, DebugSection, Relocation, SectionIndex, SymbolIndex};
use nv_debug_sections::frame::encode as encode_frame;
use nv_debug_sections::reloc::{self, RelocKind};
use nv_debug_sections::relocated::RelocatedCubin;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::cell::OnceCell;

mod line_table;

use line_table::unit_starts;
pub use line_table::{native_header, sequences};

/// The sections whose native form and clone differ in more than relocations.
const REWRITTEN_KINDS: [SectionKind; 6] = [
    SectionKind::DebugLine,
    SectionKind::NvDebugLineSass,
    SectionKind::TileirDebugLine,
    SectionKind::DebugFrame,
    SectionKind::NvDebugInfoRegSass,
    SectionKind::NvDebugInfoRegType,
];

/// Builds native debug sections from their Mercury clones in the capsule of a cubin.
#[derive(Debug)]
pub struct Finaliser<'c, 'd> {
    cubin: &'c Cubin<'d>,
    translator: AddressTranslator<'c>,
    view: RelocatedCubin<'c, 'd>,
    registers: OnceCell<(Vec<u8>, Vec<u8>)>,
    /// By where a unit of the line table starts in the clone: where it does in the native section.
    native_units: OnceCell<HashMap<i64, u32>>,
}

impl<'c, 'd> Finaliser<'c, 'd> {
    /// Creates a finaliser for a cubin.
    pub fn new(cubin: &'c Cubin<'d>, translator: AddressTranslator<'c>) -> Self {
        let view = RelocatedCubin::new(cubin);
        Self { cubin, translator, view, registers: OnceCell::new(), native_units: OnceCell::new() }
    }

    /// Builds all native debug sections that have a clone, in the order of the clones.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn sections(&self) -> Result<Vec<DebugSection>> {
        self.clones().map(|index| self.section(index)).collect()
    }

    /// The sections that differ from what the file has: all but those that [say the
    /// same](Self::says_the_same).
    fn changes(&self) -> Result<Vec<DebugSection>> {
        let mut has_relocations = vec![false; self.cubin.sections.len()];
        for section in self.cubin.sections.iter().filter(|section| section.relocations().is_some()) {
            if let Some(has) = has_relocations.get_mut(section.info as usize) {
                *has = true;
            }
        }
        let has = |index: SectionIndex| has_relocations.get(index.as_usize()).is_some_and(|has| *has);
        // Several of one name are told apart by their order: all of them are given.
        let name = |clone| self.cubin.section_name(clone);
        let differ = self.clones().filter(|clone| !self.is_identical(*clone, has));
        let names: HashSet<&str> = differ.map(name).collect();
        let changes = self.clones().filter(|clone| names.contains(name(*clone)));
        changes.map(|clone| self.section(clone)).collect()
    }

    /// Whether the native section needs no making: its clone lies in its bytes, and neither has
    /// anything to be translated. Bytes that both share are then not copied.
    pub(crate) fn is_identical(
        &self,
        mercury: SectionIndex,
        has_relocations: impl Fn(SectionIndex) -> bool,
    ) -> bool {
        let contents = self.cubin.section(mercury).map(|section| &section.contents);
        let Ok(Contents::Alias(native)) = contents else { return false };
        let is_own = self.translator.section_pairs().native_section(mercury) == Some(*native);
        let kind = SectionName::parse(self.cubin.section_name(*native)).kind();
        let is_translated = kind.is_some_and(|kind| REWRITTEN_KINDS.contains(&kind));
        is_own && !is_translated && !has_relocations(mercury) && !has_relocations(*native)
    }

    /// The clones of debug sections, in file order.
    fn clones(&self) -> impl Iterator<Item = SectionIndex> {
        let is_clone =
            |name: &SectionName<'_>| name.space == Space::Mercury && name.form.is_none() && name.is_debug();
        let clones = self.cubin.iter();
        let clones = clones
            .filter(move |(_, name, section)| section.is_mercury() && is_clone(&SectionName::parse(name)));
        clones.map(|(index, ..)| index)
    }

    /// Builds the native section for the Mercury clone with the index `mercury`, with its
    /// relocations.
    ///
    /// # Errors
    ///
    /// The clone cannot be read, has no native name, or says something that a map does not: an
    /// address or symbol, a function.
    pub fn section(&self, mercury: SectionIndex) -> Result<DebugSection> {
        let clone = self.cubin.section_name(mercury);
        let name = native_name(clone).ok_or_else(|| {
            Error::in_section(clone, ErrorKind::Unsuitable("this is not the name of a clone"))
        })?;
        // What codecs say of a native section is said of its clone.
        let in_this_section = |error: Error| match error.section() {
            section if section == name || section.is_empty() => error.rebased(clone, 0),
            _ => error,
        };
        let kind = SectionName::parse(&name).kind();
        expect_first(self.cubin, mercury, kind)?;
        let made = match kind {
            Some(kind) if kind.is_line_table() => {
                line_table::native(&self.view, mercury, kind, self.translator)
                    .and_then(|(bytes, relocs)| self.with_relocations_split(kind, bytes, relocs))
            }
            Some(SectionKind::DebugFrame) => self.frame(mercury),
            Some(SectionKind::NvDebugInfoRegSass) => {
                self.registers().map(|(ranges, _)| plain(ranges.clone()))
            }
            Some(SectionKind::NvDebugInfoRegType) => self.registers().map(|(_, types)| plain(types.clone())),
            _ => self.same_bytes(mercury, &name, kind),
        };
        let (bytes, rela) = made.map_err(in_this_section)?;
        Ok(DebugSection { name, bytes, rel: Vec::new(), rela })
    }

    fn same_bytes(
        &self,
        mercury: SectionIndex,
        name: &str,
        kind: Option<SectionKind>,
    ) -> Result<(Vec<u8>, Vec<Relocation>)> {
        let mut entries: Vec<Relocation> =
            self.view.relocations_of(mercury).map(|(_, entry)| *entry).collect();
        let mut bytes = self.cubin.bytes(mercury)?.into_owned();
        if !self.cubin.header.is_relocatable() {
            self.link_line_offsets(name, &mut entries, &mut bytes)?;
        }
        let rela = relocations::to_native(name, kind, &entries, self.translator)?;
        Ok((bytes, rela))
    }

    /// Applies what nvlink has applied to native sections: offsets of units in the line table,
    /// which are others there.
    fn link_line_offsets(&self, name: &str, entries: &mut Vec<Relocation>, bytes: &mut [u8]) -> Result<()> {
        let is_offset = |entry: &Relocation| entry.r_type == RelocKind::LineOffset32.number(Space::Mercury);
        let linked: Vec<Relocation> = entries.extract_if(.., |entry| is_offset(entry)).collect();
        if linked.is_empty() {
            return Ok(());
        }
        let native_units = self.native_units()?;
        for entry in linked {
            let fault = |text| Error::new(name, entry.offset, ErrorKind::Relocation(text));
            let unit = entry.addend.and_then(|addend| native_units.get(&addend));
            let unit =
                unit.ok_or_else(|| fault("no unit of the line table starts where the relocation leads"))?;
            let field =
                usize::try_from(entry.offset).ok().and_then(|at| bytes.get_mut(at..)?.first_chunk_mut());
            *field.ok_or_else(|| fault("the relocation lies outside the section"))? = unit.to_le_bytes();
        }
        Ok(())
    }

    fn native_units(&self) -> Result<&HashMap<i64, u32>> {
        if let Some(made) = self.native_units.get() {
            return Ok(made);
        }
        let clone = SectionKind::DebugLine.mercury().and_then(|clone| self.cubin.section_by_name(clone.name));
        let native = clone.map(|clone| self.section(clone)).transpose()?;
        let clone_bytes = clone.map(|clone| self.cubin.bytes(clone)).transpose()?;
        let pairs = native.zip(clone_bytes);
        let pairs = pairs.map(|(native, clone_bytes)| {
            unit_starts(&clone_bytes).into_iter().zip(unit_starts(&native.bytes))
        });
        let made =
            pairs.into_iter().flatten().map(|(clone_bytes, native)| (clone_bytes.into(), native)).collect();
        Ok(self.native_units.get_or_init(|| made))
    }

    fn frame(&self, mercury: SectionIndex) -> Result<(Vec<u8>, Vec<Relocation>)> {
        let frames = FrameSection::read(&self.view, mercury)?;
        let entries = frame::translate(&frames, self.translator)?;
        let own = self.section_symbol(mercury);
        let native = own.and_then(|symbol| self.translator.section_pairs().native_symbol_of(symbol));
        let id = |symbol: Option<SymbolIndex>| symbol.map(|symbol| SymbolId(symbol.0));
        let section: Section = encode_frame(&entries, id(native))?;
        let encoded = encode_frame(&frames.entries, id(own))?;
        let relocs = frame::native_relocs(&section, own.map(|_| &encoded));
        let relocs = frame::in_order_of(&self.view, mercury, &encoded, relocs);
        self.with_relocations_split(SectionKind::DebugFrame, section.bytes, relocs)
    }

    /// The symbol of a clone, in relocatable files.
    fn section_symbol(&self, mercury: SectionIndex) -> Option<SymbolIndex> {
        let symbols = self.cubin.mercury_symbols().iter().filter(|_| self.cubin.header.is_relocatable());
        let own =
            (0..).zip(symbols).find(|(_, symbol)| symbol.is_section() && symbol.section() == Some(mercury));
        own.map(|(number, _)| SymbolIndex(number))
    }

    /// `.nv_debug_info_reg_sass` and `.nv_debug_info_reg_type`.
    fn registers(&self) -> Result<&(Vec<u8>, Vec<u8>)> {
        if let Some(made) = self.registers.get() {
            return Ok(made);
        }
        let clone = |kind: SectionKind| {
            let clone = kind.mercury().and_then(|clone| self.cubin.section_by_name(clone.name));
            let clone = clone.ok_or_else(|| {
                Error::in_section(kind.name(), ErrorKind::Missing("the capsule has no clone of it".into()))
            })?;
            self.cubin.bytes(clone)
        };
        let (ranges, types) =
            (clone(SectionKind::NvDebugInfoRegSass)?, clone(SectionKind::NvDebugInfoRegType)?);
        let mut maps = RangeMaps::of(self.cubin, self.translator.maps());
        let made = register_maps::translate(Space::Mercury, &ranges, &types, &mut maps, &[])?;
        Ok(self.registers.get_or_init(|| made))
    }

    /// Orders relocations as ptxas does, and writes the fields under them.
    fn with_relocations_split(
        &self,
        kind: SectionKind,
        mut bytes: Vec<u8>,
        relocs: Vec<Reloc>,
    ) -> Result<(Vec<u8>, Vec<Relocation>)> {
        let filed =
            reloc::split_relocations(kind.name(), self.cubin.target(), Space::Native, relocs, &mut bytes)?;
        Ok((bytes, filed.rela))
    }
}

/// Expects that no other section of this name comes before one that stands for all code: line
/// tables and register maps.
pub(crate) fn expect_first(cubin: &Cubin<'_>, index: SectionIndex, kind: Option<SectionKind>) -> Result<()> {
    let is_of_all = kind.is_some_and(|kind| {
        kind.is_line_table()
            || matches!(kind, SectionKind::NvDebugInfoRegSass | SectionKind::NvDebugInfoRegType)
    });
    let name = cubin.section_name(index);
    if is_of_all && cubin.section_by_name(name) != Some(index) {
        return Err(Error::in_section(name, ErrorKind::Second("section of this name, expected one")));
    }
    Ok(())
}

fn plain(bytes: Vec<u8>) -> (Vec<u8>, Vec<Relocation>) {
    (bytes, Vec::new())
}

/// Rebuilds the native debug sections of a cubin from their Mercury clones, and removes the
/// capsule. Sections without a clone stay as they are, and so do code and `.nv.info`, which only
/// the code generator can rebuild.
///
/// `maps` are where native code is the same as Mercury code; `None`: as
/// [`code_maps`](crate::code_maps) recovers them from this file.
///
/// # Errors
///
/// There is no capsule, or no native code beside it; a section is a clone by its name or its flags
/// only; those of [`code_maps`](crate::code_maps), [`Finaliser::section`] and
/// [`Cubin::update_debug_sections`]. Nothing is changed then.
pub fn finalise_cubin(cubin: &mut Cubin<'_>, maps: Option<&[CodeMap]>) -> Result<()> {
    let fault = |text: &'static str| Err(Error::in_section("", ErrorKind::Missing(text.into())));
    if !cubin.has_capsule() {
        return fault("there is no capsule to finalise");
    }
    if cubin.symtab().is_none() {
        return fault(
            "there is no native code beside the capsule, and making that is the code generator's work",
        );
    }
    // What only looks like a clone would go with the capsule.
    expect_spaces(cubin).map_err(|error| error.at_section())?;
    let maps = maps_or_recovered(cubin, maps)?;
    let pairs = SectionPairs::of(cubin)?;
    let changes = Finaliser::new(cubin, AddressTranslator::new(cubin, &pairs, &maps)).changes()?;
    let mut result = cubin.clone();
    result.update_debug_sections(changes)?;
    result.remove_capsule()?;
    *cubin = result;
    Ok(())
}
