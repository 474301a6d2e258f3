//! What LLVM uses of a node without a look. Observed: libNVVM 13.0.88 with each field of each kind
//! of nodes taken out or led elsewhere; it mostly ends with signal 11.

use super::expression;
use super::rules::RuleId;
use super::subprogram::is_definition;
use super::verifier::Verifier;
use super::words;
use crate::modes::EmissionKind;
use crate::value::{Fields, Value};
use crate::{IrDialect, Node, NodeKind, Reference};
use NodeKind as Kind;

/// Whether a unit has entries for types and variables.
fn has_full_unit(verifier: &Verifier<'_, '_, '_>) -> bool {
    verifier.emission_kinds.contains(&EmissionKind::FullDebug)
}

/// Whether a unit has lines or entries.
fn has_emitted_unit(verifier: &Verifier<'_, '_, '_>) -> bool {
    verifier.emission_kinds.iter().any(|kind| *kind != EmissionKind::NoDebug)
}

/// Checks a node in which LLVM's verifier has found no fault.
pub(super) fn check(verifier: &mut Verifier<'_, '_, '_>, node: &Node<'_, '_>, reference: Reference) {
    if node.kind() == Kind::GlobalVariableExpression && lacks_operand(verifier, node) {
        verifier.reads_past_end = true;
        let range = node.field("expr").map_or(node.body().range, |field| field.range);
        let message = "the last operation of this expression lacks an operand".to_owned();
        verifier.sink.find(RuleId::Unverified, range, "", message);
        return;
    }
    if let Some((field, message)) = fault(verifier, node, reference) {
        let range = node.field(field).map_or(node.body().range, |field| field.range);
        verifier.sink.find(RuleId::Unverified, range, "", message);
    }
}

/// Whether the last operation of the expression of a variable lacks operands.
fn lacks_operand(verifier: &Verifier<'_, '_, '_>, node: &Node<'_, '_>) -> bool {
    let expression = node.field("expr").and_then(|field| verifier.body(field.value));
    expression.is_some_and(|body| {
        body.kind == Kind::Expression && expression::lacks_operands(verifier.module.text, body.content)
    })
}

/// The field with a fault, and what it is.
fn fault(
    verifier: &Verifier<'_, '_, '_>,
    node: &Node<'_, '_>,
    reference: Reference,
) -> Option<(&'static str, String)> {
    let kind = node.kind();
    let name = kind.name();
    let value = |field: &str| node.field(field).map_or(Value::Null, |field| field.value);
    let kind_in = |field: &str| verifier.body(value(field)).map(|body| body.kind);
    let is_missing = |field: &str| value(field) == Value::Null;
    let is_typed = verifier.dialect == IrDialect::TypedPointers;
    let no_type = |field: &'static str| Some((field, format!("this {name} has no type")));
    match kind {
        Kind::LexicalBlock | Kind::LexicalBlockFile | Kind::ImportedEntity
            if !is_missing("file") && kind_in("file") != Some(Kind::File) =>
        {
            Some(("file", format!("`file` of this {name} is not a DIFile")))
        }
        Kind::ImportedEntity if is_missing("entity") => {
            Some(("entity", "this DIImportedEntity has no entity".to_owned()))
        }
        Kind::ImportedEntity if is_missing("scope") && is_typed => {
            Some(("scope", "this DIImportedEntity has no scope".to_owned()))
        }
        Kind::ImportedEntity if has_emitted_unit(verifier) => {
            let is_wrong = matches!(
                kind_in("entity"),
                Some(Kind::File | Kind::LocalVariable | Kind::LexicalBlock | Kind::LexicalBlockFile)
            );
            is_wrong.then(|| ("entity", "the entity of this DIImportedEntity cannot be imported".to_owned()))
        }
        Kind::GlobalVariableExpression if kind_in("expr") != Some(Kind::Expression) => {
            Some(("expr", "`expr` of this DIGlobalVariableExpression is not a DIExpression".to_owned()))
        }
        Kind::GlobalVariableExpression if kind_in("var") != Some(Kind::GlobalVariable) => {
            Some(("var", "`var` of this DIGlobalVariableExpression is not a DIGlobalVariable".to_owned()))
        }
        Kind::File if node.field("checksum").is_some() && node.text("checksum").is_empty() => {
            Some(("checksum", "the checksum of this DIFile is empty".to_owned()))
        }
        Kind::Subprogram => subprogram(verifier, node, reference),
        Kind::LocalVariable if is_missing("type") && has_full_unit(verifier) => no_type("type"),
        Kind::TemplateValueParameter if is_missing("type") && has_emitted_unit(verifier) => no_type("type"),
        Kind::CompositeType if is_typed => {
            let is_array = words::tag(node) == "DW_TAG_array_type";
            if is_array && is_missing("baseType") {
                return no_type("baseType");
            }
            let elements = verifier.body(value("elements"))?;
            let mut operands = Fields::new(verifier.module.text, elements.content);
            let is_null = operands.any(|operand| operand.value == Value::Null);
            is_null.then(|| ("elements", "an element of this DICompositeType is `null`".to_owned()))
        }
        _ => None,
    }
}

fn subprogram(
    verifier: &Verifier<'_, '_, '_>,
    node: &Node<'_, '_>,
    reference: Reference,
) -> Option<(&'static str, String)> {
    if !is_definition(node) {
        return None;
    }
    let scope = node.field("scope").map_or(Value::Null, |field| field.value);
    let kind = verifier.body(scope).map(|body| body.kind);
    let is_block = matches!(kind, Some(NodeKind::LexicalBlock | NodeKind::LexicalBlockFile));
    if is_block || kind.is_some() && verifier.module.reference(scope) == Some(reference) {
        return Some(("scope", "the scope of this DISubprogram is in a function".to_owned()));
    }
    let is_missing = node.reference("type").is_none() && has_full_unit(verifier);
    is_missing.then(|| ("type", "this DISubprogram has no type".to_owned()))
}
