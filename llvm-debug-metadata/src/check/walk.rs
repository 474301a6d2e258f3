//! Goes through a module as LLVM's verifier does: functions, then variables, then named metadata,
//! and from each to all nodes that it leads to.

use super::rules::RuleId;
use super::sink::Sink;
use super::verifier::Verifier;
use super::visit::{Locations, visit};
use super::{functions, versions};
use crate::attachments::variable_attachments;
use crate::module::{ItemKind, Module, NodeId};
use crate::value::Fields;
use crate::{IrDialect, NodeKind, Reference, TextRange};
use std::collections::HashSet;

/// What the verifier said, and what that comes to.
#[derive(Debug, Default)]
pub(super) struct Verified {
    /// Of debug metadata.
    pub(super) sentences: Vec<String>,
    /// Of debug metadata that is still there once debug information is stripped.
    pub(super) lasting: Vec<String>,
    /// Whether all debug metadata is stripped, so that what is wrong with it is not told.
    pub(super) is_stripped: bool,
    /// Whether debug metadata is wrong: with typed pointers libNVVM has no words for some of it.
    pub(super) is_broken: bool,
    /// Whether LLVM reads past the end of an expression.
    pub(super) reads_past_end: bool,
    /// Of flags of the module.
    pub(super) of_flags: Vec<String>,
}

/// Checks all that LLVM's verifier looks at.
pub(super) fn check(module: &Module<'_>, dialect: IrDialect, sink: &mut Sink) -> Verified {
    let mut verified = Verified::default();
    let before = sink.listed();
    let mut verifier = Verifier::new(module, dialect, sink);
    walk(&mut verifier);
    verified.is_broken = verifier.is_broken;
    verified.reads_past_end = verifier.reads_past_end;
    verified.sentences = sink.take_sentences();
    // Metadata of another version is stripped before it is looked at.
    let flag = versions::debug_info_flag(module, dialect);
    if flag.is_none_or(|flag| flag.value != versions::DEBUG_INFO_VERSION) {
        verified = Verified { is_stripped: true, ..Verified::default() };
        sink.forget_words_after(before);
    } else if !verified.sentences.is_empty() {
        verified.lasting = lasting_sentences(module, dialect);
    }
    versions::check_flags(module, dialect, sink);
    verified.of_flags = sink.take_sentences();
    verified
}

/// The sentences about nodes that are held by what is not of debug information: named metadata and
/// attachments.
fn lasting_sentences(module: &Module<'_>, dialect: IrDialect) -> Vec<String> {
    let mut sink = Sink::new();
    let mut verifier = Verifier::new(module, dialect, &mut sink);
    functions::visit_other_attachments(&mut verifier);
    named_metadata(&mut verifier, |name| !name.starts_with("llvm.dbg.") && !name.starts_with("llvm.gcov"));
    sink.take_sentences()
}

fn walk(verifier: &mut Verifier<'_, '_, '_>) {
    let module = verifier.module;
    for function in module.functions() {
        functions::check(verifier, function);
    }
    for item in module.items() {
        if let ItemKind::Variable(_) = item.kind {
            variable(verifier, item.range);
        }
    }
    listed_units(verifier);
    named_metadata(verifier, |_| true);
    unlisted_units(verifier);
}

/// The attachments of a variable outside functions.
fn variable(verifier: &mut Verifier<'_, '_, '_>, range: TextRange) {
    let text = verifier.module.text;
    for attachment in variable_attachments(text, range) {
        if attachment.kind.slice(text) != "dbg" {
            continue;
        }
        let is_expression = verifier
            .body(attachment.value)
            .is_some_and(|body| body.kind == NodeKind::GlobalVariableExpression);
        if !is_expression {
            let found = verifier.found(attachment.value);
            let message =
                format!("`!dbg` of this variable is {found}, expected a DIGlobalVariableExpression");
            let sentence = match verifier.dialect {
                IrDialect::TypedPointers => "",
                IrDialect::OpaquePointers => {
                    "!dbg attachment of global variable must be a DIGlobalVariableExpression"
                }
            };
            verifier.fail(RuleId::VariableAttachment, attachment.value_range, sentence, message);
            continue;
        }
        visit(verifier, attachment.value, Locations::NotAllowed);
    }
}

fn listed_units(verifier: &mut Verifier<'_, '_, '_>) {
    let Some(named) = verifier.module.named_metadata("llvm.dbg.cu") else { return };
    for operand in Fields::new(verifier.module.text, named.operands) {
        if verifier.body(operand.value).is_none_or(|body| body.kind != NodeKind::CompileUnit) {
            let message =
                format!("`!llvm.dbg.cu` lists {}, expected a DICompileUnit", verifier.found(operand.value));
            verifier.fail(RuleId::ListedNoUnit, operand.range, "invalid compile unit", message);
            return;
        }
    }
}

fn named_metadata(verifier: &mut Verifier<'_, '_, '_>, is_visited: impl Fn(&str) -> bool) {
    let module = verifier.module;
    for item in module.items() {
        let ItemKind::NamedMetadata(named) = item.kind else { continue };
        if !is_visited(named.name.slice(module.text)) {
            continue;
        }
        for operand in Fields::new(module.text, named.operands) {
            visit(verifier, operand.value, Locations::Allowed);
        }
    }
}

fn unlisted_units(verifier: &mut Verifier<'_, '_, '_>) {
    let module = verifier.module;
    let listed: HashSet<NodeId> = module.units().into_iter().filter_map(Reference::numbered).collect();
    for unit in std::mem::take(&mut verifier.units) {
        if !listed.contains(&unit) {
            let range = module.node(unit).map(|node| node.range).unwrap_or_default();
            let message = "this unit is not in `!llvm.dbg.cu`";
            verifier.fail(RuleId::UnitNotListed, range, "DICompileUnit not listed in llvm.dbg.cu", message);
        }
    }
}
