//! What of a module stops `compile`, beyond syntax. Observed: ptxas 13.0.88.

use crate::arch::{self, Arch};
use crate::diag::Diagnostic;
use crate::lower::ptx_sections::PtxSections;
use nv_debug_sections::level::DebugLevel;
use ptx_syntax::{Item, Module, TargetDirective, VersionDirective};

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
    } else if level == DebugLevel::Full {
        let missing =
            [".debug_abbrev", ".debug_info"].into_iter().filter(|name| sections.by_name(name).is_none());
        diagnostics
            .extend(missing.map(|name| Diagnostic::warning(None, format!("{name} section not found"))));
        if sections.lacks_abbreviations() {
            let message = "skipping .debug_info section due to missing .debug_abbrev section";
            diagnostics.push(Diagnostic::warning(None, message));
        }
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
