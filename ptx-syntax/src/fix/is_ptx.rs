//! Whether a text is PTX.

use crate::lexer::Lexer;

/// Whether a text is PTX, possibly damaged: its first token after comments is `.version`, `.target`
/// or `.address_size`. Other texts may be in another language, and must not be edited.
pub fn is_ptx(text: &str) -> bool {
    let first = Lexer::new(text, 0).next_significant();
    matches!(first.range.slice(text), ".version" | ".target" | ".address_size")
}
