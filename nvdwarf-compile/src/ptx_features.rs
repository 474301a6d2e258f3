//! The facts in a PTX that decide which debug sections it gets, without compiling it.

use crate::refused_ptx::ptx_kind;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::intermediate_text::section_name as intermediate_text_name;
use nv_debug_sections::level::{
    DebugLevel, DebugOptions, LevelDirectives, OutputKind, PtxFeatures, PtxSection, ReferenceKind,
    ReferenceKinds,
};
use ptx_syntax::section_data::{AssembledSection, FixupTarget, assemble};
use ptx_syntax::{FunctionKind, Module, StateSpace, Statement, Variable, assemble_at_dwarf};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Returns the directives and features of a PTX text that decide which debug sections its
/// compilation makes. The names of embedded PTX texts are not included.
pub fn ptx_features<'a>(
    module: &Module<'a>,
    request: DebugOptions,
    output: OutputKind,
) -> (LevelDirectives, PtxFeatures<'a>) {
    let kind = ptx_kind(module);
    // Functions that no kernel calls stay with `-c` and at full level (observed: ptxas 13.0.88).
    let keeps_all =
        output == OutputKind::Relocatable || DebugLevel::ptxas_level(request, kind) == DebugLevel::Full;
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
    let ptx_features = PtxFeatures {
        has_code: functions,
        has_ptx_lines: functions,
        has_loc: any(&|statement| matches!(statement, Statement::Loc(loc) if loc.line != 0)),
        has_inlined_names: any(
            &|statement| matches!(statement, Statement::Loc(loc) if loc.inlined_at.is_some()),
        ),
        has_shared_variables: if shared { None } else { Some(false) },
        sections: Some(own_sections(module)),
        ptx_text_names: None,
        has_intermediate_lines: any(
            &|statement| matches!(statement, Statement::IntermediateLoc(loc) if loc.line != 0),
        ),
        intermediate_text_names: Some(intermediate_text_names(module)),
    };
    (kind, ptx_features)
}

/// The names of the sections with texts of an intermediate language, in file order: the last in the
/// text comes first, and an empty text has none.
pub(crate) fn intermediate_text_names<'a>(module: &Module<'a>) -> Vec<Cow<'a, str>> {
    let path = |index: u64| module.files().find(|file| file.index == index).map(|file| file.path);
    let blocks: Vec<_> = module.code_blocks().filter(|block| !block.text.is_empty()).collect();
    let mut seen = HashSet::new();
    let names = blocks.into_iter().rev().filter_map(|block| path(block.file));
    names.map(intermediate_text_name).filter(|name| seen.insert(name.clone())).map(Cow::Owned).collect()
}

/// Sections that reach a file at full level, each once.
fn own_sections<'a>(module: &Module<'a>) -> Vec<PtxSection<'a>> {
    let blocks = module.sections().map(|block| (block.name.text, assemble(block)));
    let lines = assemble_at_dwarf(module).into_iter().map(|section| (section.name.text, section.assembled));
    let all: Vec<(&str, AssembledSection<'_>)> = blocks.chain(lines).collect();
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

/// The kind of thing that a name in section data stands for.
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
    /// A name without an address: a `.local` variable or a parameter.
    Nothing,
}

struct Names<'a>(HashMap<&'a str, Named>);

impl<'a> Names<'a> {
    fn new(module: &Module<'a>, sections: &[(&'a str, AssembledSection<'a>)]) -> Self {
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
            // A prototype's function may be defined before or after it.
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

    fn references(&self, section: &str, data: &AssembledSection<'_>) -> ReferenceKinds {
        let is_info = section == SectionKind::DebugInfo.name();
        let mut references = Vec::new();
        for fixup in &data.fixups {
            references.extend(match fixup.target {
                FixupTarget::Section { .. } => Some(ReferenceKind::AtLink),
                FixupTarget::Difference { .. } => None,
                // Outside `.debug_info` ptxas takes `name+1` for a name of its own, which is not
                // defined.
                FixupTarget::Symbol { addend, .. } if addend != 0 && !is_info => Some(ReferenceKind::AtLink),
                FixupTarget::Symbol { name, .. } => match self.0.get(name) {
                    Some(Named::Label) => Some(ReferenceKind::Code),
                    Some(Named::Symbol) => Some(ReferenceKind::Symbol),
                    Some(Named::Constant) if is_info => Some(ReferenceKind::Symbol),
                    Some(Named::Nothing) => None,
                    Some(Named::Constant | Named::Shared | Named::SectionLabel | Named::Undefined) | None => {
                        Some(ReferenceKind::AtLink)
                    }
                },
            });
        }
        ReferenceKinds::of(&references)
    }
}
