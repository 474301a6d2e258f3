//! Functions and prototypes, and what else a linkage word can begin.

use super::Parser;
use crate::lexer::TokenKind;
use crate::nodes::{Function, Item};
use crate::text::TextRange;
use crate::types::{FUNCTION_DIRECTIVES, FunctionKind, Linkage, StateSpace};

impl<'a> Parser<'a> {
    /// `[.visible] .func ...`, `[.extern] .global ...`.
    pub(super) fn declaration(&mut self) -> Item<'a> {
        let start = self.token.range.start;
        let mut linkage = Linkage::None;
        while let Some(word) = Linkage::from_keyword(self.directive_word()) {
            linkage = word;
            self.bump();
        }
        match self.directive_word() {
            ".entry" => Item::Function(Box::new(self.function(start, linkage, FunctionKind::Entry))),
            ".func" => Item::Function(Box::new(self.function(start, linkage, FunctionKind::Func))),
            word if StateSpace::from_keyword(word).is_some() => Item::Variable(self.variable(start, linkage)),
            _ => {
                self.unexpected("`.entry`, `.func` or a state space");
                if !self.begins_line() {
                    self.skip_statement();
                }
                Item::Unknown(self.range_from(start))
            }
        }
    }

    fn function(&mut self, start: u32, linkage: Linkage, kind: FunctionKind) -> Function<'a> {
        self.bump();
        if self.directive_word() == ".attribute" {
            self.bump();
            self.parenthesised();
        }
        let returns = if self.at(TokenKind::OpenParen) { self.parameters() } else { Vec::new() };
        let name = match self.expect(TokenKind::Ident, "the name of the function") {
            Some(token) => self.name_of(token),
            None => self.empty_name(),
        };
        let params = if self.at(TokenKind::OpenParen) { self.parameters() } else { Vec::new() };
        let directives = self.function_directives();
        let body = if self.at(TokenKind::OpenBrace) { Some(self.body()) } else { None };
        if body.is_none() && self.eat(TokenKind::Semicolon).is_none() {
            self.unexpected("`{` or `;` after the head of the function");
        }
        Function { kind, name, linkage, returns, params, directives, body, range: self.range_from(start) }
    }

    /// `.callprototype (RETURNS) _ (PARAMETERS) DIRECTIVES;`; the current token is the directive.
    pub(super) fn call_prototype(&mut self) {
        self.bump();
        if self.at(TokenKind::OpenParen) {
            self.parameters();
        }
        if self.word() == "_" {
            self.bump();
        } else {
            self.unexpected("`_` for the function");
            return self.skip_statement();
        }
        if self.at(TokenKind::OpenParen) {
            self.parameters();
        }
        self.function_directives();
        self.statement_end();
    }

    /// `.maxntid 128, 1, 1`, `.noreturn`, `.pragma "..."` between head and body.
    fn function_directives(&mut self) -> TextRange {
        let start = self.token.range.start;
        while self.at(TokenKind::DotIdent) {
            let word = self.word();
            if !FUNCTION_DIRECTIVES.contains(&word) {
                // Something of the body or the next item: the caller misses its `{` or `;` here.
                break;
            }
            self.bump();
            while matches!(self.token.kind, TokenKind::Integer | TokenKind::String) {
                self.bump();
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
            match word {
                ".attribute" => self.parenthesised(),
                ".pragma" if self.at(TokenKind::Semicolon) => {
                    self.bump();
                }
                _ => {}
            }
        }
        if self.last_end > start { self.range_from(start) } else { TextRange::empty(self.last_end) }
    }
}
