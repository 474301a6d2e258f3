//! The parser of directives that are lists of words: `.pragma`, `.alias`, `.branchtargets`,
//! `.calltargets`, `.attribute`.

use super::Parser;
use crate::alias::Alias;
use crate::attributes::Attributes;
use crate::branch_targets::Targets;
use crate::lexer::TokenKind;
use crate::name::Name;
use crate::pragma::Pragma;
use crate::text_range::TextRange;

impl<'a> Parser<'a> {
    pub(super) fn pragma(&mut self) -> Pragma<'a> {
        let start = self.bump().range.start;
        if self.list_of(TokenKind::String, "a string").is_some() {
            self.statement_end();
        } else {
            self.end_of_faulty();
        }
        let range = self.range_from(start);
        Pragma { range, text: range.slice(self.text) }
    }

    pub(super) fn alias(&mut self) -> Alias<'a> {
        let start = self.bump().range.start;
        let mut alias = Alias { alias: None, aliasee: None, range: TextRange::default() };
        if self.alias_names(&mut alias).is_some() {
            self.statement_end();
        } else {
            self.end_of_faulty();
        }
        alias.range = self.range_from(start);
        alias
    }

    /// None: an error was reported.
    fn alias_names(&mut self, alias: &mut Alias<'a>) -> Option<()> {
        alias.alias = Some(self.label("a function name")?);
        self.expect(TokenKind::Comma, "`,` and the function it stands for")?;
        alias.aliasee = Some(self.label("a function name")?);
        Some(())
    }

    pub(super) fn targets(&mut self, label: Option<Name<'a>>) -> Targets<'a> {
        self.needs_label(label);
        let start = self.bump().range.start;
        let complete = loop {
            if self.label("a label").is_none() {
                break false;
            }
            if self.eat(TokenKind::Comma).is_none() {
                break true;
            }
        };
        if complete {
            self.statement_end();
        } else {
            self.end_of_faulty();
        }
        let range = self.range_from(start);
        Targets { label, range, text: range.slice(self.text) }
    }

    pub(super) fn needs_label(&mut self, label: Option<Name<'a>>) {
        if label.is_none() {
            self.misplaced("a list of targets and a prototype are only allowed right after a label");
        }
    }

    /// One or more tokens of a kind between commas. None: an error was reported.
    pub(super) fn list_of(&mut self, kind: TokenKind, what: &'static str) -> Option<()> {
        loop {
            match kind {
                TokenKind::String => self.string(what)?,
                _ => self.expect(kind, what)?,
            };
            if self.eat(TokenKind::Comma).is_none() {
                return Some(());
            }
        }
    }

    pub(super) fn end_of_faulty(&mut self) {
        if !self.begins_line() {
            self.skip_statement();
        }
    }

    /// `.attribute(.managed, .unified(1, 2))`; a function has only one `.unified`. The current
    /// token is the directive. Appended to those of the same declaration.
    pub(super) fn attribute(&mut self, of_function: bool, all: &mut Option<Attributes<'a>>) {
        let start = self.bump().range.start;
        if self.attribute_list(of_function).is_none() {
            while !matches!(
                self.token.kind,
                TokenKind::Eof | TokenKind::Semicolon | TokenKind::OpenBrace | TokenKind::CloseBrace
            ) {
                if self.bump().kind == TokenKind::CloseParen && !self.at(TokenKind::CloseParen) {
                    break;
                }
            }
        }
        let range = self.range_from(all.map_or(start, |all| all.range.start));
        *all = Some(Attributes { range, text: range.slice(self.text) });
    }

    /// None: an error was reported.
    fn attribute_list(&mut self, of_function: bool) -> Option<()> {
        self.expect(TokenKind::OpenParen, "`(`")?;
        loop {
            match self.directive_word() {
                ".managed" if !of_function => {
                    self.bump();
                }
                ".unified" => {
                    self.bump();
                    self.expect(TokenKind::OpenParen, "`(`")?;
                    self.integer("half of a UUID")?;
                    self.expect(TokenKind::Comma, "`,`")?;
                    self.integer("half of a UUID")?;
                    self.expect(TokenKind::CloseParen, "`)`")?;
                }
                _ => {
                    self.unexpected("an attribute such as .unified");
                    return None;
                }
            }
            if of_function || self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect(TokenKind::CloseParen, "`)`").map(|_| ())
    }
}
