//! Checks `!dbg` of an instruction.

use super::rules::RuleId;
use super::verifier::Verifier;
use super::visit::{Locations, visit};
use crate::NodeKind;
use crate::statement::Attachment;

/// Checks `!dbg` of an instruction.
pub(super) fn debug_attachment(verifier: &mut Verifier<'_, '_, '_>, attachment: &Attachment) {
    let is_location = verifier.body(attachment.value).is_some_and(|body| body.kind == NodeKind::Location);
    if is_location {
        visit(verifier, attachment.value, Locations::Allowed);
    } else {
        let found = verifier.found(attachment.value);
        let message = format!("`!dbg` of this instruction is {found}, expected a DILocation");
        let sentence = "invalid !dbg metadata attachment";
        verifier.fail(RuleId::LocationAttachment, attachment.value_range, sentence, message);
    }
}
