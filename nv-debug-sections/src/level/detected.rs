//! Detection of the debug level of a cubin, the tool that wrote it, and the features of its PTX.

mod stripped;

use super::condition::Condition;
use super::observed::{self, Compilation};
use super::output_kind::OutputKind;
use super::ptx_features::{PtxFeatures, PtxSection};
use super::section_expectation::Requirement;
use crate::level::detected::stripped::{is_empty_image, removed};

use super::{DebugLevel, ReferenceKind, ReferenceKinds, SectionExpectation};
use crate::catalog::{RelocForm, SectionKind, SectionName, SectionOrigin, Space};
use crate::cubin::{CodeLocation, Cubin, SectionIndex, SymbolIndex, Writer};
use crate::generation::Generation;
use crate::release::Target;
use crate::{Result, line, tkinfo};
use std::borrow::Cow;
use std::collections::HashSet;

pub use stripped::{is_bare, is_stripped, removed_sections};

/// The debug level of a cubin (frames, lines or full), and the other facts that decide which debug
/// sections it should have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedLevel<'c> {
    /// The SM that the code is for, and the toolkit release whose rules the file follows.
    pub target: Target,
    /// The debug level of the file: the lowest level whose files can have all its debug sections.
    pub level: DebugLevel,
    /// The first section of the file that no file of a lower level has; `None` if the file has the
    /// lowest level.
    pub shown_by: Option<SectionName<'c>>,
    /// The kind of output file: from ptxas, ptxas -c, nvlink, or `compile --code none`.
    pub output: OutputKind,
    /// Whether the machine code is in this file, in another one, or in none.
    pub code: CodeLocation,
    /// Whether the file is a side file, as `strip --split` and `objcopy --only-keep-debug` make
    /// one. All other facts are then those of its original, the file with the code or a debug-only
    /// object.
    pub is_side_file: bool,
    /// Whether the file has debug entries and no register maps, as `compile -g --debug-opt keep`
    /// makes it for optimised code. ptxas writes both or neither.
    pub optimised: bool,
    /// The kinds of debug sections from the assembler that were removed from the file. Symbols that
    /// [`Cubin::remove_debug_sections`] leaves show which. A file without any debug section has at
    /// least `.debug_frame` here, since from sm_70 on ptxas and nvlink always write it.
    pub removed: Vec<SectionKind>,
    /// Whether nvlink made the file, so that unused functions may be missing. It is recognised by
    /// the tool's note, or by lines in a file whose ptxas was not asked for lines: at link-time
    /// optimisation nvlink calls ptxas without `-lineinfo`, and lines come from `.loc` alone. (A
    /// ptxas that was called without it for PTX with `.loc` looks the same.) Observed: nvlink
    /// 13.0.88.
    pub is_linked: bool,
    /// A section that all other files of its level have and this one need not: `.debug_frame` of an
    /// image without functions, as nvlink puts one into each program. `None` for other files.
    pub not_needed: Option<SectionKind>,
    /// The space of which the file has no sections: Mercury, or `None` if the file has a capsule.
    /// From sm_100 on such a file has lost its capsule, by the driver when it makes native code, or
    /// by the `merc` commands.
    pub absent_space: Option<Space>,
    /// The tool that wrote the file and its version; `None` if the file does not say.
    pub writer: Option<Writer>,
    /// The features of the PTX, as far as the file shows them.
    pub ptx: PtxFeatures<'c>,
}

impl<'c> DetectedLevel<'c> {
    /// Detects the debug level of a cubin (frames, lines or full), the tool that wrote it, and the
    /// features of its PTX. What stands in a damaged section only is left out.
    pub fn of(cubin: &'c Cubin<'_>) -> Self {
        let sections = parsed_names(cubin);
        let writer = cubin.writer();
        let code = cubin.code_location();
        let is_apart = cubin.is_side_file() || code == CodeLocation::OtherFile;
        let output =
            if code == CodeLocation::None { OutputKind::DebugOnly } else { output(cubin, writer.as_ref()) };
        let contents = || sections.iter().map(|(_, name)| name).filter(|name| name.is_debug_contents());
        let shows = |name: &SectionName<'_>| match (name.kind(), output) {
            // Debug-only objects have these with any level.
            (
                Some(SectionKind::DebugAbbrev | SectionKind::DebugInfo | SectionKind::DebugAranges),
                OutputKind::DebugOnly,
            ) => DebugLevel::Lines,
            (Some(kind), _) => level_of(kind),
            (None, _) => DebugLevel::Full,
        };
        let level = contents().map(shows).max().unwrap_or(DebugLevel::None);
        let shown_by = contents().find(|name| level > DebugLevel::None && shows(name) == level).cloned();
        let program = program(cubin, &sections, output);
        let removed = removed(cubin, &sections, output);
        let has = |kind| contents().any(|name| name.kind() == Some(kind));
        let is_linked = output == OutputKind::Linked
            || output == OutputKind::Program && has(SectionKind::DebugLine) && has_unasked_lines(cubin);
        let optimised = has(SectionKind::DebugInfo) && !REGISTERS.into_iter().any(has);
        let target = cubin.target();
        Self {
            target,
            level,
            shown_by,
            output,
            code,
            is_side_file: is_apart,
            optimised,
            removed,
            is_linked,
            not_needed: is_empty_image(cubin).then_some(SectionKind::DebugFrame),
            absent_space: (!cubin.has_capsule()).then_some(Space::Mercury),
            writer,
            ptx: program,
        }
    }

    /// The debug sections that a file with these facts should have. A section that was stripped is
    /// not required.
    pub fn expected(&self) -> Vec<SectionExpectation<'c>> {
        let Self { target, level, output, optimised, ptx: ref program, ref removed, .. } = *self;
        let mut list = observed::expected_sections(&Compilation { level, target, output, program });
        list.retain(|section| Some(section.name.space) != self.absent_space);
        if optimised {
            let of_registers = |section: &&mut SectionExpectation<'_>| {
                section.name.kind().is_some_and(|kind| REGISTERS.contains(&kind))
            };
            list.iter_mut()
                .filter(of_registers)
                .for_each(|section| section.requirement = Requirement::If(Condition::Unoptimised));
        }
        if let Some(not_needed) = self.not_needed {
            for section in list.iter_mut().filter(|section| section.name.kind() == Some(not_needed)) {
                section.requirement = Requirement::If(Condition::Code);
            }
        }
        if removed.is_empty() {
            return list;
        }
        for section in &mut list {
            if section.name.kind().is_some_and(|kind| removed.contains(&kind)) {
                section.requirement = Requirement::If(Condition::NotStripped);
            }
        }
        // Nobody takes out `.nv_debug.shared`, whatever the level was.
        let shared =
            observed::shared_window(&Compilation { level: DebugLevel::Full, target, output, program });
        list.extend(shared.filter(|shared| list.iter().all(|section| section.name != shared.name)));
        list
    }
}

/// What ptxas writes of registers with `-g`, of code that it never optimises then.
const REGISTERS: [SectionKind; 2] = [SectionKind::NvDebugInfoRegSass, SectionKind::NvDebugInfoRegType];

/// The least level that has a section.
fn level_of(kind: SectionKind) -> DebugLevel {
    let of_code = observed::CONTENTS.iter().find(|(known, ..)| *known == kind).map(|(_, from, _)| *from);
    match kind {
        SectionKind::NvDebugShared => DebugLevel::None,
        _ => of_code.unwrap_or(DebugLevel::Full),
    }
}

/// Whether ptxas wrote a file and was not asked for lines; `false` where the file does not say.
fn has_unasked_lines(cubin: &Cubin<'_>) -> bool {
    let Some(bytes) = cubin.section_by_name(tkinfo::NAME).and_then(|index| cubin.bytes(index).ok()) else {
        return false;
    };
    let asks = |option: &[u8]| {
        [&b"-lineinfo"[..], b"--generate-line-info", b"-g", b"--device-debug"].contains(&option)
    };
    let tools = tkinfo::decode(&bytes).unwrap_or_default();
    !tools.is_empty()
        && tools.iter().all(|tool| {
            tool.tool.starts_with(b"ptxas") && !tool.options.split(|byte| *byte == b' ').any(asks)
        })
}

pub(super) fn output(cubin: &Cubin<'_>, writer: Option<&Writer>) -> OutputKind {
    if writer.is_some_and(|writer| writer.tool == "nvlink") {
        OutputKind::Linked
    } else if cubin.header.is_relocatable() {
        OutputKind::Relocatable
    } else {
        OutputKind::Program
    }
}

/// The names of the symbols that [`Cubin::remove_debug_sections`] leaves for sections that it takes
/// out.
pub(super) fn marks<'c>(cubin: &'c Cubin<'_>) -> impl Iterator<Item = SectionName<'c>> {
    let marks = (0..).map(SymbolIndex).zip(cubin.symbols()).filter(|(_, symbol)| symbol.is_local_undefined());
    marks.map(|(index, _)| SectionName::parse(cubin.symbol_name(index)))
}

pub(super) fn parsed_names<'c>(cubin: &'c Cubin<'_>) -> Vec<(SectionIndex, SectionName<'c>)> {
    cubin.iter().map(|(index, name, _)| (index, SectionName::parse(name))).collect()
}

fn program<'c>(
    cubin: &Cubin<'_>,
    sections: &[(SectionIndex, SectionName<'c>)],
    output: OutputKind,
) -> PtxFeatures<'c> {
    // Either copy will do: what one of them lacks is missing.
    let either = |kind: SectionKind| {
        let of_kind =
            sections.iter().filter(move |(_, name)| name.form.is_none() && name.kind() == Some(kind));
        of_kind.map(|(index, _)| *index)
    };
    let holds = |kind: SectionKind, test: &dyn Fn(&[u8]) -> Option<bool>| {
        either(kind).filter_map(|index| test(&cubin.bytes(index).ok()?)).reduce(|one, other| one || other)
    };
    let lines = line_facts(either(SectionKind::DebugLine).filter_map(|index| cubin.bytes(index).ok()));
    let traced = line_facts(either(SectionKind::NvDebugLineSass).filter_map(|index| cubin.bytes(index).ok()));
    let intermediate =
        line_facts(either(SectionKind::TileirDebugLine).filter_map(|index| cubin.bytes(index).ok()));
    let entries = holds(SectionKind::DebugInfo, &|bytes| Some(!bytes.is_empty()));
    // nvlink leaves rows and frames of functions that it drops, without relocations: only these
    // show that there are others.
    let of_code = |kind: SectionKind, holds: Option<bool>| match (output, holds) {
        (OutputKind::Linked, Some(true)) => {
            sections.iter().any(|(_, name)| name.form.is_some() && name.kind() == Some(kind)).then_some(true)
        }
        _ => holds,
    };
    let frames = holds(SectionKind::DebugFrame, &|bytes| Some(!bytes.is_empty()));
    PtxFeatures {
        has_code: of_code(SectionKind::DebugFrame, frames),
        has_ptx_lines: of_code(SectionKind::NvDebugLineSass, traced.map(|facts| facts.has_rows)),
        has_loc: of_code(SectionKind::DebugLine, lines.map(|facts| facts.has_rows)),
        has_inlined_names: lines.map(|facts| facts.has_contexts),
        has_shared_variables: None,
        sections: Some(own_sections(cubin.target(), sections, entries)),
        ptx_text_names: texts(sections, output),
        has_intermediate_lines: of_code(
            SectionKind::TileirDebugLine,
            Some(intermediate.is_some_and(|facts| facts.has_rows)),
        ),
        intermediate_text_names: Some(intermediate_texts(sections)),
    }
}

/// The facts about a PTX that the line tables of a file show.
#[derive(Clone, Copy)]
struct LineFacts {
    has_rows: bool,
    /// A table has contexts of inlined calls.
    has_contexts: bool,
}

/// What the copies of a line section hold; `None` if none can be decoded.
fn line_facts<'b>(copies: impl Iterator<Item = Cow<'b, [u8]>>) -> Option<LineFacts> {
    let of_copy = |bytes: Cow<'_, [u8]>| -> Result<LineFacts> {
        let mut facts = LineFacts { has_rows: false, has_contexts: false };
        for unit in line::unit_programs(SectionKind::DebugLine.name(), &bytes) {
            let unit = unit?;
            facts.has_contexts |= unit.table.debug_str_base.is_some();
            for sequence in unit.sequences() {
                sequence?;
                facts.has_rows = true;
            }
        }
        Ok(facts)
    };
    copies.filter_map(|bytes| of_copy(bytes).ok()).reduce(|one, other| LineFacts {
        has_rows: one.has_rows || other.has_rows,
        has_contexts: one.has_contexts || other.has_contexts,
    })
}

/// The sections that come from the PTX, in either copy, or with nothing left but their relocations;
/// and `.debug_abbrev`, without which `entries` cannot be read. (Names of inlined functions cannot
/// be read without `.debug_str`, but ptxas does not ask for it.)
fn own_sections<'c>(
    target: Target,
    sections: &[(SectionIndex, SectionName<'c>)],
    entries: Option<bool>,
) -> Vec<PtxSection<'c>> {
    let rela = sections.iter().filter(|(_, name)| name.form == Some(RelocForm::Rela));
    let with_rela: HashSet<&str> = rela.map(|(_, name)| &*name.base).collect();
    let mut own = Vec::new();
    let mut seen = HashSet::new();
    for (_, name) in sections {
        let origin = SectionName { form: None, ..name.clone() }.origin();
        if origin == Some(SectionOrigin::Ptx) && seen.insert(name.base.clone()) {
            // One copy shows the references of the other. No relocations show nothing: they may be
            // what is missing. What they refer to does not matter: symbols' addresses are in RELA
            // sections of every file.
            let both = target.generation() == Generation::Mercury && with_rela.contains(&*name.base);
            let mut references = ReferenceKinds::default();
            references.0[ReferenceKind::Symbol as usize] = both.then_some(true);
            own.push(PtxSection { name: name.base.clone(), references });
        }
    }
    let abbreviations = SectionKind::DebugAbbrev.name();
    if entries == Some(true) && !seen.contains(abbreviations) {
        own.push(PtxSection { name: abbreviations.into(), references: ReferenceKinds::default() });
    }
    own
}

/// Names of the PTX texts, where a file of that kind can have them.
/// The names of the sections with texts of an intermediate language. Two may have one name.
fn intermediate_texts<'c>(sections: &[(SectionIndex, SectionName<'c>)]) -> Vec<Cow<'c, str>> {
    let is_text = |name: &SectionName<'_>| name.contents_kind() == Some(SectionKind::TileirDebugTxt);
    let mut seen = HashSet::new();
    let names = sections.iter().map(|(_, name)| name).filter(|name| is_text(name));
    names.filter(|name| seen.insert(&name.base)).map(|name| name.base.clone()).collect()
}

fn texts<'c>(sections: &[(SectionIndex, SectionName<'c>)], output: OutputKind) -> Option<Vec<Cow<'c, str>>> {
    let mut texts = Vec::new();
    let mut seen = HashSet::new();
    let is_text =
        |name: &SectionName<'_>| name.form.is_none() && name.kind() == Some(SectionKind::NvDebugPtxTxt);
    for (_, name) in sections.iter().filter(|(_, name)| is_text(name)) {
        let can_be = match output {
            OutputKind::Relocatable => !name.suffix().is_empty(),
            OutputKind::Program | OutputKind::DebugOnly => name.suffix().is_empty(),
            OutputKind::Linked => true,
        };
        if can_be && seen.insert(&name.base) {
            texts.push(name.base.clone());
        }
    }
    (!texts.is_empty()).then_some(texts)
}
