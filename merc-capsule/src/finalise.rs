//! The way back: what native sections say, from a capsule.

use crate::frame::{self, Frames};
use crate::plan::expect_spaces;
use crate::policy::native_name;
use crate::recover::{CodeMap, code_maps};
use crate::registers::{self, RangeMaps, Registers};
use crate::relocations;
use crate::spaces::Spaces;
use crate::translation::{Reference, Translation};
use dwarf2_writer::{Address, Section, SymbolId};
use nv_debug_sections::catalog::{SectionKind, SectionName, Space};
use nv_debug_sections::cubin::{Cubin, DebugSection, Relocation, SectionIndex, Symbol, SymbolIndex};
use nv_debug_sections::frame::encode as encode_frame;
use nv_debug_sections::line::{self, EncodedSequence, LineTable, Sequence};
use nv_debug_sections::line_table::{last_name, transcode};
use nv_debug_sections::reloc::{self, DebugReloc, RelocKind};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Which of the two line tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineTableKind {
    /// `.debug_line`: code that comes from no PTX instruction has no source location.
    Source,
    /// `.nv_debug_line_sass`.
    Ptx,
}

impl LineTableKind {
    /// Which one a section of this kind is.
    pub fn of(kind: SectionKind) -> Option<Self> {
        match kind {
            SectionKind::DebugLine => Some(Self::Source),
            SectionKind::NvDebugLineSass => Some(Self::Ptx),
            _ => None,
        }
    }
}

/// The native programs of a Mercury line table (FORMATS 1.6), in the order of its sequences. `code` is the code section of each; a sequence
/// without one has no native program. Bases are 0, and not placed in a section yet.
///
/// ptxas' native tables have the same programs in the order of the native function symbols.
pub fn sequences(
    mercury: &LineTable<'_>,
    kind: LineTableKind,
    code: &[Option<&CodeMap>],
) -> Vec<Option<Sequence>> {
    let mut name = 0;
    let mut native = Vec::with_capacity(mercury.sequences.len());
    let code = code.iter().copied().chain(std::iter::repeat(None));
    for (sequence, code) in mercury.sequences.iter().zip(code) {
        native.push(code.map(|CodeMap { map, starts, size, .. }| {
            let instructions = match kind {
                LineTableKind::Source => Cow::Owned(map.of_instructions()),
                LineTableKind::Ptx => Cow::Borrowed(map.pairs()),
            };
            let ops = transcode(&sequence.ops, name, &instructions, starts);
            Sequence { base: 0, base_offset: 0, ops, end: *size }
        }));
        name = last_name(&sequence.ops, name);
    }
    native
}

/// The header of the native table for one of Mercury space, without sequences.
///
/// ptxas takes the files to end behind one without a name, and four bytes behind, where the `.debug_str` base would be, for the base.
pub fn native_header<'d>(mercury: &LineTable<'d>) -> LineTable<'d> {
    let mut files = mercury.files.clone();
    let mut base = mercury.debug_str_base;
    if let Some(nameless) = files.iter().position(|file| file.name.is_empty()) {
        files.truncate(nameless + 1);
        base = None;
    }
    LineTable {
        params: mercury.params,
        directories: mercury.directories.clone(),
        files,
        debug_str_base: base,
        sequences: Vec::new(),
    }
}

/// Makes native debug sections from those of a capsule.
#[derive(Debug)]
pub struct Finaliser<'c, 'd> {
    cubin: &'c Cubin<'d>,
    translation: Translation<'c>,
    registers: OnceCell<(Vec<u8>, Vec<u8>)>,
}

impl<'c, 'd> Finaliser<'c, 'd> {
    /// For this cubin.
    pub fn new(cubin: &'c Cubin<'d>, translation: Translation<'c>) -> Self {
        Self { cubin, translation, registers: OnceCell::new() }
    }

    /// All native debug sections that have a clone, in the order of these.
    ///
    /// # Errors
    ///
    /// As [`section`](Self::section).
    pub fn sections(&self) -> Result<Vec<DebugSection>> {
        let is_clone =
            |name: &SectionName<'_>| name.space == Space::Mercury && name.form.is_none() && name.is_debug();
        let clones = self
            .cubin
            .iter()
            .filter(|(_, name, section)| section.is_mercury() && is_clone(&SectionName::parse(name)));
        clones.map(|(index, ..)| self.section(index)).collect()
    }

    /// The native section whose clone is at `mercury`, with its relocations.
    ///
    /// # Errors
    ///
    /// The clone cannot be read, has no native name, or says something that a map does not: an address or symbol, a function.
    pub fn section(&self, mercury: SectionIndex) -> Result<DebugSection> {
        let clone = self.cubin.section_name(mercury);
        let name = native_name(clone).ok_or_else(|| {
            Error::new(clone, 0, ErrorKind::Other("this is not the name of a clone".to_owned()))
        })?;
        // What codecs say of a native section is said of its clone.
        let here = |error: Error| match error.section() {
            section if section == name || section.is_empty() => {
                Error::new(clone, error.offset(), error.kind().clone())
            }
            _ => error,
        };
        let kind = SectionName::parse(&name).kind();
        expect_first(self.cubin, mercury, kind)?;
        let made = match kind {
            Some(kind @ (SectionKind::DebugLine | SectionKind::NvDebugLineSass)) => {
                self.line_table(mercury, kind)
            }
            Some(SectionKind::DebugFrame) => self.frame(mercury),
            Some(SectionKind::NvDebugInfoRegSass) => {
                self.registers().map(|(ranges, _)| plain(ranges.clone()))
            }
            Some(SectionKind::NvDebugInfoRegType) => self.registers().map(|(_, types)| plain(types.clone())),
            _ => self.same_bytes(mercury, &name, kind),
        };
        let (bytes, rela) = made.map_err(here)?;
        Ok(DebugSection { name, bytes, rel: Vec::new(), rela })
    }

    fn same_bytes(
        &self,
        mercury: SectionIndex,
        name: &str,
        kind: Option<SectionKind>,
    ) -> Result<(Vec<u8>, Vec<Relocation>)> {
        let mut entries: Vec<Relocation> =
            self.cubin.relocations_of(mercury).map(|(_, entry)| *entry).collect();
        let mut bytes = self.cubin.bytes(mercury)?.into_owned();
        if !self.cubin.header.is_relocatable() {
            self.link_line_offsets(name, &mut entries, &mut bytes)?;
        }
        let rela = relocations::to_native((name, kind), &entries, self.translation)?;
        Ok((bytes, rela))
    }

    /// Applies what nvlink has applied to native sections: offsets of units in the line table, which are others there.
    fn link_line_offsets(&self, name: &str, entries: &mut Vec<Relocation>, bytes: &mut [u8]) -> Result<()> {
        let is_offset = |entry: &Relocation| entry.r_type == RelocKind::LineOffset32.number(Space::Mercury);
        let linked: Vec<Relocation> = entries.extract_if(.., |entry| is_offset(entry)).collect();
        if linked.is_empty() {
            return Ok(());
        }
        let clone = SectionKind::DebugLine.mercury().and_then(|clone| self.cubin.section_by_name(clone.name));
        let native = clone.map(|clone| self.section(clone)).transpose()?;
        let there = clone.map(|clone| self.cubin.bytes(clone)).transpose()?;
        let pairs =
            native.zip(there).map(|(native, there)| (unit_starts(&native.bytes), unit_starts(&there)));
        for entry in linked {
            let fault = |text: &str| Error::new(name, entry.offset, ErrorKind::Other(text.to_owned()));
            let unit = pairs.as_ref().and_then(|(native, there)| {
                let unit = there.iter().position(|start| Some(i64::from(*start)) == entry.addend)?;
                native.get(unit)
            });
            let unit =
                unit.ok_or_else(|| fault("no unit of the line table starts where the relocation leads"))?;
            let field =
                usize::try_from(entry.offset).ok().and_then(|at| bytes.get_mut(at..)?.first_chunk_mut());
            *field.ok_or_else(|| fault("the relocation lies outside the section"))? = unit.to_le_bytes();
        }
        Ok(())
    }

    fn line_table(&self, mercury: SectionIndex, kind: SectionKind) -> Result<(Vec<u8>, Vec<Relocation>)> {
        let contents = self.cubin.bytes(mercury)?;
        let mut entries = TableEntries::of(self.cubin, mercury)?;
        let mut seen = HashSet::new();
        let (mut bytes, mut relocs) = (Vec::new(), Vec::new());
        let units = line::decode(self.cubin.section_name(mercury), &contents)?;
        for (table, unit_start) in units.into_iter().zip(unit_starts(&contents)) {
            entries.take_base(unit_start.into(), &table, kind)?;
            let starts: Vec<Option<(Reference, &CodeMap)>> = table
                .sequences
                .iter()
                .map(|sequence| entries.take_start(sequence.base_offset, self.translation))
                .collect::<Result<_>>()?;
            let codes: Vec<Option<&CodeMap>> =
                starts.iter().map(|start| start.map(|(_, code)| code)).collect();
            let is_new = |(sequence, code): (&Sequence, Option<&CodeMap>)| {
                let is_new = code.is_none_or(|code| seen.insert(code.native));
                is_new.then_some(()).ok_or(sequence.base_offset)
            };
            if let Err(offset) = table.sequences.iter().zip(codes.iter().copied()).try_for_each(is_new) {
                return Err(entries.fault(offset, "a second sequence for the same code section"));
            }
            let Some(line_table) = LineTableKind::of(kind) else { continue };
            let mut programs = Vec::new();
            for (number, (made, start)) in
                sequences(&table, line_table, &codes).into_iter().zip(starts).enumerate()
            {
                let (Some(made), Some((Reference { symbol, addend }, _))) = (made, start) else { continue };
                let start = Address::Symbol { symbol: SymbolId(symbol.0), addend };
                let program = EncodedSequence::new(kind.name(), table.params, (number, &made), start)?;
                programs.push((symbol, program));
            }
            programs.sort_by_key(|(symbol, _)| *symbol);
            let programs = programs.into_iter().map(|(_, program)| program);
            let unit = line::join(kind.name(), &native_header(&table), None, programs)?;
            let start = bytes.len() as u64;
            relocs.extend(unit.relocs.iter().map(|reloc| DebugReloc {
                offset: start + reloc.offset,
                kind: RelocKind::Absolute64,
                symbol: SymbolIndex(reloc.symbol.0),
                addend: reloc.addend,
                in_place: Some(reloc.addend),
            }));
            bytes.extend(unit.bytes);
        }
        entries.expect_none_left()?;
        self.filed(kind, bytes, relocs)
    }

    fn frame(&self, mercury: SectionIndex) -> Result<(Vec<u8>, Vec<Relocation>)> {
        let frames = Frames::read(self.cubin, mercury)?;
        let entries = frame::translate(&frames, self.translation)?;
        let own = self.section_symbol(mercury);
        let native = own.and_then(|symbol| self.translation.spaces().native_symbol(symbol));
        let id = |symbol: Option<SymbolIndex>| symbol.map(|symbol| SymbolId(symbol.0));
        let section: Section = encode_frame(&entries, id(native))?;
        let there = encode_frame(&frames.entries, id(own))?;
        let mut relocs = frame::native_relocs(&section, own.map(|_| &there));
        // nvlink's order is that of the modules it links: both spaces have the same.
        let positions: HashMap<u64, usize> = self
            .cubin
            .relocations_of(mercury)
            .enumerate()
            .map(|(at, (_, entry))| (entry.offset, at))
            .collect();
        let position = |reloc: &DebugReloc| positions.get(&reloc.offset).copied().unwrap_or(usize::MAX);
        let mut ordered: Vec<usize> =
            nv_debug_sections::frame::debug_relocs(&there).iter().map(position).collect();
        ordered.resize(relocs.len(), usize::MAX);
        let mut numbered: Vec<(usize, DebugReloc)> = ordered.into_iter().zip(relocs).collect();
        numbered.sort_by_key(|(position, _)| *position);
        relocs = numbered.into_iter().map(|(_, reloc)| reloc).collect();
        self.filed(SectionKind::DebugFrame, section.bytes, relocs)
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
                Error::new(kind.name(), 0, ErrorKind::Other("the capsule has no clone of it".to_owned()))
            })?;
            self.cubin.bytes(clone)
        };
        let (ranges, types) =
            (clone(SectionKind::NvDebugInfoRegSass)?, clone(SectionKind::NvDebugInfoRegType)?);
        let mercury = registers::decode(&ranges, &types)?;
        let mut maps = RangeMaps::of(self.cubin, self.translation.maps());
        let native: Vec<Registers<'_>> = mercury
            .iter()
            .map(|registers| registers::to_native(registers, maps.next(registers)?))
            .collect::<Result<_>>()?;
        let made = registers::encode(&native)?;
        Ok(self.registers.get_or_init(|| made))
    }

    /// Orders relocations as ptxas does, and writes the fields under them.
    fn filed(
        &self,
        kind: SectionKind,
        mut bytes: Vec<u8>,
        relocs: Vec<DebugReloc>,
    ) -> Result<(Vec<u8>, Vec<Relocation>)> {
        let filed = reloc::file(kind.name(), self.cubin.header.sm(), Space::Native, relocs, &mut bytes)?;
        Ok((bytes, filed.rela))
    }
}

/// Expects that no other section of this name comes before one that stands for all code: line tables and register maps.
pub(crate) fn expect_first(cubin: &Cubin<'_>, index: SectionIndex, kind: Option<SectionKind>) -> Result<()> {
    use SectionKind::{DebugLine, NvDebugInfoRegSass, NvDebugInfoRegType, NvDebugLineSass};
    let is_of_all =
        [DebugLine, NvDebugLineSass, NvDebugInfoRegSass, NvDebugInfoRegType].map(Some).contains(&kind);
    let name = cubin.section_name(index);
    if is_of_all && cubin.section_by_name(name) != Some(index) {
        let text = "a second section of this name, expected one";
        return Err(Error::new(name, 0, ErrorKind::Other(text.to_owned())));
    }
    Ok(())
}

/// The relocations of a Mercury line table, as they are used up.
struct TableEntries<'c, 'd> {
    cubin: &'c Cubin<'d>,
    name: &'c str,
    by_offset: BTreeMap<u64, Relocation>,
}

impl<'c, 'd> TableEntries<'c, 'd> {
    fn of(cubin: &'c Cubin<'d>, mercury: SectionIndex) -> Result<Self> {
        let mut all = Self { cubin, name: cubin.section_name(mercury), by_offset: BTreeMap::new() };
        for (_, entry) in cubin.relocations_of(mercury) {
            if all.by_offset.insert(entry.offset, *entry).is_some() {
                return Err(all.fault(entry.offset, "two relocations apply here"));
            }
        }
        Ok(all)
    }

    fn fault(&self, offset: u64, text: impl Into<String>) -> Error {
        Error::new(self.name, offset, ErrorKind::Other(text.into()))
    }

    /// The relocation at `offset`, which must be of this kind.
    fn take(&mut self, offset: u64, kind: RelocKind) -> Result<Option<Relocation>> {
        let Some(entry) = self.by_offset.remove(&offset) else { return Ok(None) };
        let (found, expected) = (entry.r_type, kind.number(Space::Mercury));
        if found != expected {
            return Err(
                self.fault(offset, format!("the relocation is of type {found:#x}, expected {expected:#x}"))
            );
        }
        Ok(Some(entry))
    }

    /// Takes that of the `.debug_str` base, which only relocatable files have. Native tables have none.
    fn take_base(&mut self, unit_start: u64, table: &LineTable<'_>, kind: SectionKind) -> Result<()> {
        if table.debug_str_base.is_none() {
            return Ok(());
        }
        let header = LineTable { sequences: Vec::new(), ..table.clone() };
        let unit = line::join(kind.name(), &header, Some(SymbolId(0)), [])?;
        let Some(base) = unit.relocs.first() else { return Ok(()) };
        let Some(entry) = self.take(unit_start + base.offset, RelocKind::Absolute32)? else { return Ok(()) };
        let symbol = self.cubin.mercury_symbols().get(entry.symbol.as_usize());
        let section = symbol.filter(|symbol| symbol.is_section()).and_then(Symbol::section);
        let strings = SectionKind::DebugStr.mercury().map(|clone| clone.name);
        if section.map(|section| self.cubin.section_name(section)) != strings || entry.addend != Some(0) {
            return Err(
                self.fault(entry.offset, "the base of names is not relocated against .nv.merc.debug_str")
            );
        }
        Ok(())
    }

    /// Takes that of a sequence's address, and leads it to native code. nvlink keeps sequences of functions it drops, without
    /// relocation.
    fn take_start<'m>(
        &mut self,
        offset: u64,
        translation: Translation<'m>,
    ) -> Result<Option<(Reference, &'m CodeMap)>> {
        let Some(entry) = self.take(offset, RelocKind::Absolute64)? else { return Ok(None) };
        let own = Reference { symbol: entry.symbol, addend: entry.addend.unwrap_or(0) };
        let native =
            translation.start_to_native(own).map_err(|error| self.fault(offset, error.to_string()))?;
        let section = self.cubin.symbols().get(native.symbol.as_usize()).and_then(Symbol::section);
        let code = section.and_then(|section| CodeMap::of(translation.maps(), section));
        let code =
            code.ok_or_else(|| self.fault(offset, "the sequence's address leads to no code section"))?;
        Ok(Some((native, code)))
    }

    fn expect_none_left(&self) -> Result<()> {
        match self.by_offset.keys().next() {
            None => Ok(()),
            Some(offset) => {
                Err(self.fault(*offset, "a relocation applies to what is no address of a sequence"))
            }
        }
    }
}

/// Offsets of the units of a line table.
fn unit_starts(table: &[u8]) -> Vec<u32> {
    let mut starts = Vec::new();
    let mut at = 0_usize;
    while let Some(length) = table.get(at..).and_then(|rest| rest.first_chunk()) {
        starts.extend(u32::try_from(at));
        at = at.saturating_add(4).saturating_add(u32::from_le_bytes(*length) as usize);
    }
    starts
}

fn plain(bytes: Vec<u8>) -> (Vec<u8>, Vec<Relocation>) {
    (bytes, Vec::new())
}

/// Makes the native debug sections of a cubin anew from its capsule, and drops that. Sections without clone stay as they are, and so
/// do code and `.nv.info`, whose way back is the code generator's.
///
/// `maps` are where native code is the same as Mercury code; `None`: as [`code_maps`] recovers them from this file.
///
/// # Errors
///
/// There is no capsule, or no native code beside it; a section is a clone by its name or its flags only; those of [`code_maps`], [`Finaliser::section`] and
/// [`Cubin::set_debug_sections`]. Nothing is changed then.
pub fn finalise(cubin: &mut Cubin<'_>, maps: Option<&[CodeMap]>) -> Result<()> {
    let fault = |text: &str| Err(Error::new("", 0, ErrorKind::Other(text.to_owned())));
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
    let recovered;
    let maps = if let Some(maps) = maps {
        maps
    } else {
        recovered = code_maps(cubin)?;
        &recovered
    };
    let spaces = Spaces::of(cubin)?;
    let made = Finaliser::new(cubin, Translation::new(cubin, &spaces, maps)).sections()?;
    let names: HashSet<&str> = made.iter().map(|section| &*section.name).collect();
    let mut sections = cubin.debug_sections()?;
    sections.retain(|section| !names.contains(&*section.name));
    sections.extend(made);
    let mut result = cubin.clone();
    result.set_debug_sections(sections)?;
    result.remove_capsule()?;
    *cubin = result;
    Ok(())
}
