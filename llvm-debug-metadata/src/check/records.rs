//! Checks debug records and calls of debug intrinsics.

use super::debug_attachment::is_debug;
use super::fragments;
use super::instruction_attachment::debug_attachment;
use super::rules::RuleId;
use super::scopes::Lead;
use super::subprogram::has_flag;
use super::verifier::Verifier;
use super::visit::{Locations, visit};
use crate::module::Module;
use crate::statement::{Attachment, Statement, StatementKind};
use crate::value::{Field, Fields, Value, value};
use crate::{IrDialect, Node, NodeKind, Reference, TextRange};
use std::collections::HashMap;

/// A debug record, or a call of a debug intrinsic.
pub(super) struct Record<'t> {
    /// `declare`, `value`, `assign`, `label`.
    name: &'t str,
    range: TextRange,
    /// Its operands, without the location.
    operands: Vec<Field>,
    /// Its location: the last operand of a record, the attachment of a call.
    location: Option<Field>,
    /// The attachment itself, of a call.
    attachment: Option<Attachment>,
}

impl<'t> Record<'t> {
    /// The record that a statement is.
    pub(super) fn read(module: &Module<'t>, statement: &Statement<'t>) -> Option<Self> {
        let text = module.text;
        let is_record = statement.kind == StatementKind::Record;
        let name = if is_record {
            statement.opcode().strip_prefix("#dbg_")?
        } else {
            statement.debug_intrinsic()?.strip_prefix("llvm.dbg.")?
        };
        // Of a call they follow its callee.
        let tokens = statement.tokens;
        let callee = tokens.iter().position(|token| token.kind == crate::lexer::TokenKind::Global);
        let from = if is_record { 0 } else { callee? };
        let open = from + tokens.get(from..)?.iter().position(|token| token.is(b'(', text))?;
        let mut depth = 0;
        let close = open
            + tokens.get(open..)?.iter().position(|token| {
                depth += token.nesting(text);
                depth == 0
            })?;
        let content = TextRange { start: tokens[open].range.end, end: tokens[close].range.start };
        let mut operands: Vec<Field> =
            Fields::new(text, content).map(|field| metadata_operand(text, field)).collect();
        let attachment = statement.attachments().find(|attachment| is_debug(text, attachment));
        let location = if is_record {
            operands.pop()
        } else {
            attachment.map(|attachment| Field {
                name: None,
                value: attachment.value,
                range: attachment.value_range,
            })
        };
        Some(Self { name, range: statement.range, operands, location, attachment })
    }
}

/// An operand of a call without the word `metadata` before it.
fn metadata_operand(text: &str, field: Field) -> Field {
    let words = field.range.slice(text);
    let Some(rest) = words.strip_prefix("metadata ") else { return field };
    let range = TextRange { start: field.range.end - rest.len() as u32, ..field.range };
    let head: Vec<_> = crate::lexer::Lexer::in_range(text, range).take(4).collect();
    Field { name: None, value: value(text, &head, range), range }
}

/// The variable that was seen for each number of a parameter of a function.
pub(super) struct Arguments {
    has_subprogram: bool,
    variables: HashMap<i128, Option<Reference>>,
}

impl Arguments {
    pub(super) fn new(has_subprogram: bool) -> Self {
        Self { has_subprogram, variables: HashMap::new() }
    }
}

/// Checks a record.
pub(super) fn check(verifier: &mut Verifier<'_, '_, '_>, record: &Record<'_>, arguments: &mut Arguments) {
    let is_typed = verifier.dialect == IrDialect::TypedPointers;
    if let Some(location) = record.location
        && verifier.body(location.value).is_some_and(|body| body.kind == NodeKind::Location)
    {
        visit(verifier, location.value, Locations::Allowed);
    }
    if record.name == "label" {
        label(verifier, record);
    } else {
        variable(verifier, record, arguments);
    }
    if let (true, Some(attachment)) = (is_typed, &record.attachment) {
        debug_attachment(verifier, attachment);
    }
}

/// The sentence about an operand, in the words of the dialect.
fn sentence(verifier: &Verifier<'_, '_, '_>, record: &Record<'_>, what: &str) -> String {
    match verifier.dialect {
        IrDialect::TypedPointers => format!("invalid llvm.dbg.{} intrinsic {what}", record.name),
        IrDialect::OpaquePointers => format!("invalid #dbg record {what}"),
    }
}

fn operand(record: &Record<'_>, index: usize) -> (Value, TextRange) {
    let field = record.operands.get(index);
    (field.map_or(Value::Null, |field| field.value), field.map_or(record.range, |field| field.range))
}

fn variable(verifier: &mut Verifier<'_, '_, '_>, record: &Record<'_>, arguments: &mut Arguments) {
    let (value, range) = operand(record, 0);
    let is_value = match value {
        Value::Inline(_) | Value::Number(_) => verifier.body(value).is_some_and(|body| {
            body.kind == NodeKind::ArgList || body.kind == NodeKind::Tuple && is_empty(verifier, body.content)
        }),
        Value::Other(_) => true,
        _ => false,
    };
    if !is_value {
        let message = format!("the value of this record is {}", verifier.found(value));
        let sentence = sentence(verifier, record, "address/value");
        verifier.fail(RuleId::RecordOperand, range, &sentence, message);
        return;
    }
    let (variable, _) = operand(record, 1);
    if !expect(verifier, record, 1, NodeKind::LocalVariable, "variable") {
        return;
    }
    let Some(node) = verifier.node(variable) else { return };
    visit(verifier, variable, Locations::NotAllowed);
    let (expression, expression_range) = operand(record, 2);
    if !expect(verifier, record, 2, NodeKind::Expression, "expression") {
        return;
    }
    visit(verifier, expression, Locations::NotAllowed);
    if record.name == "assign" && !expect(verifier, record, 3, NodeKind::AssignId, "DIAssignID") {
        return;
    }
    if node.field("type").is_some_and(|field| {
        field.value != Value::Null && verifier.body(field.value).is_none_or(|body| !body.kind.is_type())
    }) {
        // The node itself says so.
        return;
    }
    let Some(location) = place(verifier, record) else { return };
    let words = match verifier.dialect {
        IrDialect::TypedPointers => {
            format!("mismatched subprogram between llvm.dbg.{} variable and !dbg attachment", record.name)
        }
        IrDialect::OpaquePointers => {
            "mismatched subprogram between #dbg record variable and DILocation".to_owned()
        }
    };
    if !same_subprogram(verifier, record, &node, &location, &words) {
        return;
    }
    argument(verifier, record, &node, variable, &location, arguments);
    if !has_flag(&node, "DIFlagArtificial")
        && let Some(fault) = fragments::of_variable(verifier, &node, expression, expression_range)
    {
        verifier.report(&fault);
    }
}

/// Expects that an operand of a record, which is named `what` in LLVM's sentence, is a node of a
/// kind. Returns whether it is.
fn expect(
    verifier: &mut Verifier<'_, '_, '_>,
    record: &Record<'_>,
    index: usize,
    kind: NodeKind,
    what: &str,
) -> bool {
    let (value, range) = operand(record, index);
    let is_expected = verifier.body(value).is_some_and(|body| body.kind == kind);
    if !is_expected {
        let found = verifier.found(value);
        let message = format!("operand {} of this record is {found}, expected a {}", index + 1, kind.name());
        let sentence = match kind {
            NodeKind::AssignId => "invalid #dbg_assign DIAssignID".to_owned(),
            _ => sentence(verifier, record, what),
        };
        verifier.fail(RuleId::RecordOperand, range, &sentence, message);
    }
    is_expected
}

fn is_empty(verifier: &Verifier<'_, '_, '_>, content: TextRange) -> bool {
    content.slice(verifier.module.text).trim().is_empty()
}

/// The location of a record.
fn place<'m, 'a>(verifier: &mut Verifier<'_, 'm, 'a>, record: &Record<'_>) -> Option<Node<'m, 'a>> {
    let value = record.location.map_or(Value::Null, |location| location.value);
    let node = verifier.node(value).filter(|node| node.kind() == NodeKind::Location);
    if node.is_some() {
        return node;
    }
    let sentence = match verifier.dialect {
        // Another node than a location is told of the instruction.
        IrDialect::TypedPointers if record.location.is_some() => return None,
        IrDialect::TypedPointers => format!("llvm.dbg.{} intrinsic requires a !dbg attachment", record.name),
        IrDialect::OpaquePointers if record.name == "label" => return None,
        IrDialect::OpaquePointers => "invalid #dbg record DILocation".to_owned(),
    };
    let range = record.location.map_or(record.range, |location| location.range);
    verifier.fail(RuleId::RecordLocation, range, &sentence, "this record has no DILocation");
    None
}

/// Whether a variable or a label and the location of its record are in one subprogram.
fn same_subprogram(
    verifier: &mut Verifier<'_, '_, '_>,
    record: &Record<'_>,
    node: &Node<'_, '_>,
    location: &Node<'_, '_>,
    sentence: &str,
) -> bool {
    let (of_node, of_location) =
        (verifier.scopes.subprogram_of(node), verifier.scopes.subprogram_of(location));
    if of_node == Lead::Circle || of_location == Lead::Circle {
        verifier.is_broken = true;
        let message = "the scopes of this record lead to each other".to_owned();
        verifier.sink.find(RuleId::ScopeCycle, record.range, "", message);
        return false;
    }
    // Scopes that lead nowhere are told elsewhere.
    let (Lead::To(of_node), Lead::To(of_location)) = (of_node, of_location) else { return false };
    if of_node == of_location {
        return true;
    }
    let what = if record.name == "label" { "label" } else { "variable" };
    let message = format!("this {what} is in another subprogram than the location of its record");
    verifier.fail(RuleId::RecordSubprogram, record.range, sentence, message);
    false
}

/// Checks that a parameter has one variable.
fn argument(
    verifier: &mut Verifier<'_, '_, '_>,
    record: &Record<'_>,
    node: &Node<'_, '_>,
    variable: Value,
    location: &Node<'_, '_>,
    arguments: &mut Arguments,
) {
    let number = node.integer("arg");
    if !arguments.has_subprogram || number == 0 || location.reference("inlinedAt").is_some() {
        return;
    }
    let variable = verifier.module.reference(variable);
    let before = arguments.variables.insert(number, variable);
    if before.is_some_and(|before| before != variable) {
        let message = format!("parameter {number} has another variable already");
        verifier.fail(RuleId::ArgumentTwice, record.range, "conflicting debug info for argument", message);
    }
}

fn label(verifier: &mut Verifier<'_, '_, '_>, record: &Record<'_>) {
    let (label, range) = operand(record, 0);
    let node = verifier.node(label).filter(|node| node.kind() == NodeKind::Label);
    let Some(node) = node else {
        let message = format!("the label of this record is {}, expected a DILabel", verifier.found(label));
        let sentence = match verifier.dialect {
            IrDialect::TypedPointers => "invalid llvm.dbg.label intrinsic variable",
            IrDialect::OpaquePointers => "invalid #dbg_label intrinsic variable",
        };
        verifier.fail(RuleId::RecordOperand, range, sentence, message);
        return;
    };
    visit(verifier, label, Locations::NotAllowed);
    let Some(location) = place(verifier, record) else { return };
    let sentence = match verifier.dialect {
        IrDialect::TypedPointers => "mismatched subprogram between llvm.dbg.label label and !dbg attachment",
        IrDialect::OpaquePointers => "mismatched subprogram between #dbg_label label and !dbg attachment",
    };
    same_subprogram(verifier, record, &node, &location, sentence);
}
