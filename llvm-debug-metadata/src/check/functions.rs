//! Checks a function: its subprogram, the locations of its instructions, and its calls.

use super::debug_attachment::is_debug;
use super::instruction_attachment::debug_attachment;
use super::records::{self, Arguments};
use super::rules::RuleId;
use super::scopes::Lead;
use super::verifier::Verifier;
use super::visit::{Locations, visit};
use crate::attachments::header_attachments;
use crate::module::{FunctionItem, NodeId};
use crate::statement::{Attachment, Statement, StatementKind, Statements};
use crate::value::{Fields, Value};
use crate::{IrDialect, Node, NodeKind, Reference, TextRange};
use std::collections::HashSet;

/// The metadata of loops.
const LOOP: &str = "llvm.loop";

/// Checks a function.
pub(super) fn check(verifier: &mut Verifier<'_, '_, '_>, function: &FunctionItem) {
    let module = verifier.module;
    let attachments = header_attachments(module.text, function.header);
    let Some(body) = function.body else {
        declaration(verifier, &attachments);
        return;
    };
    let subprogram = definition(verifier, function, &attachments);
    if let Some(subprogram) = subprogram {
        locations(verifier, function, body, subprogram);
    }
    let mut statements = Statements::new(module.text, body);
    let mut arguments = Arguments::new(subprogram.is_some());
    while let Some(statement) = statements.next_statement() {
        if let Some(record) = records::Record::read(module, &statement) {
            records::check(verifier, &record, &mut arguments);
        } else if statement.kind == StatementKind::Instruction {
            instruction(verifier, &statement, subprogram.is_some());
        }
    }
}

/// The attachments of a function without a body.
fn declaration(verifier: &mut Verifier<'_, '_, '_>, attachments: &[Attachment]) {
    for attachment in attachments {
        if is_debug(verifier.module.text, attachment) {
            let body = verifier.body(attachment.value);
            let (is_wrong, sentence) = match verifier.dialect {
                IrDialect::TypedPointers => (true, ""),
                IrDialect::OpaquePointers => (
                    body.is_some_and(|body| body.is_distinct),
                    "function declaration may only have a unique !dbg attachment",
                ),
            };
            if is_wrong {
                let message = match verifier.dialect {
                    IrDialect::TypedPointers => {
                        "below compute_100 a function without a body must not have `!dbg`"
                    }
                    IrDialect::OpaquePointers => "this function has no body, and its subprogram is distinct",
                };
                verifier.fail(RuleId::FunctionAttachment, attachment.value_range, sentence, message);
                return;
            }
        }
        visit(verifier, attachment.value, Locations::Allowed);
    }
}

/// The subprogram of a function with a body.
fn definition(
    verifier: &mut Verifier<'_, '_, '_>,
    function: &FunctionItem,
    attachments: &[Attachment],
) -> Option<NodeId> {
    let module = verifier.module;
    let mut found = None;
    for attachment in attachments {
        if is_debug(module.text, attachment) {
            let range = attachment.value_range;
            let subprogram = module.reference(attachment.value);
            let body = subprogram.and_then(|node| module.body_of(node));
            let body = body.filter(|body| body.kind == NodeKind::Subprogram);
            let is_modern = verifier.dialect == IrDialect::OpaquePointers;
            let wrong = match body {
                _ if found.is_some() => {
                    Some(("function must have a single !dbg attachment", "this function has two `!dbg`"))
                }
                None => Some((
                    "function !dbg attachment must be a subprogram",
                    "`!dbg` of this function is not a DISubprogram",
                )),
                Some(body) if !body.is_distinct && is_modern => Some((
                    "function definition may only have a distinct !dbg attachment",
                    "this function has a body, and its subprogram is not distinct",
                )),
                Some(_) => None,
            };
            if let Some((sentence, message)) = wrong {
                verifier.fail(RuleId::FunctionAttachment, range, sentence, message);
                return None;
            }
            if body.is_some_and(|body| !body.is_distinct) {
                let message = "this function has a body, and its subprogram is not distinct".to_owned();
                verifier.sink.find(RuleId::Unverified, range, "", message);
            }
            if let Some(Reference::Numbered(id)) = subprogram {
                found = Some(id);
                if let Some(first) = verifier.functions_of.insert(id, function.global.name) {
                    let message = format!("{} has this subprogram too", first.slice(module.text));
                    let sentence = "DISubprogram attached to more than one function";
                    verifier.fail(RuleId::SharedSubprogram, range, sentence, message);
                    verifier.sink.relate(first, "the other function");
                    return None;
                }
            }
        }
        visit(verifier, attachment.value, Locations::Allowed);
    }
    found
}

/// Checks that all locations lead back to the subprogram of their function.
fn locations(
    verifier: &mut Verifier<'_, '_, '_>,
    function: &FunctionItem,
    body: TextRange,
    subprogram: NodeId,
) {
    let module = verifier.module;
    let mut statements = Statements::new(module.text, body);
    let mut seen = HashSet::new();
    while let Some(statement) = statements.next_statement() {
        let is_typed = verifier.dialect == IrDialect::TypedPointers;
        // Calls of intrinsics become records, except for typed pointers.
        if statement.kind != StatementKind::Instruction || !is_typed && statement.debug_intrinsic().is_some()
        {
            continue;
        }
        for attachment in statement.attachments() {
            match attachment.kind.slice(module.text) {
                "dbg" => location(
                    verifier,
                    function,
                    attachment.value,
                    attachment.value_range,
                    subprogram,
                    &mut seen,
                ),
                // It may hold the start and the end of the loop.
                LOOP => {
                    let Some(body) = verifier.body(attachment.value) else { continue };
                    for operand in Fields::new(module.text, body.content).skip(1) {
                        location(
                            verifier,
                            function,
                            operand.value,
                            attachment.value_range,
                            subprogram,
                            &mut seen,
                        );
                    }
                }
                _ => {}
            }
        }
        if verifier.is_broken {
            return;
        }
    }
}

/// Checks that a location leads back to the subprogram of its function.
fn location(
    verifier: &mut Verifier<'_, '_, '_>,
    function: &FunctionItem,
    value: Value,
    range: TextRange,
    subprogram: NodeId,
    seen: &mut HashSet<NodeId>,
) {
    let module = verifier.module;
    let Some(Reference::Numbered(id)) = module.reference(value) else { return };
    let Some(node) = verifier.node(value).filter(|node| node.kind() == NodeKind::Location) else { return };
    if !seen.insert(id) {
        return;
    }
    let scope = node.field("scope").map_or(Value::Null, |field| field.value);
    let is_local = verifier.body(scope).is_some_and(|body| body.kind.is_local_scope());
    if !is_local && verifier.dialect == IrDialect::OpaquePointers {
        let message = "the scope of this location is not a DISubprogram or a block in one";
        verifier.fail(RuleId::WrongNode, range, "DILocation's scope must be a DILocalScope", message);
        return;
    }
    let outermost = match verifier.scopes.outermost(id) {
        Lead::To(outermost) => outermost,
        Lead::Circle => return circle(verifier, range, "the call sites of this location lead to each other"),
        Lead::Nowhere => return,
    };
    let scope = module.node(outermost).and_then(|node| Node::read(module, node.body).ok());
    let Some(Reference::Numbered(scope)) = scope.and_then(|node| node.reference("scope")) else { return };
    if !seen.insert(scope) {
        return;
    }
    match verifier.scopes.subprogram(scope) {
        Lead::Circle => circle(verifier, range, "the scopes of this location lead to each other"),
        // What the scope is instead is told of its node.
        Lead::Nowhere => other_subprogram(verifier, range, ""),
        Lead::To(found) => {
            if scope != found && !seen.insert(found) || found == subprogram {
                return;
            }
            let Ok(node) = Node::of(module, found) else { return };
            let linkage_name = node.text("linkageName");
            let name = if linkage_name.is_empty() { node.text("name") } else { linkage_name };
            let of_function =
                function.global.name.slice(module.text).trim_start_matches('@').trim_matches('"');
            // LLVM 7 takes any subprogram with the function's name.
            if verifier.dialect == IrDialect::TypedPointers && name == of_function {
                return;
            }
            other_subprogram(verifier, range, name);
        }
    }
}

fn circle(verifier: &mut Verifier<'_, '_, '_>, range: TextRange, message: &str) {
    verifier.is_broken = true;
    verifier.sink.find(RuleId::ScopeCycle, range, "", message.to_owned());
}

fn other_subprogram(verifier: &mut Verifier<'_, '_, '_>, range: TextRange, name: &str) {
    let message = match name {
        "" => "the scope of this location is not that of its function".to_owned(),
        name => format!("the scope of this location is in `{name}`, not in its function"),
    };
    let sentence = "!dbg attachment points at wrong subprogram for function";
    verifier.fail(RuleId::OtherSubprogram, range, sentence, message);
}

/// Checks an instruction other than a call of a debug intrinsic.
fn instruction(verifier: &mut Verifier<'_, '_, '_>, statement: &Statement<'_>, has_subprogram: bool) {
    let module = verifier.module;
    let mut has_location = false;
    for attachment in statement.attachments() {
        if is_debug(module.text, &attachment) {
            has_location = true;
            debug_attachment(verifier, &attachment);
        } else {
            let kind = attachment.kind.slice(module.text);
            let locations = if kind == LOOP { Locations::Allowed } else { Locations::NotAllowed };
            visit(verifier, attachment.value, locations);
        }
    }
    let Some(callee) = statement.callee().filter(|_| has_subprogram && !has_location) else { return };
    if verifier.inlinable.get(callee) == Some(&true) {
        let sentence = "inlinable function call in a function with debug info must have a !dbg location";
        let message = format!("this call of {callee} could be inlined and has no location");
        verifier.fail(RuleId::CallWithoutLocation, statement.range, sentence, message);
    }
}

/// Visits the metadata of instructions that stays where debug information is stripped.
pub(super) fn visit_other_attachments(verifier: &mut Verifier<'_, '_, '_>) {
    let module = verifier.module;
    for body in module.functions().filter_map(|function| function.body) {
        let mut statements = Statements::new(module.text, body);
        while let Some(statement) = statements.next_statement() {
            for attachment in statement.attachments() {
                let kind = attachment.kind.slice(module.text);
                if kind != "dbg" && kind != LOOP {
                    visit(verifier, attachment.value, Locations::NotAllowed);
                }
            }
        }
    }
}
