//! Functions and prototypes, and what else a linkage word can begin.

use super::Parser;
use crate::lexer::TokenKind;
use crate::nodes::{Function, Item};
use crate::section::is_label;
use crate::text::TextRange;
use crate::types::{Arguments, FUNCTION_DIRECTIVES, FunctionKind, Linkage, StateSpace};

impl<'a> Parser<'a> {
    /// `[.visible] .func ...`, `[.extern] .global ...`.
    pub(super) fn declaration(&mut self) -> Item<'a> {
        let start = self.token.range.start;
        let mut linkage = Linkage::None;
        if let Some(word) = Linkage::from_keyword(self.directive_word()) {
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
        let name = if self.at(TokenKind::Ident) && is_label(self.word()) {
            let token = self.bump();
            self.name_of(token)
        } else {
            self.unexpected("the name of the function");
            self.empty_name()
        };
        let params = if self.at(TokenKind::OpenParen) { self.parameters() } else { Vec::new() };
        let directives = self.function_directives();
        let body = if self.at(TokenKind::OpenBrace) { Some(self.body()) } else { None };
        if body.is_none() {
            self.eat(TokenKind::Semicolon); // ptxas 13.0.88 does not miss it
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
        while let Some(arguments) = function_directive(self.directive_word()) {
            self.bump();
            match arguments {
                Arguments::None => {}
                Arguments::Integers => self.list_of(TokenKind::Integer, "an integer"),
                Arguments::Strings => {
                    self.list_of(TokenKind::String, "a string");
                    self.eat(TokenKind::Semicolon);
                }
                Arguments::Parenthesised => self.parenthesised(),
            }
        }
        if self.last_end > start { self.range_from(start) } else { TextRange::empty(self.last_end) }
    }

    fn list_of(&mut self, kind: TokenKind, what: &'static str) {
        while self.expect(kind, what).is_some() && self.eat(TokenKind::Comma).is_some() {}
    }
}

fn function_directive(word: &str) -> Option<Arguments> {
    FUNCTION_DIRECTIVES.iter().find(|(directive, _)| *directive == word).map(|(_, arguments)| *arguments)
}
