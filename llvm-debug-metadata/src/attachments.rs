//! Metadata at the end of globals and in the headers of functions.

use crate::TextRange;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::statement::{Attachment, Attachments};

/// The metadata at the end of a variable. Tokens of its value are not kept, since there may be
/// millions.
pub fn variable_attachments(text: &str, variable: TextRange) -> Vec<Attachment> {
    let (mut tail, mut depth): (Vec<Token>, i32) = (Vec::new(), 0);
    let mut comma = None;
    for token in Lexer::in_range(text, variable) {
        if !tail.is_empty() {
            tail.push(token);
            continue;
        }
        depth += token.nesting(text);
        if depth == 0
            && token.kind == TokenKind::MetadataName
            && let Some(comma) = comma
        {
            tail.extend([comma, token]);
        }
        comma = Some(token).filter(|token| depth == 0 && token.is(b',', text));
    }
    Attachments::new(text, &tail).collect()
}

/// The metadata of a function: before the body of one that is defined, after the word `declare` of
/// one that is not.
pub fn header_attachments(text: &str, header: TextRange) -> Vec<Attachment> {
    let tokens: Vec<Token> = Lexer::in_range(text, header).collect();
    Attachments::new(text, &tokens).collect()
}
