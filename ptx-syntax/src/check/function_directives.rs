//! Checks of the versions that directives between a function's head and its body need.

use super::gates::Gates;
use super::grammar::next_token;
use super::rules::RuleId;
use super::sink::Sink;
use crate::module::Module;

/// Checks the directive `.language` of all functions. ptxas complains at the token after it.
/// Observed: ptxas 13.1.115, 13.2.86 and 13.5.37.
pub(super) fn check(module: &Module<'_>, gates: &mut Gates, sink: &mut Sink<'_>) {
    for directive in module.functions().flat_map(|function| function.directives.iter()) {
        if directive.name.text == ".language" {
            let range = directive.range();
            let after = next_token(module.text, range.end).range.start;
            gates.check_directive(RuleId::GateLanguage, range, after, sink);
        }
    }
}
