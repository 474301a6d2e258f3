//! The debug sections that ptxas and nvlink 13.0.88 write: one rule table from which the lists of
//! all runs follow.
//!
//! Observed: 864 runs of ptxas and 288 of nvlink, sm_75-sm_121, and 679 corpus cubins.
//! `tests/data/section_lists.tsv` has an extract of the runs.

use super::condition::Condition;
use super::output_kind::OutputKind;
use super::ptx_features::{PtxFeatures, PtxSection};
use super::reference_kinds::typical_references;
use super::section_expectation::{Requirement, SectionExpectation};
use super::{DebugLevel, DebugOptions, ReferenceKind, ReferenceKinds};
use crate::catalog::{RelocForm, SectionKind, SectionName, SectionOrigin};
use crate::generation::Generation;
use crate::ptx_txt;
use crate::release::Target;
use std::borrow::Cow;
use std::collections::HashMap;

/// One run of the assembler: debug level, target, kind of output and features of the PTX.
#[derive(Debug, Clone, Copy)]
pub struct Compilation<'p, 'a> {
    /// The debug level of the compilation: how much debug information the assembler writes.
    pub level: DebugLevel,
    /// The SM that the code is for, and the release of the assembler.
    pub target: Target,
    /// The kind of output file: from ptxas, ptxas -c, nvlink, or `compile --code none`.
    pub output: OutputKind,
    /// The features of the PTX that decide which debug sections there are.
    pub program: &'p PtxFeatures<'a>,
}

/// What the code generator writes: section, from which level on, on which condition; in file order
/// (docs/formats/container.md, which debug sections a file has).
pub(super) const CONTENTS: [(SectionKind, DebugLevel, Option<Condition>); 9] = {
    use DebugLevel::{Full, Lines, None as Frame};
    [
        // Of SMs that have frames at every level, see `level_of_frames`.
        (SectionKind::DebugFrame, Frame, None),
        (SectionKind::DebugLine, Lines, None),
        (SectionKind::DebugStr, Lines, Some(Condition::PtxSection(SectionKind::DebugStr))),
        (SectionKind::NvDebugLineSass, Lines, None),
        (SectionKind::TileirDebugLine, Lines, Some(Condition::IntermediateLoc)),
        (SectionKind::NvDebugPtxTxt, Lines, None),
        (SectionKind::TileirDebugTxt, Lines, Some(Condition::IntermediateText)),
        (SectionKind::NvDebugInfoRegSass, Full, None),
        (SectionKind::NvDebugInfoRegType, Full, None),
    ]
};

/// From this SM on ptxas writes `.debug_frame` whatever the options, into files without a function
/// too; below only with `-g`.
///
/// Observed: ptxas 11.8.89, 12.6.85, 12.9.86 and 13.0.88, each on the chips that it takes from
/// sm_50 to sm_121, with and without `-c`; nvlink 13.0.88.
const FIRST_SM_WITH_FRAMES: u32 = 70;

/// From which level on files for an SM have `.debug_frame`.
pub(super) fn level_of_frames(sm: u32) -> DebugLevel {
    if sm >= FIRST_SM_WITH_FRAMES { DebugLevel::None } else { DebugLevel::Full }
}

/// What those sections refer to, on which condition; in the order of the relocation sections. Those
/// of the PTX's own sections come in before [`AFTER_PTX`].
const BEFORE_PTX: [(SectionKind, ReferenceKind, Condition); 4] = [
    // The base of names in `.debug_str`.
    (SectionKind::DebugLine, ReferenceKind::AtLink, Condition::InlinedNames),
    (SectionKind::DebugLine, ReferenceKind::Code, Condition::Loc),
    (SectionKind::NvDebugLineSass, ReferenceKind::Code, Condition::PtxLines),
    (SectionKind::TileirDebugLine, ReferenceKind::Code, Condition::IntermediateLoc),
];
const AFTER_PTX: [(SectionKind, ReferenceKind, Condition); 2] = [
    (SectionKind::DebugFrame, ReferenceKind::Code, Condition::Code),
    // The entry that an entry belongs to, and the size of its function.
    (SectionKind::DebugFrame, ReferenceKind::AtLink, Condition::Code),
];

impl Compilation<'_, '_> {
    fn has_mercury(&self) -> bool {
        self.target.generation() >= Generation::Mercury && self.output != OutputKind::DebugOnly
    }

    /// The kind of relocation section that entries of a reference are in; `None` if they are in
    /// none.
    fn form(&self, target: &str, reference: ReferenceKind) -> Option<RelocForm> {
        let is_kept = match self.output {
            OutputKind::Relocatable => true,
            OutputKind::Program | OutputKind::Linked => reference != ReferenceKind::AtLink,
            OutputKind::DebugOnly => false,
        };
        let is_info = target == SectionKind::DebugInfo.name();
        let is_rel = self.target.generation() < Generation::HiddenMercury
            && reference == ReferenceKind::Code
            && !is_info;
        is_kept.then_some(if is_rel { RelocForm::Rel } else { RelocForm::Rela })
    }
}

/// Returns the debug sections of a file that ptxas 13.0.88 writes, in file order: native sections,
/// native relocations, `.nv_debug.shared`, Mercury clones and their relocations.
pub fn expected_sections<'a>(compilation: &Compilation<'_, 'a>) -> Vec<SectionExpectation<'a>> {
    let mut list = List::default();
    contents(compilation, &mut list);
    relocations(compilation, &mut list);
    let native = list.sections;
    let clones = if compilation.has_mercury() { clones(&native) } else { Vec::new() };
    let shared = shared_window(compilation).into_iter().collect();
    [native, shared, clones].concat()
}

/// The Mercury clones of all these: one relocation section where there are REL and RELA.
fn clones<'a>(native: &[SectionExpectation<'a>]) -> Vec<SectionExpectation<'a>> {
    let mut list = List::default();
    for section in native {
        list.add(section.name.mercury(), Some(section.requirement));
    }
    list.sections
}

/// `.nv_debug.shared`, if such a file can have it. Never certain: which variables bring it is not
/// known to the last case (`docs/conformance.md`). Observed: in whole programs with `-g` only, also
/// where `--suppress-debug-info` leaves nothing else.
pub(super) fn shared_window<'a>(compilation: &Compilation<'_, 'a>) -> Option<SectionExpectation<'a>> {
    let can_be_there = match compilation.output {
        OutputKind::Program => compilation.level != DebugLevel::Lines,
        OutputKind::Relocatable | OutputKind::Linked => true,
        OutputKind::DebugOnly => false,
    };
    let name = SectionName::native(SectionKind::NvDebugShared.name());
    let is_possible = can_be_there && compilation.program.has_shared_variables != Some(false);
    is_possible
        .then_some(SectionExpectation { name, requirement: Requirement::If(Condition::SharedVariables) })
}

/// Whether nvlink 13.0.88 accepts these debug options. It rejects `--suppress-debug-info` without
/// `-g`.
///
/// Those that it takes change nothing about the sections: it copies what its inputs have
/// ([`expected_after_link`]).
///
/// ```
/// use nv_debug_sections::level::{DebugOptions, observed::link_accepts};
/// let suppress = DebugOptions { suppress: true, ..DebugOptions::default() };
/// assert!(!link_accepts(suppress) && link_accepts(DebugOptions { device_debug: true, ..suppress }));
/// ```
pub fn link_accepts(request: DebugOptions) -> bool {
    request.device_debug || !request.suppress
}

/// Returns the debug sections of a file that nvlink 13.0.88 links from several inputs, each section
/// once. `inputs` has for each input the sections that [`expected_sections`] returns for
/// [`OutputKind::Linked`].
///
/// ```
/// use nv_debug_sections::level::{DebugLevel, OutputKind, PtxFeatures, observed};
/// use nv_debug_sections::release::Release;
/// let target = Release::V13_0.target(90);
/// let program = PtxFeatures { ptx_text_names: Some(vec![".nv_debug_ptx_txt.7".into()]), ..Default::default() };
/// let output = OutputKind::Linked;
/// let of = |level| {
///     observed::expected_sections(&observed::Compilation { level, target, output, program: &program })
/// };
/// let linked = observed::expected_after_link(&[of(DebugLevel::None), of(DebugLevel::Lines)]);
/// let names: Vec<String> = linked.iter().map(|section| section.name.to_string()).collect();
/// assert_eq!(names.iter().filter(|name| **name == ".debug_frame").count(), 1);
/// assert!(names.contains(&".nv_debug_ptx_txt.7".to_owned()));
/// ```
pub fn expected_after_link<'a>(inputs: &[Vec<SectionExpectation<'a>>]) -> Vec<SectionExpectation<'a>> {
    let rank = |name: &SectionName<'_>| {
        (name.space, name.kind() == Some(SectionKind::NvDebugShared), name.form.is_some())
    };
    let mut list = List::default();
    for input in inputs {
        for section in input {
            list.add(section.name.clone(), Some(section.requirement));
        }
    }
    list.sections.sort_by_key(|section| rank(&section.name));
    list.sections
}

/// Sections in order, each once.
#[derive(Default)]
struct List<'a> {
    sections: Vec<SectionExpectation<'a>>,
    places: HashMap<SectionName<'a>, usize>,
}

impl<'a> List<'a> {
    /// Adds a section once; the surer need counts.
    fn add(&mut self, name: SectionName<'a>, need: Option<Requirement>) {
        let Some(need) = need else { return };
        let known = self.places.get(&name).and_then(|place| self.sections.get_mut(*place));
        match known {
            Some(known) if need == Requirement::Always => known.requirement = need,
            Some(_) => {}
            None => {
                self.places.insert(name.clone(), self.sections.len());
                self.sections.push(SectionExpectation { name, requirement: need });
            }
        }
    }
}

/// `None` for what must not be there.
fn need(holds: Option<bool>, condition: Condition) -> Option<Requirement> {
    match holds {
        Some(true) => Some(Requirement::Always),
        Some(false) => None,
        None => Some(Requirement::If(condition)),
    }
}

impl PtxFeatures<'_> {
    fn holds(&self, condition: Condition) -> Option<bool> {
        match condition {
            Condition::Code => self.has_code,
            Condition::PtxLines => self.has_ptx_lines,
            Condition::Loc => self.has_loc,
            Condition::InlinedNames => self.has_inlined_names,
            Condition::SharedVariables => self.has_shared_variables,
            Condition::IntermediateLoc => self.has_intermediate_lines,
            Condition::IntermediateText => {
                self.intermediate_text_names.as_ref().map(|names| !names.is_empty())
            }
            Condition::PtxSection(kind) => {
                let sections = self.sections.as_ref()?;
                Some(sections.iter().any(|section| section.name == kind.name()))
            }
            Condition::References | Condition::NotStripped | Condition::Unoptimised => None,
        }
    }
}

fn contents<'a>(compilation: &Compilation<'_, 'a>, list: &mut List<'a>) {
    let Compilation { level, output, program, .. } = *compilation;
    for (kind, from, condition) in CONTENTS {
        let from =
            if kind == SectionKind::DebugFrame { level_of_frames(compilation.target.sm) } else { from };
        let is_from_code =
            [SectionKind::DebugFrame, SectionKind::NvDebugInfoRegSass, SectionKind::NvDebugInfoRegType];
        let is_intermediate = matches!(kind, SectionKind::TileirDebugLine | SectionKind::TileirDebugTxt);
        if is_intermediate && !compilation.target.release.has_intermediate_lines() {
            continue;
        }
        if level < from || output == OutputKind::DebugOnly && is_from_code.contains(&kind) {
            continue;
        }
        let need = condition
            .map_or(Some(Requirement::Always), |condition| need(program.holds(condition), condition));
        match (kind, &program.ptx_text_names) {
            (SectionKind::NvDebugPtxTxt, Some(texts)) => {
                for text in texts {
                    list.add(SectionName::native(text.clone()), need);
                }
            }
            (SectionKind::NvDebugPtxTxt, None)
                if matches!(output, OutputKind::Relocatable | OutputKind::Linked) =>
            {
                list.add(SectionName::native(format!("{}.N", ptx_txt::NAME)), need);
            }
            (SectionKind::TileirDebugTxt, _) => {
                let unknown = [format!("{}.NAME", kind.name()).into()];
                for text in program.intermediate_text_names.as_deref().unwrap_or(&unknown) {
                    list.add(SectionName::native(text.clone()), need);
                }
            }
            _ => list.add(SectionName::native(kind.name()), need),
        }
    }
    for (name, need, _) in of_ptx(compilation) {
        list.add(SectionName::native(name), Some(need));
    }
}

/// The PTX's own sections in file order: `.debug_abbrev` first, then as in the text. `.debug_str`
/// has its own place, and `.debug_line` is not copied.
fn of_ptx<'a>(compilation: &Compilation<'_, 'a>) -> Vec<(Cow<'a, str>, Requirement, ReferenceKinds)> {
    // Debug-only objects of any level have such sections: what leads other readers to the lines.
    if compilation.level < DebugLevel::Full && compilation.output != OutputKind::DebugOnly {
        return Vec::new();
    }
    let Some(sections) = &compilation.program.sections else {
        let of_ptx = SectionKind::all()
            .filter(|kind| kind.entry().origin == SectionOrigin::Ptx && *kind != SectionKind::DebugStr);
        return of_ptx
            .map(|kind| {
                (kind.name().into(), Requirement::If(Condition::PtxSection(kind)), typical_references(kind))
            })
            .collect();
    };
    let has_own_place = [SectionKind::DebugStr, SectionKind::DebugLine].map(SectionKind::name);
    let is_copied = |section: &&PtxSection<'_>| !has_own_place.contains(&&*section.name);
    let mut copied: Vec<_> = sections.iter().filter(is_copied).collect();
    copied.sort_by_key(|section| section.name != SectionKind::DebugAbbrev.name());
    copied
        .into_iter()
        .map(|section| (section.name.clone(), Requirement::Always, section.references))
        .collect()
}

fn relocations<'a>(compilation: &Compilation<'_, 'a>, list: &mut List<'a>) {
    let program = compilation.program;
    let written = list.sections.clone();
    let of_code = |rows: &[(SectionKind, ReferenceKind, Condition)], list: &mut List<'a>| {
        for &(kind, reference, condition) in rows {
            let target = SectionName::native(kind.name());
            let is_written = written.iter().any(|section| section.name == target);
            let form = compilation.form(kind.name(), reference).filter(|_| is_written);
            if let Some(form) = form {
                list.add(target.relocations(form), need(program.holds(condition), condition));
            }
        }
    };
    of_code(&BEFORE_PTX, list);
    let strings = program.sections.iter().flatten().filter(|section| {
        section.name == SectionKind::DebugStr.name() && compilation.level >= DebugLevel::Lines
    });
    let strings = strings.map(|section| (section.name.clone(), Requirement::Always, section.references));
    for (name, section_need, references) in strings.chain(of_ptx(compilation)) {
        for reference in ReferenceKind::ALL {
            let Some(form) = compilation.form(&name, reference) else { continue };
            let holds = match (section_need, references.has(reference)) {
                (Requirement::If(_), Some(true)) => None,
                (_, holds) => holds,
            };
            list.add(SectionName::native(name.clone()).relocations(form), need(holds, Condition::References));
        }
    }
    of_code(&AFTER_PTX, list);
}
