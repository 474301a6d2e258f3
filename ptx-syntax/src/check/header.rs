//! `.version`, `.target`, `.address_size`.

use super::gates::{self, CURRENT_VERSION, Gates, PtxVersion};
use super::rules::RuleId;
use super::sink::Sink;
use super::transcript::{FILE, Level, Modes, Phase};
use crate::nodes::{AddressSizeDirective, Item, Module, TargetDirective, VersionDirective};

/// Words of `.target` beside the architecture (PTX ISA, `.target`).
const TARGET_OPTIONS: [&str; 4] = ["texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"];

/// Checks the first directives of a module; misplaced ones are syntax errors.
pub(super) fn check(module: &Module<'_>, gates: &mut Gates, sink: &mut Sink<'_>) {
    let version = module.version();
    if let Some(version) = version {
        check_version(version, sink);
    }
    if let Some(target) = module.target() {
        check_target(target, version, super::first_item(module).is_some(), gates, sink);
    }
    let size = module.items.iter().find_map(|item| match item {
        Item::AddressSize(size) => Some(size),
        _ => None,
    });
    if let Some(size) = size {
        check_address_size(size, gates, sink);
    }
}

fn check_version(version: &VersionDirective, sink: &mut Sink<'_>) {
    let VersionDirective { major, minor, range } = *version;
    let read = PtxVersion::as_ptxas_reads(version);
    if !read.is_some_and(PtxVersion::is_supported) {
        let rule = RuleId::UnsupportedVersion;
        let message =
            format_args!("ptxas 13.0 knows no PTX {major}.{minor}; its newest is {CURRENT_VERSION}");
        if read.is_some_and(|read| read > CURRENT_VERSION) {
            sink.warning(rule, range, message); // a newer ptxas may take it
        } else {
            sink.error(rule, range, message);
        }
        let written = range.slice(sink.text).trim_start_matches(".version").trim();
        let said = format_args!("Unsupported .version {written}; current version is '{CURRENT_VERSION}'");
        sink.says_fatal(rule, range.start, said);
    } else if let Some(read) = read.filter(|_| minor > 9) {
        let message = format_args!("there is no PTX {major}.{minor}: ptxas 13.0 takes it for {read}");
        sink.error(RuleId::MinorVersion, range, message);
    }
}

fn check_target(
    target: &TargetDirective<'_>,
    version: Option<&VersionDirective>,
    has_items: bool,
    gates: &mut Gates,
    sink: &mut Sink<'_>,
) {
    // ptxas names the line of the directive, whatever the line of the word.
    let at = target.range.start;
    let named = target.specifiers.first().is_some_and(|word| is_architecture(word.text));
    for (index, word) in target.specifiers.iter().enumerate().filter(|(index, _)| named || *index == 0) {
        let read = gates::target(word.text);
        let needs = read.map(|read| read.needs);
        if named && word.text == "debug" {
            gates.check(RuleId::GateTargetDebug, word.range, at, sink);
        }
        let is_option = TARGET_OPTIONS.contains(&word.text);
        if needs.is_none() && (is_architecture(word.text) || index > 0 && !is_option) {
            let message = format_args!("ptxas 13.0 knows no target `{}`", word.text);
            sink.error(RuleId::UnknownTarget, word.range, message);
            sink.says_fatal(RuleId::UnknownTarget, at, format_args!("Unsupported .target '{}'", word.text));
        } else if index == 0 && needs.is_none() {
            let message = format_args!("expected an architecture such as sm_90 before `{}`", word.text);
            sink.error(RuleId::NoArchitecture, word.range, message);
            let said = format_args!("Target architecture not defined at start of file '{FILE}'");
            sink.says_fatal(RuleId::NoArchitecture, at, said);
        }
        if read.is_some_and(|read| !read.exact) {
            let message =
                format_args!("`{}` is no target of the PTX ISA, though ptxas 13.0 takes it", word.text);
            sink.warning(RuleId::UnknownTarget, word.range, message);
        }
        // ptxas looks at the first architecture only.
        let Some(needs) = needs.filter(|_| index == 0) else { continue };
        gates.min_version.target = Some((needs, word.range));
        let Some(version) = version else { continue };
        if PtxVersion::as_ptxas_reads(version).is_some_and(|read| read < needs) {
            let rule = RuleId::TargetNeedsVersion;
            let VersionDirective { major, minor, .. } = *version;
            sink.error(
                rule,
                word.range,
                format_args!("{} needs PTX {needs}, the module has {major}.{minor}", word.text),
            );
            let said = format_args!("PTX .version {major}.{minor} does not support .target {}", word.text);
            if has_items {
                sink.says_late(rule, Phase::Module, at, said);
            }
        }
    }
}

fn is_architecture(word: &str) -> bool {
    word.starts_with("sm_") || word.starts_with("compute_")
}

fn check_address_size(size: &AddressSizeDirective, gates: &mut Gates, sink: &mut Sink<'_>) {
    gates.check(RuleId::GateAddressSize, size.range, size.range.end - 1, sink);
    if size.bits == 32 {
        let rule = RuleId::Address32;
        sink.error(rule, size.range, format_args!("32-bit addresses are no longer supported: expected 64"));
        let at = (Phase::Warn, 1);
        let matching = "64 Bit host architecture (--machine) being used must match with .address_size of 32 bits for -g compilation";
        sink.says(rule, at, (Level::Fatal, Modes::G), format_args!(" {matching}"));
        let at = (Phase::Warn, size.range.start);
        let warned =
            "64 Bit host architecture (--machine) being used mismatches with .address_size of 32 bits";
        sink.says(rule, at, (Level::Warning, Modes::ALL), format_args!(" {warned}"));
        let said = "32-Bit ABI (--machine 32 or 32-Bit addressing) is not supported on sm_90 or higher architectures.";
        sink.says(rule, at, (Level::Fatal, Modes::ALL), format_args!(" {said}"));
    }
}
