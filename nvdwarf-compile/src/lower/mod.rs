//! Lowering: debug sections from PTX and a code image. Only in these files do the parser's and the
//! writers' values meet.
//!
//! From sm_100 on every section is lowered twice: for the native code, and for the Mercury code
//! beside it.

mod carried_lines;
mod labels;
mod line_locs;
mod line_tables;
pub(crate) mod loc_chains;
pub(crate) mod mercury_lines;
mod optimized_debug;
pub(crate) mod ptx_facts;
pub(crate) mod ptx_sections;
pub(crate) mod shared_lines;
mod synthetic_unit;

use crate::code_facts::{CodeFacts, CodeSection, MercuryFacts};
use crate::diagnostic::Diagnostic;
use crate::error::{ErrorKind, Result};
use crate::line_table_style::LineTableStyle;
use crate::options::NvdwarfOptions;
use crate::parallel;
use dwarf2_writer::{Address, Reloc, Section, SymbolId};
use labels::Labels;
use merc_capsule::MercuryContents;
use nv_debug_sections::catalog::{SectionKind, Space};
use nv_debug_sections::cubin::{DebugSection, MercurySection};
use nv_debug_sections::file_table::SourceFile;
use nv_debug_sections::generation::Generation;
use nv_debug_sections::level::DebugLevel;
use nv_debug_sections::reg_sass::{self, FunctionRegisters};
use nv_debug_sections::reg_type::{self, FunctionTypes};
use nv_debug_sections::release::Target;
use nv_debug_sections::{frame, intermediate_text, ptx_txt, reloc};
use ptx_facts::PtxFacts;
use ptx_sections::PtxSections;
use std::collections::HashMap;

/// The inputs of lowering: the PTX, its code, and the options.
#[derive(Debug)]
pub(crate) struct LoweringInput<'a> {
    /// The PTX file as it is.
    pub(crate) source: &'a str,
    /// Its index.
    pub(crate) facts: &'a PtxFacts<'a>,
    /// Its `.section` blocks.
    pub(crate) sections: &'a PtxSections<'a>,
    /// Its `.file` directives, with times and sizes settled.
    pub(crate) files: &'a [SourceFile<'a>],
    /// The texts of intermediate languages that the PTX has, in text order.
    pub(crate) intermediate_texts: &'a [IntermediateText<'a>],
    /// The code.
    pub(crate) image: &'a CodeFacts,
    /// The facts about the same code in Mercury space, from sm_100 on.
    pub(crate) mercury: Option<&'a MercuryFacts>,
    /// The SM that the code is for, and the release by whose rules sections are made.
    pub(crate) target: Target,
    /// `-c`.
    pub(crate) relocatable: bool,
    /// How much is written.
    pub(crate) level: DebugLevel,
    /// The options beyond those of ptxas.
    pub(crate) extras: &'a NvdwarfOptions,
    /// Whether there is no code, and every function has an address of its own.
    pub(crate) debug_only: bool,
}

/// A text of an intermediate language.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IntermediateText<'a> {
    /// The path in the `.file` that it is of.
    pub(crate) path: &'a [u8],
    /// Its lines.
    pub(crate) text: &'a str,
}

/// Everything that lowering one section looks at.
#[derive(Debug)]
struct Context<'a> {
    facts: &'a PtxFacts<'a>,
    sections: &'a PtxSections<'a>,
    /// The code in the space that is lowered for.
    image: &'a CodeFacts,
    /// The native code.
    native: &'a CodeFacts,
    labels: &'a Labels<'a>,
    space: Space,
    /// Native code's Mercury code.
    mercury: Option<MercurySource<'a>>,
    target: Target,
    relocatable: bool,
    debug_only: bool,
    line_table: LineTableStyle,
    /// How many bytes below the end of its function's frame a local variable begins.
    local_offsets: HashMap<&'a str, u64>,
}

/// The Mercury code from which native line tables and labels are made.
#[derive(Debug, Clone, Copy)]
struct MercurySource<'a> {
    image: &'a MercuryFacts,
    labels: &'a Labels<'a>,
}

impl Context<'_> {
    /// Whether ptxas makes these line tables from Mercury ones: native code from sm_90 on.
    fn is_from_mercury(&self) -> bool {
        self.space == Space::Native && self.target.generation() >= Generation::HiddenMercury
    }

    /// Whether a line program without sequences has the end of one, as ptxas 13.5 writes it where
    /// it makes the table from a Mercury one.
    fn has_lone_end(&self) -> bool {
        self.is_from_mercury() && self.target.release.line_version() >= 3
    }

    /// How many bytes below the frame base a local variable begins; its own size where no call
    /// frame rules tell.
    fn below_frame_base(&self, variable: &str) -> u64 {
        let own_size = || self.facts.variables.get(variable).and_then(|variable| variable.size);
        self.local_offsets.get(variable).copied().or_else(own_size).unwrap_or(0)
    }
}

/// A debug section before its relocations are split into `.rel` and `.rela`.
#[derive(Debug)]
struct LoweredSection {
    /// `None` for a section that only the PTX knows.
    kind: Option<SectionKind>,
    name: String,
    bytes: Vec<u8>,
    relocs: Vec<Reloc>,
}

impl LoweredSection {
    fn of(kind: SectionKind, bytes: Vec<u8>, relocs: Vec<Reloc>) -> Self {
        Self { kind: Some(kind), name: kind.name().to_owned(), bytes, relocs }
    }
}

/// The debug sections of one compilation.
#[derive(Debug)]
pub(crate) struct LoweredModule {
    /// In file order.
    pub(crate) sections: Vec<DebugSection>,
    /// Their Mercury clones.
    pub(crate) mercury: Vec<MercurySection>,
    /// Rows of `.debug_line`.
    pub(crate) rows: usize,
}

/// Makes the debug sections of one compilation, in file order.
///
/// # Errors
///
/// Values that no section can hold. Faults of the PTX go to `diagnostics`.
pub(crate) fn lower(input: &LoweringInput<'_>, diagnostics: &mut Vec<Diagnostic>) -> Result<LoweredModule> {
    let labels = Labels::new(input.facts, input.image);
    let there = input.mercury.map(|mercury| Labels::new(input.facts, &mercury.image));
    let mercury = input.mercury.zip(there.as_ref()).map(|(image, labels)| MercurySource { image, labels });
    let native = context(input, Space::Native, input.image, &labels, mercury);
    let (lowered, rows) = lower_space(input, &native, diagnostics)?;
    let sections: Vec<DebugSection> =
        lowered.into_iter().map(|section| split_relocations(section, input.target)).collect::<Result<_>>()?;
    let mercury = match mercury {
        Some(MercurySource { image, labels }) => {
            let context = context(input, Space::Mercury, &image.image, labels, None);
            // What is wrong with the PTX has been said.
            let (lowered, _) = lower_space(input, &context, &mut Vec::new())?;
            let native: HashMap<&str, &DebugSection> =
                sections.iter().map(|section| (&*section.name, section)).collect();
            let clones = lowered.into_iter().map(|section| {
                let native = native.get(&*section.name).copied();
                clone(section, native, input)
            });
            clones.collect::<Result<_>>()?
        }
        None => Vec::new(),
    };
    Ok(LoweredModule { sections, mercury, rows })
}

fn context<'a>(
    input: &LoweringInput<'a>,
    space: Space,
    image: &'a CodeFacts,
    labels: &'a Labels<'a>,
    mercury: Option<MercurySource<'a>>,
) -> Context<'a> {
    Context {
        facts: input.facts,
        sections: input.sections,
        image,
        native: input.image,
        labels,
        space,
        mercury,
        target: input.target,
        relocatable: input.relocatable,
        debug_only: input.debug_only,
        line_table: input.extras.line_table,
        local_offsets: local_offsets(input.facts, input.image),
    }
}

/// The sections of one space, and how many rows its source table has.
fn lower_space(
    input: &LoweringInput<'_>,
    context: &Context<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(Vec<LoweredSection>, usize)> {
    let image = context.image;
    let mut lowered = Vec::new();
    let mut rows = 0;
    if let Some(entries) = &image.frame {
        lowered.push(debug_frame(context, entries)?);
    }
    if input.level >= DebugLevel::Lines {
        let source = input.source.as_bytes();
        let name = ptx_txt::section_name(source, input.relocatable);
        let is_large = source.len() >= parallel::LARGE;
        let (text, tables) = parallel::both(
            is_large,
            || ptx_txt::from_ptx(source),
            || {
                let tables = line_tables::loc_tables(context, input.files)?;
                Ok::<_, ErrorKind>((tables, line_tables::line_sass(context, &name, input.files)?))
            },
        );
        let (tables, line_sass) = tables?;
        lowered.push(tables.debug_line);
        rows = tables.rows;
        let debug_str = input.sections.by_kind(SectionKind::DebugStr);
        if let Some(section) = debug_str.filter(|section| !section.assembled.bytes.is_empty()) {
            lowered.push(ptx_sections::lower(section, context, diagnostics));
        }
        lowered.push(line_sass);
        lowered.extend(tables.intermediate);
        if input.extras.embed_ptx {
            let kind = Some(SectionKind::NvDebugPtxTxt);
            lowered.push(LoweredSection { kind, name, bytes: text?, relocs: Vec::new() });
        }
        lowered.extend(intermediate_texts(input));
    }
    if input.level >= DebugLevel::Full {
        if image.has_registers {
            lowered.extend(register_sections(context)?);
        }
        for section in input.sections.in_file_order(input.debug_only) {
            lowered.push(ptx_sections::lower(section, context, diagnostics));
        }
    }
    let changes = input.extras.keep_optimised || !input.extras.path_maps.is_empty();
    if changes {
        // A fault of the PTX, not of the code.
        if let Err(error) = optimized_debug::apply(context, input.extras, input.source.len(), &mut lowered) {
            diagnostics.push(Diagnostic::error(None, error.to_string()));
        }
    }
    if input.debug_only {
        synthetic_unit::add(context, input.files, &mut lowered)?;
    }
    Ok((lowered, rows))
}

/// The texts of intermediate languages. ptxas puts each before those it has; an empty one is none.
fn intermediate_texts(input: &LoweringInput<'_>) -> Vec<LoweredSection> {
    if input.debug_only {
        return Vec::new();
    }
    let texts = input.intermediate_texts.iter().rev().filter(|text| !text.text.is_empty());
    let section = |text: &IntermediateText<'_>| LoweredSection {
        name: intermediate_text::section_name(&String::from_utf8_lossy(text.path)),
        ..LoweredSection::of(SectionKind::TileirDebugTxt, text.text.as_bytes().to_vec(), Vec::new())
    };
    texts.map(section).collect()
}

/// Splits a section's relocations into `.rel` and `.rela`.
fn split_relocations(section: LoweredSection, target: Target) -> Result<DebugSection> {
    let LoweredSection { name, mut bytes, relocs, .. } = section;
    let filed = reloc::split_relocations(&name, target, Space::Native, relocs, &mut bytes)?;
    Ok(DebugSection { name, bytes, rel: filed.rel, rela: filed.rela })
}

/// The clone of a native section. Places of entries in optimised code are others in Mercury code.
fn clone(
    section: LoweredSection,
    native: Option<&DebugSection>,
    input: &LoweringInput<'_>,
) -> Result<MercurySection> {
    let LoweredSection { name, bytes, relocs, .. } = section;
    let original = native.map(|native| &*native.bytes);
    let values = MercuryContents { bytes, relocs };
    Ok(merc_capsule::clone_section(&name, values, original, input.target, input.extras.keep_optimised)?)
}

fn debug_frame(context: &Context<'_>, entries: &[frame::Entry]) -> Result<LoweredSection> {
    let encode = |image: &CodeFacts, entries| {
        let own_symbol = image.section_symbols.get(frame::NAME).filter(|_| context.relocatable);
        frame::encode(entries, own_symbol.map(|symbol| SymbolId(symbol.0)))
    };
    let mut section = encode(context.image, entries)?;
    if context.target.release.puts_mercury_into_frames() {
        put_mercury_offsets(context, &mut section);
    }
    let there = context.mercury.map(|mercury| &mercury.image.image).filter(|_| context.relocatable);
    let there = there.and_then(|there| Some(encode(there, there.frame.as_ref()?))).transpose()?;
    let relocs = merc_capsule::frame::native_relocs(&section, there.as_ref());
    Ok(LoweredSection::of(SectionKind::DebugFrame, section.bytes, relocs))
}

/// Puts Mercury offsets of functions into the fields of relocations that have native ones.
fn put_mercury_offsets(context: &Context<'_>, section: &mut Section) {
    let Some(mercury) = context.mercury else { return };
    let offset_of = |symbol: SymbolId, native: u64| {
        let is_own = |code: &CodeSection| code.symbol.0 == symbol.0;
        let (_, addresses) = mercury.image.section(context.image.sections.iter().position(is_own)?)?;
        addresses.pairs().iter().find(|pair| pair.native == native).map(|pair| pair.mercury)
    };
    for reloc in &mut section.relocs {
        let native = reloc.addend as u64;
        let field =
            section.bytes.get_mut(reloc.offset as usize..).and_then(|rest| rest.first_chunk_mut::<8>());
        if let (true, Some(field), Some(mercury)) = (native != 0, field, offset_of(reloc.symbol, native)) {
            *field = mercury.to_le_bytes();
            reloc.in_place = Some(mercury as i64);
        }
    }
}

/// The first SM whose register maps have functions of the assembler, such as that of a division.
/// Observed: ptxas 11.8 to 12.9, sm_50-sm_61.
const FIRST_SM_WITH_HELPERS_IN_MAPS: u32 = 70;

/// `.nv_debug_info_reg_sass` and `.nv_debug_info_reg_type`.
///
/// Before sm_70 functions of the assembler, which the PTX does not have, are left out.
fn register_sections(context: &Context<'_>) -> Result<[LoweredSection; 2]> {
    let is_listed = |section: &&CodeSection| {
        context.target.sm >= FIRST_SM_WITH_HELPERS_IN_MAPS
            || context.facts.functions.contains_key(section.function.as_str())
    };
    let sections: Vec<_> = context.image.sections.iter().filter(is_listed).collect();
    let ranges = sections.iter().map(|section| {
        let ranges = section.registers.iter().map(|range| reg_sass::RegisterRange {
            part: range.part,
            ptx_name: &range.ptx_name,
            register: range.register,
            start: range.start,
            end: range.end,
        });
        FunctionRegisters { function: section.function.as_bytes(), ranges: ranges.collect() }
    });
    let codes: Vec<Vec<u8>> = sections
        .iter()
        .map(|section| section.registers.iter().map(|range| range.type_code).collect())
        .collect();
    let types: Vec<_> = sections
        .iter()
        .zip(&codes)
        .map(|(section, types)| FunctionTypes { function: section.function.as_bytes(), types })
        .collect();
    Ok([
        LoweredSection::of(SectionKind::NvDebugInfoRegSass, reg_sass::encode(ranges)?, Vec::new()),
        LoweredSection::of(SectionKind::NvDebugInfoRegType, reg_type::encode(&types)?, Vec::new()),
    ])
}

/// How many bytes below the end of its frame each local variable begins, in functions that call
/// frame rules describe. Of variables with the same name the first in the text counts (observed:
/// ptxas 13.0.88).
fn local_offsets<'a>(facts: &'a PtxFacts<'_>, image: &CodeFacts) -> HashMap<&'a str, u64> {
    let mut offsets = HashMap::new();
    if facts.stacks.is_empty() {
        return offsets;
    }
    let sizes = frame_sizes(image);
    for section in &image.sections {
        let ends = section.parts.iter().skip(1).map(|part| part.address).chain([section.size]);
        for (part, end) in section.parts.iter().zip(ends) {
            let (Some(stack), Some(size)) = (facts.stacks.get(&*part.name), sizes.get(&*part.name)) else {
                continue;
            };
            let calls = section.call_lines(part.address, end);
            let has_call = |line| calls.as_ref().is_none_or(|calls| calls.contains(&line));
            for (variable, offset) in stack.offsets(has_call).into_iter().flatten() {
                let is_first =
                    facts.variables.get(variable).is_some_and(|first| first.function == Some(&part.name));
                if is_first && let Some(below) = size.checked_sub(offset) {
                    offsets.entry(variable).or_insert(below);
                }
            }
        }
    }
    offsets
}

/// Frame size of each function that call frame rules describe.
fn frame_sizes(image: &CodeFacts) -> HashMap<&str, u64> {
    let mut functions = HashMap::new();
    for section in &image.sections {
        for part in &section.parts {
            functions.insert((section.symbol.0, part.address as i64), part.name.as_str());
        }
    }
    let fdes = image.frame.iter().flatten().filter_map(|entry| match entry {
        frame::Entry::Fde(fde) => Some(fde),
        frame::Entry::Cie(_) => None,
    });
    fdes.filter_map(|fde| {
        let Address::Symbol { symbol: SymbolId(symbol), addend } = fde.initial_location else { return None };
        Some((*functions.get(&(symbol, addend))?, frame::frame_size(fde)))
    })
    .collect()
}
