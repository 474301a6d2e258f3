//! What `sections` says, as values: what the text and the JSON document are written from.

use super::{Because, JSON_VERSION, Model};
use nv_debug_sections::catalog::{Linked, Origin, RelocForm, SectionKind, SectionName, Space};
use nv_debug_sections::cubin::{self, Contents, Cubin, SectionIndex};
use nv_debug_sections::level::compare::{Comparison, Oddity};
use nv_debug_sections::level::documented;
use nv_debug_sections::level::found::Found;
use nv_debug_sections::level::{Expected, Need, Output};
use serde::Serialize;
use std::collections::HashMap;

/// Of the document about a cubin.
pub(super) const SCHEMA: &str = "nvdwarf.sections";

/// What both documents say of a section name.
#[derive(Debug, Serialize)]
pub(super) struct Identity {
    pub(super) name: String,
    /// `native` or `mercury`.
    pub(super) space: &'static str,
    /// `rel` or `rela`; absent for contents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) form: Option<&'static str>,
    /// What it holds; absent for names that the catalog does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<&'static str>,
    /// `ptxas`, or `front end` for what comes from the PTX.
    pub(super) written_by: &'static str,
    /// `joined` or `kept`: what nvlink made of the inputs' sections; absent for other files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) linked: Option<&'static str>,
}

impl Identity {
    fn new(name: &SectionName<'_>, output: Output) -> Self {
        let entry = name.kind().map(SectionKind::entry);
        let content = match (name.form, entry) {
            (None, entry) => entry.map(|entry| entry.content),
            (Some(_), _) => Some("relocations"),
        };
        let is_apart = entry.is_some_and(|entry| entry.linked == Linked::Apart);
        Self {
            name: name.to_string(),
            space: if name.space == Space::Mercury { "mercury" } else { "native" },
            form: name.form.map(|form| match form {
                RelocForm::Rel => "rel",
                RelocForm::Rela => "rela",
            }),
            content,
            written_by: match name.origin() {
                _ if output == Output::DebugOnly => "nvdwarf",
                Some(Origin::Assembler) => "ptxas",
                Some(Origin::Ptx) | None => "front end",
            },
            linked: (output == Output::Linked).then_some(if is_apart { "kept" } else { "joined" }),
        }
    }
}

/// The kind of file, in one word.
pub(super) fn output_word(output: Output) -> &'static str {
    match output {
        Output::Program => "program",
        Output::Relocatable => "relocatable",
        Output::Linked => "linked",
        Output::DebugOnly => "debug-only",
    }
}

/// The document of `--expect --json`.
#[derive(Debug, Serialize)]
pub(super) struct Expectation {
    schema: &'static str,
    schema_version: u32,
    model: Model,
    sm: u32,
    output: &'static str,
    level: &'static str,
    pub(super) sections: Vec<ExpectedSection>,
    /// How many the documentation states, for that model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) inventory: Option<Inventory>,
}

/// One expected section.
#[derive(Debug, Serialize)]
pub(super) struct ExpectedSection {
    #[serde(flatten)]
    pub(super) name: Identity,
    /// The first SM whose files have it.
    pub(super) since: u32,
    /// On which condition; absent for those that are always there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) condition: Option<String>,
}

/// The documented counts.
#[derive(Debug, Serialize)]
pub(super) struct Inventory {
    pub(super) standard: usize,
    pub(super) extensions: usize,
    pub(super) mercury: usize,
    pub(super) total: usize,
}

impl Expectation {
    pub(super) fn new(expectation: &super::Expectation<'_>) -> Self {
        let super::Expectation { model, sm, output, level, ref sections, .. } = *expectation;
        let stated = documented::inventory(level, sm);
        Self {
            schema: "nvdwarf.sections.expected",
            schema_version: JSON_VERSION,
            model,
            sm,
            output: output_word(output),
            level: level.name(),
            sections: sections.iter().map(|section| ExpectedSection::new(section, output)).collect(),
            inventory: (model == Model::Documented).then(|| Inventory {
                standard: stated.standard,
                extensions: stated.extensions,
                mercury: stated.mercury,
                total: stated.total(),
            }),
        }
    }
}

impl ExpectedSection {
    fn new(section: &Expected<'_>, output: Output) -> Self {
        Self {
            name: Identity::new(&section.name, output),
            since: section.name.since(),
            condition: match section.need {
                Need::Always => None,
                Need::If(condition) => Some(condition.to_string()),
            },
        }
    }
}

/// The document of `--json` for a file.
#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    schema: &'static str,
    schema_version: u32,
    pub(super) file: &'a str,
    /// The file that the debug sections are in, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) debug_file: Option<&'a str>,
    pub(super) sm: u32,
    pub(super) e_type: u16,
    /// Where the machine code is: `here`, `other-file` or `none`.
    pub(super) code: &'static str,
    /// It is a side file; `output` and `level` are those of the file it was made of.
    pub(super) side_file: bool,
    /// Debug sections were taken out.
    pub(super) stripped: bool,
    /// Absent where the file does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) writer: Option<Writer<'a>>,
    pub(super) output: &'static str,
    pub(super) model: Model,
    pub(super) level: &'static str,
    /// The section that shows the level; absent where options say it, or where nothing shows more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) level_shown_by: Option<String>,
    /// Whether options say what to expect.
    pub(super) level_asked: bool,
    pub(super) file_bytes: u64,
    /// Bytes of the file that are debug sections'; shared ones once.
    pub(super) debug_bytes: u64,
    pub(super) sections: Vec<Section>,
    pub(super) missing: Vec<Missing>,
    pub(super) extra: Vec<Extra>,
    pub(super) odd: Vec<Odd>,
}

/// The files that were read.
pub(super) struct Read<'a> {
    /// The one that was named first.
    pub(super) file: &'a str,
    /// That of `--debug-file`.
    pub(super) debug_file: Option<&'a str>,
    /// Size of the one that has the debug sections.
    pub(super) file_bytes: u64,
}

/// Who wrote a file.
#[derive(Debug, Serialize)]
pub(super) struct Writer<'a> {
    pub(super) tool: &'a str,
    pub(super) version: Option<&'a str>,
}

/// A debug section of a file.
#[derive(Debug, Serialize)]
pub(super) struct Section {
    pub(super) index: u32,
    #[serde(flatten)]
    pub(super) name: Identity,
    pub(super) size: u64,
    /// Bytes in the file that no earlier section has.
    pub(super) file_bytes: u64,
    /// Their part of the file, 0 to 1.
    pub(super) share: f64,
    pub(super) align: u64,
    /// What applies to it.
    pub(super) relocations: Vec<Relocations>,
    /// The section whose bytes in the file these are; absent for a section with its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) same_bytes_as: Option<Place>,
}

/// Relocations of a section, by where they are.
#[derive(Debug, Serialize)]
pub(super) struct Relocations {
    #[serde(flatten)]
    pub(super) section: Place,
    pub(super) count: usize,
}

/// A section.
#[derive(Debug, Serialize)]
pub(super) struct Place {
    pub(super) index: u32,
    pub(super) name: String,
}

/// A section that is not there.
#[derive(Debug, Serialize)]
pub(super) struct Missing {
    pub(super) name: String,
    pub(super) why: String,
}

/// A section that should not be there.
#[derive(Debug, Serialize)]
pub(super) struct Extra {
    #[serde(flatten)]
    pub(super) section: Place,
    pub(super) why: String,
}

/// A section with an unusual header.
#[derive(Debug, Serialize)]
pub(super) struct Odd {
    #[serde(flatten)]
    pub(super) section: Place,
    pub(super) what: String,
}

impl<'a> Report<'a> {
    pub(super) fn new(
        read: &Read<'a>,
        cubin: &Cubin<'_>,
        found: &'a Found<'_>,
        expectation: &super::Expectation<'_>,
        comparison: &Comparison<'_>,
    ) -> Self {
        let Read { file, debug_file, file_bytes } = *read;
        let relocations = relocations(cubin);
        let named = cubin.iter().map(|(index, name, section)| (index, SectionName::parse(name), section));
        let sections: Vec<Section> = named
            .filter(|(_, name, _)| name.is_debug())
            .map(|(index, name, section)| {
                let size = cubin.size_of(section);
                let own = match section.contents {
                    Contents::Alias(_) | Contents::NoBits(_) => 0,
                    _ => size,
                };
                Section {
                    index: index.0,
                    name: Identity::new(&name, expectation.output),
                    size,
                    file_bytes: own,
                    share: share(own, file_bytes),
                    align: section.align,
                    relocations: of(cubin, &relocations, index),
                    same_bytes_as: match section.contents {
                        Contents::Alias(of) => Some(place(cubin, of)),
                        _ => None,
                    },
                }
            })
            .collect();
        Self {
            schema: SCHEMA,
            schema_version: JSON_VERSION,
            file,
            debug_file,
            sm: cubin.header.sm(),
            e_type: cubin.header.e_type,
            code: found.code.word(),
            side_file: found.is_apart,
            stripped: !found.removed.is_empty(),
            writer: found
                .writer
                .as_ref()
                .map(|writer| Writer { tool: &writer.tool, version: writer.version.as_deref() }),
            output: output_word(expectation.output),
            model: expectation.model,
            level: expectation.level.name(),
            level_shown_by: match &expectation.because {
                Because::Shown(section) => Some(section.clone()),
                Because::Asked | Because::NothingShown => None,
            },
            level_asked: expectation.because == Because::Asked,
            file_bytes,
            debug_bytes: sections.iter().map(|section| section.file_bytes).sum(),
            sections,
            missing: comparison
                .missing
                .iter()
                .map(|name| Missing { name: name.to_string(), why: why_missing(name) })
                .collect(),
            extra: extra(cubin, &comparison.extra, expectation),
            odd: comparison
                .odd
                .iter()
                .map(|odd| Odd { section: place(cubin, odd.section), what: oddity(cubin, odd.what) })
                .collect(),
        }
    }

    /// Whether nothing is missing, extra or odd.
    pub(super) fn is_clean(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty() && self.odd.is_empty()
    }
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

fn of(
    cubin: &Cubin<'_>,
    all: &[(SectionIndex, SectionIndex, usize)],
    target: SectionIndex,
) -> Vec<Relocations> {
    let start = all.partition_point(|(of, ..)| *of < target);
    let own = all.get(start..).unwrap_or_default().iter().take_while(|(of, ..)| *of == target);
    own.map(|&(_, index, count)| Relocations { section: place(cubin, index), count }).collect()
}

fn place(cubin: &Cubin<'_>, index: SectionIndex) -> Place {
    Place { index: index.0, name: cubin.section_name(index).to_owned() }
}

fn why_missing(name: &SectionName<'_>) -> String {
    match (name.space, name.form) {
        (_, Some(_)) => format!("relocations of {}", SectionName { form: None, ..name.clone() }),
        (Space::Mercury, None) => format!("the Mercury copy of {}", name.base),
        (Space::Native, None) => name.kind().map_or("", |kind| kind.entry().content).to_owned(),
    }
}

/// The first expected section of each sort: copy, kind, whether relocations.
type Sorts<'e, 'a> = HashMap<(Space, SectionKind, bool), &'e SectionName<'a>>;

fn sort(name: &SectionName<'_>) -> Option<(Space, SectionKind, bool)> {
    Some((name.space, name.kind()?, name.form.is_some()))
}

fn extra(cubin: &Cubin<'_>, indices: &[SectionIndex], expectation: &super::Expectation<'_>) -> Vec<Extra> {
    let mut expected = Sorts::new();
    for section in &expectation.sections {
        if let Some(sort) = sort(&section.name) {
            expected.entry(sort).or_insert(&section.name);
        }
    }
    let (level, output) = (expectation.level.name(), output_word(expectation.output));
    let why = |name: &SectionName<'_>| match sort(name).and_then(|sort| expected.get(&sort)) {
        Some(one) if *one == name => "there is one of that name before it".to_owned(),
        Some(instead) => format!("expected {instead}"),
        None if name.since() > expectation.sm => format!("such sections begin with sm_{}", name.since()),
        None => format!("not in a {output} file of level {level}"),
    };
    let named =
        indices.iter().map(|index| (place(cubin, *index), SectionName::parse(cubin.section_name(*index))));
    named.map(|(section, name)| Extra { why: why(&name), section }).collect()
}

fn oddity(cubin: &Cubin<'_>, what: Oddity) -> String {
    match what {
        Oddity::Target(target) => format!("its relocations are of {}", cubin.section_name(target)),
        Oddity::Shape { found, expected } => {
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

/// The ELF type in words.
pub(super) fn type_word(e_type: u16) -> &'static str {
    match e_type {
        1 => "relocatable",
        2 => "executable",
        cubin::ET_EWP => "extensible whole program",
        _ => "unknown type",
    }
}
