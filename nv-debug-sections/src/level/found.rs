//! What a file was made of: level, kind and program, read from the file itself.

use super::facts::{Output, Program, PtxSection, References};
use super::observed::{self, Compilation};
use super::{DebugLevel, Expected};
use crate::catalog::{Origin, RelocForm, SectionKind, SectionName};
use crate::cubin::{Contents, Cubin, SectionIndex};
use crate::generation::Generation;
use crate::{line, tkinfo};
use object::elf;
use std::borrow::Cow;

/// A file as [`observed`] needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<'c> {
    /// The SM number.
    pub sm: u32,
    /// The least level that has all its sections.
    pub level: DebugLevel,
    /// The first section that only this level has.
    pub shown_by: Option<SectionName<'c>>,
    /// The kind of file.
    pub output: Output,
    /// The tool that wrote it and its version, where the file says so.
    pub writer: Option<Writer>,
    /// What it holds.
    pub program: Program<'c>,
}

/// A tool, as its note names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    /// `ptxas`, `nvlink`, `ptxas-blackwell`.
    pub tool: String,
    /// `13.0.88`.
    pub version: Option<String>,
}

impl<'c> Found<'c> {
    /// Reads a file. What cannot be read is not known.
    pub fn of(cubin: &'c Cubin<'_>) -> Self {
        let sections: Vec<(SectionIndex, SectionName<'c>)> =
            cubin.iter().map(|(index, name, _)| (index, SectionName::parse(name))).collect();
        let writer = writer(cubin);
        let output = output(cubin, writer.as_ref());
        let contents = || sections.iter().map(|(_, name)| name).filter(|name| name.is_debug_contents());
        let shows = |name: &SectionName<'_>| match (name.kind(), output) {
            // Debug-only objects have these with any level.
            (
                Some(SectionKind::DebugAbbrev | SectionKind::DebugInfo | SectionKind::DebugAranges),
                Output::DebugOnly,
            ) => DebugLevel::Lines,
            (Some(kind), _) => level_of(kind),
            (None, _) => DebugLevel::Full,
        };
        let level = contents().map(shows).max().unwrap_or(DebugLevel::None);
        let shown_by = contents().find(|name| level > DebugLevel::None && shows(name) == level).cloned();
        let program = program(cubin, &sections, output);
        Self { sm: cubin.header.sm(), level, shown_by, output, writer, program }
    }

    /// The sections that a file like this has at its level.
    pub fn expected(&self) -> Vec<Expected<'c>> {
        let Self { sm, level, output, ref program, .. } = *self;
        observed::sections(&Compilation { level, sm, output, program })
    }
}

/// The least level that has a section.
fn level_of(kind: SectionKind) -> DebugLevel {
    let of_code = observed::CONTENTS.iter().find(|(known, ..)| *known == kind).map(|(_, from, _)| *from);
    match kind {
        SectionKind::NvDebugShared => DebugLevel::None,
        _ => of_code.unwrap_or(DebugLevel::Full),
    }
}

fn writer(cubin: &Cubin<'_>) -> Option<Writer> {
    let bytes = cubin.bytes(cubin.section_by_name(tkinfo::NAME)?).ok()?;
    let tool = *tkinfo::decode(&bytes).ok()?.first()?;
    let name = String::from_utf8_lossy(tool.tool).into_owned();
    Some(Writer { tool: name, version: tool.version_number().map(str::to_owned) })
}

fn output(cubin: &Cubin<'_>, writer: Option<&Writer>) -> Output {
    let mut code = cubin.iter().filter(|(.., section)| section.flags & elf::SHF_EXECINSTR.0 != 0).peekable();
    let has_code = code.peek().is_some();
    if has_code && code.all(|(.., section)| matches!(section.contents, Contents::NoBits(_))) {
        Output::DebugOnly
    } else if writer.is_some_and(|writer| writer.tool == "nvlink") {
        Output::Linked
    } else if cubin.header.is_relocatable() {
        Output::Relocatable
    } else {
        Output::Program
    }
}

fn program<'c>(
    cubin: &Cubin<'_>,
    sections: &[(SectionIndex, SectionName<'c>)],
    output: Output,
) -> Program<'c> {
    // Either copy will do: what one of them lacks is missing.
    let either = |kind: SectionKind| {
        let of_kind =
            sections.iter().filter(move |(_, name)| name.form.is_none() && name.kind() == Some(kind));
        of_kind.map(|(index, _)| *index)
    };
    let holds = |kind: SectionKind, test: &dyn Fn(&[u8]) -> Option<bool>| {
        either(kind).filter_map(|index| test(&cubin.bytes(index).ok()?)).reduce(|one, other| one || other)
    };
    let tables = |test: fn(&line::LineTable<'_>) -> bool| {
        move |bytes: &[u8]| Some(line::decode(SectionKind::DebugLine.name(), bytes).ok()?.iter().any(test))
    };
    let has_rows = tables(|table| !table.sequences.is_empty());
    Program {
        functions: holds(SectionKind::DebugFrame, &|bytes| Some(!bytes.is_empty())),
        traced: holds(SectionKind::NvDebugLineSass, &has_rows),
        located: holds(SectionKind::DebugLine, &has_rows),
        inlined: holds(SectionKind::DebugLine, &tables(|table| table.debug_str_base.is_some())),
        shared: None,
        sections: Some(own_sections(cubin.header.sm(), sections)),
        texts: texts(sections, output),
    }
}

/// The sections that come from the PTX, in either copy.
fn own_sections<'c>(sm: u32, sections: &[(SectionIndex, SectionName<'c>)]) -> Vec<PtxSection<'c>> {
    let mut own: Vec<PtxSection<'c>> = Vec::new();
    for (_, name) in sections.iter().filter(|(_, name)| name.origin() == Some(Origin::Ptx)) {
        if own.iter().all(|known| known.name != name.base) {
            let references = references(sm, name, sections);
            own.push(PtxSection { name: name.base.clone(), references });
        }
    }
    // Nobody can read entries without abbreviations.
    let has = |kind: SectionKind| own.iter().any(|section| section.name == kind.name());
    if has(SectionKind::DebugInfo) && !has(SectionKind::DebugAbbrev) {
        own.push(PtxSection { name: SectionKind::DebugAbbrev.name().into(), references: References::NONE });
    }
    own
}

/// What relocation sections tell of the references of a section: that there are some, where either copy has them. They cannot tell that
/// there are none, since that may be what is wrong.
fn references(sm: u32, name: &SectionName<'_>, sections: &[(SectionIndex, SectionName<'_>)]) -> References {
    let is_of_it = |other: &SectionName<'_>| other.base == name.base && other.form == Some(RelocForm::Rela);
    let either =
        Generation::of(sm) == Generation::Mercury && sections.iter().any(|(_, other)| is_of_it(other));
    let may = name.kind().map_or(References::default(), observed::typical);
    // Symbols' addresses are in RELA sections of files of every kind.
    if either { References([may.0[0], Some(true), may.0[2]]) } else { may }
}

/// Names of the PTX texts, where a file of that kind can have them.
fn texts<'c>(sections: &[(SectionIndex, SectionName<'c>)], output: Output) -> Option<Vec<Cow<'c, str>>> {
    let mut texts = Vec::new();
    let is_text =
        |name: &SectionName<'_>| name.form.is_none() && name.kind() == Some(SectionKind::NvDebugPtxTxt);
    for (_, name) in sections.iter().filter(|(_, name)| is_text(name)) {
        let can_be = match output {
            Output::Relocatable => !name.suffix().is_empty(),
            Output::Program | Output::DebugOnly => name.suffix().is_empty(),
            Output::Linked => true,
        };
        if can_be && !texts.contains(&name.base) {
            texts.push(name.base.clone());
        }
    }
    (!texts.is_empty()).then_some(texts)
}
