//! Rules T: `.target ..., debug`.

use super::module_facts::ModuleFacts;
use super::ptxas_transcript::{Level, Modes, Phase};
use super::sink::Sink;
use super::{RuleId, Severity};
use crate::module::{Item, Module};

/// Checks what concerns the module as a whole. `describes` says whether `.debug_info` has entries
/// other than those of units.
pub(super) fn check(module: &Module<'_>, known: &ModuleFacts, describes: bool, sink: &mut Sink<'_>) {
    let words = module.targets().flat_map(|target| &target.specifiers);
    let Some(debug) = words.into_iter().find(|word| word.text == "debug") else { return };
    let mut blocks = module.items.iter().filter(|item| matches!(item, Item::Section(_) | Item::AtDwarf(_)));
    if blocks.next().is_none() {
        let rule = RuleId::DebugWithoutSection;
        if let Some(finding) = sink.find(
            rule,
            debug.range,
            format_args!("`debug` asks for a debug section, and the module has none"),
        ) {
            finding.help = Some("drop `, debug`, or add an empty section: `.section .debug_loc { }`".into());
        }
        let said = format_args!("Debug information not found in presence of .target debug");
        sink.ptxas_message(rule, Phase::Module, 0, Level::Error, Modes::ALL, said);
    } else if known.code && describes {
        let message = format_args!("`debug` here turns optimisation off (-O0), as -g does");
        sink.find_as(Severity::Note, RuleId::DebugMeansO0, debug.range, message);
    } else if known.code {
        let message = format_args!(
            "`debug` here turns optimisation off (-O0), and no entry describes a function or variable"
        );
        if let Some(finding) = sink.find(RuleId::DebugMeansO0, debug.range, message) {
            finding.help = Some("drop `, debug` and use -lineinfo for lines of optimised code".into());
        }
    }
}
