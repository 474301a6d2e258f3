//! The lines of a function: labels, instructions and debug records.

use crate::TextRange;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::value::{Value, value};

/// What a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementKind {
    /// The label of a block.
    Label,
    /// An instruction.
    Instruction,
    /// A debug record: `#dbg_value(..)`.
    Record,
}

/// One label, instruction or record, which may have several lines.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'s> {
    /// What it is.
    pub kind: StatementKind,
    /// From its first token to its last.
    pub range: TextRange,
    /// Its tokens.
    pub tokens: &'s [Token],
    text: &'s str,
}

/// Metadata at the end of an instruction, a function or a global: `, !dbg !7`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attachment {
    /// From its comma, or for a function from the blank before its name, to its end.
    pub range: TextRange,
    /// The name of its kind, without `!`.
    pub kind: TextRange,
    /// The node.
    pub value: Value,
    /// The text of the node.
    pub value_range: TextRange,
}

/// Reads the statements of a function.
#[derive(Debug, Clone)]
pub struct Statements<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    next: Option<Token>,
    tokens: Vec<Token>,
}

impl<'a> Statements<'a> {
    /// Statements in `body`, what is between the braces of a function.
    pub fn new(text: &'a str, body: TextRange) -> Self {
        let mut lexer = Lexer::in_range(text, body);
        let next = lexer.next();
        Self { text, lexer, next, tokens: Vec::new() }
    }

    /// The next statement.
    pub fn next_statement(&mut self) -> Option<Statement<'_>> {
        let text = self.text;
        self.tokens.clear();
        let first = self.next?;
        let kind = match first.kind {
            TokenKind::Label => StatementKind::Label,
            TokenKind::Record => StatementKind::Record,
            _ => StatementKind::Instruction,
        };
        let (mut depth, mut goes_on) = (0, false);
        while let Some(token) = self.next {
            let is_first = self.tokens.is_empty();
            if !is_first && (kind == StatementKind::Label || depth <= 0 && !goes_on && self.begins(token)) {
                break;
            }
            depth += token.nesting(text);
            goes_on = token.is(b',', text) || token.is(b'=', text);
            self.tokens.push(token);
            self.next = self.lexer.next();
        }
        let range = first.range.to(self.tokens.last().map_or(first.range, |last| last.range));
        Some(Statement { kind, range, tokens: &self.tokens, text })
    }

    /// Whether a token outside brackets begins a statement: it starts a line, and not with a word
    /// that goes on with the instruction before it.
    fn begins(&self, token: Token) -> bool {
        token.starts_line
            && match token.kind {
                TokenKind::Label | TokenKind::Record => true,
                TokenKind::Word => {
                    !matches!(token.text(self.text), "to" | "unwind" | "cleanup" | "catch" | "filter")
                }
                TokenKind::Local => self.lexer.clone().next().is_some_and(|next| next.is(b'=', self.text)),
                _ => false,
            }
    }
}

impl<'s> Statement<'s> {
    /// The name of the value that an instruction gives, as it is written: `%x`.
    pub fn result(&self) -> Option<Token> {
        let is_result = |token: &&Token| token.kind == TokenKind::Local;
        let result = self.tokens.first().filter(is_result)?;
        self.tokens.get(1).filter(|token| token.is(b'=', self.text)).map(|_| *result)
    }

    /// The tokens of an instruction from its opcode on.
    pub fn operation(&self) -> &'s [Token] {
        &self.tokens[if self.result().is_some() { 2 } else { 0 }..]
    }

    /// The word that says what it does: `add`, `call` (also of `tail call`), `#dbg_value`.
    pub fn opcode(&self) -> &'s str {
        let words = self.operation().iter().map(|token| token.text(self.text));
        words.into_iter().find(|word| !matches!(*word, "tail" | "musttail" | "notail")).unwrap_or_default()
    }

    /// Whether it is a `musttail` call.
    pub(crate) fn is_must_tail(&self) -> bool {
        self.operation().first().is_some_and(|word| word.text(self.text) == "musttail")
    }

    /// The function that a call names, with `@`.
    pub fn callee(&self) -> Option<&'s str> {
        if !matches!(self.opcode(), "call" | "invoke" | "callbr") {
            return None;
        }
        let mut tokens = self.operation().iter().zip(self.operation().iter().skip(1));
        let named = tokens.find(|(name, open)| name.kind == TokenKind::Global && open.is(b'(', self.text));
        named.map(|(name, _)| name.text(self.text))
    }

    /// The name without `@` of the intrinsic `llvm.dbg.*` that it calls.
    pub fn debug_intrinsic(&self) -> Option<&'s str> {
        let name = self.callee()?.strip_prefix('@')?;
        let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
        is_debug_intrinsic(name).then_some(name)
    }

    /// The metadata at its end.
    pub fn attachments(&self) -> Attachments<'s> {
        Attachments::new(self.text, self.tokens)
    }

    /// What goes if the statement goes: it with the blanks and the line break before it.
    pub fn with_line(&self) -> TextRange {
        with_line(self.text, self.range)
    }
}

/// Whether a function with this name is one of LLVM's debug intrinsics.
pub fn is_debug_intrinsic(name: &str) -> bool {
    matches!(
        name,
        "llvm.dbg.declare" | "llvm.dbg.value" | "llvm.dbg.label" | "llvm.dbg.assign" | "llvm.dbg.addr"
    )
}

/// A range together with the blanks and the line break before it, if nothing else is before it on
/// its line.
pub(crate) fn with_line(text: &str, range: TextRange) -> TextRange {
    let before = text.get(..range.start as usize).unwrap_or_default();
    let blank = before.trim_end_matches([' ', '\t']);
    match blank.strip_suffix('\n') {
        Some(line) => TextRange { start: line.strip_suffix('\r').unwrap_or(line).len() as u32, ..range },
        None => range,
    }
}

/// Attachments in a run of tokens.
#[derive(Debug, Clone)]
pub struct Attachments<'s> {
    text: &'s str,
    tokens: &'s [Token],
    depth: i32,
    at: usize,
}

impl<'s> Attachments<'s> {
    /// Attachments among `tokens`, which are of `text`.
    pub fn new(text: &'s str, tokens: &'s [Token]) -> Self {
        Self { text, tokens, depth: 0, at: 0 }
    }
}

impl Iterator for Attachments<'_> {
    type Item = Attachment;

    fn next(&mut self) -> Option<Attachment> {
        while let Some(token) = self.tokens.get(self.at) {
            let at = self.at;
            self.at += 1;
            self.depth += token.nesting(self.text);
            if self.depth != 0 || token.kind != TokenKind::MetadataName || at == 0 {
                continue;
            }
            let mut depth = 0;
            let mut end = self.at;
            for next in self.tokens.get(self.at..).unwrap_or_default() {
                let nesting = next.nesting(self.text);
                // A node has one token, or ends with the bracket that closes it.
                let is_head = depth == 0 && nesting == 0 && {
                    next.kind == TokenKind::Exclamation
                        || next.kind == TokenKind::MetadataName
                        || next.text(self.text) == "distinct"
                };
                depth += nesting;
                if depth < 0 {
                    break;
                }
                end += 1;
                if depth == 0 && !is_head {
                    break;
                }
            }
            let node = self.tokens.get(self.at..end).unwrap_or_default();
            let (Some(first), Some(last)) = (node.first(), node.last()) else { continue };
            // `!DILocation(..)` here is the operand of a call, and a name without a node is none.
            let is_node = matches!(
                first.kind,
                TokenKind::MetadataNumber | TokenKind::MetadataName | TokenKind::Exclamation
            ) || first.text(self.text) == "distinct";
            if !is_node {
                continue;
            }
            self.at = end;
            let value_range = first.range.to(last.range);
            let before = self.tokens[at - 1];
            let start = if before.is(b',', self.text) { before.range.start } else { before.range.end };
            return Some(Attachment {
                range: TextRange { start, end: value_range.end },
                kind: TextRange { start: token.range.start + 1, ..token.range },
                value: value(self.text, &node[..node.len().min(4)], value_range),
                value_range,
            });
        }
        None
    }
}
