//! Checks of `.version`, `.target` and `.address_size`.

use super::CheckContext;
use super::gates::{self, Gates};
use super::ptx_version::PtxVersion;
use super::ptxas_transcript::{FILE, Level, Modes, Phase};
use super::rules::RuleId;
use super::sink::Sink;
use crate::header::{AddressSizeDirective, TargetDirective, VersionDirective};
use crate::module::{Item, Module};
use crate::name::Name;

/// Words of `.target` beside the architecture (PTX ISA, `.target`).
const TARGET_OPTIONS: [&str; 4] = ["texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"];

/// The first architecture with f64.
const FIRST_WITH_F64: u32 = 13;

/// The first `.version` that goes with `-c`.
const FIRST_RELOCATABLE: PtxVersion = PtxVersion::new(3, 1);

/// Checks the first directives of a module; misplaced ones are syntax errors.
pub(super) fn check(module: &Module<'_>, context: &CheckContext<'_>, gates: &mut Gates, sink: &mut Sink<'_>) {
    let version = module.version();
    if let Some(version) = version {
        check_version(version, sink);
        if context.relocatable {
            check_relocatable(version, sink);
        }
    }
    let mut targets = Targets::default();
    module.targets().for_each(|target| targets.directive(target, version, gates, sink));
    if let (Some(VersionDirective { major, minor, .. }), true, Some((_, word, at))) =
        (version, targets.too_new && super::first_item(module).is_some(), targets.arch)
    {
        let said = format_args!("PTX .version {major}.{minor} does not support .target {word}");
        sink.ptxas_late_error(RuleId::TargetNeedsVersion, Phase::Module, at, said);
    }
    let size = module.items.iter().find_map(|item| match item {
        Item::AddressSize(size) => Some(size),
        _ => None,
    });
    if let Some(size) = size {
        let of_module = targets.arch.map_or(0, |(number, ..)| number);
        check_address_size(size, context.arch.unwrap_or(of_module), gates, sink);
    }
}

fn check_version(version: &VersionDirective, sink: &mut Sink<'_>) {
    let VersionDirective { major, minor, range } = *version;
    let read = PtxVersion::as_ptxas_reads(version);
    let (release, newest) = (sink.release, PtxVersion::newest_of(sink.release));
    if !read.is_some_and(|read| read.is_known_to(release)) {
        let rule = RuleId::UnsupportedVersion;
        let message = format_args!("ptxas {release} knows no PTX {major}.{minor}; its newest is {newest}");
        if read.is_some_and(|read| read > newest) {
            sink.warning(rule, range, message); // a newer ptxas may take it
        } else {
            sink.error(rule, range, message);
        }
        let written = range.slice(sink.text).trim_start_matches(".version").trim();
        let said = format_args!("Unsupported .version {written}; current version is '{newest}'");
        sink.ptxas_fatal(rule, range.start, said);
    } else if let Some(read) = read.filter(|_| minor > 9) {
        let message = format_args!("there is no PTX {major}.{minor}: ptxas {release} takes it for {read}");
        sink.error(RuleId::MinorVersion, range, message);
    }
}

/// ptxas says so when it has parsed the module.
fn check_relocatable(version: &VersionDirective, sink: &mut Sink<'_>) {
    let VersionDirective { major, minor, range } = *version;
    if PtxVersion::as_ptxas_reads(version).is_some_and(|read| read < FIRST_RELOCATABLE) {
        let rule = RuleId::RelocatableVersion;
        let message = format_args!("-c needs PTX {FIRST_RELOCATABLE}, the module has {major}.{minor}");
        sink.error(rule, range, message);
        let said = format_args!("'Compile only(-c)' requires PTX ISA .version {FIRST_RELOCATABLE} or later");
        sink.ptxas_message(rule, Phase::Symbols, 0, Level::Fatal, Modes::ALL, said);
    }
}

/// The facts from the words of all `.target` so far.
#[derive(Default)]
struct Targets<'m> {
    /// The last architecture: its number, its word and the directive's start.
    arch: Option<(u32, &'m str, u32)>,
    /// Some architecture needs a newer `.version`; ptxas says so of the last one, whichever it is.
    too_new: bool,
    texture_mode: Option<&'m str>,
}

impl<'m> Targets<'m> {
    fn directive(
        &mut self,
        target: &'m TargetDirective<'_>,
        version: Option<&VersionDirective>,
        gates: &mut Gates,
        sink: &mut Sink<'_>,
    ) {
        // ptxas names the line of the directive, whatever the line of the word.
        let at = target.range.start;
        for word in &target.specifiers {
            if self.arch.is_none() && !is_architecture(word.text) {
                let message = format_args!("expected an architecture such as sm_90 before `{}`", word.text);
                sink.error(RuleId::NoArchitecture, word.range, message);
                let said = format_args!("Target architecture not defined at start of file '{FILE}'");
                return sink.ptxas_fatal(RuleId::NoArchitecture, at, said);
            }
            if let Some(read) = gates::target(word.text, sink.release) {
                self.architecture(word, read, at, version, gates, sink);
            } else if TARGET_OPTIONS.contains(&word.text) {
                self.option(word, at, gates, sink);
            } else {
                let release = sink.release;
                let message = format_args!("ptxas {release} knows no target `{}`", word.text);
                sink.error(RuleId::UnknownTarget, word.range, message);
                let said = format_args!("Unsupported .target '{}'", word.text);
                sink.ptxas_fatal(RuleId::UnknownTarget, at, said);
                if self.arch.is_none() {
                    return;
                }
            }
        }
    }

    fn architecture(
        &mut self,
        word: &'m Name<'_>,
        read: gates::Target,
        at: u32,
        version: Option<&VersionDirective>,
        gates: &mut Gates,
        sink: &mut Sink<'_>,
    ) {
        if !read.exact {
            let release = sink.release;
            let message = format_args!(
                "`{}` is not a target of the PTX ISA, though ptxas {release} takes it",
                word.text
            );
            sink.warning(RuleId::UnknownTarget, word.range, message);
        }
        self.arch = Some((read.number, word.text, at));
        let needs = read.needs;
        if gates.min_version.target.is_none_or(|(least, _)| least < needs) {
            gates.min_version.target = Some((needs, word.range));
        }
        if let Some(version) = version
            && PtxVersion::as_ptxas_reads(version).is_some_and(|read| read < needs)
        {
            let VersionDirective { major, minor, .. } = *version;
            let message = format_args!("{} needs PTX {needs}, the module has {major}.{minor}", word.text);
            sink.error(RuleId::TargetNeedsVersion, word.range, message);
            self.too_new = true;
        }
    }

    fn option(&mut self, word: &'m Name<'_>, at: u32, gates: &mut Gates, sink: &mut Sink<'_>) {
        let rule = RuleId::TargetOption;
        match word.text {
            "debug" => gates.check(RuleId::GateTargetDebug, word.range, at, sink),
            "map_f64_to_f32" if self.arch.is_some_and(|(number, ..)| number >= FIRST_WITH_F64) => {
                let message = "sm_13 and later have f64: ptxas takes `map_f64_to_f32` for older ones only";
                sink.error(rule, word.range, format_args!("{message}"));
                let said = "Directive map_f64_to_f32 is not supported with SM 1.3 or higher";
                sink.ptxas_error(rule, at, format_args!("{said}"));
            }
            "map_f64_to_f32" => {}
            mode => match self.texture_mode {
                Some(other) if other != mode => {
                    sink.error(rule, word.range, format_args!("`{mode}` contradicts `{other}`"));
                    sink.ptxas_error(rule, at, format_args!("Conflicting .target option '{mode}'"));
                }
                _ => self.texture_mode = Some(mode),
            },
        }
    }
}

fn is_architecture(word: &str) -> bool {
    word.starts_with("sm_") || word.starts_with("compute_")
}

fn check_address_size(size: &AddressSizeDirective, arch: u32, gates: &mut Gates, sink: &mut Sink<'_>) {
    gates.check(RuleId::GateAddressSize, size.range, size.range.end - 1, sink);
    if size.bits == 32 {
        let rule = RuleId::Address32;
        sink.error(rule, size.range, format_args!("32-bit addresses are no longer supported: expected 64"));
        let (phase, at) = (Phase::Warn, 1);
        let matching = "64 Bit host architecture (--machine) being used must match with .address_size of 32 bits for -g compilation";
        sink.ptxas_message(rule, phase, at, Level::Fatal, Modes::G, format_args!(" {matching}"));
        let (phase, at) = (Phase::Warn, size.range.start);
        let warned =
            "64 Bit host architecture (--machine) being used mismatches with .address_size of 32 bits";
        sink.ptxas_message(rule, phase, at, Level::Warning, Modes::ALL, format_args!(" {warned}"));
        // The words go by the architecture that the module is compiled for.
        let said = if arch < 90 {
            "32-Bit compilation is no longer supported"
        } else {
            "32-Bit ABI (--machine 32 or 32-Bit addressing) is not supported on sm_90 or higher architectures."
        };
        // Of what `-arch` is nothing is known here.
        let is_open = arch < 90 && sink.release.has_32_bit_addresses();
        let level = if is_open { Level::NotKnown } else { Level::Fatal };
        sink.ptxas_message(rule, phase, at, level, Modes::ALL, format_args!(" {said}"));
    }
}
