//! Whether a fragment is a part of its variable.

use super::expression::{self, BitFragment};
use super::fault::Fault;
use super::rules::RuleId;
use super::verifier::Verifier;
use crate::limits::MAX_TYPE_DEPTH;
use crate::value::Value;
use crate::{IrDialect, Node, NodeKind, TextRange};

/// The fault of a variable outside functions with its expression.
pub(super) fn of_global(verifier: &mut Verifier<'_, '_, '_>, node: &Node<'_, '_>) -> Option<Fault> {
    let field = node.field("var")?;
    if field.value == Value::Null {
        let message = "this DIGlobalVariableExpression has no variable".to_owned();
        let sentence = match verifier.dialect {
            IrDialect::TypedPointers => "",
            IrDialect::OpaquePointers => "missing variable",
        };
        return Some(Fault { rule: RuleId::WrongNode, range: field.range, sentence, message });
    }
    let variable = verifier.node(field.value)?;
    let field = node.field("expr")?;
    of_variable(verifier, &variable, field.value, field.range)
}

/// The fault of a fragment of a variable.
pub(super) fn of_variable(
    verifier: &Verifier<'_, '_, '_>,
    variable: &Node<'_, '_>,
    expression: Value,
    range: TextRange,
) -> Option<Fault> {
    let content = expression::content(verifier.module.text, expression, verifier.module)?;
    let BitFragment { offset, size } =
        expression::read(verifier.module.text, content, verifier.dialect)?.fragment?;
    let bits = bits(verifier, variable)?;
    let fault = |sentence, message| Some(Fault { rule: RuleId::Fragment, range, sentence, message });
    if size.saturating_add(offset) > bits {
        let end = size.saturating_add(offset);
        let message = format!("this fragment ends at bit {end} of a variable with {bits} bits");
        return fault("fragment is larger than or outside of variable", message);
    }
    if size == bits {
        let message = format!("this fragment is all {bits} bits of its variable");
        return fault("fragment covers entire variable", message);
    }
    None
}

/// The size of a variable by its type, or by that which a typedef or a qualifier is of.
fn bits(verifier: &Verifier<'_, '_, '_>, variable: &Node<'_, '_>) -> Option<u64> {
    let mut value = variable.field("type")?.value;
    for _ in 0..MAX_TYPE_DEPTH {
        let node = verifier.node(value).filter(|node| node.kind().is_type())?;
        let size = node.integer("size");
        if size != 0 {
            return u64::try_from(size).ok();
        }
        value = node.field("baseType").filter(|_| node.kind() == NodeKind::DerivedType)?.value;
    }
    None
}
