//! Repairs of `.version`.

use super::{Edit, FixSelection};
use crate::check::{CheckContext, MinVersion, PtxVersion, RuleId, check};
use crate::header::VersionDirective;
use crate::module::{Item, Module};
use crate::parser::Parsed;
use crate::text_range::TextRange;

pub(super) const ENFORCED: &[RuleId] = &[
    RuleId::TargetNeedsVersion,
    RuleId::GateAddressSize,
    RuleId::GateTargetDebug,
    RuleId::GateSection,
    RuleId::GateFileTime,
    RuleId::GateLabelOffset,
    RuleId::GateSectionLabel,
    RuleId::GateInline,
    RuleId::GateDifference,
    RuleId::GateNegative,
    RuleId::GateIntermediateLoc,
    RuleId::GateIntermediateSources,
    RuleId::GateLanguage,
    RuleId::GateHidden,
];

/// The rules for which ptxas accepts less than the PTX ISA says.
pub(super) const DOCUMENTED: &[RuleId] =
    &[RuleId::GateAtDwarf, RuleId::GateB16, RuleId::GateSectionLabel, RuleId::GateInline];

/// What ptxas takes the module's version for.
pub(super) fn version(module: &Module<'_>) -> Option<PtxVersion> {
    module.version().and_then(PtxVersion::as_ptxas_reads)
}

pub(super) fn enforced(parsed: &Parsed<'_>, fixes: &FixSelection) -> Vec<Edit> {
    raise(parsed, fixes, MinVersion::enforced)
}

pub(super) fn documented(parsed: &Parsed<'_>, fixes: &FixSelection) -> Vec<Edit> {
    raise(parsed, fixes, MinVersion::documented)
}

/// To a version that ptxas does not know no module is raised.
fn raise(parsed: &Parsed<'_>, fixes: &FixSelection, least: fn(&MinVersion) -> PtxVersion) -> Vec<Edit> {
    let module = &parsed.module;
    let (Some(directive), Some(version)) = (module.version(), version(module)) else { return Vec::new() };
    let release = fixes.release.unwrap_or_default();
    let context = CheckContext { release, ..CheckContext::default() };
    let least = least(&check(parsed, &context).min_version);
    // `@@DWARF` ended with PTX 1.x: from 2.0 on it is what ptxas refuses.
    let ends_dwarf = version.major < 2 && least.major >= 2;
    if version >= least
        || !least.is_known_to(release)
        || ends_dwarf && module.items.iter().any(|item| matches!(item, Item::AtDwarf(_)))
    {
        return Vec::new();
    }
    vec![number_edit(directive, module, least)]
}

/// Raises a lower version to this one.
pub(super) fn raise_to(module: &Module<'_>, least: PtxVersion) -> Option<Edit> {
    let directive = module.version().filter(|_| version(module).is_some_and(|version| version < least))?;
    Some(number_edit(directive, module, least))
}

fn number_edit(directive: &VersionDirective, module: &Module<'_>, version: PtxVersion) -> Edit {
    let written = directive.range.slice(module.text);
    let digits = written.bytes().rev().take_while(|b| b.is_ascii_digit() || *b == b'.').count() as u32;
    let number = TextRange::new(directive.range.end - digits, directive.range.end);
    Edit::new(number, version.to_string())
}
