//! Checks of the parameters of functions and call prototypes: arrays without a size, and state
//! spaces of old architectures.

use super::gates;
use super::grammar::next_token;
use super::rules::RuleId;
use super::sink::Sink;
use crate::function_kind::FunctionKind;
use crate::module::{Item, Module};
use crate::parameter::Parameter;
use crate::state_space::StateSpace;
use crate::statement::Statement;

/// The first architecture whose functions take parameters in memory.
const FIRST_WITH_ABI: u32 = 20;

/// Checks the parameters of all functions and prototypes.
pub(super) fn check(module: &Module<'_>, sink: &mut Sink<'_>) {
    let words = module.targets().flat_map(|target| &target.specifiers);
    let architectures: Vec<(u32, u32)> = words
        .filter_map(|word| Some((word.range.start, gates::target(word.text, sink.release)?.number)))
        .collect();
    // The last `.target` before a function counts.
    let is_old = |at: u32| {
        let before = architectures.partition_point(|&(start, _)| start < at);
        architectures.get(..before).and_then(<[_]>::last).is_some_and(|&(_, number)| number < FIRST_WITH_ABI)
    };
    for item in &module.items {
        let Item::Function(function) = item else { continue };
        let old = is_old(function.range.start);
        let is_entry = function.kind == FunctionKind::Entry;
        lists(&function.returns, &function.params, is_entry, old && !is_entry, sink);
        for statement in function.body.iter().flat_map(|body| &body.statements) {
            if let Statement::CallPrototype(prototype) = statement {
                lists(&prototype.returns, &prototype.params, false, old, sink);
            }
        }
    }
}

fn lists(
    returns: &[Parameter<'_>],
    params: &[Parameter<'_>],
    is_entry: bool,
    old: bool,
    sink: &mut Sink<'_>,
) {
    for list in [returns, params] {
        let allowed: &[StateSpace] = match (is_entry, old) {
            (true, _) => &[StateSpace::Param],
            (false, true) => &[StateSpace::Reg],
            (false, false) => &[StateSpace::Param, StateSpace::Reg],
        };
        for parameter in list.iter().filter(|parameter| !allowed.contains(&parameter.space)) {
            let name = parameter.name.map_or("", |name| name.text);
            let at = next_token(sink.text, parameter.range.end).range.start;
            let rule = RuleId::ParameterSpace;
            if is_entry {
                sink.error(rule, parameter.range, format_args!("a parameter of a kernel is in `.param`"));
                let said = format_args!("Entry parameter '{name}' must have .param state space");
                sink.ptxas_error(rule, at, said);
            } else {
                let expected = if old { "before sm_20 in `.reg`" } else { "in `.param` or `.reg`" };
                sink.error(rule, parameter.range, format_args!("a parameter of a function is {expected}"));
                let said = format_args!("Function parameter '{name}' has illegal state space");
                sink.ptxas_error(rule, at, said);
            }
        }
        let is_open = |parameter: &&Parameter<'_>| parameter.array == Some(0);
        let Some(open) = list.iter().find(is_open) else { continue };
        let Some((last, others)) = list.split_last() else { continue };
        let close = next_token(sink.text, last.range.end).range.start;
        let faults = [
            (
                others.iter().any(|other| is_open(&other)),
                "Only the last input parameter can be an incomplete array.",
            ),
            (std::ptr::eq(list, returns), "Output parameter cannot be an incomplete array."),
            (is_entry, "Parameter to entry function cannot be an incomplete array."),
        ];
        for (_, said) in faults.into_iter().filter(|&(is_fault, _)| is_fault) {
            sink.error(
                RuleId::IncompleteParameter,
                open.range,
                format_args!("{}", said.trim_end_matches('.')),
            );
            sink.ptxas_error(RuleId::IncompleteParameter, close, format_args!("{said}"));
        }
    }
}
