//! The declarations of a text, and its words with dots: found by their tokens, since to the parser
//! a name with a dot is an error.

use std::collections::HashSet;
use std::iter::Peekable;

use crate::lexer::{Lexer, Token, TokenKind};
use crate::linkage::Linkage;
use crate::mnemonics::is_mnemonic;
use crate::scalar_type::ScalarType;
use crate::state_space::StateSpace;
use crate::text_range::TextRange;

/// What a word stands for where it is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum WordKind {
    /// A kernel or a function.
    Function,
    /// A variable, a parameter or a register.
    Variable,
    /// A label of code.
    Label,
}

/// A name where it is declared.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeclaredWord {
    pub(super) range: TextRange,
    pub(super) kind: WordKind,
    /// The number of the function that alone knows the name; `None` for names of the module.
    pub(super) function: Option<u32>,
}

/// A word with a dot where it is used.
#[derive(Debug, Clone, Copy)]
pub(super) struct UsedWord {
    pub(super) range: TextRange,
    /// The number of the function that it stands in.
    pub(super) function: Option<u32>,
    /// Whether it is the function of a `call`, or one of its operands outside parentheses.
    pub(super) is_called: bool,
}

/// The words of a text.
#[derive(Debug, Default)]
pub(super) struct Words<'a> {
    pub(super) declared: Vec<DeclaredWord>,
    pub(super) used: Vec<UsedWord>,
    /// The names of vector registers, each with the number of its function.
    pub(super) vectors: HashSet<(&'a str, Option<u32>)>,
    /// Names that are declared for several registers, as `%r` in `%r<3>`: each register has its
    /// number after the name.
    pub(super) families: HashSet<(&'a str, Option<u32>)>,
}

impl<'a> Words<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut lexer = Lexer::new(text, 0);
        let tokens = std::iter::from_fn(move || {
            Some(lexer.next_significant()).filter(|token| token.kind != TokenKind::Eof)
        });
        let mut reader = Reader {
            text,
            tokens: tokens.peekable(),
            words: Self::default(),
            function: None,
            functions: 0,
            depth: 0,
            parentheses: 0,
            is_section: false,
            wants_function_name: false,
            is_call: false,
            before: None,
        };
        reader.read();
        reader.words
    }
}

/// A walk over the tokens of a text.
struct Reader<'a, T: Iterator<Item = Token>> {
    text: &'a str,
    tokens: Peekable<T>,
    words: Words<'a>,
    function: Option<u32>,
    /// The number of functions so far.
    functions: u32,
    /// The number of open braces.
    depth: u32,
    /// The number of open parentheses.
    parentheses: u32,
    is_section: bool,
    /// The name of a function is to come.
    wants_function_name: bool,
    /// The statement is a `call`.
    is_call: bool,
    /// The token before, and its text.
    before: Option<(TokenKind, &'a str)>,
}

impl<T: Iterator<Item = Token>> Reader<'_, T> {
    fn read(&mut self) {
        while let Some(token) = self.tokens.next() {
            let word = token.range.slice(self.text);
            match token.kind {
                TokenKind::Ident | TokenKind::DotIdent => {
                    self.word(token);
                    continue;
                }
                TokenKind::OpenBrace => self.depth += 1,
                TokenKind::CloseBrace => {
                    self.depth = self.depth.saturating_sub(1);
                    self.end_statement();
                    if self.depth == 0 {
                        (self.is_section, self.function) = (false, None);
                    }
                }
                TokenKind::OpenParen => self.parentheses += 1,
                TokenKind::CloseParen => self.parentheses = self.parentheses.saturating_sub(1),
                TokenKind::Semicolon => {
                    self.end_statement();
                    if self.depth == 0 {
                        self.function = None;
                    }
                }
                _ => {}
            }
            self.before = Some((token.kind, word));
        }
    }

    fn end_statement(&mut self) {
        (self.parentheses, self.is_call, self.wants_function_name) = (0, false, false);
    }

    fn word(&mut self, token: Token) {
        let word = token.range.slice(self.text);
        if token.kind == TokenKind::DotIdent {
            match word {
                ".section" if self.depth == 0 => self.is_section = true,
                ".entry" | ".func" if self.depth == 0 => {
                    self.function = Some(self.functions);
                    self.functions += 1;
                    self.wants_function_name = true;
                }
                _ if !self.is_section && StateSpace::from_keyword(word).is_some() => {
                    self.before = Some((token.kind, word));
                    return self.variables();
                }
                _ => {}
            }
        }
        let range = self.rest_of_word(token);
        let is_name = token.kind == TokenKind::Ident || self.is_followed_as_name();
        if self.wants_function_name && self.parentheses == 0 && is_name && !matches!(word, ".entry" | ".func")
        {
            self.wants_function_name = false;
            self.declare(range, WordKind::Function, false);
        } else if token.kind == TokenKind::Ident && !self.is_section && self.at(TokenKind::Colon) {
            self.declare(range, WordKind::Label, false);
        } else {
            self.use_of(token, range);
        }
        self.is_call |= word == "call" && self.depth > 0;
        self.before = Some((token.kind, word));
    }

    /// A word in a value.
    fn used(&mut self, token: Token) {
        let range = self.rest_of_word(token);
        self.use_of(token, range);
        self.before = Some((token.kind, token.range.slice(self.text)));
    }

    fn use_of(&mut self, token: Token, range: TextRange) {
        if range.slice(self.text).contains('.') && !self.is_opcode(token) {
            let is_called = self.is_call && self.parentheses == 0;
            self.words.used.push(UsedWord { range, function: self.function, is_called });
        }
    }

    /// Whether a word is an instruction rather than an operand.
    fn is_opcode(&self, token: Token) -> bool {
        let is_operand = match self.before {
            Some((TokenKind::Ident, before)) => is_mnemonic(before),
            Some((kind, _)) => matches!(
                kind,
                TokenKind::Comma
                    | TokenKind::OpenBracket
                    | TokenKind::OpenParen
                    | TokenKind::Plus
                    | TokenKind::Minus
                    | TokenKind::Not
                    | TokenKind::Or
                    | TokenKind::Equals
                    | TokenKind::DotIdent
            ),
            None => false,
        };
        token.kind == TokenKind::Ident && is_mnemonic(token.range.slice(self.text)) && !is_operand
    }

    /// The words of a type, and the names that are declared with it.
    fn variables(&mut self) {
        let mut is_vector = false;
        loop {
            let Some(token) = self.tokens.peek().copied() else { return };
            let word = token.range.slice(self.text);
            let is_type = ScalarType::from_keyword(word).is_some()
                || StateSpace::from_keyword(word).is_some()
                || Linkage::from_keyword(word).is_some();
            match (token.kind, word) {
                (TokenKind::DotIdent, ".v2" | ".v4" | ".v8") => is_vector = true,
                (TokenKind::DotIdent, ".align") => {
                    self.tokens.next();
                    if !self.at(TokenKind::Integer) {
                        continue;
                    }
                }
                (TokenKind::DotIdent, ".attribute") => {
                    self.tokens.next();
                    self.skip_in(TokenKind::OpenParen, TokenKind::CloseParen);
                    continue;
                }
                (TokenKind::DotIdent, ".ptr") => {}
                (TokenKind::OpenBracket, _) => {
                    self.skip_in(TokenKind::OpenBracket, TokenKind::CloseBracket);
                    continue;
                }
                (TokenKind::DotIdent, _) if is_type => {}
                _ => break,
            }
            self.tokens.next();
        }
        while let Some(token) =
            self.tokens.next_if(|token| matches!(token.kind, TokenKind::Ident | TokenKind::DotIdent))
        {
            let range = self.rest_of_word(token);
            self.before = Some((token.kind, token.range.slice(self.text)));
            if token.kind == TokenKind::DotIdent && !self.is_followed_as_name() {
                return;
            }
            self.declare(range, WordKind::Variable, is_vector);
            if self.at(TokenKind::Less) {
                self.words.families.insert((range.slice(self.text), self.function));
            }
            self.skip_in(TokenKind::Less, TokenKind::Greater);
            while self.at(TokenKind::OpenBracket) {
                self.skip_in(TokenKind::OpenBracket, TokenKind::CloseBracket);
            }
            if self.at(TokenKind::Equals) {
                self.initial_value();
            }
            if !self.at(TokenKind::Comma) {
                return;
            }
            let comma = self.tokens.next();
            self.before = comma.map(|comma| (comma.kind, ","));
            let is_parameter = |token: &Token| {
                let word = token.range.slice(self.text);
                token.kind == TokenKind::DotIdent
                    && (StateSpace::from_keyword(word).is_some() || ScalarType::from_keyword(word).is_some())
            };
            if self.tokens.peek().is_some_and(is_parameter) {
                return;
            }
        }
    }

    /// The names in `= { a, b }`, up to the comma or semicolon after it.
    fn initial_value(&mut self) {
        let mut braces = 0_u32;
        while let Some(token) = self.tokens.next_if(|token| {
            token.kind != TokenKind::Semicolon && (braces > 0 || token.kind != TokenKind::Comma)
        }) {
            match token.kind {
                TokenKind::Ident | TokenKind::DotIdent => {
                    self.used(token);
                    continue;
                }
                TokenKind::OpenBrace => braces += 1,
                TokenKind::CloseBrace => braces = braces.saturating_sub(1),
                _ => {}
            }
            self.before = Some((token.kind, token.range.slice(self.text)));
        }
    }

    /// Whether the token that comes next can follow the name of something declared.
    fn is_followed_as_name(&mut self) -> bool {
        use TokenKind::{CloseParen, Comma, Equals, Less, OpenBracket, OpenParen, Semicolon};
        let follows = [CloseParen, Comma, Equals, Less, OpenBracket, OpenParen, Semicolon];
        self.tokens.peek().is_some_and(|token| follows.contains(&token.kind))
    }

    fn declare(&mut self, range: TextRange, kind: WordKind, is_vector: bool) {
        let function = self.function.filter(|_| kind != WordKind::Function);
        self.words.declared.push(DeclaredWord { range, kind, function });
        if is_vector {
            self.words.vectors.insert((range.slice(self.text), function));
        }
    }

    fn at(&mut self, kind: TokenKind) -> bool {
        self.tokens.peek().is_some_and(|token| token.kind == kind)
    }

    /// A word and all that follows it tight with a dot.
    fn rest_of_word(&mut self, first: Token) -> TextRange {
        let (text, mut range) = (self.text, first.range);
        while let Some(part) =
            self.tokens.next_if(|token| token.range.start == range.end && is_part(text, token))
        {
            range.end = part.range.end;
        }
        range
    }

    /// Skips from an opening token, if it is next, to its closing one.
    fn skip_in(&mut self, open: TokenKind, close: TokenKind) {
        if !self.at(open) {
            return;
        }
        let mut depth = 0_u32;
        while let Some(token) = self.tokens.next_if(|token| token.kind != TokenKind::Semicolon) {
            if token.kind == open {
                depth += 1;
            } else if token.kind == close {
                depth -= 1;
                if depth == 0 {
                    return;
                }
            }
        }
    }
}

/// Whether a token can be a part of a dotted name after the first: `.x`, `.7`, or `hi` of `.7hi`.
fn is_part(text: &str, token: &Token) -> bool {
    use TokenKind::{DotIdent, Float, Ident, Integer};
    let follows_part = || {
        let before = text.as_bytes().get(token.range.start.wrapping_sub(1) as usize);
        before.is_some_and(u8::is_ascii_digit)
    };
    match token.kind {
        DotIdent => true,
        Float => token.range.slice(text).starts_with('.'),
        Ident | Integer => follows_part(),
        _ => false,
    }
}
