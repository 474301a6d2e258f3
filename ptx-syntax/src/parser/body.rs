//! Function bodies: a flat list of statements.

use super::Parser;
use crate::MAX_NESTING;
use crate::error::SyntaxErrorKind;
use crate::lexer::TokenKind;
use crate::nodes::Body;
use crate::section::is_label;
use crate::statement::{Instruction, Statement};
use crate::text::{Name, TextRange};
use crate::types::{Linkage, MODULE_DIRECTIVES, STATEMENT_DIRECTIVES, StateSpace};

/// Open brackets of one statement, two bits each.
#[derive(Default)]
struct Brackets {
    stack: u64,
    depth: u32,
}

impl Brackets {
    fn code(kind: TokenKind) -> u64 {
        match kind {
            TokenKind::OpenBrace | TokenKind::CloseBrace => 1,
            TokenKind::OpenBracket | TokenKind::CloseBracket => 2,
            _ => 3,
        }
    }

    fn open(&mut self, kind: TokenKind) -> bool {
        if self.depth == MAX_NESTING {
            return false;
        }
        self.stack = self.stack << 2 | Self::code(kind);
        self.depth += 1;
        true
    }

    fn close(&mut self, kind: TokenKind) -> bool {
        if self.depth == 0 || self.stack & 3 != Self::code(kind) {
            return false;
        }
        self.stack >>= 2;
        self.depth -= 1;
        true
    }

    /// What closes the innermost bracket.
    fn expected(&self) -> &'static str {
        match self.stack & 3 {
            1 => "`}`",
            2 => "`]`",
            3 => "`)`",
            _ => "`;`",
        }
    }
}

/// What stands before the next token of an operand list.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Before {
    /// The opcode: operands or `;` may follow.
    Opcode,
    /// A name, a number or a closing bracket.
    Operand,
    /// An opening bracket.
    Open,
    /// A comma or an operator: an operand must follow.
    Operator,
}

impl<'a> Parser<'a> {
    /// The current token is the `{`.
    pub(super) fn body(&mut self) -> Body<'a> {
        let open = self.bump().range;
        let mut statements = Vec::new();
        let mut depth = 0_u32;
        let close = loop {
            match self.token.kind {
                TokenKind::CloseBrace => {
                    let range = self.bump().range;
                    let Some(outer) = depth.checked_sub(1) else { break range };
                    depth = outer;
                    statements.push(Statement::BlockClose(range));
                }
                TokenKind::OpenBrace => {
                    depth += 1;
                    statements.push(Statement::BlockOpen(self.bump().range));
                }
                TokenKind::Ident | TokenKind::At => {
                    let statement = self.label_or_instruction();
                    statements.push(statement);
                }
                TokenKind::DotIdent if !self.ends_body() => {
                    let statement = self.directive_statement();
                    statements.push(statement);
                }
                TokenKind::Eof | TokenKind::DotIdent => {
                    self.unexpected("`}` at the end of the function");
                    break TextRange::empty(self.last_end);
                }
                _ => {
                    let statement = self.stray();
                    statements.push(statement);
                }
            }
        };
        statements.shrink_to_fit();
        Body { open, close, statements }
    }

    /// A directive of module scope inside a body means that a `}` is missing.
    fn ends_body(&self) -> bool {
        let word = self.word();
        MODULE_DIRECTIVES.contains(&word) && !(word == ".extern" && self.extern_shared())
    }

    /// `.extern .shared`, which old front ends write inside functions.
    fn extern_shared(&self) -> bool {
        let next = self.lexer.clone().next_significant();
        StateSpace::from_keyword(next.range.slice(self.text)).is_some()
    }

    fn stray(&mut self) -> Statement<'a> {
        let start = self.token.range.start;
        if self.at(TokenKind::AtDwarf) {
            self.misplaced("`@@DWARF` is only allowed outside functions");
            self.at_dwarf();
            return Statement::Unknown(self.range_from(start));
        }
        self.unexpected("a statement");
        self.bump();
        if !self.begins_line() && self.last_end > start && !self.text_at(start).starts_with(';') {
            self.skip_statement();
        }
        Statement::Unknown(self.range_from(start))
    }

    fn text_at(&self, start: u32) -> &'a str {
        self.text.get(start as usize..).unwrap_or("")
    }

    fn directive_statement(&mut self) -> Statement<'a> {
        let start = self.token.range.start;
        let word = self.word();
        match word {
            ".loc" => Statement::Loc(self.loc()),
            ".pragma" | ".branchtargets" | ".calltargets" | ".callprototype" => {
                self.through_semicolon();
                Statement::Other(self.range_from(start))
            }
            ".file" => {
                self.misplaced("`.file` is only allowed outside functions");
                Statement::File(Box::new(self.file()))
            }
            ".section" => {
                self.misplaced("`.section` is only allowed outside functions");
                Statement::Section(Box::new(self.section()))
            }
            ".extern" => {
                self.bump();
                Statement::Variable(Box::new(self.variable(start, Linkage::Extern)))
            }
            ".maxnreg" | ".maxntid" | ".minnctapersm" => {
                // Inside the body in PTX 1.x.
                self.skip_statement();
                Statement::Other(self.range_from(start))
            }
            _ if StateSpace::from_keyword(word).is_some() => {
                Statement::Variable(Box::new(self.variable(start, Linkage::None)))
            }
            _ => {
                self.unexpected("a statement");
                self.bump();
                if !self.begins_line() {
                    self.skip_statement();
                }
                Statement::Unknown(self.range_from(start))
            }
        }
    }

    fn label_or_instruction(&mut self) -> Statement<'a> {
        let start = self.token.range.start;
        let predicated = self.at(TokenKind::At);
        if predicated && !self.predicate() {
            self.skip_statement();
            return Statement::Unknown(self.range_from(start));
        }
        if !self.at(TokenKind::Ident) {
            self.unexpected("an opcode after the predicate");
            if !self.begins_line() {
                self.skip_statement();
            }
            return Statement::Unknown(self.range_from(start));
        }
        let first = self.bump().range;
        if self.at(TokenKind::Colon) && !predicated {
            let label = Name { text: first.slice(self.text), range: first };
            if !is_label(label.text) {
                self.unexpected("an instruction: this word cannot be a label");
            }
            self.bump();
            return Statement::Label(label);
        }
        // Observed: ptxas 13.0.88 takes the line where its look-ahead stands, and needs none behind a predicate.
        let line_anchor = if predicated { first.start } else { self.token.range.start };
        let mut opcode = first;
        while self.at(TokenKind::DotIdent) && !self.next_statement_begins() {
            opcode.end = self.bump().range.end;
        }
        self.operands();
        let range = self.range_from(start);
        let opcode = Name { text: opcode.slice(self.text), range: opcode };
        Statement::Instruction(Instruction { range, opcode, line_anchor, text: range.slice(self.text) })
    }

    /// `@%p1` or `@!%p1`.
    fn predicate(&mut self) -> bool {
        self.bump();
        self.eat(TokenKind::Not);
        self.expect(TokenKind::Ident, "a predicate register").is_some()
    }

    /// Whether the current word, on a new line, begins a statement of its own: a `;` is missing before it. Words such
    /// as `.param` are suffixes too, so only the line tells.
    fn next_statement_begins(&self) -> bool {
        self.token.range.start != self.last_end
            && self.begins_line()
            && STATEMENT_DIRECTIVES.contains(&self.word())
            && !self.suffix_follows()
    }

    /// Whether the token after the current one is another suffix written tight, as in `ld` newline `.param.u64`.
    fn suffix_follows(&self) -> bool {
        let next = self.lexer.clone().next_token();
        next.kind == TokenKind::DotIdent
    }

    /// The operands and the `;`. Only their structure is judged: brackets, and one operator or comma between two
    /// operands.
    fn operands(&mut self) {
        let mut brackets = Brackets::default();
        let mut before = Before::Opcode;
        loop {
            let kind = self.token.kind;
            before = match kind {
                TokenKind::Ident | TokenKind::Integer | TokenKind::Float => {
                    if before == Before::Operand {
                        return self.end_of_operands("an operator, `,` or `;`");
                    }
                    Before::Operand
                }
                TokenKind::Comma => {
                    if before != Before::Operand {
                        return self.end_of_operands("an operand");
                    }
                    Before::Operator
                }
                TokenKind::Semicolon => {
                    if before == Before::Operator || before == Before::Open {
                        self.unexpected("an operand");
                    } else if brackets.depth > 0 {
                        self.unexpected(brackets.expected());
                    }
                    self.bump();
                    return;
                }
                TokenKind::OpenBracket | TokenKind::OpenBrace | TokenKind::OpenParen => {
                    if before == Before::Operand && kind == TokenKind::OpenBrace {
                        return self.end_of_operands("`,` or `;`");
                    }
                    if !brackets.open(kind) {
                        self.errors.push(SyntaxErrorKind::NestingTooDeep, self.token.range);
                        return self.skip_statement();
                    }
                    Before::Open
                }
                TokenKind::CloseBracket | TokenKind::CloseBrace | TokenKind::CloseParen => {
                    let empty = before == Before::Open && kind != TokenKind::CloseParen;
                    if before == Before::Operator || empty {
                        return self.end_of_operands("an operand");
                    }
                    if !brackets.close(kind) {
                        return self.end_of_operands(brackets.expected());
                    }
                    Before::Operand
                }
                TokenKind::DotIdent => {
                    if self.next_statement_begins() {
                        return self.end_of_operands(brackets.expected());
                    }
                    if before == Before::Operand { Before::Operand } else { before }
                }
                kind if is_operator(kind) => Before::Operator,
                _ => return self.end_of_operands("an operand"),
            };
            self.bump();
        }
    }

    /// Reports the current token and goes on at the next line or behind the next `;`.
    fn end_of_operands(&mut self, what: &'static str) {
        self.unexpected(what);
        if !self.begins_line() {
            self.skip_statement();
        }
    }
}

fn is_operator(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Plus
            | TokenKind::Minus
            | TokenKind::Less
            | TokenKind::Greater
            | TokenKind::Equals
            | TokenKind::Not
            | TokenKind::Or
            | TokenKind::Colon
            | TokenKind::Operator
    )
}
