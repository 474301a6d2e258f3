//! The parser of variable declarations and parameters.

use super::Parser;
use crate::attributes::Attributes;
use crate::error::SyntaxErrorKind;
use crate::initializer::Initializer;
use crate::lexer::TokenKind;
use crate::linkage::Linkage;
use crate::parameter::{Parameter, Pointer};
use crate::scalar_type::ScalarType;
use crate::section::is_label;
use crate::state_space::StateSpace;
use crate::variable::{Declarator, Variable};

/// The words between a state space and the first name.
struct TypeWords<'a> {
    ty: ScalarType,
    vector: Option<u8>,
    align: Option<u64>,
    pointer: Option<Pointer>,
    bank: Option<u64>,
    attributes: Option<Attributes<'a>>,
}

/// Whether a variable has this type (PTX ISA, Alternate Floating-Point Data Formats: those are
/// types of instructions).
fn is_declared(ty: ScalarType) -> bool {
    !matches!(ty, ScalarType::Bf16 | ScalarType::Bf16x2)
}

impl<'a> Parser<'a> {
    /// From the state space to the `;`; without one from the type on, and an error says so. `start`
    /// and `linkage` come from the word before it.
    pub(super) fn variable(&mut self, start: u32, linkage: Linkage) -> Variable<'a> {
        let space = StateSpace::from_keyword(self.word());
        if space.is_some() {
            self.bump();
        }
        let words = self.type_words();
        let mut declarators = Vec::new();
        let mut faulty = false;
        while self.at(TokenKind::Ident) && is_label(self.word()) {
            let name = self.bump();
            let mut declarator = Declarator {
                name: self.name_of(name),
                registers: None,
                dimensions: Vec::new(),
                initializer: None,
            };
            let complete = self.declarator(&mut declarator);
            if declarators.is_empty() {
                declarators.reserve_exact(1);
                let reads_on = matches!(self.token.kind, TokenKind::Comma | TokenKind::Semicolon);
                if space.is_none() && complete.is_some() && reads_on {
                    self.errors.push(SyntaxErrorKind::NoStorage, self.token.range);
                }
            }
            declarators.push(declarator);
            if complete.is_none() {
                faulty = true;
                self.skip_declaration();
                break;
            }
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
            if !self.at(TokenKind::Ident) || !is_label(self.word()) {
                self.unexpected("a name after `,`");
                faulty = true;
                self.skip_declaration();
                break;
            }
        }
        if !faulty && self.eat(TokenKind::Semicolon).is_none() {
            self.unexpected("a name or `;` in the declaration");
            if !self.begins_line() {
                self.skip_statement();
            }
        }
        let TypeWords { ty, vector, align, bank, attributes, .. } = words;
        let range = self.range_from(start);
        let space = space.unwrap_or(StateSpace::Reg);
        Variable { space, linkage, align, ty, vector, bank, attributes, declarators, range }
    }

    fn type_words(&mut self) -> TypeWords<'a> {
        let mut words = TypeWords {
            ty: ScalarType::Missing,
            vector: None,
            align: None,
            pointer: None,
            bank: None,
            attributes: None,
        };
        if self.at(TokenKind::OpenBracket) {
            words.bank = self.dimension(); // `.const[2]`, PTX 1.x
        }
        while self.at(TokenKind::DotIdent) {
            let word = self.word();
            if let Some(ty) = ScalarType::from_keyword(word) {
                if words.ty != ScalarType::Missing {
                    break;
                }
                if !is_declared(ty) {
                    self.unexpected("a type such as .b32");
                }
                words.ty = ty;
            } else if let Some(space) = StateSpace::from_keyword(word)
                && let Some(pointer) = &mut words.pointer
                && pointer.space.is_none()
            {
                pointer.space = Some(space);
            } else {
                let typed = words.ty != ScalarType::Missing;
                match word {
                    ".v2" | ".v4" | ".v8" | ".attribute" if typed => break,
                    ".ptr" if words.pointer.is_some() => break,
                    ".v2" => words.vector = Some(2),
                    ".v4" => words.vector = Some(4),
                    ".v8" => words.vector = Some(8),
                    ".ptr" => words.pointer = Some(Pointer { space: None, align: None }),
                    ".align" if typed && words.pointer.is_none() => break,
                    ".align" => {
                        self.bump();
                        let align = self.integer_32("an alignment in bytes");
                        match &mut words.pointer {
                            Some(pointer) => pointer.align = align,
                            None => words.align = align,
                        }
                        continue;
                    }
                    ".attribute" => {
                        self.attribute(false, &mut words.attributes);
                        continue;
                    }
                    _ => break,
                }
            }
            self.bump();
        }
        if words.ty == ScalarType::Missing {
            self.unexpected("a type such as .b32");
        }
        words
    }

    /// After an error inside a declaration: to its `;`, past the braces of its value, or to a line
    /// that begins with a directive.
    fn skip_declaration(&mut self) {
        loop {
            match self.token.kind {
                TokenKind::Eof => return,
                TokenKind::DotIdent if self.begins_line() => return,
                TokenKind::Semicolon => {
                    self.bump();
                    return;
                }
                _ => self.bump(),
            };
        }
    }

    /// None: an error was reported.
    fn declarator(&mut self, declarator: &mut Declarator<'a>) -> Option<()> {
        if self.eat_single(TokenKind::Less).is_some() {
            let count = self.integer_32("a number of registers")?;
            declarator.registers = Some(u32::try_from(count).unwrap_or(u32::MAX));
            self.expect(TokenKind::Greater, "`>`")?;
        }
        while self.at(TokenKind::OpenBracket) {
            let dimension = self.dimension()?;
            declarator.dimensions.reserve_exact(1);
            declarator.dimensions.push(dimension);
        }
        if self.eat_single(TokenKind::Equals).is_some() {
            let start = self.token.range.start;
            self.initial_value()?;
            let range = self.range_from(start);
            declarator.initializer = Some(Initializer { range, text: range.slice(self.text) });
        }
        Some(())
    }

    /// `[N]`, or 0 for `[]`. None: an error was reported.
    fn dimension(&mut self) -> Option<u64> {
        self.bump();
        let size = if self.at(TokenKind::CloseBracket) { 0 } else { self.integer("an array size")? };
        self.expect(TokenKind::CloseBracket, "`]`")?;
        Some(size)
    }

    /// `( .param .b32 a, ... )`; the current token is the `(`.
    pub(super) fn parameters(&mut self) -> Vec<Parameter<'a>> {
        let mut list = Vec::new();
        self.bump();
        if self.eat(TokenKind::CloseParen).is_some() {
            return list;
        }
        while let Some(parameter) = self.parameter() {
            list.push(parameter);
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
            if self.at(TokenKind::CloseParen) {
                self.unexpected("a parameter");
            }
        }
        if self.eat(TokenKind::CloseParen).is_none() {
            self.unexpected("`,` or `)` in the parameter list");
            while !matches!(
                self.token.kind,
                TokenKind::Eof | TokenKind::Semicolon | TokenKind::OpenBrace | TokenKind::CloseBrace
            ) {
                if self.bump().kind == TokenKind::CloseParen {
                    break;
                }
            }
        }
        list.shrink_to_fit();
        list
    }

    /// None without a state space; the caller reports it.
    fn parameter(&mut self) -> Option<Parameter<'a>> {
        let start = self.token.range.start;
        let hidden = (self.directive_word() == ".hidden").then(|| self.bump().range);
        let space =
            StateSpace::from_keyword(self.directive_word()).filter(|space| *space != StateSpace::Sreg);
        let Some(space) = space else {
            if hidden.is_some() {
                self.unexpected("a state space");
            }
            return None;
        };
        self.bump();
        let words = self.type_words();
        let name = if self.at(TokenKind::Ident) && (is_label(self.word()) || self.word() == "_") {
            let token = self.bump();
            Some(self.name_of(token))
        } else {
            self.unexpected("a parameter name");
            None
        };
        let mut array = None;
        while self.at(TokenKind::OpenBracket) {
            let size = self.dimension().unwrap_or(0);
            array = Some(array.unwrap_or(1_u64).saturating_mul(size));
        }
        let (ty, vector, align, pointer) = (words.ty, words.vector, words.align, words.pointer);
        Some(Parameter {
            space,
            name,
            ty,
            vector,
            align,
            array,
            pointer,
            hidden,
            range: self.range_from(start),
        })
    }
}
