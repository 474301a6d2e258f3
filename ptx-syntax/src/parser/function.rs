//! The parser of functions and prototypes, and of whatever else a linkage word can begin.

use super::Parser;
use crate::call_prototype::CallPrototype;
use crate::directives::Directives;
use crate::function::Function;
use crate::function_directive::{Arguments, DirectiveOwner, function_directive};
use crate::function_kind::FunctionKind;
use crate::lexer::TokenKind;
use crate::linkage::Linkage;
use crate::module::Item;
use crate::name::Name;
use crate::scalar_type::begins_type;
use crate::section::is_label;
use crate::state_space::StateSpace;
use crate::text_range::TextRange;

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
            ".entry" | ".func" if linkage == Linkage::Common => {
                self.unexpected("a state space: functions are never `.common`");
                self.skip_statement();
                Item::Unknown(self.range_from(start))
            }
            ".entry" => Item::Function(Box::new(self.function(start, linkage, FunctionKind::Entry))),
            ".func" => Item::Function(Box::new(self.function(start, linkage, FunctionKind::Func))),
            word if StateSpace::from_keyword(word).is_some() => Item::Variable(self.variable(start, linkage)),
            word if begins_type(word) => {
                self.variable(start, linkage);
                Item::Unknown(self.range_from(start))
            }
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
        let mut attributes = None;
        if kind == FunctionKind::Func && self.directive_word() == ".attribute" {
            self.attribute(true, &mut attributes);
        }
        let returns = if kind == FunctionKind::Func && self.at(TokenKind::OpenParen) {
            self.parameters()
        } else {
            Vec::new()
        };
        let name = if self.at(TokenKind::Ident) && is_label(self.word()) {
            let token = self.bump();
            self.name_of(token)
        } else {
            self.unexpected("the name of the function");
            self.empty_name()
        };
        let params = if self.at(TokenKind::OpenParen) { self.parameters() } else { Vec::new() };
        let directives = self.function_directives(kind);
        let body = if self.at(TokenKind::OpenBrace) { Some(self.body()) } else { None };
        if self.at(TokenKind::Semicolon)
            && kind == FunctionKind::Entry
            && body.is_none()
            && !directives.range.is_empty()
        {
            self.unexpected("`{`: a kernel that is not defined here has no directives");
        }
        if body.is_none() && self.eat(TokenKind::Semicolon).is_none() && kind == FunctionKind::Entry {
            self.unexpected("`{` or `;`"); // of a device function ptxas 13.0.88 misses neither
        }
        let range = self.range_from(start);
        Function { kind, name, linkage, returns, params, attributes, directives, body, range }
    }

    /// `.callprototype (RETURNS) _ (PARAMETERS) DIRECTIVES;`; the current token is the directive.
    pub(super) fn call_prototype(&mut self, label: Option<Name<'a>>) -> CallPrototype<'a> {
        self.needs_label(label);
        let start = self.bump().range.start;
        let returns = if self.at(TokenKind::OpenParen) { self.parameters() } else { Vec::new() };
        let mut params = Vec::new();
        let mut directives = Directives { range: TextRange::empty(self.last_end), text: "" };
        if self.word() == "_" {
            self.bump();
            if self.at(TokenKind::OpenParen) {
                params = self.parameters();
            }
            directives = self.function_directives(FunctionKind::Func);
            self.statement_end();
        } else {
            self.unexpected("`_` for the function");
            self.skip_statement();
        }
        CallPrototype { label, returns, params, directives, range: self.range_from(start) }
    }

    /// `.maxntid 128, 1, 1`, `.noreturn`, `.pragma "..."` between head and body.
    fn function_directives(&mut self, kind: FunctionKind) -> Directives<'a> {
        let start = self.token.range.start;
        let mut first = true;
        while let Some((arguments, place)) = function_directive(self.directive_word()) {
            match (place, kind) {
                (DirectiveOwner::Kernel, FunctionKind::Func) => {
                    self.misplaced("this directive is only allowed on a kernel");
                }
                (DirectiveOwner::Callable | DirectiveOwner::CallableFirst, FunctionKind::Entry) => {
                    self.misplaced("this directive is only allowed on a device function");
                }
                (DirectiveOwner::CallableFirst, FunctionKind::Func) if !first => {
                    self.misplaced("this directive is only allowed as the first");
                }
                _ => {}
            }
            first = false;
            self.bump();
            self.directive_arguments(arguments);
        }
        let range = if first { TextRange::empty(self.last_end) } else { self.range_from(start) };
        Directives { range, text: range.slice(self.text) }
    }

    fn directive_arguments(&mut self, arguments: Arguments) {
        match arguments {
            Arguments::None => {}
            Arguments::Integers(most) => {
                let mut read = 0;
                while self.integer_32("an integer").is_some() {
                    read += 1;
                    if read == most || self.eat(TokenKind::Comma).is_none() {
                        break;
                    }
                }
            }
            Arguments::Strings => {
                if self.list_of(TokenKind::String, "a string").is_some() {
                    self.expect(TokenKind::Semicolon, "`;`");
                }
            }
        }
    }
}
