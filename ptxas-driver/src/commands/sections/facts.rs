//! What a PTX holds that decides over sections: read from the PTX, or told in words.

use super::Options;
use crate::commands::read::PtxFile;
use anyhow::{Result, bail};
use nv_debug_sections::catalog::{SectionKind, SectionName};
use nv_debug_sections::level::{DebugLevel, Output, Program, PtxKind, PtxSection, Reference, References};
use nv_debug_sections::ptx_txt;
use nvdwarf_compile::arch::Arch;
use nvdwarf_compile::ptx::ptx_kind;
use ptx_syntax::section_data::{Assembled, FixupTarget, assemble, assemble_at_dwarf};
use ptx_syntax::{FunctionKind, StateSpace, Statement, Variable};
use std::collections::{HashMap, HashSet};

/// A word of `--has`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fact {
    Code,
    Loc,
    Inlined,
    Shared,
    Debug,
    Section(String),
}

/// Reads a word of `--has`.
pub(super) fn parse(word: &str) -> Result<Fact, String> {
    Ok(match word {
        "code" => Fact::Code,
        "loc" => Fact::Loc,
        "inlined" => Fact::Inlined,
        "shared" => Fact::Shared,
        "debug" => Fact::Debug,
        name if SectionName::parse(name).is_debug() => Fact::Section(name.to_owned()),
        _ => {
            return Err(
                "expected code, loc, inlined, shared, debug, or the name of a debug section".to_owned()
            );
        }
    })
}

/// What `--has` tells. Nothing is known without a word. `references`: what a section of that kind refers to, as far as is known.
pub(super) fn of_words<'a>(
    words: &[Fact],
    references: impl Fn(SectionKind) -> References,
) -> (PtxKind, Program<'a>) {
    if words.is_empty() {
        return (PtxKind { version: MODERN, ..PtxKind::default() }, Program::default());
    }
    let has = |fact: &Fact| words.contains(fact);
    let has_loc = has(&Fact::Loc) || has(&Fact::Inlined);
    let has_code = has(&Fact::Code) || has_loc;
    let sections = words.iter().filter_map(|word| match word {
        Fact::Section(name) => {
            let references = SectionKind::from_name(name).map_or(References::default(), &references);
            Some(PtxSection { name: name.clone().into(), references })
        }
        _ => None,
    });
    let program = Program {
        functions: Some(has_code),
        traced: Some(has_code),
        located: Some(has_loc),
        inlined: Some(has(&Fact::Inlined)),
        shared: if has(&Fact::Shared) { None } else { Some(false) },
        sections: Some(sections.collect()),
        texts: None,
    };
    (PtxKind { version: MODERN, has_loc, target_debug: has(&Fact::Debug) }, program)
}

/// A PTX version in which `.loc` alone gives line tables, as in every one that is written today.
const MODERN: (u32, u32) = (9, 0);

/// What a PTX file holds.
pub(super) struct Module<'a> {
    /// Its `.target`.
    pub(super) target: Option<Arch>,
    pub(super) kind: PtxKind,
    pub(super) program: Program<'a>,
}

impl<'a> Module<'a> {
    /// Reads it, for the kind of file that `options` ask for.
    pub(super) fn parse(file: &'a PtxFile, options: &Options) -> Result<Self> {
        let parsed = ptx_syntax::parse(&file.text);
        if let Some(error) = parsed.errors.first() {
            bail!("{}: {error}; `ptxas-driver check` says where", file.name);
        }
        let module = &parsed.module;
        let kind = ptx_kind(module);
        let output = options.output(Output::Program);
        let keeps_all = output == Output::Relocatable
            || DebugLevel::observed(options.request(), kind) == DebugLevel::Full;
        let target = module.arch();
        let text = ptx_txt::section_name(&file.bytes_of(&file.text), output != Output::Program);
        Ok(Self {
            target: target.and_then(|word| Arch::parse_target(word.text).ok()),
            kind,
            program: Program { texts: Some(vec![text.into()]), ..program(module, keeps_all) },
        })
    }
}

/// `keeps_all`: functions that no kernel calls stay (observed: with `-c` or at full level).
fn program<'a>(module: &ptx_syntax::Module<'a>, keeps_all: bool) -> Program<'a> {
    let any = |test: &dyn Fn(&Statement<'_>) -> bool| {
        let bodies =
            || module.functions().filter_map(|function| Some((function.kind, function.body.as_ref()?)));
        let in_body = |kind: Option<FunctionKind>| {
            bodies().any(|(of, body)| kind.is_none_or(|kind| kind == of) && body.statements.iter().any(test))
        };
        match (in_body(Some(FunctionKind::Entry)), in_body(None)) {
            (true, _) => Some(true),
            (false, true) => keeps_all.then_some(true),
            (false, false) => Some(false),
        }
    };
    let functions = any(&|statement| matches!(statement, Statement::Instruction(_)));
    let is_shared = |variable: &Variable<'_>| variable.space == StateSpace::Shared;
    let shared = module.variables().any(is_shared)
        || any(&|statement| matches!(statement, Statement::Variable(one) if is_shared(one))) != Some(false);
    Program {
        functions,
        traced: functions,
        located: any(&|statement| matches!(statement, Statement::Loc(loc) if loc.line != 0)),
        inlined: any(&|statement| matches!(statement, Statement::Loc(loc) if loc.inlined_at.is_some())),
        shared: if shared { None } else { Some(false) },
        sections: Some(own_sections(module)),
        texts: None,
    }
}

/// Sections that reach a file at full level, each once.
fn own_sections<'a>(module: &ptx_syntax::Module<'a>) -> Vec<PtxSection<'a>> {
    let blocks = module.sections().map(|block| (block.name.text, assemble(block)));
    let lines = assemble_at_dwarf(module).into_iter().map(|section| (section.name.text, section.assembled));
    let all: Vec<(&str, Assembled<'_>)> = blocks.chain(lines).collect();
    let has_abbreviations = all.iter().any(|(name, _)| *name == SectionKind::DebugAbbrev.name());
    let names = Names::new(module, &all);
    let mut seen = HashSet::new();
    let once = all.iter().filter(|(name, data)| {
        let is_info = *name == SectionKind::DebugInfo.name();
        let is_kept = if is_info { has_abbreviations } else { !data.bytes.is_empty() };
        is_kept && seen.insert(*name)
    });
    once.map(|(name, data)| PtxSection { name: (*name).into(), references: names.references(name, data) })
        .collect()
}

/// What a name in section data stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Label,
    SectionLabel,
    /// A function, a `.global`.
    Symbol,
    Constant,
    /// A `.shared` variable.
    Shared,
    /// A function without body.
    Undefined,
    /// What has no address: `.local` variables, parameters.
    Nothing,
}

struct Names<'a>(HashMap<&'a str, Named>);

impl<'a> Names<'a> {
    fn new(module: &ptx_syntax::Module<'a>, sections: &[(&'a str, Assembled<'a>)]) -> Self {
        let mut names = HashMap::new();
        let of_space = |space| match space {
            StateSpace::Local | StateSpace::Param | StateSpace::Reg => Named::Nothing,
            StateSpace::Shared => Named::Shared,
            StateSpace::Const => Named::Constant,
            _ => Named::Symbol,
        };
        for variable in module.variables() {
            names.extend(variable.declarators.iter().map(|one| (one.name.text, of_space(variable.space))));
        }
        for function in module.functions() {
            // A prototype's function may be defined before or behind it.
            let defined = if function.body.is_some() { Named::Symbol } else { Named::Undefined };
            let known = names.entry(function.name.text).or_insert(defined);
            if *known == Named::Undefined {
                *known = defined;
            }
            let parameters = function.params.iter().filter_map(|parameter| parameter.name.as_ref());
            names.extend(parameters.map(|name| (name.text, Named::Nothing)));
            for statement in function.body.iter().flat_map(|body| &body.statements) {
                match statement {
                    Statement::Label(label) => drop(names.insert(label.text, Named::Label)),
                    Statement::Variable(variable) => {
                        names.extend(
                            variable.declarators.iter().map(|one| (one.name.text, of_space(variable.space))),
                        );
                    }
                    _ => {}
                }
            }
        }
        // Of one name the label in a section counts.
        for (_, data) in sections {
            names.extend(data.labels.iter().map(|(label, _)| (label.text, Named::SectionLabel)));
        }
        Self(names)
    }

    fn references(&self, section: &str, data: &Assembled<'_>) -> References {
        let is_info = section == SectionKind::DebugInfo.name();
        let mut references = Vec::new();
        for fixup in &data.fixups {
            references.extend(match fixup.target {
                FixupTarget::Section { .. } => Some(Reference::AtLink),
                FixupTarget::Difference { .. } => None,
                // Outside `.debug_info` ptxas takes `name+1` for a name of its own, which nobody defines.
                FixupTarget::Symbol { addend, .. } if addend != 0 && !is_info => Some(Reference::AtLink),
                FixupTarget::Symbol { name, .. } => match self.0.get(name) {
                    Some(Named::Label) => Some(Reference::Code),
                    Some(Named::Symbol) => Some(Reference::Symbol),
                    Some(Named::Constant) if is_info => Some(Reference::Symbol),
                    Some(Named::Nothing) => None,
                    Some(Named::Constant | Named::Shared | Named::SectionLabel | Named::Undefined) | None => {
                        Some(Reference::AtLink)
                    }
                },
            });
        }
        References::of(&references)
    }
}
