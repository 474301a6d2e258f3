//! The module's flags and its versions.

use super::rules::RuleId;
use super::sink::Sink;
use crate::module::{Module, NodeBody};
use crate::value::{Field, Fields, Value};
use crate::{IrDialect, NodeKind, Reference, TextRange};
use findings::Severity;
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// The version of debug metadata that LLVM takes; it drops that of modules with another one.
pub(crate) const DEBUG_INFO_VERSION: i128 = 3;
/// The named metadata that says which NVVM IR a module is.
pub(crate) const NAME: &str = "nvvmir.version";
/// The version of NVVM IR that libNVVM takes.
const IR_VERSION: [i128; 2] = [2, 0];
/// The major version of debug metadata that libNVVM takes, and the highest minor one.
const DEBUG_VERSION: [i128; 2] = [3, 2];
/// What libNVVM says last of a version that it does not take.
const INCOMPATIBLE: &str =
    "error: incompatible IR detected. Possible mix of compiler/IR from different releases.";

/// Checks the versions of NVVM IR. With `-g` and `-generate-line-info` libNVVM asks for one of
/// debug metadata where there are units.
pub(super) fn check(module: &Module<'_>, sink: &mut Sink) {
    let Some(named) = module.named_metadata(NAME) else {
        let sentence = "IR version 1.0 incompatible with current version 2.0";
        let message = "`!nvvmir.version` is missing; libNVVM takes the module for NVVM IR 1.0".to_owned();
        sink.find_as(Severity::Note, RuleId::IrVersion, TextRange::default(), sentence, message);
        sink.say(INCOMPATIBLE);
        return;
    };
    let has_units = !module.units().is_empty();
    for operand in Fields::new(module.text, named.operands) {
        let Some(body) = module.reference(operand.value).and_then(|node| module.body_of(node)) else {
            continue;
        };
        if body.kind != NodeKind::Tuple {
            let message = "a version is numbers in braces".to_owned();
            sink.find(RuleId::Unverified, operand.range, "", message);
            return;
        }
        let numbers: Vec<Option<i128>> =
            Fields::new(module.text, body.content).map(|field| module.integer(field.value)).collect();
        let found = match numbers[..] {
            [Some(major), Some(minor)] => version(sink, body, [major, minor], None, has_units),
            [Some(major), Some(minor), Some(debug_major), Some(debug_minor)] => {
                version(sink, body, [major, minor], Some([debug_major, debug_minor]), has_units)
            }
            _ => {
                let message =
                    format!("this version has {} numbers, expected 2 or 4", numbers.iter().flatten().count());
                sink.find(RuleId::IrVersion, body.range, INCOMPATIBLE, message);
                true
            }
        };
        if found {
            sink.say(INCOMPATIBLE);
            return;
        }
    }
}

/// Whether a version is not taken.
fn version(
    sink: &mut Sink,
    body: NodeBody,
    ir: [i128; 2],
    debug: Option<[i128; 2]>,
    has_units: bool,
) -> bool {
    let [major, minor] = ir;
    if ir != IR_VERSION {
        let sentence = format!("IR version {major}.{minor} incompatible with current version 2.0");
        let message = format!("this is NVVM IR {major}.{minor}, expected 2.0");
        sink.find(RuleId::IrVersion, body.range, &sentence, message);
        return true;
    }
    let Some([major, minor]) = debug else {
        if has_units {
            let message = "with -g or -generate-line-info libNVVM asks for a debug version".to_owned();
            sink.find_as(Severity::Note, RuleId::DebugVersion, body.range, "", message);
        }
        return false;
    };
    let is_taken = is_debug_version([major, minor]);
    if !is_taken {
        let sentence = format!("DBG version {major}.{minor} incompatible with current version 3.2");
        let message = format!("the debug version is {major}.{minor}, expected 3.0 to 3.2");
        sink.find(RuleId::DebugVersion, body.range, &sentence, message);
    }
    !is_taken
}

/// The flag `Debug Info Version`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DebugInfoFlag {
    /// The version; 0 where it is not a number.
    pub(crate) value: i128,
    /// The operand that says it.
    pub(crate) value_range: TextRange,
}

/// The flag `Debug Info Version`. With typed pointers flags without a behavior are passed over.
pub(crate) fn debug_info_flag(module: &Module<'_>, dialect: IrDialect) -> Option<DebugInfoFlag> {
    flags(module).find_map(|flag| {
        let [behavior, Field { value: Value::Text(name), .. }, value] = flag.fields[..] else { return None };
        let is_valid = dialect == IrDialect::OpaquePointers
            || module.integer(behavior.value).is_some_and(|behavior| behaviors(dialect).contains(&behavior));
        (is_valid && name.slice(module.text) == "Debug Info Version").then(|| DebugInfoFlag {
            value: module.integer(value.value).unwrap_or(0),
            value_range: value.range,
        })
    })
}

/// Whether libNVVM takes a version.
pub(crate) fn is_taken(module: &Module<'_>, body: NodeBody) -> bool {
    let numbers: Vec<Option<i128>> =
        Fields::new(module.text, body.content).map(|field| module.integer(field.value)).collect();
    match numbers[..] {
        [Some(major), Some(minor)] => [major, minor] == IR_VERSION,
        [Some(major), Some(minor), Some(debug_major), Some(debug_minor)] => {
            [major, minor] == IR_VERSION && is_debug_version([debug_major, debug_minor])
        }
        _ => false,
    }
}

fn is_debug_version([major, minor]: [i128; 2]) -> bool {
    major == DEBUG_VERSION[0] && (0..=DEBUG_VERSION[1]).contains(&minor)
}

/// The behaviors that LLVM knows: LLVM 7 has no `min`, which is 8.
fn behaviors(dialect: IrDialect) -> RangeInclusive<i128> {
    match dialect {
        IrDialect::TypedPointers => 1..=7,
        IrDialect::OpaquePointers => 1..=8,
    }
}

/// Checks the flags of the module. The sentences of what is found are said by the verifier.
pub(super) fn check_flags(module: &Module<'_>, dialect: IrDialect, sink: &mut Sink) {
    let mut names = HashSet::new();
    for flag in flags(module) {
        let range = flag.body.range;
        let [behavior, name, value] = flag.fields[..] else {
            let sentence = "incorrect number of operands in module flag";
            let message = format!("this module flag has {} operands, expected 3", flag.fields.len());
            sink.find(RuleId::ModuleFlag, range, sentence, message);
            continue;
        };
        let Some(number) = module.integer(behavior.value) else {
            let sentence = "invalid behavior operand in module flag (expected constant integer)";
            let message = "the behavior of this module flag is not a number".to_owned();
            sink.find(RuleId::ModuleFlag, behavior.range, sentence, message);
            continue;
        };
        let behaviors = behaviors(dialect);
        if !behaviors.contains(&number) {
            let sentence = "invalid behavior operand in module flag (unexpected constant)";
            let message =
                format!("the behavior of this module flag is {number}, expected 1 to {}", behaviors.end());
            sink.find(RuleId::ModuleFlag, behavior.range, sentence, message);
            continue;
        }
        let Value::Text(name) = name.value else {
            let sentence = "invalid ID operand in module flag (expected metadata string)";
            let message = "the name of this module flag is not a string".to_owned();
            sink.find(RuleId::ModuleFlag, name.range, sentence, message);
            continue;
        };
        if let Some((sentence, expected)) = value_fault(module, number, value) {
            let message =
                format!("the value of this module flag does not go with its behavior, expected {expected}");
            sink.find(RuleId::ModuleFlag, value.range, sentence, message);
            continue;
        }
        // 3 is `require`, of which there may be several.
        if !names.insert(name.slice(module.text)) && number != 3 {
            let sentence = "module flag identifiers must be unique (or of 'require' type)";
            let message = format!("the module flag `{}` is there twice", name.slice(module.text));
            sink.find(RuleId::ModuleFlag, range, sentence, message);
        }
    }
}

/// What libNVVM says of a value that does not go with the behavior of its flag, and what does.
/// Observed: libNVVM 13.0.88, each behavior with a number and with a string.
fn value_fault(module: &Module<'_>, behavior: i128, value: Field) -> Option<(&'static str, &'static str)> {
    let number = module.integer(value.value);
    let is_node = module.reference(value.value).is_some();
    match behavior {
        3 if !is_node => {
            Some(("invalid value for 'require' module flag (expected metadata pair)", "a name and a value"))
        }
        5 | 6 if !is_node => Some((
            "invalid value for 'append'-type module flag (expected a metadata node)",
            "a metadata node",
        )),
        7 if number.is_none() => {
            Some(("invalid value for 'max' module flag (expected constant integer)", "a number"))
        }
        8 if number.is_none_or(|number| number < 0) => Some((
            "invalid value for 'min' module flag (expected constant non-negative integer)",
            "a number from 0 on",
        )),
        _ => None,
    }
}

/// A flag of the module and its operands.
struct Flag {
    body: NodeBody,
    fields: Vec<Field>,
}

fn flags<'m>(module: &'m Module<'_>) -> impl Iterator<Item = Flag> + 'm {
    let bodies = module.named_nodes("llvm.module.flags").into_iter();
    bodies.filter_map(|flag: Reference| module.body_of(flag)).map(|body| Flag {
        body,
        // Fields with names are not operands.
        fields: Fields::new(module.text, body.content).filter(|_| body.kind == NodeKind::Tuple).collect(),
    })
}
