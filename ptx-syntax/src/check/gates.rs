//! The PTX version that each directive needs: by the PTX ISA, and as ptxas 13.0.88 enforces it.

mod min_version;

use super::grammar::next_token;

use super::ptx_version::PtxVersion;
use super::ptxas_transcript::{Level, Modes};
use super::rules::RuleId;
use super::sink::Sink;
use crate::text_range::TextRange;
use cuda_releases::Release;
use cuda_releases::arch::{Arch, Suffix};

pub use min_version::MinVersion;

/// A feature of the debug directives that some PTX version introduced.
#[derive(Debug, PartialEq, Eq)]
pub struct VersionGate {
    /// The rule that is broken where the feature is used in an older version.
    pub rule: RuleId,
    /// The name that ptxas gives to the feature.
    pub feature: &'static str,
    /// The PTX version that introduced the feature, by the PTX ISA.
    pub documented: PtxVersion,
    /// The PTX version that ptxas 13.0.88 asks for; `None` if it accepts the feature in any
    /// version.
    pub enforced: Option<PtxVersion>,
}

const fn gate(
    rule: RuleId,
    feature: &'static str,
    documented: (u32, u32),
    enforced: Option<(u32, u32)>,
) -> VersionGate {
    let documented = PtxVersion::new(documented.0, documented.1);
    let enforced = match enforced {
        Some((major, minor)) => Some(PtxVersion::new(major, minor)),
        None => None,
    };
    VersionGate { rule, feature, documented, enforced }
}

/// All features of the debug directives that need a certain PTX version. Sources: the notes of PTX
/// ISA 11.1.2, 11.1.3 and 11.5.1-11.5.4, each tried with ptxas 13.0.88; the directives of
/// intermediate languages stand in no note and were tried with ptxas 13.4.92 and 13.5.37.
pub static GATES: [VersionGate; 15] = [
    gate(RuleId::GateAtDwarf, "@@DWARF directive", (1, 2), None),
    gate(RuleId::GateSection, ".section directive", (2, 0), Some((2, 0))),
    gate(RuleId::GateAddressSize, ".address_size directive", (2, 3), Some((2, 3))),
    gate(RuleId::GateTargetDebug, "debug", (3, 0), Some((3, 0))),
    gate(RuleId::GateFileTime, "timestamp and filesize in .file directive", (3, 2), Some((3, 2))),
    gate(RuleId::GateLabelOffset, "labels + imm expression in .section", (3, 2), Some((3, 2))),
    gate(RuleId::GateB16, ".b16 in .section", (6, 0), None),
    gate(RuleId::GateSectionLabel, "Defining labels in .section", (7, 2), Some((7, 0))),
    gate(RuleId::GateInline, "Line information of inline functions", (7, 2), Some((7, 0))),
    gate(RuleId::GateDifference, "labels1 - labels2 expression in .section", (7, 5), Some((7, 5))),
    gate(RuleId::GateNegative, "Negative numbers in dwarf section", (7, 5), Some((7, 5))),
    gate(RuleId::GateIntermediateLoc, ".loc_intermediate", (9, 4), Some((9, 4))),
    gate(RuleId::GateIntermediateSources, ".nv_intermediate_source_section", (9, 4), Some((9, 4))),
    gate(RuleId::GateLanguage, ".language", (9, 2), Some((9, 2))),
    gate(RuleId::GateHidden, "kernel parameter hidden attribute", (8, 8), Some((8, 8))),
];

/// The gate of a rule.
pub(crate) fn gate_of(rule: RuleId) -> Option<&'static VersionGate> {
    GATES.iter().find(|gate| gate.rule == rule)
}

/// The first use in a module of a feature that needs a certain PTX version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatedUse {
    /// The feature that is used.
    pub gate: &'static VersionGate,
    /// The range of text of the first use.
    pub range: TextRange,
}

/// The version gates of one module.
#[derive(Debug)]
pub(super) struct Gates {
    /// The version that ptxas takes the module's `.version` for; none without one.
    version: Option<PtxVersion>,
    pub(super) min_version: MinVersion,
}

impl Gates {
    pub(super) fn new(version: Option<PtxVersion>) -> Self {
        Self { version, min_version: MinVersion::default() }
    }

    /// Checks one use of a feature at `range`. ptxas complains at offset `at` of the text.
    pub(super) fn check(&mut self, rule: RuleId, range: TextRange, at: u32, sink: &mut Sink<'_>) {
        self.check_in(Modes::ALL, rule, range, at, sink);
    }

    /// Checks one use of a directive, of which ptxas complains at offset `at`. A ptxas that knows
    /// no `.version` which has the directive takes it for an error of syntax.
    pub(super) fn check_directive(&mut self, rule: RuleId, range: TextRange, at: u32, sink: &mut Sink<'_>) {
        let Some(gate) = gate_of(rule) else { return };
        let Some(enforced) = gate.enforced.filter(|&enforced| !enforced.is_known_to(sink.release)) else {
            return self.check(rule, range, at, sink);
        };
        self.min_version.note(gate, range);
        let release = sink.release;
        let first = Release::all().find(|&release| enforced.is_known_to(release)).unwrap_or(Release::NEWEST);
        let what = what(gate);
        let message = format_args!(
            "{what} needs PTX {enforced}, which ptxas of CUDA {} is the first to know: {release} does not",
            first.name()
        );
        sink.error(rule, range, message);
        let word = next_token(sink.text, range.start).range.slice(sink.text);
        sink.ptxas_fatal(rule, range.start, format_args!("Parsing error near '{word}': syntax error"));
    }

    /// Checks a feature that ptxas looks at in some modes only.
    pub(super) fn check_in(
        &mut self,
        modes: Modes,
        rule: RuleId,
        range: TextRange,
        at: u32,
        sink: &mut Sink<'_>,
    ) {
        let Some(gate) = gate_of(rule) else { return };
        let first = self.min_version.note(gate, range);
        let Some(version) = self.version else { return };
        if let Some(enforced) = gate.enforced.filter(|&enforced| version < enforced) {
            sink.error(
                rule,
                range,
                format_args!("{} needs PTX {enforced}, the module has {version}", what(gate)),
            );
            let said =
                format_args!("Feature '{}' requires PTX ISA .version {enforced} or later", gate.feature);
            sink.ptxas_message_at(rule, at, Level::Error, modes, said);
        } else if first && version < gate.documented {
            let documented = gate.documented;
            let release = sink.release;
            let taken = match gate.enforced {
                Some(enforced) => format!("ptxas {release} takes it from {enforced}"),
                None => format!("ptxas {release} takes it in any"),
            };
            let what = what(gate);
            sink.warning(
                rule,
                range,
                format_args!("{what} came with PTX {documented}, the module has {version}; {taken}"),
            );
        }
    }
}

/// The feature in our words.
fn what(gate: &VersionGate) -> &'static str {
    match gate.rule {
        RuleId::GateAtDwarf => "`@@DWARF`",
        RuleId::GateSection => "`.section`",
        RuleId::GateAddressSize => "`.address_size`",
        RuleId::GateTargetDebug => "`debug` in `.target`",
        RuleId::GateFileTime => "time and size in `.file`",
        RuleId::GateLabelOffset => "`label+imm` in a section",
        RuleId::GateB16 => "`.b16` in a section",
        RuleId::GateSectionLabel => "a label in a section",
        RuleId::GateInline => "`function_name` and `inlined_at`",
        RuleId::GateDifference => "a difference of labels",
        RuleId::GateNegative => "a negative number in a section",
        RuleId::GateIntermediateLoc => "`.loc_intermediate`",
        RuleId::GateIntermediateSources => "`.nv_intermediate_source_section`",
        RuleId::GateLanguage => "`.language`",
        RuleId::GateHidden => "`.hidden`",
        _ => "this directive",
    }
}

/// A word of `.target` as ptxas reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target {
    /// 90 of `sm_90a`.
    pub(super) number: u32,
    /// The version it needs.
    pub(super) needs: PtxVersion,
    /// Written as the PTX ISA has it. ptxas takes `sm_90_a` and `sm_090b` too: it reads the number
    /// and a last `a` or `f`.
    pub(super) exact: bool,
}

/// Parses `sm_90a` or `compute_90a`; `None` for a word that is not an architecture of the
/// release's ptxas.
pub(super) fn target(word: &str, release: Release) -> Option<Target> {
    let rest = word.strip_prefix("sm_").or_else(|| word.strip_prefix("compute_"))?;
    let tail = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = rest.strip_suffix(tail)?;
    let number: u32 = digits.parse().ok()?;
    let suffix = match tail.as_bytes().last() {
        Some(b'a') => Suffix::A,
        Some(b'f') => Suffix::F,
        _ => Suffix::None,
    };
    let arch = Arch { number, suffix };
    let (major, minor) = arch.ptx_version_in(release.number())?;
    let exact = arch.to_string().strip_prefix("sm_") == Some(rest);
    Some(Target { number, needs: PtxVersion::new(major, minor), exact })
}
