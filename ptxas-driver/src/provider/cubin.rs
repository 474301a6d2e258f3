//! `--code cubin:FILE`: code facts read from an existing cubin.
//!
//! Read are the code sections, symbols, `.nv_debug_line_sass`, the register maps, `.debug_frame`, and from `.debug_info` and
//! `.debug_loc` the relocations only (on sm_75-sm_89 their addends, which `.debug_loc` keeps in its fields). No other byte of a
//! debug section is looked at, so that what is written comes from the PTX and these values alone.

use super::Provided;
use crate::code_image::{CodeImage, CodeSection, FunctionPart, ImageSymbol, LabelAddress, RegisterRange};
use crate::lower::ptx_facts::PtxFacts;
use crate::lower::ptx_sections::PtxSections;
use anyhow::{Result, bail, ensure};
use nv_debug_sections::catalog::{CODE_PREFIX, SectionKind};
use nv_debug_sections::cubin::{Contents, Cubin, SectionIndex, Symbol, SymbolIndex};
use nv_debug_sections::generation::Generation;
use nv_debug_sections::level::DebugLevel;
use nv_debug_sections::line::{self, LineOp};
use nv_debug_sections::relocated::Relocated;
use nv_debug_sections::{Error, ErrorKind, frame, reg_sass, reg_type};
use ptx_syntax::section_data::FixupTarget;
use std::collections::{HashMap, HashSet};

/// What the cubin must fit.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The PTX it was made from.
    pub facts: &'a PtxFacts<'a>,
    /// The PTX's debug sections.
    pub sections: &'a PtxSections<'a>,
    /// SM number of `-arch`.
    pub sm: u32,
    /// `-c`.
    pub relocatable: bool,
    /// How much will be written.
    pub level: DebugLevel,
}

/// Reads the code image of a cubin.
///
/// # Errors
///
/// Not a cubin, one for another SM or made from another PTX, no `.nv_debug_line_sass` where lines are wanted, damaged sections.
pub fn provide<'d>(data: &'d [u8], request: Request<'_>) -> Result<Provided<'d>> {
    let cubin = Cubin::parse(data)?;
    check_kind(&cubin, request)?;
    let Code { sections, by_index } = code_sections(&cubin)?;
    let mut image = CodeImage { sections, ..CodeImage::default() };
    read_symbols(&cubin, &mut image);
    let view = Relocated::new(&cubin);
    if request.level >= DebugLevel::Lines {
        read_ptx_lines(&view, request, &by_index, &mut image)?;
    }
    if request.level >= DebugLevel::Full {
        read_registers(&cubin, &mut image)?;
        read_labels(&view, request, &mut image)?;
    }
    if let Some(index) = cubin.section_by_name(frame::NAME) {
        let section = view.section(index)?;
        image.frame = Some(frame::decode(&section.bytes, &frame::field_symbols(&section))?);
    }
    Ok(Provided { image, container: cubin, placed: false })
}

/// Whether cubins for this SM can be written.
///
/// # Errors
///
/// From sm_100 on they carry a Mercury capsule.
pub fn check_sm(sm: u32) -> Result<()> {
    ensure!(
        Generation::of(sm) < Generation::Mercury,
        "sm_{sm} code carries a Mercury capsule, which this version cannot write yet: expected sm_75 to sm_90, or --code none"
    );
    Ok(())
}

fn check_kind(cubin: &Cubin<'_>, request: Request<'_>) -> Result<()> {
    let sm = cubin.header.sm();
    ensure!(
        sm == request.sm,
        "the cubin holds code for sm_{sm}, -arch asks for sm_{}: pass -arch sm_{sm} or another cubin",
        request.sm
    );
    check_sm(sm)?;
    let relocatable = cubin.header.is_relocatable();
    ensure!(
        relocatable == request.relocatable,
        "the cubin is {}: compile {} -c",
        if relocatable { "relocatable" } else { "a whole program" },
        if relocatable { "with" } else { "without" }
    );
    Ok(())
}

/// The code sections of a cubin.
struct Code {
    sections: Vec<CodeSection>,
    /// Which of them a section of the file is.
    by_index: HashMap<SectionIndex, usize>,
}

/// `.text.*` sections with the functions that start in them.
fn code_sections(cubin: &Cubin<'_>) -> Result<Code> {
    let mut functions: HashMap<SectionIndex, Vec<(SymbolIndex, Symbol)>> = HashMap::new();
    for (index, symbol) in cubin.functions() {
        if let Some(section) = symbol.section() {
            functions.entry(section).or_default().push((index, *symbol));
        }
    }
    let (mut sections, mut by_index) = (Vec::new(), HashMap::new());
    for (index, name, section) in cubin.iter() {
        let Some(function) = name.strip_prefix(CODE_PREFIX) else { continue };
        ensure!(
            !matches!(section.contents, Contents::NoBits(_)),
            "{name} has no code: this is a debug-only object, expected a cubin"
        );
        let mut symbols = functions.remove(&index).unwrap_or_default();
        symbols.sort_by_key(|(index, symbol)| (symbol.value, *index));
        let Some((symbol, _)) = symbols.iter().find(|(index, _)| cubin.symbol_name(*index) == function)
        else {
            continue;
        };
        let folded = format!("${function}$");
        let part = |(index, symbol): &(SymbolIndex, Symbol)| {
            let name = cubin.symbol_name(*index);
            let name = name.strip_prefix(&folded).unwrap_or(name).to_owned();
            FunctionPart { name, address: symbol.value - section.address.min(symbol.value) }
        };
        by_index.insert(index, sections.len());
        sections.push(CodeSection {
            function: function.to_owned(),
            symbol: *symbol,
            size: cubin.bytes(index)?.len() as u64,
            parts: symbols.iter().map(part).collect(),
            ptx_lines: None,
            registers: Vec::new(),
        });
    }
    Ok(Code { sections, by_index })
}

fn read_symbols(cubin: &Cubin<'_>, image: &mut CodeImage) {
    for (index, symbol) in (0..).map(SymbolIndex).zip(cubin.symbols()).skip(1) {
        if symbol.is_section() {
            if let Some(section) = symbol.section() {
                image.section_symbols.insert(cubin.section_name(section).to_owned(), index);
            }
            continue;
        }
        let image_symbol =
            ImageSymbol { index: Some(index), value: symbol.value, defined: symbol.shndx != 0 };
        image.symbols.entry(cubin.symbol_name(index).to_owned()).or_insert(image_symbol);
    }
}

/// PTX lines by instruction, from `.nv_debug_line_sass`.
fn read_ptx_lines(
    view: &Relocated<'_, '_>,
    request: Request<'_>,
    code: &HashMap<SectionIndex, usize>,
    image: &mut CodeImage,
) -> Result<()> {
    let name = SectionKind::NvDebugLineSass.name();
    let Some(index) = view.cubin().section_by_name(name) else {
        bail!(
            "the cubin has no {name}, which says the PTX line of each instruction: make it with `ptxas -lineinfo` or `ptxas -g`"
        );
    };
    let section = view.section(index)?;
    let mut seen = HashSet::new();
    for table in line::decode(name, &section.bytes)? {
        for sequence in &table.sequences {
            let offset = sequence.base_offset;
            let fault = |message: &str| Error::new(name, offset, ErrorKind::Other(message.to_owned()));
            let target =
                section.target(offset).ok_or_else(|| fault("the sequence's address has no relocation"))?;
            let code = target.section.and_then(|section| code.get(&section)).copied();
            let code =
                code.ok_or_else(|| fault("the sequence is for no code section with a function of its name"))?;
            if !seen.insert(code) {
                Err(fault("a second sequence for the same code section"))?;
            }
            let code = &mut image.sections[code];
            let lines = without_opening_rows(name, offset, sequence_lines(sequence), code, request)?;
            code.ptx_lines = Some(lines);
        }
    }
    Ok(())
}

/// Where the PTX line changes: rows, and bare advances, which ptxas writes where the line is again that of the last row.
fn sequence_lines(sequence: &line::Sequence) -> Vec<(u64, u32)> {
    let mut current = 1;
    let mut lines = Vec::new();
    for op in &sequence.ops {
        match *op {
            LineOp::Row { address, line } => {
                current = line;
                lines.push((address, line));
            }
            LineOp::Advance(address) => lines.push((address, current)),
            _ => {}
        }
    }
    lines
}

/// Drops the row that opens each function, after checking that it is at the `{` of that function: what tells a cubin of another
/// PTX.
fn without_opening_rows(
    name: &str,
    offset: u64,
    rows: Vec<(u64, u32)>,
    code: &CodeSection,
    request: Request<'_>,
) -> Result<Vec<(u64, u32)>> {
    let Request { facts, sm, .. } = request;
    let mismatch = |message: String| {
        Error::new(name, offset, ErrorKind::Other(format!("{message}: the cubin was made from another PTX")))
    };
    let mut lines = Vec::with_capacity(rows.len());
    let mut parts = code.parts.iter().peekable();
    for (address, line) in rows {
        if !facts.has_code_at(line) {
            let found = format!("{}+{address:#x} is from PTX line {line}", code.function);
            Err(mismatch(format!(
                "{found}, where this PTX ({} lines) has no instruction",
                facts.line_count
            )))?;
        }
        // Helpers that ptxas adds have no PTX and no rows.
        while parts
            .next_if(|part| part.address < address || !facts.functions.contains_key(part.name.as_str()))
            .is_some()
        {}
        let Some(part) = parts.next_if(|part| part.address == address) else {
            lines.push((address, line));
            continue;
        };
        let open_line = facts.functions.get(part.name.as_str()).map_or(0, |function| function.open_line);
        if line == open_line {
            // Instructions on the line of the `{` have no other row.
            if facts.has_instruction_at(line) {
                lines.push((address, line));
            }
            continue;
        }
        // From sm_90 on the opening row is that of the first instruction, if that has a line of its own.
        if Generation::of(sm) == Generation::Legacy {
            let found = format!("function {} opens at PTX line {line}", part.name);
            Err(mismatch(format!("{found}, in this PTX at line {open_line}")))?;
        }
        lines.push((address, line));
    }
    lines.dedup();
    if !facts.functions.contains_key(code.function.as_str()) {
        Err(mismatch(format!("function {} has PTX lines but is not in this PTX", code.function)))?;
    }
    Ok(lines)
}

fn read_registers(cubin: &Cubin<'_>, image: &mut CodeImage) -> Result<()> {
    let section = |name| cubin.section_by_name(name).map(|index| cubin.bytes(index)).transpose();
    let (Some(ranges), Some(types)) = (section(reg_sass::NAME)?, section(reg_type::NAME)?) else {
        return Ok(());
    };
    let types = reg_type::decode(&types)?;
    let types: HashMap<_, _> = types.iter().map(|function| (function.function, function.types)).collect();
    let ranges = reg_sass::decode(&ranges)?;
    let ranges: HashMap<_, _> = ranges.iter().map(|function| (function.function, &function.ranges)).collect();
    for code in &mut image.sections {
        let Some(ranges) = ranges.get(code.function.as_bytes()) else { continue };
        let types = types.get(code.function.as_bytes()).copied().unwrap_or_default();
        ensure!(
            ranges.len() == types.len(),
            "{} has {} entries for {}, {} has {}",
            reg_sass::NAME,
            ranges.len(),
            code.function,
            reg_type::NAME,
            types.len()
        );
        code.registers = ranges
            .iter()
            .zip(types)
            .map(|(range, &type_code)| RegisterRange {
                part: range.part,
                ptx_name: range.ptx_name.to_vec(),
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
fn read_labels(view: &Relocated<'_, '_>, request: Request<'_>, image: &mut CodeImage) -> Result<()> {
    for kind in [SectionKind::DebugInfo, SectionKind::DebugLoc] {
        let name = kind.name();
        let (Some(block), Some(index)) = (request.sections.by_kind(kind), view.cubin().section_by_name(name))
        else {
            continue;
        };
        let section = view.section(index)?;
        // Another size: the cubin was assembled from other debug sections, whose offsets mean nothing here.
        if section.bytes.len() != block.assembled.bytes.len() {
            continue;
        }
        for fixup in &block.assembled.fixups {
            let FixupTarget::Symbol { name: label, addend: 0 } = fixup.target else { continue };
            if !request.facts.labels.contains_key(label) {
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
    Ok(())
}
