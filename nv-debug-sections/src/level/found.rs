//! What a file was made of: level, kind and program, read from the file itself.

use super::facts::{Output, Program, PtxSection, Reference, References};
use super::observed::{self, Compilation};
use super::{DebugLevel, Expected};
use crate::catalog::{Origin, RelocForm, SectionKind, SectionName};
use crate::cubin::{Contents, Cubin, SectionIndex};
use crate::generation::Generation;
use crate::line::{self, LineOp};
use crate::tkinfo;
use object::elf;
use std::borrow::Cow;
use std::collections::HashSet;

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
    let names = holds(SectionKind::DebugLine, &tables(names_functions));
    Program {
        functions: holds(SectionKind::DebugFrame, &|bytes| Some(!bytes.is_empty())),
        traced: holds(SectionKind::NvDebugLineSass, &has_rows),
        located: holds(SectionKind::DebugLine, &has_rows),
        inlined: holds(SectionKind::DebugLine, &tables(|table| table.debug_str_base.is_some())),
        shared: None,
        sections: Some(own_sections(cubin.header.sm(), sections, names)),
        texts: texts(sections, output),
    }
}

/// Whether rows have the names of inlined functions, which are in `.debug_str`.
fn names_functions(table: &line::LineTable<'_>) -> bool {
    let names = |op: &LineOp| matches!(op, LineOp::InlinedCall { context: 1.., .. });
    table.debug_str_base.is_some() && table.sequences.iter().any(|sequence| sequence.ops.iter().any(names))
}

/// The sections that come from the PTX, in either copy, or with nothing left but their relocations; and those without which the others
/// cannot be read.
fn own_sections<'c>(
    sm: u32,
    sections: &[(SectionIndex, SectionName<'c>)],
    names: Option<bool>,
) -> Vec<PtxSection<'c>> {
    let rela = sections.iter().filter(|(_, name)| name.form == Some(RelocForm::Rela));
    let with_rela: HashSet<&str> = rela.map(|(_, name)| &*name.base).collect();
    let mut own = Vec::new();
    let mut seen = HashSet::new();
    for (_, name) in sections {
        let origin = SectionName { form: None, ..name.clone() }.origin();
        if origin == Some(Origin::Ptx) && seen.insert(name.base.clone()) {
            // One copy shows the references of the other. No relocations show nothing: they may be what is missing.
            let both = Generation::of(sm) == Generation::Mercury && with_rela.contains(&*name.base);
            let mut references = name.kind().map_or(References::default(), observed::typical);
            // Whatever it refers to: symbols' addresses are in RELA sections of every file.
            references.0[Reference::Symbol as usize] =
                if both { Some(true) } else { references.has(Reference::Symbol) };
            own.push(PtxSection { name: name.base.clone(), references });
        }
    }
    let needed = [
        (SectionKind::DebugAbbrev, seen.contains(SectionKind::DebugInfo.name())),
        (SectionKind::DebugStr, names == Some(true)),
    ];
    let needed = needed.iter().filter(|(kind, is_needed)| *is_needed && !seen.contains(kind.name()));
    own.extend(needed.map(|(kind, _)| PtxSection { name: kind.name().into(), references: References::NONE }));
    own
}

/// Names of the PTX texts, where a file of that kind can have them.
fn texts<'c>(sections: &[(SectionIndex, SectionName<'c>)], output: Output) -> Option<Vec<Cow<'c, str>>> {
    let mut texts = Vec::new();
    let mut seen = HashSet::new();
    let is_text =
        |name: &SectionName<'_>| name.form.is_none() && name.kind() == Some(SectionKind::NvDebugPtxTxt);
    for (_, name) in sections.iter().filter(|(_, name)| is_text(name)) {
        let can_be = match output {
            Output::Relocatable => !name.suffix().is_empty(),
            Output::Program | Output::DebugOnly => name.suffix().is_empty(),
            Output::Linked => true,
        };
        if can_be && seen.insert(&name.base) {
            texts.push(name.base.clone());
        }
    }
    (!texts.is_empty()).then_some(texts)
}
