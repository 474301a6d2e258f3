//! What of a module stops `compile`, beyond syntax. Observed: ptxas 13.0.88.

use crate::arch::{self, Arch};
use crate::diag::Diagnostic;
use crate::lower::ptx_sections::PtxSections;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::level::DebugLevel;
use ptx_syntax::{Item, Linkage, Module, Name, Statement, TargetDirective, TextRange, VersionDirective};
use std::collections::HashSet;

/// The PTX ISA version that ptxas 13.0 speaks.
const CURRENT_VERSION: (u32, u32) = (9, 0);

/// Words of `.target` beside the architecture (PTX ISA, `.target`).
const TARGET_WORDS: [&str; 4] = ["texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"];

/// First SM without 32-bit addresses.
const FIRST_64_BIT_ONLY_SM: u32 = 90;

/// `.version`, `.target` against `-arch`, and `.address_size`.
pub(super) fn header(module: &Module<'_>, arch: Arch, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(version) = module.version() {
        diagnostics.extend(check_version(version));
    }
    if let Some(target) = module.target() {
        check_target(target, arch, diagnostics);
    }
    for item in &module.items {
        let Item::AddressSize(size) = item else { continue };
        if size.bits == 32 {
            let reason = if arch.number >= FIRST_64_BIT_ONLY_SM {
                "is not supported on sm_90 or higher"
            } else {
                "is not supported"
            };
            diagnostics.push(Diagnostic::error(
                size.range,
                format!("32-bit addressing {reason}: expected .address_size 64"),
            ));
        }
    }
}

fn check_version(version: &VersionDirective) -> Option<Diagnostic> {
    let VersionDirective { major, minor, range } = *version;
    let (current_major, current_minor) = CURRENT_VERSION;
    if major == 0 {
        let message = format!(
            "Unsupported .version {major}.{minor}; current version is '{current_major}.{current_minor}'"
        );
        return Some(Diagnostic::error(range, message));
    }
    // Without ptxas there is nothing in newer PTX that keeps us from reading its debug directives.
    let message = format!(
        ".version {major}.{minor} is newer than {current_major}.{current_minor}, which ptxas 13.0 speaks: new directives are passed over"
    );
    ((major, minor) > CURRENT_VERSION).then(|| Diagnostic::warning(range, message))
}

fn check_target(target: &TargetDirective<'_>, arch: Arch, diagnostics: &mut Vec<Diagnostic>) {
    let Some(first) = target.arch() else {
        let message = "Target architecture not defined: expected an architecture such as sm_90";
        let range = target.specifiers.first().map_or(target.range, |word| word.range);
        diagnostics.push(Diagnostic::error(range, message));
        return;
    };
    for word in &target.specifiers {
        if TARGET_WORDS.contains(&word.text) {
            continue;
        }
        match Arch::parse_target(word.text) {
            Err(_) => {
                let message =
                    format!("Unsupported .target '{}': expected an architecture of ptxas 13.0", word.text);
                diagnostics.push(Diagnostic::error(word.range, message));
            }
            // ptxas looks at the first architecture only.
            Ok(wanted) if word.range == first.range => {
                if let Err(cannot) = arch::can_run(wanted, arch) {
                    diagnostics.push(Diagnostic::error(word.range, format!("{cannot} ({})", cannot.hint())));
                }
            }
            Ok(_) => {}
        }
    }
}

/// Names and file indices that are given twice.
pub(super) fn definitions(module: &Module<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let mut functions = Names::new("function");
    let mut variables = Names::new("variable");
    let mut files = HashSet::new();
    for item in &module.items {
        match item {
            Item::Function(function) => {
                if let Some(body) = &function.body {
                    functions.define(function.name, diagnostics);
                    labels(&body.statements, diagnostics);
                }
            }
            Item::Variable(variable) if variable.linkage != Linkage::Extern => {
                variable
                    .declarators
                    .iter()
                    .for_each(|declarator| variables.define(declarator.name, diagnostics));
            }
            Item::File(file) if !files.insert(file.index) => {
                diagnostics
                    .push(Diagnostic::error(file.range, format!("Duplicate file index #{}", file.index)));
            }
            _ => {}
        }
    }
}

/// Labels of one body. Each block has its own.
fn labels(statements: &[Statement<'_>], diagnostics: &mut Vec<Diagnostic>) {
    let mut blocks = vec![Names::new("label")];
    for statement in statements {
        match statement {
            Statement::BlockOpen(_) => blocks.push(Names::new("label")),
            Statement::BlockClose(_) => drop(blocks.pop()),
            Statement::Label(label) => {
                if let Some(block) = blocks.last_mut() {
                    block.define(*label, diagnostics);
                }
            }
            _ => {}
        }
    }
}

/// Names of one kind, each of which may be defined once.
struct Names<'a> {
    kind: &'static str,
    defined: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    fn new(kind: &'static str) -> Self {
        Self { kind, defined: HashSet::new() }
    }

    fn define(&mut self, name: Name<'a>, diagnostics: &mut Vec<Diagnostic>) {
        if !self.defined.insert(name.text) {
            let message = format!("Duplicate definition of {} '{}'", self.kind, name.text);
            diagnostics.push(Diagnostic::error(name.range, message));
        }
    }
}

/// Whether a `.loc` occurs.
pub(super) fn has_loc(module: &Module<'_>) -> bool {
    let bodies = module.functions().filter_map(|function| function.body.as_ref());
    bodies.flat_map(|body| &body.statements).any(|statement| matches!(statement, Statement::Loc(_)))
}

/// What full debug information needs of the PTX.
pub(super) fn sections(
    level: DebugLevel,
    module: &Module<'_>,
    sections: &PtxSections<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let target = module.target().filter(|target| target.is_debug());
    if let Some(target) = target.filter(|_| module.sections().next().is_none()) {
        let message = "Debug information not found in presence of .target debug: expected a .section block";
        diagnostics.push(Diagnostic::error(target.range, message));
    }
    for block in &sections.repeated {
        let message =
            format!("section {} appears twice: expected one block for each debug section", block.text);
        // ptxas fails with an internal error at full level, and drops these sections below it.
        diagnostics.push(match level {
            DebugLevel::Full => Diagnostic::error(block.range, message),
            _ => Diagnostic::warning(block.range, message),
        });
    }
    if let Some(Item::AtDwarf(line)) = module.items.iter().find(|item| matches!(item, Item::AtDwarf(_))) {
        let message = "@@DWARF lines, deprecated since PTX 2.0, are not compiled: expected .section blocks";
        diagnostics.push(Diagnostic::warning(line.range, message));
    }
}

/// What ptxas warns of, for when none is asked.
pub(super) fn ptxas_warnings(
    level: DebugLevel,
    module: &Module<'_>,
    sections: &PtxSections<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if level >= DebugLevel::Lines && has_loc(module) && module.files().next().is_none() {
        let message = ".loc directive without .file directive is found, line information in generated binary may not be complete";
        diagnostics.push(Diagnostic::warning(None, message));
    }
    if level < DebugLevel::Full {
        return;
    }
    for kind in [SectionKind::DebugAbbrev, SectionKind::DebugInfo] {
        if sections.by_kind(kind).is_none() {
            diagnostics.push(Diagnostic::warning(None, format!("{} section not found", kind.name())));
        }
    }
    if sections.lacks_abbreviations() {
        let message = "skipping .debug_info section due to missing .debug_abbrev section";
        diagnostics.push(Diagnostic::warning(None, message));
    }
}

/// Line markers of a C preprocessor, which make ptxas number the lines that follow anew. Nothing here follows them yet.
pub(super) fn line_markers(text: &str, diagnostics: &mut Vec<Diagnostic>) {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let rest = line.trim_start_matches([' ', '\t']);
        let number = rest.strip_prefix('#').map(|rest| rest.trim_start_matches([' ', '\t']));
        let number =
            number.map(|rest| rest.strip_prefix("line").unwrap_or(rest).trim_start_matches([' ', '\t']));
        if number.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            let range = TextRange::new(start, start + line.trim_end().len() as u32);
            let message = "a line marker makes ptxas number the following lines anew, which is not supported yet: expected PTX without";
            diagnostics.push(Diagnostic::error(range, message));
            return;
        }
        start += line.len() as u32;
    }
}
