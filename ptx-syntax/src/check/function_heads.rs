//! Checks of the versions that parts of a function's head need: attributes of parameters, and
//! directives before the body.

use super::gates::Gates;
use super::grammar::next_token;
use super::rules::RuleId;
use super::sink::Sink;
use crate::module::Module;

/// Checks `.hidden` of kernel parameters and the directive `.language` of all functions. ptxas
/// complains of `.language` at the token after it. Observed: ptxas 12.8, 12.9, 13.0, 13.1, 13.2 and
/// 13.5.
pub(super) fn check(module: &Module<'_>, gates: &mut Gates, sink: &mut Sink<'_>) {
    for hidden in module.functions().flat_map(|function| &function.params).filter_map(|one| one.hidden) {
        gates.check_directive(RuleId::GateHidden, hidden, hidden.start, sink);
    }
    for directive in module.functions().flat_map(|function| function.directives.iter()) {
        if directive.name.text == ".language" {
            let range = directive.range();
            let after = next_token(module.text, range.end).range.start;
            gates.check_directive(RuleId::GateLanguage, range, after, sink);
        }
    }
}
