//! Clones of line tables.

use super::{Cloner, MercuryContents};
use crate::code_map::CodeMap;
use crate::line_table_kind::LineTableKind;
use crate::loc_streams::{LocStream, LocStreams, check_numbers};
use dwarf2_writer::{Address, Reloc, SymbolId};
use foldhash::{HashMap, HashMapExt as _};
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::{MercurySection, SectionIndex};
use nv_debug_sections::line::{self, EncodedSequence, LineFile, LineOp, LineTable, Sequence};
use nv_debug_sections::line_table::{
    last_inlined_name, line_program_from_locs, mercury_to_native, native_to_mercury,
};
use nv_debug_sections::release::Release;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::borrow::Cow;

/// The native program of each code section, and the unit it is in. Files of several modules have a
/// unit for each; code that native tables have nothing of goes to the first.
type NativePrograms = HashMap<SectionIndex, (usize, Vec<LineOp>)>;

impl Cloner<'_, '_> {
    /// The clone of a line table, of the locations in `streams`.
    pub(super) fn line_table(
        &self,
        native: SectionIndex,
        kind: LineTableKind,
        streams: &LocStreams<'_>,
    ) -> Result<MercurySection> {
        let name = self.cubin.section_name(native);
        let contents = self.cubin.bytes(native)?;
        let section = self.view.section(native)?;
        let mut units = line::decode(name, &contents)?;
        let mut natives = NativePrograms::new();
        for (number, unit) in units.iter_mut().enumerate() {
            check_numbers(name, unit)?;
            for sequence in unit.sequences.drain(..) {
                if let Some(code) = section.target(sequence.base_offset).and_then(|target| target.section) {
                    natives.entry(code).or_insert((number, sequence.ops));
                }
            }
        }
        let debug_str = self.section_symbol(SectionKind::DebugStr).filter(|_| kind == LineTableKind::Source);
        let mut codes_of: Vec<Vec<&CodeMap>> = vec![Vec::new(); units.len()];
        for code in self.translator.maps() {
            let unit = natives.get(&code.native).map_or(0, |(unit, _)| *unit);
            if let Some(codes) = codes_of.get_mut(unit) {
                codes.push(code);
            }
        }
        let mut values = MercuryContents::default();
        let strings = self.cubin.section_by_name(SectionKind::DebugStr.name());
        let strings_end = strings.map_or(Ok(0), |index| self.cubin.bytes(index).map(|bytes| bytes.len()))?;
        for (mut unit, codes) in units.into_iter().zip(codes_of) {
            restore_nameless_file(&mut unit, strings_end);
            let mut programs = Vec::new();
            let mut last = 0;
            for code in codes {
                let Some(stream) = streams.get(&code.native) else { continue };
                let native = natives.get(&code.native).map(|(_, ops)| ops.as_slice());
                let ops = mercury_program(stream, native, last, kind, code, self.cubin.release());
                last = last_inlined_name(&ops, last);
                if ops.iter().any(|op| matches!(op, LineOp::InlinedCall { .. }))
                    && kind == LineTableKind::Source
                {
                    unit.debug_str_base.get_or_insert(0);
                }
                if native.is_some() || ops.iter().any(|op| matches!(op, LineOp::Row { .. })) {
                    programs.push(self.program(name, &unit, programs.len(), code, ops)?);
                }
            }
            let made = line::join_sequences(name, &unit, debug_str, programs)?;
            let start = values.bytes.len() as u64;
            values.bytes.extend(made.bytes);
            values
                .relocs
                .extend(made.relocs.iter().map(|reloc| Reloc { offset: start + reloc.offset, ..*reloc }));
        }
        self.made(native, values)
    }

    /// The program of a code section.
    fn program(
        &self,
        name: &str,
        unit: &LineTable<'_>,
        number: usize,
        code: &CodeMap,
        ops: Vec<LineOp>,
    ) -> Result<EncodedSequence> {
        let own =
            code.own_symbol(self.cubin).and_then(|symbol| self.translator.symbol_to_mercury(symbol).ok());
        let own = own.ok_or_else(|| {
            let text = format!("{} has no function of its name", self.cubin.section_name(code.native));
            Error::in_section(name, ErrorKind::Missing(text.into()))
        })?;
        let start = Address::Symbol { symbol: SymbolId(own.0), addend: 0 };
        let sequence = Sequence { base: 0, base_offset: 0, ops, end: code.mercury_size };
        EncodedSequence::new(name, unit.params, number, &sequence, start)
    }
}

/// The Mercury line program of a code section. It is built from `.loc` data. If translating it does
/// not reproduce the native program, the native one is inverted instead, where that succeeds.
/// `last` is the name in force before the program.
fn mercury_program(
    LocStream { locs, located, entries }: &LocStream<'_>,
    native: Option<&[LineOp]>,
    last: u32,
    kind: LineTableKind,
    code: &CodeMap,
    release: Release,
) -> Vec<LineOp> {
    let made = line_program_from_locs(locs, located, entries, Space::Mercury, release);
    let Some(native) = native else { return made };
    let instructions = kind.instructions(&code.map);
    if mercury_to_native(&made, last, &instructions, &code.starts, code.size) == native {
        return made;
    }
    native_to_mercury(native, last, &instructions, &code.starts).unwrap_or(made)
}

/// Takes a `.debug_str` base that is outside the section for what else it can be in a native table:
/// the rest of a last file without a name ([`LineFile::name`]).
fn restore_nameless_file(unit: &mut LineTable<'_>, strings_end: usize) {
    let Some(base) = unit.debug_str_base.filter(|base| *base != 0 && *base as usize >= strings_end) else {
        return;
    };
    // LEB128 numbers of one byte, and the end of the files.
    if let [directory, mtime, size, 0] = base.to_le_bytes()
        && [directory, mtime, size].iter().all(|number| *number < 0x80)
    {
        let [directory, mtime, size] = [directory, mtime, size].map(u64::from);
        unit.files.push(LineFile { name: Cow::default(), directory, mtime, size });
        unit.debug_str_base = None;
    }
}
