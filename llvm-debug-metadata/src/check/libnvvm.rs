//! What libNVVM does with a module: its sentences in the order of its stages, and how it ends.

use super::answer::{LibNvvmAnswer, LibNvvmOutcome};
use super::rules::RuleId;
use super::sink::Sink;
use super::walk::Verified;
use crate::modes::ModuleModes;
use crate::{IrDialect, Module};

/// `NVVM_ERROR_IR_VERSION_MISMATCH`
const VERSION_MISMATCH: u8 = 3;
/// `NVVM_ERROR_INVALID_IR`
const INVALID_IR: u8 = 6;

/// What was said at each stage.
pub(super) struct Sentences {
    pub(super) syntax: Vec<String>,
    pub(super) versions: Vec<String>,
    pub(super) verified: Verified,
    /// Of variables outside functions.
    pub(super) variables: Vec<String>,
}

/// What libNVVM does with a module.
pub(super) fn answer(
    module: &Module<'_>,
    dialect: IrDialect,
    sentences: Sentences,
    sink: &Sink,
) -> LibNvvmAnswer {
    let end = |outcome, sentences| LibNvvmAnswer { outcome, return_code: None, sentences, has_lines: false };
    let returns = |code, sentences, has_lines| LibNvvmAnswer {
        outcome: LibNvvmOutcome::Returns,
        return_code: Some(code),
        sentences,
        has_lines,
    };
    let is_unreadable = [RuleId::Text, RuleId::Field, RuleId::UndefinedNode, RuleId::NotDistinct]
        .into_iter()
        .any(|rule| sink.has(rule));
    let Sentences { syntax, versions, verified, variables } = sentences;
    let Verified { sentences: broken, lasting, is_stripped, is_broken, reads_past_end, of_flags } = verified;
    if is_unreadable {
        return returns(INVALID_IR, syntax, false);
    }
    if sink.has(RuleId::ScopeCycle) && !is_stripped {
        return end(LibNvvmOutcome::NeverReturns, Vec::new());
    }
    // A scope that is not one is followed all the same: of a block always, of a location with typed
    // pointers.
    let is_followed = |sentence: &String| match &**sentence {
        "invalid local scope" | "inlined-at should be a location" => true,
        "location requires a valid scope" => dialect == IrDialect::TypedPointers,
        _ => false,
    };
    let is_used =
        sink.has(RuleId::Unverified) && !is_stripped && (dialect == IrDialect::TypedPointers || !is_broken);
    if is_used || reads_past_end || broken.iter().any(is_followed) {
        return end(LibNvvmOutcome::Undefined, broken);
    }
    if dialect == IrDialect::OpaquePointers && !of_flags.is_empty() {
        return end(LibNvvmOutcome::Aborts, [broken, of_flags].concat());
    }
    if !versions.is_empty() {
        return returns(VERSION_MISMATCH, [broken, versions].concat(), false);
    }
    let is_refused = !of_flags.is_empty()
        || !variables.is_empty()
        || !lasting.is_empty()
        || dialect == IrDialect::TypedPointers && is_broken;
    if is_refused {
        return returns(INVALID_IR, [broken, of_flags, variables].concat(), false);
    }
    if sink.has(RuleId::LinesOnlyVariable) && !is_stripped {
        return end(LibNvvmOutcome::Undefined, broken);
    }
    let modes = ModuleModes::read(module).ok().filter(|_| !is_broken);
    let has_lines = modes.is_some_and(|modes| modes.ptx.loc);
    returns(0, broken, has_lines)
}
