//! `--code cubin:FILE`: code facts read from an existing cubin.
//!
//! Read are the code sections, symbols, `.nv_debug_line_sass`, the register maps, `.debug_frame`,
//! and from `.debug_info` and `.debug_loc` the relocations only (on sm_75-sm_89 their addends,
//! which `.debug_loc` keeps in its fields). No other byte of a debug section is looked at, so that
//! what is written comes from the PTX and these values alone. From sm_100 on the same is read again
//! in Mercury space, from the clones of these sections.

mod lines;

use super::Provided;
use crate::code_facts::{
    CodeFacts, CodeSection, FunctionPart, ImageSymbol, LabelAddress, MercuryFacts, RegisterRange,
};
use crate::error::{ErrorKind, Result, section_name};
use crate::lower::ptx_facts::PtxFacts;
use crate::lower::ptx_sections::PtxSections;
use merc_capsule::{Imnmx, imnmx_instructions, merc_name, native_name};
use nv_debug_sections::catalog::{CODE_PREFIX, SectionKind, SectionName, Space};
use nv_debug_sections::cubin::{Contents, Cubin, Section, SectionIndex, Symbol, SymbolIndex, sht};
use nv_debug_sections::generation::Generation;
use nv_debug_sections::level::DebugLevel;
use nv_debug_sections::release::Target;
use nv_debug_sections::relocated::RelocatedCubin;
use nv_debug_sections::{frame, nv_info, reg_sass, reg_type};
use ptx_syntax::section_data::FixupTarget;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// The conditions that a cubin must meet to be the code of a PTX text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CubinRequest<'a> {
    /// The PTX it was made from.
    pub(crate) facts: &'a PtxFacts<'a>,
    /// The PTX's debug sections.
    pub(crate) sections: &'a PtxSections<'a>,
    /// SM number of `-arch`.
    pub(crate) target: Target,
    /// How much will be written.
    pub(crate) level: DebugLevel,
}

/// Reads the code image of a cubin.
///
/// # Errors
///
/// A cubin made from another PTX, no `.nv_debug_line_sass` where lines
/// are wanted, damaged sections, from sm_100 on a function without Mercury code.
pub(crate) fn provide<'d>(cubin: Cubin<'d>, request: CubinRequest<'_>) -> Result<Provided<'d>> {
    let image = Reader::new(&cubin, request, Space::Native).image()?;
    let mercury = if request.target.generation() == Generation::Mercury {
        let image_there = Reader::new(&cubin, request, Space::Mercury).image()?;
        Some(MercuryFacts::new(&image, image_there, request.facts)?)
    } else {
        None
    };
    Ok(Provided { image, mercury, container: cubin, debug_only: false })
}

/// Checks that a cubin is for the SM and of the kind that was asked for.
///
/// # Errors
///
/// It is for another SM, or relocatable where an executable was asked for, or the reverse.
pub(crate) fn check_kind(cubin: &Cubin<'_>, target: Target, relocatable: bool) -> Result<()> {
    let found = cubin.header.sm();
    if found != target.sm {
        return Err(ErrorKind::OtherArch { found, asked: target.sm });
    }
    let is_relocatable = cubin.header.is_relocatable();
    if is_relocatable != relocatable {
        return Err(ErrorKind::OtherOutput { relocatable: is_relocatable });
    }
    Ok(())
}

/// Size of an instruction since sm_70.
const INSTRUCTION_BYTES: usize = 16;

/// Opcodes of `BSSY` and `BMOV` since sm_75. Observed: nvdisasm 13.2.
const BRANCH_SETUP: [u16; 2] = [0x945, 0x355];

/// Opcodes of `BRA`, `BRX`, `EXIT` and `RET`, likewise.
const BLOCK_ENDS: [u16; 4] = [0x947, 0x949, 0x94d, 0x950];

/// Opcodes of `CALL.ABS`, `CALL.REL` and `CALL.ABS` through a register, likewise.
const CALLS: [u16; 3] = [0x943, 0x944, 0x343];

/// Opcode of `YIELD`, likewise.
const YIELD: u16 = 0x946;

/// Reads the facts of one space.
struct Reader<'r, 'd> {
    cubin: &'r Cubin<'d>,
    view: RelocatedCubin<'r, 'd>,
    request: CubinRequest<'r>,
    space: Space,
    /// The symbol table of the space.
    symtab: Option<SectionIndex>,
    /// `.nv.info.F` by code section.
    info_of: HashMap<SectionIndex, SectionIndex>,
}

/// The low 12 bits of an instruction.
fn opcode(instruction: &[u8]) -> Option<u16> {
    instruction.first_chunk().map(|low| u16::from_le_bytes(*low) & 0xfff)
}

/// The code sections of a space.
struct Code {
    sections: Vec<CodeSection>,
    /// The position of a section of the file among these.
    by_index: HashMap<SectionIndex, usize>,
}

impl<'r, 'd> Reader<'r, 'd> {
    fn new(cubin: &'r Cubin<'d>, request: CubinRequest<'r>, space: Space) -> Self {
        let symtab = match space {
            Space::Native => cubin.symtab(),
            Space::Mercury => cubin.mercury_symtab(),
        };
        let is_info = |section: &Section<'_>| matches!(section.sh_type, sht::CUDA_INFO | sht::MERC_INFO);
        let info = cubin.iter().filter(|(.., section)| is_info(section) && section.info_is_section());
        let info_of = info.map(|(index, _, section)| (SectionIndex(section.info), index)).collect();
        Self { cubin, view: RelocatedCubin::new(cubin), request, space, symtab, info_of }
    }

    fn image(&self) -> Result<CodeFacts> {
        let Code { sections, by_index } = self.code_sections()?;
        let mut image = CodeFacts { sections, ..CodeFacts::default() };
        self.read_symbols(&mut image);
        if self.request.level >= DebugLevel::Lines {
            lines::read(self, &by_index, &mut image)?;
        }
        if self.request.level >= DebugLevel::Full {
            self.read_registers(&mut image)?;
            self.read_labels(&mut image);
        }
        if let Some(index) = self.section(SectionKind::DebugFrame) {
            let section = self.view.section(index)?;
            image.frame = Some(frame::decode(&section.bytes, &frame::field_symbols(&section))?);
        }
        Ok(image)
    }

    /// Name of a section in this space.
    fn name(&self, kind: SectionKind) -> String {
        section_name(self.space, kind)
    }

    /// The section of that kind in this space.
    fn section(&self, kind: SectionKind) -> Option<SectionIndex> {
        self.cubin.section_by_name(&self.name(kind))
    }

    fn symbols(&self) -> impl Iterator<Item = (SymbolIndex, &'r Symbol)> {
        let symbols = self.symtab.map_or(&[][..], |table| self.cubin.symbols_of(table));
        (0..).map(SymbolIndex).zip(symbols).skip(1)
    }

    fn symbol_name(&self, symbol: SymbolIndex) -> &'r str {
        self.symtab.map_or("", |table| self.cubin.symbol_name_in(table, symbol))
    }

    /// `.text.*` sections, in Mercury space `.nv.capmerc.text.*`, with the functions that start in
    /// them.
    fn code_sections(&self) -> Result<Code> {
        let mut functions: HashMap<SectionIndex, Vec<(SymbolIndex, Symbol)>> = HashMap::new();
        for (index, symbol) in self.symbols().filter(|(_, symbol)| symbol.is_function()) {
            if let Some(section) = symbol.section() {
                functions.entry(section).or_default().push((index, *symbol));
            }
        }
        let (mut sections, mut by_index) = (Vec::new(), HashMap::new());
        for (index, name, section) in self.cubin.iter() {
            let native = (self.space == Space::Mercury && section.is_mercury()).then(|| native_name(name));
            let native = match (self.space, &native) {
                (Space::Native, _) => name,
                (Space::Mercury, Some(Some(native))) => native,
                (Space::Mercury, _) => continue,
            };
            let Some(function) = native.strip_prefix(CODE_PREFIX) else { continue };
            if matches!(section.contents, Contents::NoBits(_)) {
                return Err(ErrorKind::NoCode { section: name.to_owned() });
            }
            let mut symbols = functions.remove(&index).unwrap_or_default();
            symbols.sort_by_key(|(index, symbol)| (symbol.value, *index));
            let Some((symbol, own)) = symbols.iter().find(|(index, _)| self.symbol_name(*index) == function)
            else {
                continue;
            };
            let folded = format!("${function}$");
            let part = |(index, symbol): &(SymbolIndex, Symbol)| {
                let name = self.symbol_name(*index);
                let name = name.strip_prefix(&folded).unwrap_or(name).to_owned();
                FunctionPart { name, address: symbol.value - section.address.min(symbol.value) }
            };
            by_index.insert(index, sections.len());
            let size = match self.space {
                Space::Native => self.cubin.bytes(index)?.len() as u64,
                Space::Mercury => own.size,
            };
            sections.push(CodeSection {
                function: function.to_owned(),
                symbol: *symbol,
                size,
                parts: symbols.iter().map(part).collect(),
                ptx_lines: None,
                registers: Vec::new(),
                exits: self.exits(index)?,
                branch_setup: self.instructions(index, &BRANCH_SETUP)?,
                block_ends: self.instructions(index, &BLOCK_ENDS)?,
                imnmx: self.imnmx(index)?,
                calls: self.instructions(index, &CALLS)?,
            });
        }
        Ok(Code { sections, by_index })
    }

    /// The byte offsets of the instructions with one of these opcodes. Mercury code cannot be read.
    fn instructions(&self, code: SectionIndex, wanted: &[u16]) -> Result<Vec<u64>> {
        let bytes = if self.space == Space::Native { self.cubin.bytes(code)? } else { Cow::default() };
        let opcodes = bytes.chunks_exact(INSTRUCTION_BYTES).map(opcode);
        let found = (0..)
            .step_by(INSTRUCTION_BYTES)
            .zip(opcodes)
            .filter(|(_, opcode)| opcode.is_some_and(|opcode| wanted.contains(&opcode)));
        Ok(found.map(|(at, _)| at).collect())
    }

    /// The native instructions that have the lines of others, which the capsule of the code says.
    fn imnmx(&self, code: SectionIndex) -> Result<Vec<Imnmx>> {
        if self.space == Space::Mercury {
            return Ok(Vec::new());
        }
        let capsule =
            merc_name(self.cubin.section_name(code)).and_then(|name| self.cubin.section_by_name(&name));
        let capsule = capsule.map(|capsule| self.cubin.bytes(capsule)).transpose()?;
        Ok(imnmx_instructions(self.request.target, &self.cubin.bytes(code)?, &capsule.unwrap_or_default()))
    }

    /// Whether there is a `YIELD` at a byte offset of native code.
    fn yields_at(&self, code: SectionIndex, address: u64) -> Result<bool> {
        let bytes = self.cubin.bytes(code)?;
        let instruction = usize::try_from(address).ok().and_then(|at| bytes.get(at..));
        Ok(instruction.and_then(opcode) == Some(YIELD))
    }

    /// Where the section's code exits.
    fn exits(&self, code: SectionIndex) -> Result<Vec<u64>> {
        let Some(&index) = self.info_of.get(&code) else { return Ok(Vec::new()) };
        let bytes = self.cubin.bytes(index)?;
        let records = nv_info::decode(self.cubin.section_name(index), &bytes)?;
        let mut exits: Vec<u64> = nv_info::exit_offsets(&records).map(u64::from).collect();
        exits.sort_unstable();
        Ok(exits)
    }

    fn read_symbols(&self, image: &mut CodeFacts) {
        for (index, symbol) in self.symbols() {
            if symbol.is_section() {
                if let Some(section) = symbol.section() {
                    let name = SectionName::parse(self.cubin.section_name(section)).base.into_owned();
                    image.section_symbols.insert(name, index);
                }
                continue;
            }
            let image_symbol =
                ImageSymbol { index: Some(index), value: symbol.value, defined: symbol.shndx != 0 };
            image.symbols.entry(self.symbol_name(index).to_owned()).or_insert(image_symbol);
        }
    }

    fn read_registers(&self, image: &mut CodeFacts) -> Result<()> {
        let section = |kind| self.section(kind).map(|index| self.cubin.bytes(index)).transpose();
        let ranges = section(SectionKind::NvDebugInfoRegSass)?;
        let (Some(ranges), Some(types)) = (ranges, section(SectionKind::NvDebugInfoRegType)?) else {
            return Ok(());
        };
        let types = reg_type::decode(&types)?;
        let types: HashMap<_, _> = types.iter().map(|function| (function.function, function.types)).collect();
        let ranges = reg_sass::decode(&ranges)?;
        let ranges: HashMap<_, _> =
            ranges.iter().map(|function| (function.function, &function.ranges)).collect();
        // The same few in all functions.
        let mut names: foldhash::HashMap<&[u8], Arc<[u8]>> = foldhash::HashMap::default();
        for code in &mut image.sections {
            let Some(ranges) = ranges.get(code.function.as_bytes()) else { continue };
            let types = types.get(code.function.as_bytes()).copied().unwrap_or_default();
            if ranges.len() != types.len() {
                return Err(ErrorKind::RegisterMaps {
                    function: code.function.clone(),
                    space: self.space,
                    ranges: ranges.len(),
                    types: types.len(),
                });
            }
            code.registers = ranges
                .iter()
                .zip(types)
                .map(|(range, &type_code)| RegisterRange {
                    part: range.part,
                    ptx_name: Arc::clone(
                        names.entry(range.ptx_name).or_insert_with(|| Arc::from(range.ptx_name)),
                    ),
                    register: range.register,
                    start: range.start,
                    end: range.end,
                    type_code,
                })
                .collect();
        }
        image.has_registers = true;
        Ok(())
    }

    /// Label addresses from the relocations of the sections that the same PTX gave the cubin.
    fn read_labels(&self, image: &mut CodeFacts) {
        let CubinRequest { facts, sections, .. } = self.request;
        for kind in [SectionKind::DebugInfo, SectionKind::DebugLoc] {
            let (Some(block), Some(index)) = (sections.by_kind(kind), self.section(kind)) else { continue };
            // Relocations that overlap, or of unknown types: PTX with strange references can have
            // that, and the line table tells too.
            let Ok(section) = self.view.section(index) else { continue };
            // Another size: the cubin was assembled from other debug sections, whose offsets mean
            // nothing here.
            if section.bytes.len() != block.assembled.bytes.len() {
                continue;
            }
            for fixup in &block.assembled.fixups {
                let FixupTarget::Symbol { name: label, addend: 0 } = fixup.target else { continue };
                if !facts.labels.contains_key(label) {
                    continue;
                }
                match section.target(fixup.offset).filter(|target| target.section.is_some()) {
                    Some(target) => {
                        let address = LabelAddress { symbol: target.symbol, offset: target.addend as u64 };
                        image.labels.entry(label.to_owned()).or_insert(address);
                    }
                    None => {
                        image.open_labels.insert((kind, label.to_owned()));
                    }
                }
            }
        }
    }
}
