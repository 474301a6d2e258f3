//! The parser of operand lists and initial values: which token may follow which.
//!
//! A machine with one state and a small stack of brackets, so that no input makes it recurse. Every
//! rule here was seen in ptxas 13.0.88: arithmetic is for numbers only (`data-4` and `4+data` are
//! refused, `data+4*2` is not).

use super::Parser;
use crate::MAX_NESTING;
use crate::error::SyntaxErrorKind;
use crate::lexer::TokenKind;
use crate::reserved_words::is_reserved;
use crate::section::is_label;

/// Open brackets of one statement, two bits each, and whether a comma outside them was read.
#[derive(Default)]
struct Brackets {
    stack: u64,
    depth: u32,
    after_comma: bool,
}

const NONE: u64 = 0;
const BRACE: u64 = 1;
const BRACKET: u64 = 2;
const PAREN: u64 = 3;
/// The `(` of `0xFF(data)` and `generic(data)`; initial values have no `[`, so its code is free.
const CALL: u64 = BRACKET;

fn code(kind: TokenKind) -> u64 {
    match kind {
        TokenKind::OpenBrace | TokenKind::CloseBrace => BRACE,
        TokenKind::OpenBracket | TokenKind::CloseBracket => BRACKET,
        _ => PAREN,
    }
}

impl Brackets {
    fn open(&mut self, code: u64) -> bool {
        if self.depth == MAX_NESTING {
            return false;
        }
        self.stack = self.stack << 2 | code;
        self.depth += 1;
        true
    }

    fn close(&mut self, code: u64) -> bool {
        if self.innermost() != code {
            return false;
        }
        self.stack >>= 2;
        self.depth -= 1;
        true
    }

    fn innermost(&self) -> u64 {
        if self.depth == 0 { NONE } else { self.stack & 3 }
    }

    /// What closes the innermost bracket.
    fn expected(&self) -> Fault {
        Fault::Expected(match self.innermost() {
            BRACE => "`}`",
            BRACKET => "`]` or `)`",
            PAREN => "`)`",
            _ => "`;`",
        })
    }
}

/// What stands before the next token.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Before {
    /// The opcode or `=`.
    Start,
    /// An opening bracket.
    Open,
    Comma,
    /// An operator before a number.
    Operator,
    /// `|` between the two results of the first operand.
    Pipe,
    /// The second of these names.
    PipeName,
    /// One `-` or `!` at the start of an operand: a name or a number.
    Sign,
    /// Any other sign, `~`, or a cast: a number.
    Unary,
    /// `(` and a type: a cast once the `)` follows.
    Cast,
    Name,
    /// The word `generic` in an initial value: a name, or what a `(NAME)` follows.
    Generic,
    /// The `(` after it.
    GenericOpen,
    /// The name inside.
    GenericName,
    Number,
    /// An integer at the start of an initial value: a number, or a mask that a `(` follows.
    Mask,
    /// `)`
    Group,
    /// `]`, `}`, a `0f3F800000`, or a name with its component: takes no arithmetic.
    Closed,
}

impl Before {
    fn is_operand(self) -> bool {
        self.is_number() || matches!(self, Self::Name | Self::PipeName | Self::Generic | Self::Closed)
    }

    /// Whether any operator may follow.
    fn is_number(self) -> bool {
        matches!(self, Self::Number | Self::Mask | Self::Group)
    }

    /// Whether an operand or an element of a list begins.
    fn begins(self) -> bool {
        matches!(self, Self::Start | Self::Open | Self::Comma)
    }

    fn takes_sign(self) -> bool {
        !self.is_operand() && !matches!(self, Self::Pipe | Self::Cast | Self::GenericOpen | Self::GenericName)
    }
}

/// Where the list stands. An initial value may be `generic(x)` or `0xff(x)`, its names take no
/// component, and it ends at an outer comma too.
#[derive(PartialEq, Eq, Clone, Copy)]
enum List {
    Operands,
    Initializer,
}

/// Why the current token cannot stand where it does.
enum Fault {
    Expected(&'static str),
    TooDeep,
}

const OPERAND: Fault = Fault::Expected("an operand");
const AFTER_OPERAND: Fault = Fault::Expected("an operator, `,` or `;`");

impl Parser<'_> {
    /// The operands of an instruction and its `;`.
    pub(super) fn operands(&mut self) {
        let (before, brackets) = match self.list(List::Operands) {
            Ok(end) => end,
            Err(fault) => return self.end_of_operands(&fault),
        };
        if brackets.depth > 0 {
            self.end_of_operands(&brackets.expected());
        } else if !before.is_operand() && before != Before::Start {
            self.end_of_operands(&OPERAND);
        } else {
            self.bump();
        }
    }

    /// The initial value of a variable, up to the `,` or `;`. None: an error was reported.
    pub(super) fn initial_value(&mut self) -> Option<()> {
        let fault = match self.list(List::Initializer) {
            Ok((before, brackets)) if brackets.depth == 0 && before.is_operand() => return Some(()),
            Ok((_, brackets)) if brackets.depth > 0 => brackets.expected(),
            Ok(_) => Fault::Expected("an initial value"),
            Err(fault) => fault,
        };
        self.report(&fault);
        None
    }

    /// Moves to the `;` (for an initial value also its `,`), or to a token where something else is
    /// expected.
    fn list(&mut self, list: List) -> Result<(Before, Brackets), Fault> {
        let mut brackets = Brackets::default();
        let mut before = Before::Start;
        loop {
            let kind = self.token.kind;
            let ends = kind == TokenKind::Semicolon
                || kind == TokenKind::Comma && list == List::Initializer && brackets.depth == 0;
            if ends {
                return Ok((before, brackets));
            }
            before = match list {
                List::Operands => self.step(before, &mut brackets, list)?,
                List::Initializer => self.step_initial(before, &mut brackets)?,
            };
            self.bump();
        }
    }

    /// The state after the current token, or what is expected instead of it.
    fn step(&mut self, before: Before, brackets: &mut Brackets, list: List) -> Result<Before, Fault> {
        use TokenKind as K;
        let kind = self.token.kind;
        match kind {
            K::Ident | K::Integer | K::Float if before.is_operand() => Err(AFTER_OPERAND),
            K::Ident if self.word() == "WARP_SZ" => Ok(Before::Number),
            K::Ident if matches!(before, Before::Operator | Before::Unary) => {
                Err(Fault::Expected("a number"))
            }
            K::Ident if before != Before::Cast && (is_label(self.word()) || self.word() == "_") => {
                Ok(if before == Before::Pipe { Before::PipeName } else { Before::Name })
            }
            K::Integer | K::Float if matches!(before, Before::Pipe | Before::Cast) => Err(OPERAND),
            // `0f3F800000` takes neither sign nor operator; `1.5` and `0d3FF0000000000000` do.
            K::Float if self.is_single() => {
                if before.begins() {
                    Ok(Before::Closed)
                } else {
                    Err(OPERAND)
                }
            }
            K::Integer | K::Float => Ok(Before::Number),
            K::DotIdent => self.step_dot_ident(before, brackets),
            K::Comma if before.is_operand() => {
                brackets.after_comma |= brackets.depth == 0;
                Ok(Before::Comma)
            }
            K::OpenParen | K::OpenBracket | K::OpenBrace => self.step_open(before, brackets, list),
            K::CloseParen if before == Before::GenericName && brackets.close(CALL) => Ok(Before::Name),
            K::CloseParen | K::CloseBracket | K::CloseBrace => {
                let empty = before == Before::Open
                    && kind == if list == List::Initializer { K::CloseBrace } else { K::CloseParen };
                if !before.is_operand() && !empty && before != Before::Cast {
                    return Err(OPERAND);
                }
                if list == List::Initializer && kind == K::CloseParen && brackets.close(CALL) {
                    return Ok(Before::Closed);
                }
                if !brackets.close(code(kind)) {
                    return Err(brackets.expected());
                }
                match (before, kind) {
                    (Before::Cast, _) => Ok(Before::Unary),
                    (_, K::CloseParen) => Ok(Before::Group),
                    _ => Ok(Before::Closed),
                }
            }
            K::Plus if before.is_number() => Ok(Before::Operator),
            K::Plus
                if before == Before::Name && (brackets.innermost() != BRACE || list == List::Initializer)
                    || before == Before::Generic =>
            {
                Ok(Before::Operator)
            }
            K::Or if matches!(before, Before::Name | Before::Closed) => {
                if brackets.after_comma || brackets.depth > 0 { Err(AFTER_OPERAND) } else { Ok(Before::Pipe) }
            }
            K::Minus | K::Not | K::Or | K::Less | K::Greater | K::Equals | K::Colon | K::Operator
                if before.is_number() =>
            {
                if self.binary_operator() {
                    Ok(Before::Operator)
                } else {
                    Err(AFTER_OPERAND)
                }
            }
            K::Minus | K::Not if matches!(before, Before::Start | Before::Comma) && brackets.depth == 0 => {
                Ok(Before::Sign)
            }
            K::Plus | K::Minus | K::Not | K::Operator if before.takes_sign() && self.is_sign() => {
                Ok(if before == Before::Operator { Before::Operator } else { Before::Unary })
            }
            _ if before.is_operand() => Err(AFTER_OPERAND),
            _ => Err(OPERAND),
        }
    }

    /// `step` in an initial value, with the rules that differ.
    fn step_initial(&mut self, before: Before, brackets: &mut Brackets) -> Result<Before, Fault> {
        use TokenKind as K;
        let in_list = before.begins() && matches!(brackets.innermost(), NONE | BRACE);
        let kind = self.token.kind;
        match kind {
            K::Ident if before == Before::GenericOpen && is_label(self.word()) => Ok(Before::GenericName),
            _ if before == Before::GenericOpen => Err(Fault::Expected("a name")),
            K::CloseParen if before == Before::GenericName => self.step(before, brackets, List::Initializer),
            _ if before == Before::GenericName => Err(Fault::Expected("`)`")),
            K::Ident if self.word() == "WARP_SZ" && in_list => Ok(Before::Mask),
            K::Ident if before.is_operand() => Err(AFTER_OPERAND),
            K::Ident if self.word() != "WARP_SZ" => {
                let allowed = in_list || before == Before::Open && brackets.innermost() == CALL;
                match self.word() {
                    "generic" if allowed => Ok(Before::Generic),
                    word if allowed && is_label(word) => Ok(Before::Name),
                    _ => Err(Fault::Expected("a number")),
                }
            }
            K::Integer if in_list => Ok(Before::Mask),
            K::DotIdent if before == Before::Name => Err(AFTER_OPERAND),
            K::Comma if brackets.innermost() != BRACE => Err(brackets.expected()),
            K::OpenParen if matches!(before, Before::Mask | Before::Generic) => {
                if !brackets.open(CALL) {
                    return Err(Fault::TooDeep);
                }
                Ok(if before == Before::Mask { Before::Open } else { Before::GenericOpen })
            }
            K::OpenBrace if brackets.innermost() == CALL => Err(OPERAND),
            _ => self.step(before, brackets, List::Initializer),
        }
    }

    /// Moves onto the second character of `<<`, `==`, `&&` and the like; the caller moves past it.
    /// False for `=`, `!` and `~` alone.
    fn binary_operator(&mut self) -> bool {
        let rest = self.text.as_bytes().get(self.token.range.start as usize..).unwrap_or(&[]);
        if matches!(rest.get(..2), Some(b"<<" | b">>" | b"<=" | b">=" | b"==" | b"!=" | b"&&" | b"||")) {
            self.bump();
            return true;
        }
        !matches!(self.word(), "=" | "!" | "~")
    }

    fn step_open(&mut self, before: Before, brackets: &mut Brackets, list: List) -> Result<Before, Fault> {
        let kind = self.token.kind;
        let allowed = match kind {
            TokenKind::OpenParen => !before.is_operand(),
            TokenKind::OpenBracket if list == List::Initializer => false,
            TokenKind::OpenBracket if before == Before::Name => true,
            _ => before.begins(),
        };
        let nested = list == List::Operands
            && match brackets.innermost() {
                BRACKET => kind == TokenKind::OpenBracket,
                BRACE => kind != TokenKind::OpenParen,
                _ => false,
            };
        if !allowed || nested {
            return Err(if before.is_operand() { AFTER_OPERAND } else { OPERAND });
        }
        if !brackets.open(code(kind)) {
            return Err(Fault::TooDeep);
        }
        Ok(Before::Open)
    }

    /// A component (`%tid.x`, `%r1.b0`), `.unified` after an address, a cast, or a number such as
    /// `.5`.
    fn step_dot_ident(&self, before: Before, brackets: &Brackets) -> Result<Before, Fault> {
        let word = self.word();
        match before {
            _ if self.next_statement_begins() => Err(brackets.expected()),
            Before::Name if !is_reserved(word) && brackets.innermost() != BRACKET => Ok(Before::Closed),
            Before::Closed if word == ".unified" => Ok(Before::Closed),
            Before::Open if brackets.innermost() == PAREN => Ok(Before::Cast),
            _ if before.is_operand() => Err(AFTER_OPERAND),
            _ if word.as_bytes().get(1).is_some_and(u8::is_ascii_digit) => Ok(Before::Closed),
            _ => Err(OPERAND),
        }
    }

    fn is_single(&self) -> bool {
        matches!(self.word().as_bytes(), [b'0', b'f' | b'F', ..])
    }

    fn is_sign(&self) -> bool {
        matches!(self.word(), "+" | "-" | "!" | "~")
    }

    fn report(&mut self, fault: &Fault) {
        match *fault {
            Fault::Expected(what) => self.unexpected(what),
            Fault::TooDeep => self.errors.push(SyntaxErrorKind::NestingTooDeep, self.token.range),
        }
    }

    /// Reports the current token and goes on at the next line or after the next `;`.
    fn end_of_operands(&mut self, fault: &Fault) {
        self.report(fault);
        if !self.begins_line() {
            self.skip_statement();
        }
    }
}
