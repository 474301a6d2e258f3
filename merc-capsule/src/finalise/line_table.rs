//! Native line tables, from those of Mercury code.

use crate::address_translator::{AddressTranslator, SymbolAndAddend};
use crate::code_map::CodeMap;
use crate::line_table_kind::LineTableKind;
use crate::loc_streams::check_numbers;
use dwarf2_writer::{Address, Reloc, SymbolId};
use foldhash::HashSet;
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::{Cubin, Relocation, SectionIndex, Symbol};
use nv_debug_sections::line::{self, EncodedSequence, LineTable, Sequence};
use nv_debug_sections::line_table::{last_inlined_name, mercury_to_native};
use nv_debug_sections::reloc::RelocKind;
use nv_debug_sections::relocated::RelocatedCubin;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::BTreeMap;

/// Returns the native line program for each sequence of a Mercury line table
/// (docs/formats/line-tables.md, rows from sm_90 on). `code` has the code section of each sequence;
/// a sequence without a code section has no native program. The base address of each program is 0.
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
            let ops = mercury_to_native(&sequence.ops, name, &kind.instructions(map), starts, *size);
            Sequence { base: 0, base_offset: 0, ops, end: *size }
        }));
        name = last_inlined_name(&sequence.ops, name);
    }
    native
}

/// Makes the header of a native line table from the header of its Mercury clone. The result has no
/// sequences yet.
///
/// ptxas takes the files to end after one without a name, and four bytes after that, where the
/// `.debug_str` base would be, for the base.
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
        has_lone_end: mercury.has_lone_end,
        sequences: Vec::new(),
    }
}

/// Bytes and relocations of the native line table whose clone is at `mercury`.
///
/// # Errors
///
/// The clone cannot be decoded, a relocation is not of what a line table has, or a code section has
/// two sequences.
pub(super) fn native(
    view: &RelocatedCubin<'_, '_>,
    mercury: SectionIndex,
    kind: SectionKind,
    translator: AddressTranslator<'_>,
) -> Result<(Vec<u8>, Vec<Reloc>)> {
    let cubin = view.cubin();
    let contents = cubin.bytes(mercury)?;
    let mut entries = TableEntries::of(view, mercury)?;
    let mut seen = HashSet::default();
    let (mut bytes, mut relocs) = (Vec::new(), Vec::new());
    let units = line::decode(cubin.section_name(mercury), &contents)?;
    for (table, unit_start) in units.into_iter().zip(unit_starts(&contents)) {
        check_numbers(cubin.section_name(mercury), &table)?;
        entries.take_base(unit_start.into(), &table, kind)?;
        let starts: Vec<Option<(SymbolAndAddend, &CodeMap)>> = table
            .sequences
            .iter()
            .map(|sequence| entries.take_start(sequence.base_offset, translator))
            .collect::<Result<_>>()?;
        let codes: Vec<Option<&CodeMap>> = starts.iter().map(|start| start.map(|(_, code)| code)).collect();
        let mut own =
            table.sequences.iter().zip(&codes).filter_map(|(sequence, code)| Some((sequence, (*code)?)));
        if let Some((sequence, _)) = own.find(|(_, code)| !seen.insert(code.native)) {
            let second = ErrorKind::Second("sequence for the same code section");
            return Err(entries.fault(sequence.base_offset, second));
        }
        let Some(line_table) = LineTableKind::of(kind) else { continue };
        let mut programs = Vec::new();
        for (number, (made, start)) in
            sequences(&table, line_table, &codes).into_iter().zip(starts).enumerate()
        {
            let (Some(made), Some((SymbolAndAddend { symbol, addend }, _))) = (made, start) else { continue };
            let start = Address::Symbol { symbol: SymbolId(symbol.0), addend };
            let program = EncodedSequence::new(kind.name(), table.params, number, &made, start)?;
            programs.push((symbol, program));
        }
        programs.sort_by_key(|(symbol, _)| *symbol);
        let programs = programs.into_iter().map(|(_, program)| program);
        let unit = line::join_sequences(kind.name(), &native_header(&table), None, programs)?;
        let start = bytes.len() as u64;
        relocs.extend(unit.relocs.iter().map(|reloc| Reloc { offset: start + reloc.offset, ..*reloc }));
        bytes.extend(unit.bytes);
    }
    entries.expect_none_left()?;
    Ok((bytes, relocs))
}

/// The relocations of a Mercury line table, as they are used up.
struct TableEntries<'c, 'd> {
    cubin: &'c Cubin<'d>,
    name: &'c str,
    by_offset: BTreeMap<u64, Relocation>,
}

impl<'c, 'd> TableEntries<'c, 'd> {
    fn of(view: &RelocatedCubin<'c, 'd>, mercury: SectionIndex) -> Result<Self> {
        let cubin = view.cubin();
        let mut all = Self { cubin, name: cubin.section_name(mercury), by_offset: BTreeMap::new() };
        for (_, entry) in view.relocations_of(mercury) {
            if all.by_offset.insert(entry.offset, *entry).is_some() {
                return Err(all.fault(entry.offset, ErrorKind::Overlap("two relocations apply here")));
            }
        }
        Ok(all)
    }

    fn fault(&self, offset: u64, kind: ErrorKind) -> Error {
        Error::new(self.name, offset, kind)
    }

    /// The relocation at `offset`, which must be of this kind.
    fn take(&mut self, offset: u64, kind: RelocKind) -> Result<Option<Relocation>> {
        let Some(entry) = self.by_offset.remove(&offset) else { return Ok(None) };
        let (found, expected) = (entry.r_type, kind.number(Space::Mercury));
        if found != expected {
            return Err(self.fault(offset, ErrorKind::RelocationType { found, expected }));
        }
        Ok(Some(entry))
    }

    /// Takes that of the `.debug_str` base, which only relocatable files have. Native tables have
    /// none.
    fn take_base(&mut self, unit_start: u64, table: &LineTable<'_>, kind: SectionKind) -> Result<()> {
        if table.debug_str_base.is_none() {
            return Ok(());
        }
        let header = LineTable { sequences: Vec::new(), ..table.clone() };
        let unit = line::join_sequences(kind.name(), &header, Some(SymbolId(0)), [])?;
        let Some(base) = unit.relocs.first() else { return Ok(()) };
        let Some(entry) = self.take(unit_start + base.offset, RelocKind::Absolute32)? else { return Ok(()) };
        let symbol = self.cubin.mercury_symbols().get(entry.symbol.as_usize());
        let section = symbol.filter(|symbol| symbol.is_section()).and_then(Symbol::section);
        let strings = SectionKind::DebugStr.mercury().map(|clone| clone.name);
        if section.map(|section| self.cubin.section_name(section)) != strings || entry.addend != Some(0) {
            let text = "the base of names is not relocated against .nv.merc.debug_str";
            return Err(self.fault(entry.offset, ErrorKind::Relocation(text)));
        }
        Ok(())
    }

    /// Takes that of a sequence's address, and leads it to native code. nvlink keeps sequences of
    /// functions it drops, without relocation.
    fn take_start<'m>(
        &mut self,
        offset: u64,
        translator: AddressTranslator<'m>,
    ) -> Result<Option<(SymbolAndAddend, &'m CodeMap)>> {
        let Some(entry) = self.take(offset, RelocKind::Absolute64)? else { return Ok(None) };
        let own = SymbolAndAddend { symbol: entry.symbol, addend: entry.addend.unwrap_or(0) };
        let native = translator
            .mercury_start_to_native(own)
            .map_err(|error| self.fault(offset, ErrorKind::NoCounterpart(error.to_string())))?;
        let section = self.cubin.symbols().get(native.symbol.as_usize()).and_then(Symbol::section);
        let code = section.and_then(|section| CodeMap::of(translator.maps(), section));
        let nowhere = ErrorKind::Relocation("the sequence's address leads to no code section");
        let code = code.ok_or_else(|| self.fault(offset, nowhere))?;
        Ok(Some((native, code)))
    }

    fn expect_none_left(&self) -> Result<()> {
        match self.by_offset.keys().next() {
            None => Ok(()),
            Some(offset) => {
                let text = "a relocation applies to a field that is not the address of a sequence";
                Err(self.fault(*offset, ErrorKind::Relocation(text)))
            }
        }
    }
}

/// Offsets of the units of a line table.
pub(super) fn unit_starts(table: &[u8]) -> Vec<u32> {
    let starts = dwarf2_reader::line::units(table).map_while(Result::ok).map(|(span, _)| span.start);
    starts.filter_map(|start| u32::try_from(start).ok()).collect()
}
