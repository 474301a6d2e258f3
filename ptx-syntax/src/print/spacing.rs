//! Where a blank stands between two tokens. Only pairs that read as the same two tokens are written
//! without one.

use crate::lexer::{Token, TokenKind};

/// Columns a line of data may have; a tab counts as one.
const WIDTH: usize = 120;

/// What kind of line is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// An instruction: no blank stands before a word with a dot, also between operands.
    Instruction {
        /// The offset after the opcode, which one blank follows.
        opcode_end: u32,
    },
    /// A directive: a blank stands before a word with a dot; a register range is `%r<5>`.
    Directive,
    /// A directive of a section with its values: long lists continue on the next line.
    Data,
}

/// What stands before the next token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// A new line.
    Line,
    /// A blank.
    Apart,
    /// Nothing: the token before it is a sign, an opening bracket, ...
    Tight,
    /// The first character of its operator.
    Second,
}

/// Prints the tokens of one line.
pub(super) struct Spacing<'a> {
    text: &'a str,
    style: Style,
    /// The last token that is not a comment.
    before: Option<Token>,
    /// Where the next token stands, if it does not ask for another place.
    next: Next,
    /// Open `[`.
    brackets: u32,
    /// Inside `<` `>` of a register range.
    angle: bool,
    /// Whether the position is after the `=` of a declaration.
    value: bool,
    column: usize,
}

impl<'a> Spacing<'a> {
    pub(super) fn new(text: &'a str, style: Style) -> Self {
        Self {
            text,
            style,
            before: None,
            next: Next::Line,
            brackets: 0,
            angle: false,
            value: false,
            column: 0,
        }
    }

    /// The caller began a new line.
    pub(super) fn begin_line(&mut self) {
        self.next = Next::Line;
    }

    /// Prints `line[index]` and the blank before it.
    pub(super) fn put(&mut self, out: &mut String, line: &[Token], index: usize) {
        let Some(&token) = line.get(index) else { return };
        let word = token.range.slice(self.text);
        let wraps = self.wraps(line, index);
        let (blank, then) = if token.kind.is_trivia() {
            (true, Next::Apart)
        } else {
            let next = line.get(index + 1..).unwrap_or(&[]).iter().find(|token| !token.kind.is_trivia());
            let after_comment = index > 0 && line.get(index - 1).is_some_and(|t| t.kind.is_trivia());
            let (blank, then) = self.judge(token, word, next.copied());
            self.before = Some(token);
            (blank || after_comment, then)
        };
        if wraps {
            out.push_str("\n\t\t");
            self.column = 2;
        } else if blank && self.next != Next::Line {
            out.push(' ');
            self.column += 1;
        }
        out.push_str(word);
        self.column += word.len();
        self.next = then;
    }

    /// Whether a value of data no longer fits on the line.
    fn wraps(&self, line: &[Token], index: usize) -> bool {
        if self.style != Style::Data || !self.before.is_some_and(|before| before.kind == TokenKind::Comma) {
            return false;
        }
        let width_of = |index| line.get(index).map_or(0, |token: &Token| token.range.len() as usize);
        let is_sign = line.get(index).is_some_and(|token| token.kind == TokenKind::Minus);
        let width = width_of(index) + if is_sign { width_of(index + 1) } else { 0 };
        self.column + width + 2 > WIDTH
    }

    /// Whether a blank stands before `token`, and what stands before the next.
    fn judge(&mut self, token: Token, word: &str, next: Option<Token>) -> (bool, Next) {
        use TokenKind as K;
        let Some(before) = self.before else {
            return (false, if token.kind == K::At { Next::Tight } else { Next::Apart });
        };
        let after_opcode =
            matches!(self.style, Style::Instruction { opcode_end } if before.range.end == opcode_end);
        if self.next == Next::Second {
            return (false, Next::Apart);
        }
        let apart = self.next != Next::Tight;
        match token.kind {
            K::Comma | K::Semicolon | K::CloseParen | K::CloseBrace => (false, Next::Apart),
            K::CloseBracket => {
                self.brackets = self.brackets.saturating_sub(1);
                (false, Next::Apart)
            }
            K::OpenParen => (after_opcode || apart && !self.is_called(before), Next::Tight),
            K::OpenBracket => {
                self.brackets += 1;
                let indexed = matches!(before.kind, K::Ident | K::DotIdent | K::CloseBracket);
                (after_opcode || apart && !indexed, Next::Tight)
            }
            K::OpenBrace | K::At => (apart, Next::Tight),
            K::DotIdent if matches!(self.style, Style::Instruction { .. }) => {
                let suffix = matches!(before.kind, K::Ident | K::DotIdent | K::CloseBracket);
                (after_opcode || apart && !suffix, Next::Apart)
            }
            K::Colon if next.is_none() && !self.value => (false, Next::Apart),
            // `.ir_name:` is one word to ptxas.
            K::Colon if before.kind == K::DotIdent && before.range.end == token.range.start => {
                (false, Next::Apart)
            }
            K::Less if before.kind == K::Ident && self.is_declaration() => {
                self.angle = true;
                (false, Next::Tight)
            }
            K::Greater if self.angle => {
                self.angle = false;
                (false, Next::Apart)
            }
            K::Plus
            | K::Minus
            | K::Less
            | K::Greater
            | K::Equals
            | K::Not
            | K::Or
            | K::Operator
            | K::Colon => {
                let data_sign =
                    self.style == Style::Data && before.kind == K::DotIdent && token.kind == K::Minus;
                if after_opcode || data_sign || !is_operand(before.kind) {
                    return (apart, Next::Tight); // a sign
                }
                self.binary(token, word, before, next)
            }
            _ => (apart, Next::Apart),
        }
    }

    /// An operator between two operands.
    fn binary(&mut self, token: Token, word: &str, before: Token, next: Option<Token>) -> (bool, Next) {
        use TokenKind as K;
        self.value |= token.kind == K::Equals;
        let names = before.kind == K::Ident && next.is_some_and(|next| next.kind == K::Ident);
        let offset = self.brackets > 0 || matches!(before.kind, K::Ident | K::DotIdent);
        match (token.kind, next) {
            (K::Plus, _) if offset => (false, Next::Tight),
            (K::Or | K::Minus, _) if names => (false, Next::Tight),
            (_, Some(next)) if next.range.start == token.range.end => {
                let second = matches!(
                    (word, next.range.slice(self.text)),
                    ("<", "<" | "=") | (">", ">" | "=") | ("=" | "!", "=") | ("&", "&") | ("|", "|")
                );
                (true, if second { Next::Second } else { Next::Apart })
            }
            _ => (true, Next::Apart),
        }
    }

    /// Before the `=` of a declaration.
    fn is_declaration(&self) -> bool {
        self.style == Style::Directive && !self.value && self.brackets == 0
    }

    /// Whether a `(` follows `before` without a blank: `k(`, `generic(`, `0xFF(`, `.attribute(`.
    fn is_called(&self, before: Token) -> bool {
        match before.kind {
            TokenKind::Ident | TokenKind::Integer => true,
            TokenKind::DotIdent => matches!(before.range.slice(self.text), ".attribute" | ".unified"),
            _ => false,
        }
    }
}

fn is_operand(kind: TokenKind) -> bool {
    use TokenKind as K;
    matches!(
        kind,
        K::Ident | K::DotIdent | K::Integer | K::Float | K::CloseParen | K::CloseBracket | K::CloseBrace
    )
}
