//! The parser. It has one token of look-ahead, and always returns a tree with its errors.

mod body;
mod directive;
mod fast_path;
mod function;
mod intermediate;
mod list;
mod operands;
mod variable;

pub(crate) use body::BODY_END;

use crate::error::{ErrorSink, SyntaxError, SyntaxErrorKind};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::linkage::Linkage;
use crate::module::{Item, Module};
use crate::name::Name;
use crate::number::Literal;
use crate::scalar_type::begins_type;
use crate::section::is_label;
use crate::state_space::StateSpace;
use crate::statement::Statement;
use crate::text_range::TextRange;

/// A parsed module, with all syntax errors of its text.
#[derive(Debug, Clone)]
pub struct Parsed<'a> {
    /// The parsed module. It covers the whole text even where that is faulty.
    pub module: Module<'a>,
    /// The syntax errors in text order: at most [`crate::MAX_ERRORS`], and one more that says that
    /// there are others.
    pub errors: Vec<SyntaxError>,
}

/// Parses a PTX module (PTX ISA 1.0 to 9.x). It accepts any text, in linear time, and returns its
/// errors.
///
/// Only the grammar is judged, as ptxas 13.0.88 does: no types, no opcodes, no names, no version
/// gates.
pub fn parse(text: &str) -> Parsed<'_> {
    let mut errors = ErrorSink::default();
    if text.len() >= u32::MAX as usize {
        errors.push(SyntaxErrorKind::TooLarge, TextRange::empty(0));
        return Parsed { module: Module { text, items: Vec::new() }, errors: errors.finish() };
    }
    report_stray_bytes(text, &mut errors);
    let mut parser = Parser::new(text, errors);
    let items = parser.module();
    Parsed { module: Module { text, items }, errors: parser.errors.finish() }
}

/// Reports runs of non-ASCII characters and of NUL bytes, wherever they stand.
fn report_stray_bytes(text: &str, errors: &mut ErrorSink) {
    let bytes = text.as_bytes();
    if bytes.is_ascii() && memchr::memchr(0, bytes).is_none() {
        return;
    }
    let kind_of = |byte: u8| match byte {
        0 => Some(SyntaxErrorKind::NulByte),
        128.. => Some(SyntaxErrorKind::NonAscii),
        _ => None,
    };
    let mut at = 0;
    for run in bytes.chunk_by(|&a, &b| kind_of(a) == kind_of(b)) {
        let end = at + run.len() as u32;
        if let Some(kind) = run.first().and_then(|&byte| kind_of(byte)) {
            errors.push(kind, TextRange::new(at, end));
        }
        at = end;
    }
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// The token to look at; never trivia.
    token: Token,
    /// End of the token before it.
    last_end: u32,
    errors: ErrorSink,
    /// Those of a body until it is complete.
    statements: Vec<Statement<'a>>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, errors: ErrorSink) -> Self {
        let token = Token { kind: TokenKind::Eof, range: TextRange::empty(0) };
        let mut parser =
            Self { text, lexer: Lexer::new(text, 0), token, last_end: 0, errors, statements: Vec::new() };
        parser.look();
        parser
    }

    fn bump(&mut self) -> Token {
        let token = self.token;
        self.last_end = token.range.end;
        self.look();
        token
    }

    /// Reads the token to look at. ptxas' lexer reports an overflow wherever the number stands.
    fn look(&mut self) {
        self.token = self.lexer.next_significant();
        if self.token.kind == TokenKind::Integer && Literal::can_overflow(self.token.range.len()) {
            self.errors.overflow(self.text, self.token);
        }
    }

    /// One `<` or `=` that is not part of `<<`, `<=`, `==`.
    fn eat_single(&mut self, kind: TokenKind) -> Option<Token> {
        let rest = self.text.as_bytes().get(self.token.range.start as usize..)?;
        if matches!(rest.get(..2), Some(b"<<" | b"<=" | b"==")) {
            return None;
        }
        self.eat(kind)
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        self.at(kind).then(|| self.bump())
    }

    /// The text of the current token.
    fn word(&self) -> &'a str {
        self.token.range.slice(self.text)
    }

    /// The current token as a directive; empty if it is none.
    fn directive_word(&self) -> &'a str {
        if self.at(TokenKind::DotIdent) { self.word() } else { "" }
    }

    fn name_of(&self, token: Token) -> Name<'a> {
        Name { text: token.range.slice(self.text), range: token.range }
    }

    fn empty_name(&self) -> Name<'a> {
        Name { text: "", range: TextRange::empty(self.last_end) }
    }

    fn unexpected(&mut self, what: &'static str) {
        self.errors.unexpected(self.text, self.token, what);
    }

    fn misplaced(&mut self, rule: &'static str) {
        self.errors.push(SyntaxErrorKind::Misplaced(rule), self.token.range);
    }

    fn expect(&mut self, kind: TokenKind, what: &'static str) -> Option<Token> {
        let token = self.eat(kind);
        if token.is_none() {
            self.unexpected(what);
        }
        token
    }

    /// A string, whose contents are all but the first and the last character. To ptxas 13.0.88
    /// `.byte` and `.4byte` are strings too: their contents are `byt` and `4byt`.
    fn string(&mut self, what: &'static str) -> Option<Token> {
        if matches!(self.directive_word(), ".byte" | ".4byte") {
            return Some(self.bump());
        }
        self.expect(TokenKind::String, what)
    }

    /// An integer as ptxas reads it; `WARP_SZ` is one.
    fn integer(&mut self, what: &'static str) -> Option<u64> {
        if self.eat_warp_size() {
            return Some(32);
        }
        let token = self.expect(TokenKind::Integer, what)?;
        Some(Literal::read(token.range.slice(self.text)).value)
    }

    /// An integer that ptxas keeps in 32 bits: all of the directives but times, sizes of files and
    /// of variables.
    fn integer_32(&mut self, what: &'static str) -> Option<u64> {
        if self.eat_warp_size() {
            return Some(32);
        }
        let token = self.expect(TokenKind::Integer, what)?;
        let literal = Literal::read(token.range.slice(self.text));
        let (value, overflow) = literal.to_u32();
        if overflow && !literal.overflow {
            self.errors.push(SyntaxErrorKind::ConstantOverflow, token.range);
        }
        Some(u64::from(value))
    }

    fn eat_warp_size(&mut self) -> bool {
        let found = self.at(TokenKind::Ident) && self.word() == "WARP_SZ";
        if found {
            self.bump();
        }
        found
    }

    /// A name that is none of the words ptxas keeps for itself.
    fn label(&mut self, what: &'static str) -> Option<Name<'a>> {
        if self.at(TokenKind::Ident) && is_label(self.word()) {
            let token = self.bump();
            return Some(self.name_of(token));
        }
        self.unexpected(what);
        None
    }

    fn range_from(&self, start: u32) -> TextRange {
        TextRange::new(start, self.last_end.max(start))
    }

    /// Whether the current token is the first of its line. Only asked after an error.
    fn begins_line(&self) -> bool {
        TextRange::new(self.last_end, self.token.range.start).slice(self.text).contains('\n')
    }

    /// After an error, skips past the next `;`, or to the next line or brace.
    fn skip_statement(&mut self) {
        loop {
            match self.token.kind {
                TokenKind::Eof | TokenKind::OpenBrace | TokenKind::CloseBrace => return,
                TokenKind::Semicolon => {
                    self.bump();
                    return;
                }
                _ => {
                    self.bump();
                    if self.begins_line() {
                        return;
                    }
                }
            }
        }
    }

    /// After an error in a directive that ends with its line: skips to the next line, `;` or brace.
    fn skip_line(&mut self) {
        while !self.begins_line()
            && !matches!(
                self.token.kind,
                TokenKind::Eof | TokenKind::OpenBrace | TokenKind::CloseBrace | TokenKind::Semicolon
            )
        {
            self.bump();
        }
    }

    fn statement_end(&mut self) {
        if self.expect(TokenKind::Semicolon, "`;`").is_none() && !self.begins_line() {
            self.skip_statement();
        }
    }

    fn module(&mut self) -> Vec<Item<'a>> {
        let mut items = Vec::new();
        self.preamble(&mut items);
        while !self.at(TokenKind::Eof) {
            let before = self.token.range.start;
            match (items.last_mut(), self.item()) {
                // Hostile text costs no item a byte.
                (Some(Item::Unknown(last)), Item::Unknown(range)) => last.end = range.end,
                (_, item) => items.push(item),
            }
            if self.token.range.start == before && !self.at(TokenKind::Eof) {
                self.bump(); // an item always moves on; this keeps the promise even if a rule above forgets it
            }
        }
        items.shrink_to_fit();
        items
    }

    /// `.version`, `.target` and `.address_size` stand first and in this order (ptxas: `Missing
    /// .version directive at start of file`).
    fn preamble(&mut self, items: &mut Vec<Item<'a>>) {
        if self.directive_word() != ".version" {
            self.errors.push(SyntaxErrorKind::MissingVersion, self.token.range);
            return;
        }
        items.push(self.version());
        if self.directive_word() != ".target" {
            self.errors.push(SyntaxErrorKind::MissingTarget, self.token.range);
            return;
        }
        // Others may follow it, but only here and in bodies (ptxas 13.0.88).
        while self.directive_word() == ".target" {
            items.push(Item::Target(self.target()));
        }
        if self.directive_word() == ".address_size" {
            items.push(self.address_size());
        }
    }

    fn item(&mut self) -> Item<'a> {
        let start = self.token.range.start;
        match self.token.kind {
            TokenKind::DotIdent => {}
            TokenKind::AtDwarf => return Item::AtDwarf(self.at_dwarf()),
            _ => {
                self.unexpected("a directive at module scope");
                self.bump();
                if !self.begins_line() {
                    self.skip_statement();
                }
                return Item::Unknown(self.range_from(start));
            }
        }
        let word = self.word();
        match word {
            ".file" => Item::File(self.file()),
            ".section" => Item::Section(self.section()),
            ".nv_intermediate_source_section" => Item::IntermediateSources(self.intermediate_sources()),
            ".visible" | ".weak" | ".extern" | ".common" | ".entry" | ".func" => self.declaration(),
            ".pragma" => Item::Pragma(self.pragma()),
            ".alias" => Item::Alias(self.alias()),
            ".loc" => {
                self.misplaced("`.loc` is only allowed inside a function body");
                self.loc();
                Item::Unknown(self.range_from(start))
            }
            ".loc_intermediate" => {
                self.misplaced("`.loc_intermediate` is only allowed inside a function body");
                self.intermediate_loc();
                Item::Unknown(self.range_from(start))
            }
            ".version" => {
                self.misplaced("`.version` is only allowed at the start of the module");
                self.version()
            }
            ".target" => {
                self.misplaced("`.target` is only allowed right after `.version`, or in a body");
                Item::Target(self.target())
            }
            ".address_size" => {
                self.misplaced("`.address_size` is only allowed right after `.target`");
                self.address_size()
            }
            _ if StateSpace::from_keyword(word).is_some() => self.declaration(),
            _ if begins_type(word) => {
                self.variable(start, Linkage::None);
                Item::Unknown(self.range_from(start))
            }
            _ => {
                self.unexpected("a directive that PTX has at module scope");
                self.bump();
                if !self.begins_line() {
                    self.skip_statement();
                }
                Item::Unknown(self.range_from(start))
            }
        }
    }
}
