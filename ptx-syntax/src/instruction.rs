//! An instruction of a function body, and its predicate.

use crate::lexer::{Lexer, TokenKind};
use crate::name::Name;
use crate::name_tokens::NameTokens;
use crate::operand::Operands;
use crate::text_range::TextRange;

/// An instruction of a function body. Its opcode is not checked against a list.
///
/// Predicate and operands are read from the text on demand: code is most of a release-mode module,
/// and a node per operand would cost several times the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction<'a> {
    /// The range of the instruction, from its predicate, a `\` or its opcode to the `;`.
    pub range: TextRange,
    /// The whole opcode, such as `ld.global.u32`, with any blanks between its words.
    pub opcode: Name<'a>,
    /// The text of `range`.
    pub(crate) text: &'a str,
}

impl<'a> Instruction<'a> {
    /// The text of the instruction, from the predicate to the `;`.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the predicate before the opcode: `@%p1` or `@!%p1`.
    pub fn predicate(&self) -> Option<Predicate<'a>> {
        if self.opcode.range.start == self.range.start {
            return None;
        }
        let mut lexer = Lexer::new(self.text, 0);
        let mut negated = false;
        loop {
            let token = lexer.next_significant();
            match token.kind {
                TokenKind::At => {}
                TokenKind::Not => negated = true,
                TokenKind::Ident if token.range.start + self.range.start < self.opcode.range.start => {
                    let base = self.range.start;
                    let range = TextRange::new(base + token.range.start, base + token.range.end);
                    return Some(Predicate {
                        register: Name { text: token.range.slice(self.text), range },
                        negated,
                    });
                }
                _ => return None,
            }
        }
    }

    /// Returns the range of a `\` before the opcode. ptxas 13.0.88 skips it; the PTX ISA does not
    /// have it.
    pub fn backslash(&self) -> Option<TextRange> {
        let head = TextRange::new(self.range.start, self.opcode.range.start);
        if head.is_empty() {
            return None;
        }
        let mut lexer = Lexer::new(self.text, 0);
        let tokens = std::iter::from_fn(|| Some(lexer.next_significant()));
        let mut tokens = tokens.take_while(|token| token.range.start < head.len());
        let found = tokens.find(|token| token.kind == TokenKind::Unknown)?;
        Some(found.range.shifted(self.range.start))
    }

    /// Iterates over the operands of the instruction.
    pub fn operands(&self) -> Operands<'a> {
        let after = (self.opcode.range.end - self.range.start) as usize;
        let text = self.text.get(after..).unwrap_or("");
        Operands::new(text.strip_suffix(';').unwrap_or(text), self.opcode.range.end)
    }

    /// Iterates over the suffixes of the opcode with their dots: `.global` and `.u32` of
    /// `ld.global.u32`. `.shared::cluster` counts as one.
    pub fn modifiers(&self) -> NameTokens<'a> {
        NameTokens::new(self.opcode.text, self.opcode.range.start, TokenKind::DotIdent)
    }

    /// Returns the first word of the opcode (`ld` of `ld.global.u32`).
    pub fn mnemonic(&self) -> &'a str {
        let ends = |byte| matches!(byte, b'.' | b' ' | b'\t' | b'\r' | b'\n' | b'\x0c' | b'\x1a' | b'/');
        let end = self.opcode.text.bytes().position(ends);
        end.and_then(|end| self.opcode.text.get(..end)).unwrap_or(self.opcode.text)
    }
}

/// The predicate of an instruction: `@%p1` or `@!%p1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Predicate<'a> {
    /// The name of the predicate register.
    pub register: Name<'a>,
    /// Whether the predicate begins with `@!`: the instruction runs where the register is false.
    pub negated: bool,
}
