//! The report on the debug sections of a file and those that it should have, for people and, with
//! serde, for programs.

use super::compare::{Comparison, HeaderOddity, compare};
use super::detected::DetectedLevel;
use super::documented::{self, Inventory, Tool};
use super::observed::{self, Compilation};
use super::{
    DebugLevel, DebugOptions, LevelDirectives, OutputKind, Requirement, SectionExpectation, UnoptimisedCode,
};
use crate::catalog::{LinkerAction, RelocForm, SectionKind, SectionName, SectionOrigin, Space};
use crate::cubin::{Contents, Cubin, SectionIndex, Writer};
use crate::release::{Release, Target};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// The source of the rules that say which sections are expected: the real tools, or their
/// documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RulesModel")]
pub enum RulesModel {
    /// The sections that ptxas and nvlink write, as observed with the real tools.
    Observed,
    /// The sections that ptxas and nvlink write according to their documentation.
    Documented,
}

impl RulesModel {
    /// Returns the debug level for a set of options and the directives of a PTX. The level depends
    /// on the tool only under the documentation's rules.
    pub fn level(self, request: DebugOptions, ptx: LevelDirectives, tool: Tool) -> DebugLevel {
        match self {
            Self::Observed => DebugLevel::ptxas_level(request, ptx),
            Self::Documented => documented::level(request, tool),
        }
    }
}

/// The debug sections that a file is expected to have, and the facts from which they follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation<'a> {
    /// The source of the rules: the real tools, or their documentation.
    pub model: RulesModel,
    /// The SM that the code is for, and the release of the tools.
    pub target: Target,
    /// The kind of output file: from ptxas, ptxas -c, nvlink, or `compile --code none`.
    pub output: OutputKind,
    /// How much debug information is expected.
    pub level: DebugLevel,
    /// Whether the level follows from options; otherwise it is the file's own level.
    pub is_asked: bool,
    /// The section that shows the file's own level; `None` if no section of the file does.
    pub shown_by: Option<String>,
    /// The expected sections, in file order.
    pub sections: Vec<SectionExpectation<'a>>,
}

impl<'a> Expectation<'a> {
    /// Returns the sections that a compilation is expected to write.
    pub fn of_compilation(model: RulesModel, compilation: &Compilation<'_, 'a>) -> Self {
        let Compilation { level, target, output, .. } = *compilation;
        let sections = match model {
            RulesModel::Observed => observed::expected_sections(compilation),
            RulesModel::Documented => documented::sections(level, target.sm),
        };
        Self { model, target, output, level, is_asked: true, shown_by: None, sections }
    }

    /// Returns the sections that a file is expected to have at its own level of debug information.
    pub fn of_file(model: RulesModel, found: &DetectedLevel<'a>) -> Self {
        let DetectedLevel { target, output, level, ref shown_by, .. } = *found;
        let sections = match model {
            RulesModel::Observed => found.expected(),
            RulesModel::Documented => documented::sections(level, target.sm),
        };
        let shown_by = shown_by.as_ref().map(SectionName::to_string);
        Self { model, target, output, level, is_asked: false, shown_by, sections }
    }

    /// Compares the debug sections of a file with the expected ones. The documentation lists no
    /// relocation sections; under its rules no relocation section counts as extra.
    pub fn compare(&self, cubin: &Cubin<'_>) -> Comparison<'a> {
        let mut comparison = compare(cubin, &self.sections);
        if self.model == RulesModel::Documented {
            let has_contents =
                |index: &SectionIndex| SectionName::parse(cubin.section_name(*index)).form.is_none();
            comparison.extra.retain(has_contents);
        }
        comparison
    }

    /// Converts the expected sections to a serializable list.
    pub fn list(&self) -> ExpectedList {
        let sections = self.sections.iter().map(|section| ExpectedSection {
            name: SectionIdentity::new(&section.name, self.output),
            since: section.name.first_sm(self.target.release),
            condition: match section.requirement {
                Requirement::Always => None,
                Requirement::If(condition) => Some(condition.to_string()),
            },
        });
        let Self { model, target: Target { release, sm }, output, level, .. } = *self;
        let inventory = (model == RulesModel::Documented).then(|| documented::inventory(level, sm).into());
        ExpectedList { model, release, sm, output, level, sections: sections.collect(), inventory }
    }
}

/// The debug sections that a file is expected to have, as a serializable list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExpectedList {
    /// The source of the rules that say which sections are expected.
    pub model: RulesModel,
    /// The toolkit release of the tools.
    #[serde(skip)]
    pub release: Release,
    /// The SM number, such as 90 for sm_90.
    pub sm: u32,
    /// The kind of output file.
    pub output: OutputKind,
    /// How much debug information is expected (docs/conformance.md, "Debug levels").
    pub level: DebugLevel,
    /// The expected sections, in file order.
    pub sections: Vec<ExpectedSection>,
    /// The numbers of sections that the documentation states. Absent for the observed model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inventory: Option<Counts>,
}

/// One expected section of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExpectedSection {
    /// The name of the section, and what the name tells: the kind of section, native or clone.
    #[serde(flatten)]
    pub name: SectionIdentity,
    /// The first SM whose files have the section: 100 for sm_100.
    pub since: u32,
    /// The condition under which the file has the section, in words. Absent for a section that is
    /// always there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
}

/// The documented numbers of sections, with their sum.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "SectionCounts")]
pub struct Counts {
    /// The numbers of sections: of standard DWARF, NVIDIA's own, and Mercury copies.
    #[serde(flatten)]
    pub stated: Inventory,
    /// The sum of the numbers of sections.
    pub total: usize,
}

impl From<Inventory> for Counts {
    fn from(stated: Inventory) -> Self {
        Self { stated, total: stated.total() }
    }
}

/// What the name of a section says: whether it is native or Mercury, what it contains, and which
/// tool writes it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SectionIdentity {
    /// The name of the section.
    pub name: String,
    /// Whether the section is native or a Mercury copy.
    pub space: Space,
    /// The form of a relocation section. Absent for other sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<RelocForm>,
    /// The contents of the section, in words. Absent for names that are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<&'static str>,
    /// The tool that wrote the section: `front end` for a section that comes from the PTX,
    /// `nvdwarf` for all sections of a file that nvdwarf made.
    #[schemars(extend("enum" = ["ptxas", "front end", "nvdwarf"]))]
    pub written_by: &'static str,
    /// `joined` where nvlink makes one section from the sections of its inputs, `kept` where it
    /// keeps each of them. Absent for files that are not linked.
    #[schemars(extend("enum" = ["joined", "kept"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linked: Option<&'static str>,
}

impl SectionIdentity {
    fn new(name: &SectionName<'_>, output: OutputKind) -> Self {
        let entry = name.kind().map(SectionKind::entry);
        let is_apart = entry.is_some_and(|entry| entry.linker_action == LinkerAction::KeepSeparate);
        Self {
            name: name.to_string(),
            space: name.space,
            form: name.form,
            content: match name.form {
                None => entry.map(|entry| entry.content),
                Some(_) => Some("relocations"),
            },
            written_by: match name.origin() {
                _ if output == OutputKind::DebugOnly => "nvdwarf",
                Some(SectionOrigin::Assembler) => "ptxas",
                Some(SectionOrigin::Ptx) | None => "front end",
            },
            linked: (output == OutputKind::Linked).then_some(if is_apart { "kept" } else { "joined" }),
        }
    }
}

/// The debug sections of a file, including lists of those that are missing, extra or odd.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Report<'a> {
    /// The field `e_type` of the ELF header.
    pub e_type: u16,
    /// Whether the file is a side file, as `strip --split` and `objcopy --only-keep-debug` make
    /// one. `output`, `level` and `writer` are then those of the file that it was made from.
    pub side_file: bool,
    /// Whether debug sections were removed from the file. They are recognised by the undefined
    /// symbols that `strip` leaves; from sm_70 on also by the lack of any debug section, since
    /// every file has `.debug_frame`. Sections that were removed do not count as missing.
    pub stripped: bool,
    /// The tool that wrote the file, as its `.note.nv.tkinfo` says. Absent where the file does not
    /// say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writer: Option<&'a Writer>,
    /// The kind of output file.
    pub output: OutputKind,
    /// The source of the rules that say which sections are expected.
    pub model: RulesModel,
    /// How much debug information is expected (docs/conformance.md, "Debug levels"). For a stripped
    /// file it is the level of the sections that are left.
    pub level: DebugLevel,
    /// The section that shows the file's own level. Absent where options gave the level, or where
    /// no section shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level_shown_by: Option<&'a str>,
    /// Whether options gave the expected level; otherwise it is the file's own level.
    pub level_asked: bool,
    /// What shows that code of the file was not optimised. Absent where nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unoptimised: Option<UnoptimisedCode>,
    /// The number of bytes of PTX text in the file, which has the program in readable form. Absent
    /// where the file has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ptx_text_bytes: Option<u64>,
    /// Size of the file that has the debug sections, in bytes.
    pub file_bytes: u64,
    /// The number of bytes of the file that belong to debug sections. Shared bytes count once.
    pub debug_bytes: u64,
    /// All debug sections, their relocation sections and the Mercury clones of both, in file order.
    pub sections: Vec<Section>,
    /// Sections that the file must have, but does not have.
    pub missing: Vec<MissingSection>,
    /// Sections that the file has, but that are not expected.
    pub extra: Vec<ExtraSection>,
    /// Sections whose type, flags, alignment, entry size or target differ from what the name
    /// requires.
    pub odd: Vec<OddSection>,
}

/// A debug section of a file, with its size and relocations.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DebugSection")]
pub struct Section {
    /// The index of the section in the section table.
    pub index: u32,
    /// The facts that the section's name tells.
    #[serde(flatten)]
    pub name: SectionIdentity,
    /// The size of the section in bytes.
    pub size: u64,
    /// The number of bytes that the section adds to the file: its size, or 0 if it shares the bytes
    /// of an earlier section or has none.
    pub file_bytes: u64,
    /// `file_bytes` as a share of the file, from 0 to 1.
    pub share: f64,
    /// The alignment of the section in bytes.
    pub align: u64,
    /// The relocations that apply to the section, by relocation section.
    pub relocations: Vec<RelocationCount>,
    /// The section whose bytes in the file this section shares. Absent for a section with bytes of
    /// its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_bytes_as: Option<SectionRef>,
}

/// A relocation section and the number of its relocations, listed with the section to which they
/// apply.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Relocations")]
pub struct RelocationCount {
    /// The relocation section.
    #[serde(flatten)]
    pub section: SectionRef,
    /// The number of relocations in the relocation section.
    pub count: usize,
}

/// A section of the file, by index and name.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SectionRef {
    /// The index of the section in the section table.
    pub index: u32,
    /// The name of the section.
    pub name: String,
}

/// An expected section that the file lacks.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MissingSection")]
pub struct MissingSection {
    /// The name of the section.
    pub name: String,
    /// Why the section is expected, in words: what it would contain.
    pub why: String,
}

/// A section that the file has, but should not have.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExtraSection")]
pub struct ExtraSection {
    /// The extra section, by index and name.
    #[serde(flatten)]
    pub section: SectionRef,
    /// The reason why the section is not expected, in words.
    pub why: String,
}

/// A debug section with an unexpected section type, flags or links, as reports list it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OddSection")]
pub struct OddSection {
    /// The section with the unusual header, by index and name.
    #[serde(flatten)]
    pub section: SectionRef,
    /// The unusual header value, and the value that such sections have, in words.
    pub what: String,
}

impl<'a> Report<'a> {
    /// Compares the debug sections of a file with the expected ones. `file_bytes` is the size of
    /// the file, and `found` has its level and the facts about its PTX.
    pub fn new(
        cubin: &Cubin<'_>,
        file_bytes: u64,
        found: &'a DetectedLevel<'_>,
        expectation: &'a Expectation<'_>,
    ) -> Self {
        let relocations = relocations(cubin);
        let named = cubin.iter().map(|(index, name, section)| (index, SectionName::parse(name), section));
        let debug = named.filter(|(_, name, _)| name.is_debug()).map(|(index, name, section)| {
            let size = cubin.size_of(section);
            let (own, same_bytes_as) = match section.contents {
                Contents::Alias(of) => (0, Some(section_ref(cubin, of))),
                Contents::NoBits(_) => (0, None),
                _ => (size, None),
            };
            Section {
                index: index.0,
                name: SectionIdentity::new(&name, expectation.output),
                size,
                file_bytes: own,
                share: share(own, file_bytes),
                align: section.align,
                relocations: relocation_counts(cubin, &relocations, index),
                same_bytes_as,
            }
        });
        let sections: Vec<Section> = debug.collect();
        let Comparison { missing, extra, odd } = expectation.compare(cubin);
        let missing =
            missing.iter().map(|name| MissingSection { name: name.to_string(), why: why_missing(name) });
        let odd = odd.iter().map(|odd| OddSection {
            section: section_ref(cubin, odd.section),
            what: oddity(cubin, odd.what),
        });
        Self {
            e_type: cubin.header.e_type,
            side_file: found.is_side_file,
            stripped: !found.removed.is_empty(),
            writer: found.writer.as_ref(),
            output: expectation.output,
            model: expectation.model,
            level: expectation.level,
            level_shown_by: expectation.shown_by.as_deref(),
            level_asked: expectation.is_asked,
            unoptimised: UnoptimisedCode::of(cubin),
            ptx_text_bytes: ptx_text_bytes(cubin),
            file_bytes,
            debug_bytes: sections.iter().map(|section| section.file_bytes).sum(),
            sections,
            missing: missing.collect(),
            extra: expectation.extra(cubin, &extra),
            odd: odd.collect(),
        }
    }

    /// Whether no section is missing, extra or odd.
    pub fn is_clean(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty() && self.odd.is_empty()
    }
}

impl Expectation<'_> {
    /// Says for each of these sections why it should not be present.
    fn extra(&self, cubin: &Cubin<'_>, indices: &[SectionIndex]) -> Vec<ExtraSection> {
        // The first expected section of each sort: copy, kind, whether relocations.
        let mut expected: HashMap<(Space, SectionKind, bool), &SectionName<'_>> = HashMap::new();
        for section in &self.sections {
            if let Some(sort) = sort(&section.name) {
                expected.entry(sort).or_insert(&section.name);
            }
        }
        let (level, output) = (self.level.name(), self.output.as_str());
        let Target { release, sm } = self.target;
        let why = |name: &SectionName<'_>| match sort(name).and_then(|sort| expected.get(&sort)) {
            Some(one) if *one == name => "there is one of that name before it".to_owned(),
            Some(instead) => format!("expected {instead}"),
            None if name.first_sm(release) > sm => {
                format!("such sections begin with sm_{}", name.first_sm(release))
            }
            None => format!("not in a {output} file of level {level}"),
        };
        let extra = |index: &SectionIndex| {
            let why = why(&SectionName::parse(cubin.section_name(*index)));
            ExtraSection { section: section_ref(cubin, *index), why }
        };
        indices.iter().map(extra).collect()
    }
}

/// The size of all PTX texts, those that share bytes once.
fn ptx_text_bytes(cubin: &Cubin<'_>) -> Option<u64> {
    let texts = cubin.iter().filter(|(_, name, section)| {
        let is_copy = matches!(section.contents, Contents::Alias(_));
        SectionName::parse(name).contents_kind() == Some(SectionKind::NvDebugPtxTxt) && !is_copy
    });
    let bytes: u64 = texts.map(|(.., section)| cubin.size_of(section)).sum();
    (bytes > 0).then_some(bytes)
}

#[allow(clippy::cast_precision_loss, reason = "a share need not be exact")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Relocation sections with their number of entries, by target.
fn relocations(cubin: &Cubin<'_>) -> Vec<(SectionIndex, SectionIndex, usize)> {
    let mut all: Vec<_> = cubin
        .iter()
        .filter_map(|(index, _, section)| {
            Some((SectionIndex(section.info), index, section.relocations()?.len()))
        })
        .collect();
    all.sort_by_key(|(target, index, _)| (*target, *index));
    all
}

fn relocation_counts(
    cubin: &Cubin<'_>,
    all: &[(SectionIndex, SectionIndex, usize)],
    target: SectionIndex,
) -> Vec<RelocationCount> {
    let start = all.partition_point(|(of, ..)| *of < target);
    let own = all.get(start..).unwrap_or_default().iter().take_while(|(of, ..)| *of == target);
    own.map(|&(_, index, count)| RelocationCount { section: section_ref(cubin, index), count }).collect()
}

fn section_ref(cubin: &Cubin<'_>, index: SectionIndex) -> SectionRef {
    SectionRef { index: index.0, name: cubin.section_name(index).to_owned() }
}

fn why_missing(name: &SectionName<'_>) -> String {
    match (name.space, name.form) {
        (_, Some(_)) => format!("relocations of {}", SectionName { form: None, ..name.clone() }),
        (Space::Mercury, None) => format!("the Mercury copy of {}", name.base),
        (Space::Native, None) => name.kind().map_or("", |kind| kind.entry().content).to_owned(),
    }
}

fn sort(name: &SectionName<'_>) -> Option<(Space, SectionKind, bool)> {
    Some((name.space, name.kind()?, name.form.is_some()))
}

fn oddity(cubin: &Cubin<'_>, what: HeaderOddity) -> String {
    match what {
        HeaderOddity::Target(target) => format!("its relocations are of {}", cubin.section_name(target)),
        HeaderOddity::Fields { found, expected } => {
            let fields = [
                ("type", u64::from(found.sh_type), u64::from(expected.sh_type)),
                ("flags", found.flags, expected.flags),
                ("alignment", found.align, expected.align),
                ("entry size", found.entsize, expected.entsize),
            ];
            let unusual = fields.iter().filter(|(_, found, expected)| found != expected);
            let words: Vec<_> = unusual
                .map(|(what, found, expected)| format!("{what} {found:#x}, expected {expected:#x}"))
                .collect();
            words.join("; ")
        }
    }
}
