//! Attachments `!dbg`.

use crate::statement::Attachment;

/// Whether an attachment is the location of an instruction or the subprogram of a function.
pub(crate) fn is_debug(text: &str, attachment: &Attachment) -> bool {
    attachment.kind.slice(text) == "dbg"
}
