//! The parser of function bodies, which are flat lists of statements.

use super::Parser;
use crate::function::Body;
use crate::instruction::Instruction;
use crate::lexer::TokenKind;
use crate::linkage::Linkage;
use crate::module_directives::{MODULE_DIRECTIVES, is_never_a_suffix};
use crate::name::Name;
use crate::scalar_type::begins_type;
use crate::section::is_label;
use crate::state_space::StateSpace;
use crate::statement::Statement;
use crate::text_range::TextRange;

/// What is missing before a directive of module scope.
pub(crate) const BODY_END: &str = "`}` at the end of the function";

impl<'a> Parser<'a> {
    /// The current token is the `{`.
    pub(super) fn body(&mut self) -> Body<'a> {
        let open = self.bump().range;
        // Grown once for all bodies, so that each is copied but once, into memory of its size.
        let mut statements = std::mem::take(&mut self.statements);
        let (mut depth, mut has_targets) = (0_u32, false);
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
                TokenKind::Unknown if !self.at_backslash() => {
                    let statement = self.stray();
                    statements.push(statement);
                }
                TokenKind::Ident | TokenKind::At | TokenKind::Unknown => {
                    let statement = self.label_or_instruction();
                    statements.push(statement);
                }
                TokenKind::DotIdent if !self.ends_body() => {
                    let label = match statements.last() {
                        Some(Statement::Label(name)) => Some(*name),
                        _ => None,
                    };
                    let statement = self.directive_statement(label);
                    has_targets |= matches!(statement, Statement::Target(_));
                    statements.push(statement);
                }
                TokenKind::Eof | TokenKind::DotIdent => {
                    self.unexpected(BODY_END);
                    break TextRange::empty(self.last_end);
                }
                _ => {
                    let statement = self.stray();
                    statements.push(statement);
                }
            }
        };
        let mut own = Vec::with_capacity(statements.len());
        own.append(&mut statements);
        self.statements = statements;
        Body { open, close, statements: own, has_targets }
    }

    /// A directive of module scope inside a body means that a `}` is missing.
    fn ends_body(&self) -> bool {
        let word = self.word();
        !matches!(word, ".loc" | ".target")
            && MODULE_DIRECTIVES.contains(&word)
            && !(word == ".extern" && self.extern_shared())
    }

    /// `.extern .shared`: ptxas refuses it in a body, but no `}` is missing.
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

    pub(super) fn text_at(&self, start: u32) -> &'a str {
        self.text.get(start as usize..).unwrap_or("")
    }

    /// `label` is the statement before it, if that is one.
    fn directive_statement(&mut self, label: Option<Name<'a>>) -> Statement<'a> {
        let start = self.token.range.start;
        let word = self.word();
        match word {
            ".loc" => Statement::Loc(self.loc()),
            ".loc_intermediate" => Statement::IntermediateLoc(self.intermediate_loc()),
            ".nv_intermediate_source_section" => {
                self.misplaced("`.nv_intermediate_source_section` is only allowed outside functions");
                self.intermediate_sources();
                Statement::Unknown(self.range_from(start))
            }
            ".pragma" => Statement::Pragma(self.pragma()),
            ".target" => Statement::Target(Box::new(self.target())),
            ".branchtargets" => Statement::BranchTargets(self.targets(label)),
            ".calltargets" => Statement::CallTargets(self.targets(label)),
            ".callprototype" => Statement::CallPrototype(Box::new(self.call_prototype(label))),
            ".file" => {
                self.misplaced("`.file` is only allowed outside functions");
                Statement::File(Box::new(self.file()))
            }
            ".section" => {
                self.misplaced("`.section` is only allowed outside functions");
                Statement::Section(Box::new(self.section()))
            }
            ".extern" => {
                self.misplaced("`.extern` is only allowed outside functions");
                self.bump();
                Statement::Variable(Box::new(self.variable(start, Linkage::Extern)))
            }
            _ if StateSpace::from_keyword(word).is_some() => {
                Statement::Variable(Box::new(self.variable(start, Linkage::None)))
            }
            _ if begins_type(word) => {
                self.variable(start, Linkage::None);
                Statement::Unknown(self.range_from(start))
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
        let escaped = self.eat_backslash();
        if !self.at(TokenKind::Ident) || escaped && self.word() == "call" {
            self.unexpected(if escaped {
                "an opcode after the `\\`"
            } else {
                "an opcode after the predicate"
            });
            if !self.begins_line() {
                self.skip_statement();
            }
            return Statement::Unknown(self.range_from(start));
        }
        if !is_label(self.word()) {
            self.unexpected("an opcode or a label");
            self.skip_statement();
            return Statement::Unknown(self.range_from(start));
        }
        if let Some(opcode) = self.plain_instruction() {
            return self.instruction(start, opcode);
        }
        let first = self.bump().range;
        if self.at(TokenKind::Colon) && !predicated && !escaped {
            let label = Name { text: first.slice(self.text), range: first };
            self.bump();
            return Statement::Label(label);
        }
        let mut opcode = first;
        let mnemonic = first.slice(self.text);
        while self.at(TokenKind::DotIdent) && !self.opcode_ends(mnemonic) {
            let is_const = self.word() == ".const";
            opcode.end = self.bump().range.end;
            if is_const && let Some(end) = self.constant_bank() {
                opcode.end = end;
            }
        }
        self.operands();
        self.instruction(start, opcode)
    }

    /// The instruction from `start` to the end of the last token.
    fn instruction(&self, start: u32, opcode: TextRange) -> Statement<'a> {
        let range = self.range_from(start);
        let opcode = Name { text: opcode.slice(self.text), range: opcode };
        Statement::Instruction(Instruction { range, opcode, text: range.slice(self.text) })
    }

    /// One `\` stands before an opcode without meaning (ptxas 13.0.88; the PTX ISA has none).
    fn eat_backslash(&mut self) -> bool {
        let found = self.at_backslash();
        if found {
            self.bump();
        }
        found
    }

    fn at_backslash(&self) -> bool {
        self.at(TokenKind::Unknown) && self.word() == "\\"
    }

    /// `@%p1` or `@!%p1`.
    fn predicate(&mut self) -> bool {
        self.bump();
        self.eat(TokenKind::Not);
        self.expect(TokenKind::Ident, "a predicate register").is_some()
    }

    /// Whether the current word begins a statement of its own: a `;` is missing before it. State
    /// spaces are suffixes too, so for them the line tells.
    pub(super) fn next_statement_begins(&self) -> bool {
        let word = self.word();
        if is_never_a_suffix(word) {
            return true;
        }
        self.token.range.start != self.last_end
            && self.begins_line()
            && StateSpace::from_keyword(word).is_some()
            && !self.suffix_follows()
    }

    /// Moves past the `[2]` of `ld.const[2].b32` (PTX 1.x to 2.1; one word to ptxas); returns where
    /// it ends.
    fn constant_bank(&mut self) -> Option<u32> {
        if !self.at(TokenKind::OpenBracket) || self.token.range.start != self.last_end {
            return None;
        }
        let mut lexer = self.lexer.clone();
        let (number, close) = (lexer.next_token(), lexer.next_token());
        let is_decimal = number.range.slice(self.text).bytes().all(|byte| byte.is_ascii_digit());
        if number.kind != TokenKind::Integer || !is_decimal || close.kind != TokenKind::CloseBracket {
            return None;
        }
        self.bump();
        self.bump();
        Some(self.bump().range.end)
    }

    /// Whether the current word is not a suffix but begins a statement, so that a `;` is missing
    /// before it. Most instructions cannot end before their first operand, so a state space after
    /// one is a suffix on whatever line.
    fn opcode_ends(&self, mnemonic: &str) -> bool {
        if matches!(mnemonic, "ret" | "exit" | "trap" | "brkpt") {
            self.next_statement_begins()
        } else {
            is_never_a_suffix(self.word())
        }
    }

    /// Whether the token after the current one is another suffix written tight, as in `ld` newline
    /// `.param.u64`.
    fn suffix_follows(&self) -> bool {
        let next = self.lexer.clone().next_token();
        next.kind == TokenKind::DotIdent
    }
}
