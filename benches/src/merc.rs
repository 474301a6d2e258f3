//! Cubins for sm_100 with much debug information, and their capsules.
//!
//! A small one that ptxas made (`ptxas-driver/tests/pairs`, `make.sh`) gives what is of the file:
//! header, notes, rules of a CIE. Functions, and what the sections say of them, are made here.
//! Native code has the middle two of four instructions in the other order than Mercury code, which
//! has one more after every eighth: addresses differ, and so does the order of registers and rows.

use dwarf2_writer::frame::CallFrameInstruction as Cfi;
use dwarf2_writer::{Address, Referent, Reloc, SymbolId};
use merc_capsule::clone_cubin::{self, CloneInputs};
use merc_capsule::frame::FrameSection;
use merc_capsule::loc_streams::LineTableInputs;
use merc_capsule::{AddressMap, AddressRole, AddressTranslator, CodeMap, SectionPairs, identity_maps};
use nv_debug_sections::Result;
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::{
    Contents, Cubin, DebugSection, NewSection, SectionIndex, SectionInfo, SectionLink, Symbol, SymbolIndex,
    sht,
};
use nv_debug_sections::frame::{self, Entry};
use nv_debug_sections::line::{self, LineOp, LineTable, Sequence};
use nv_debug_sections::line_table::AddressPair;
use nv_debug_sections::nv_info::{self, Attribute, Record, Value};
use nv_debug_sections::reg_sass::{self, FunctionRegisters, RegisterRange, SassRegister};
use nv_debug_sections::reg_type::{self, FunctionTypes};
use nv_debug_sections::release::Release;
use nv_debug_sections::reloc;
use nv_debug_sections::relocated::RelocatedCubin;

const BASE: &[u8] = include_bytes!("../../ptxas-driver/tests/pairs/odd_references.sm_100.g.cubin");

/// Bytes of an instruction.
const INSTRUCTION: u64 = 16;

/// The amount of debug information in a generated cubin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Code sections, each with one function.
    pub functions: u32,
    /// Instructions of each: a multiple of 16.
    pub instructions: u32,
    /// Bytes of `.debug_str` and of `.nv_debug_ptx_txt`, half each, whose clones are aliases.
    pub aliased: usize,
}

/// A [`Size`] of a made cubin: its capsule has about 45 MB of sections that are cloned, and 8 MB of
/// clones that share the bytes of their section and have relocations.
pub const LARGE: Size = Size { functions: 2000, instructions: 512, aliased: 0 };

/// The parts of a generated cubin with a capsule: native code, and facts about its Mercury code.
#[derive(Debug)]
pub struct Made {
    /// The native cubin, without capsule.
    pub native: Cubin<'static>,
    /// What Mercury code is like.
    pub origin: CloneInputs<'static>,
}

/// Generates native code, and the facts about its Mercury code.
///
/// # Errors
///
/// None with the sizes here: the sections fit.
pub fn made(size: Size) -> Result<Made> {
    let native = native(size)?;
    let mut maps = identity_maps(&native)?;
    for code in &mut maps {
        set_map(code);
    }
    let spaces = SectionPairs::of(&native)?;
    let lines = LineTableInputs::of_tables(&native, AddressTranslator::new(&native, &spaces, &maps))?;
    Ok(Made { origin: CloneInputs { maps, lines }, native })
}

/// Generates a cubin with a capsule.
///
/// # Errors
///
/// As [`made`].
pub fn with_capsule(size: Size) -> Result<Cubin<'static>> {
    let Made { mut native, origin } = made(size)?;
    clone_cubin::clone_cubin(&mut native, &origin)?;
    Ok(native)
}

/// Which Mercury instruction a native one is, both 0-based, without those that Mercury code has
/// more.
fn order(instruction: u64) -> u64 {
    match instruction % 4 {
        1 => instruction + 1,
        2 => instruction - 1,
        _ => instruction,
    }
}

fn mercury(native: u64) -> u64 {
    let number = order(native / INSTRUCTION);
    (number + number / 8) * INSTRUCTION
}

fn set_map(code: &mut CodeMap) {
    let size = code.size;
    let mut pairs = AddressMap::identity([]);
    for native in (0..size).step_by(INSTRUCTION as usize) {
        let pair = AddressPair { native, mercury: mercury(native) };
        pairs.insert(AddressRole::Instruction, pair).unwrap_or_else(|conflict| unreachable!("{conflict}"));
    }
    code.map = pairs;
    code.mercury_size = size + size / 8;
    for function in &mut code.functions {
        function.mercury.size = code.mercury_size;
    }
}

/// A function, with the facts that all sections are made from.
struct Function {
    name: String,
    symbol: SymbolIndex,
}

fn native(size: Size) -> Result<Cubin<'static>> {
    let mut cubin = Cubin::parse(BASE)?;
    cubin.remove_capsule()?;
    let header = |kind: SectionKind| -> Result<_> {
        let index = cubin.section_by_name(kind.name()).unwrap_or(SectionIndex(0));
        let bytes = cubin.bytes(index)?.into_owned();
        Ok((index, bytes))
    };
    let (frame, _) = header(SectionKind::DebugFrame)?;
    let entries = FrameSection::read(&RelocatedCubin::new(&cubin), frame)?.entries;
    let (_, source) = header(SectionKind::DebugLine)?;
    let (_, ptx) = header(SectionKind::NvDebugLineSass)?;
    let functions = add_functions(&mut cubin, size)?;
    let of_line = |kind: SectionKind, bytes: &[u8]| -> Result<DebugSection> {
        let mut unit = line::decode(kind.name(), bytes)?.swap_remove(0);
        let steps = if kind == SectionKind::DebugLine { 4 } else { 1 };
        unit.sequences = functions.iter().map(|_| sequence(size, steps)).collect();
        line_table(kind, &unit, &functions)
    };
    let mut sections = vec![
        frames(&entries, size, &functions)?,
        of_line(SectionKind::DebugLine, &source)?,
        of_line(SectionKind::NvDebugLineSass, &ptx)?,
    ];
    sections.extend(registers(size, &functions)?);
    sections.extend(labels(size, &functions)?);
    let text = vec![b'x'; size.aliased / 2];
    let plain = |kind: SectionKind, bytes: Vec<u8>| DebugSection {
        name: kind.name().to_owned(),
        bytes,
        rel: Vec::new(),
        rela: Vec::new(),
    };
    sections.push(plain(SectionKind::DebugAbbrev, ABBREVIATIONS.to_vec()));
    sections.push(plain(SectionKind::DebugStr, text.clone()));
    sections.push(plain(SectionKind::NvDebugPtxTxt, text));
    cubin.set_debug_sections(sections)?;
    // The file as a reader has it, with borrowed bytes made owned.
    Ok(Cubin::parse(&cubin.write()?)?.into_owned())
}

/// Appends the functions with their code, and their records in `.nv.info.F`.
fn add_functions(cubin: &mut Cubin<'_>, size: Size) -> Result<Vec<Function>> {
    let names: Vec<String> = (0..size.functions).map(|number| format!("made_{number}")).collect();
    let strings = cubin.intern_symbol_names(&names)?;
    let symtab = cubin.symtab().unwrap_or(SectionIndex(0));
    let first = cubin.sections.len();
    let mut symbols = cubin.symbols().to_vec();
    let length = u64::from(size.instructions) * INSTRUCTION;
    let exit = Record {
        attribute: Attribute::EXIT_INSTR_OFFSETS,
        value: Value::Sized((length as u32 - 16).to_le_bytes().to_vec().into()),
    };
    let info = nv_info::encode(nv_info::NAME, &[exit])?;
    let mut functions = Vec::with_capacity(names.len());
    let mut new = Vec::with_capacity(2 * names.len());
    for ((number, name), string) in names.into_iter().enumerate().zip(strings) {
        functions.push(Function { name: name.clone(), symbol: SymbolIndex(symbols.len() as u32) });
        let shndx = (first + 2 * number) as u32;
        symbols.push(Symbol {
            name: string,
            info: 0x12,
            other: Symbol::ENTRY,
            shndx,
            value: 0,
            size: length,
        });
        let code = NewSection {
            name: format!(".text.{name}"),
            sh_type: 1,
            flags: 6,
            align: 128,
            entsize: 0,
            link: SectionLink::Old(symtab),
            info: SectionInfo::default(),
            contents: Contents::Bytes(vec![0; length as usize].into()),
        };
        let facts = NewSection {
            name: format!(".nv.info.{name}"),
            sh_type: sht::CUDA_INFO,
            flags: 0x40,
            align: 4,
            entsize: 0,
            link: SectionLink::Old(symtab),
            info: SectionInfo::Section(SectionLink::New(2 * number)),
            contents: Contents::Bytes(info.clone().into()),
        };
        new.extend([code, facts]);
    }
    cubin.append_sections(new)?;
    cubin.set_symbols(symtab, symbols)?;
    for (number, function) in functions.iter().enumerate() {
        if let Some(code) = cubin.sections.get_mut(first + 2 * number) {
            code.info = function.symbol.0;
        }
    }
    Ok(functions)
}

/// A row for every `steps` instructions: PTX lines go with the order in Mercury code.
fn sequence(size: Size, steps: usize) -> Sequence {
    let mut ops: Vec<LineOp> = (0..u64::from(size.instructions))
        .step_by(steps)
        .map(|number| LineOp::Row { address: number * INSTRUCTION, line: 100 + order(number) as u32 })
        .collect();
    ops.insert(0, LineOp::SetFile(u64::from(steps > 1)));
    Sequence { base: 0, base_offset: 0, ops, end: u64::from(size.instructions) * INSTRUCTION }
}

fn filed(kind: SectionKind, mut bytes: Vec<u8>, relocs: Vec<Reloc>) -> Result<DebugSection> {
    let filed =
        reloc::split_relocations(kind.name(), Release::V13_0.target(100), Space::Native, relocs, &mut bytes)?;
    Ok(DebugSection { name: kind.name().to_owned(), bytes, rel: filed.rel, rela: filed.rela })
}

fn line_table(kind: SectionKind, unit: &LineTable<'_>, functions: &[Function]) -> Result<DebugSection> {
    let symbol = |number: usize| functions.get(number).map_or(0, |function| function.symbol.0);
    let made = line::encode(kind.name(), unit, None, |number, _| Address::Symbol {
        symbol: SymbolId(symbol(number)),
        addend: 0,
    })?;
    filed(kind, made.bytes, made.relocs)
}

/// The CIE of the small cubin for each function, and rules at every sixteenth instruction.
fn frames(small: &[Entry], size: Size, functions: &[Function]) -> Result<DebugSection> {
    let mut entries = Vec::with_capacity(2 * functions.len());
    let cie = small.iter().find(|entry| matches!(entry, Entry::Cie(_)));
    let fde = small.iter().find_map(|entry| if let Entry::Fde(fde) = entry { Some(fde) } else { None });
    for (function, (cie, fde)) in functions.iter().zip(cie.zip(fde).into_iter().cycle()) {
        let mut fde = fde.clone();
        fde.initial_location = Address::Symbol { symbol: SymbolId(function.symbol.0), addend: 0 };
        fde.range_symbol = fde.range_symbol.map(|_| SymbolId(function.symbol.0));
        fde.address_range = u64::from(size.instructions) * INSTRUCTION;
        fde.cie.0 = (entries.len() / 2) as u32;
        let step = Cfi::AdvanceLoc4(16 * INSTRUCTION as u32 / 4);
        let steps = (0..size.instructions / 16 - 1)
            .flat_map(|number| [step.clone(), Cfi::DefCfaOffset(8 * (u64::from(number) + 1))]);
        fde.instructions = steps.chain([Cfi::AdvanceLoc4(15 * INSTRUCTION as u32 / 4)]).collect();
        entries.extend([cie.clone(), Entry::Fde(fde)]);
    }
    let section = frame::encode(&entries, None)?;
    let relocs = frame::debug_relocs(&section);
    filed(SectionKind::DebugFrame, section.bytes, relocs)
}

/// A range for every other instruction, of 64 registers in turn.
fn registers(size: Size, functions: &[Function]) -> Result<[DebugSection; 2]> {
    let names: Vec<String> = (0..64).map(|number| format!("%r{number}")).collect();
    let mut ranges: Vec<RegisterRange<'_>> = (1..size.instructions / 2 - 4)
        .zip(names.iter().cycle().zip((0..64).cycle()))
        .map(|(number, (name, register))| RegisterRange {
            part: 0,
            ptx_name: name.as_bytes(),
            register: SassRegister(register),
            start: 2 * number * 16,
            end: 2 * (number + 4) * 16,
        })
        .collect();
    ranges.sort_by_key(|range| (range.register.0, range.start));
    let types = vec![2; ranges.len()];
    let all: Vec<_> = functions
        .iter()
        .map(|function| FunctionRegisters { function: function.name.as_bytes(), ranges: ranges.clone() })
        .collect();
    let of_types: Vec<_> =
        all.iter().map(|all| FunctionTypes { function: all.function, types: &types }).collect();
    let bytes = [
        (SectionKind::NvDebugInfoRegSass, reg_sass::encode(&all)?),
        (SectionKind::NvDebugInfoRegType, reg_type::encode(&of_types)?),
    ];
    Ok(bytes.map(|(kind, bytes)| DebugSection {
        name: kind.name().to_owned(),
        bytes,
        rel: Vec::new(),
        rela: Vec::new(),
    }))
}

/// 1: `DW_TAG_compile_unit` with children; 2: `DW_TAG_label` with `DW_AT_low_pc`.
const ABBREVIATIONS: [u8; 13] = [1, 0x11, 1, 0, 0, 2, 0x0a, 0, 0x11, 1, 0, 0, 0];

/// `.debug_info` with a label for every eighth instruction, and `.debug_loc` with a list of one
/// entry for every fourth.
fn labels(size: Size, functions: &[Function]) -> Result<[DebugSection; 2]> {
    let mut info = vec![0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 8, 1];
    let mut loc = Vec::new();
    let (mut in_info, mut in_loc) = (Vec::new(), Vec::new());
    let label = |offset: usize, function: &Function, address: u32| Reloc {
        in_place: None,
        referent: Referent::Code,
        ..Reloc::new(offset as u64, 8, SymbolId(function.symbol.0), address.into())
    };
    for function in functions {
        for address in (0..size.instructions).step_by(8).map(|number| 16 * number) {
            in_info.push(label(info.len() + 1, function, address));
            info.extend([2, 0, 0, 0, 0, 0, 0, 0, 0]);
        }
        for address in (0..size.instructions - 4).step_by(4).map(|number| 16 * number) {
            in_loc
                .extend([label(loc.len(), function, address), label(loc.len() + 8, function, address + 64)]);
            // Two addresses, an expression of two bytes, the end of the list.
            loc.extend([0; 16]);
            loc.extend([2, 0, 0x50, 0]);
            loc.extend([0; 16]);
        }
    }
    info.push(0);
    let length = (info.len() - 4) as u32;
    if let Some(field) = info.first_chunk_mut() {
        *field = length.to_le_bytes();
    }
    Ok([filed(SectionKind::DebugInfo, info, in_info)?, filed(SectionKind::DebugLoc, loc, in_loc)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use merc_capsule::finalise::finalise_cubin;
    use merc_capsule::self_check::{CheckOutcome, self_check};

    #[test]
    fn a_made_cubin_is_sound_and_comes_back() {
        let size = Size { functions: 5, instructions: 64, aliased: 2000 };
        let Made { native, origin } = made(size).unwrap();
        let mut both = native.clone();
        clone_cubin::clone_cubin(&mut both, &origin).unwrap();
        let checked = self_check(&both, None).unwrap();
        assert!(checked.iter().any(|checked| checked.clone == ".nv.merc.rela.debug_loc"));
        for checked in &checked {
            // ptxas 13.0 makes no clone of the call graph.
            let is_left_out = checked.native == ".nv.callgraph" || checked.native == ".rela.text.kernel";
            let is_sound = matches!(checked.outcome, CheckOutcome::Same | CheckOutcome::NotChecked);
            assert!(is_sound || is_left_out && checked.outcome == CheckOutcome::Missing, "{checked:?}");
        }
        let own = both.mercury_sections().unwrap().into_iter().filter(|clone| clone.bytes.is_some());
        let own: Vec<String> = own.map(|clone| clone.native).collect();
        let kinds = [
            SectionKind::DebugFrame,
            SectionKind::DebugLine,
            SectionKind::NvDebugLineSass,
            SectionKind::NvDebugInfoRegSass,
        ];
        assert_eq!(own, kinds.map(|kind| kind.name().to_owned()));
        finalise_cubin(&mut both, None).unwrap();
        assert_eq!(both.debug_sections().unwrap(), native.debug_sections().unwrap());
    }
}
