//! Numbers, read in the way ptxas 13.0.88 reads them.

use crate::lexer::{Lexer, TokenKind};

/// A number in a PTX text, with its sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// An integer in two's complement, modulo 2^64; `WARP_SZ` is 32.
    Integer(u64),
    /// The bits of a single-precision literal such as `0f3F800000`.
    Single(u32),
    /// The bits of a double-precision literal such as `0d3FF0000000000000`, or of the double
    /// nearest to a decimal one such as `1.5e3`.
    Double(u64),
}

impl Number {
    /// Reads signs and one literal, all of `text`; none for anything else, such as `4*2`.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut lexer = Lexer::new(text, 0);
        let mut negative = false;
        let number = loop {
            let token = lexer.next_significant();
            let word = token.range.slice(text);
            match token.kind {
                TokenKind::Minus => negative = !negative,
                TokenKind::Plus => {}
                TokenKind::Integer => break Self::Integer(Literal::read(word).value),
                TokenKind::Ident if word == "WARP_SZ" => break Self::Integer(32),
                TokenKind::Float => break Self::float(word)?,
                // `.5` is a suffix to the lexer.
                TokenKind::DotIdent => break Self::Double(word.parse::<f64>().ok()?.to_bits()),
                _ => return None,
            }
        };
        (lexer.next_significant().kind == TokenKind::Eof)
            .then(|| if negative { number.negated() } else { number })
    }

    fn float(word: &str) -> Option<Self> {
        match word.as_bytes() {
            [b'0', b'f' | b'F', ..] => u32::from_str_radix(word.get(2..)?, 16).ok().map(Self::Single),
            [b'0', b'd' | b'D', ..] => u64::from_str_radix(word.get(2..)?, 16).ok().map(Self::Double),
            _ => word.parse::<f64>().ok().map(|value| Self::Double(value.to_bits())),
        }
    }

    const fn negated(self) -> Self {
        match self {
            Self::Integer(value) => Self::Integer(value.wrapping_neg()),
            Self::Single(bits) => Self::Single(bits ^ 1 << 31),
            Self::Double(bits) => Self::Double(bits ^ 1 << 63),
        }
    }
}

/// An integer literal (PTX ISA §Integer Constants) as 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Literal {
    /// The value modulo 2^64.
    pub(crate) value: u64,
    /// ptxas reports `Constant overflow`: a digit follows when bit 63 is already set. So 2^64
    /// passes (as 0) and 99999999999999999999 does not. Observed: ptxas 13.0.88, in all four bases.
    pub(crate) overflow: bool,
    /// Written with the `U` suffix.
    pub(crate) unsigned: bool,
}

impl Literal {
    /// Whether a token of `length` bytes can be a number that overflows: the shortest is `0x` and
    /// 17 digits, or 20 decimal ones.
    pub(crate) const fn can_overflow(length: u32) -> bool {
        length >= 19
    }

    /// Reads a token of kind `Integer`. Characters that are not a digit of the base are not read.
    pub(crate) fn read(text: &str) -> Self {
        let (digits, unsigned) = match text.strip_suffix('U') {
            Some(digits) => (digits, true),
            None => (text, false),
        };
        let (base, digits) = match digits.as_bytes() {
            [b'0', b'x' | b'X', rest @ ..] => (16, rest),
            [b'0', b'b' | b'B', rest @ ..] => (2, rest),
            [b'0', rest @ ..] => (8, rest),
            all => (10, all),
        };
        let mut literal = Self { value: 0, overflow: false, unsigned };
        if base == 10 && !Self::can_overflow(digits.len() as u32) {
            let values = digits.iter().map(|byte| u64::from(byte.wrapping_sub(b'0')));
            literal.value = values.take_while(|value| *value < 10).fold(0, |value, digit| 10 * value + digit);
            return literal;
        }
        for &byte in digits {
            let Some(digit) = char::from(byte).to_digit(base) else { break };
            literal.overflow |= literal.value >> 63 != 0;
            literal.value = literal.value.wrapping_mul(u64::from(base)).wrapping_add(u64::from(digit));
        }
        if literal.overflow {
            literal.value = u64::MAX; // as ptxas goes on with it
        }
        literal
    }

    /// The value where ptxas wants 32 bits (`.file`, `.loc`). Reported as overflow above 2^32, but
    /// not from 2^63 on: the comparison is signed. Observed: ptxas 13.0.88.
    pub(crate) fn to_u32(self) -> (u32, bool) {
        let overflow = self.overflow || self.value as i64 > i64::from(u32::MAX);
        (self.value as u32, overflow)
    }
}

#[cfg(test)]
mod tests {
    use super::{Literal, Number};

    /// Outcomes of ptxas 13.0.88 on `.b32 LITERAL` (overflow) and `.b64 LITERAL` (low 32 bits in
    /// the ELF).
    #[test]
    fn overflow_is_the_one_of_ptxas() {
        for (text, overflow) in [
            ("18446744073709551616", false),
            ("36893488147419103232", false),
            ("18446744073709551616000", false),
            ("99999999999999999999", true),
            ("100000000000000000000", true),
            ("99999999999999999999999", true),
            ("0x1ffffffffffffffff", false),
            ("0x100000000000000001", false),
            ("0xffffffffffffffffff", true),
            ("07777777777777777777777", false),
            ("077777777777777777777777", true),
            ("0b1111111111111111111111111111111111111111111111111111111111111111", false),
            ("0b10000000000000000000000000000000000000000000000000000000000000000", true),
        ] {
            assert_eq!(Literal::read(text).overflow, overflow, "{text}");
        }
    }

    #[test]
    fn bases_and_suffix() {
        for (text, value) in
            [("0x1F", 31), ("017", 15), ("0B101", 5), ("10U", 10), ("0", 0), ("4294967297", 4_294_967_297)]
        {
            assert_eq!(Literal::read(text).value, value, "{text}");
        }
        assert!(Literal::read("0x10U").unsigned);
        assert_eq!(Literal::read("4294967296").to_u32(), (0, true));
        assert_eq!(Literal::read("9223372036854775808").to_u32(), (0, false));
    }

    #[test]
    fn numbers_with_signs() {
        for (text, number) in [
            ("- -4", Some(Number::Integer(4))),
            ("-1", Some(Number::Integer(u64::MAX))),
            (" + 0x10U ", Some(Number::Integer(16))),
            ("WARP_SZ", Some(Number::Integer(32))),
            ("-0f3F800000", Some(Number::Single(0xBF80_0000))),
            ("0d3FF0000000000000", Some(Number::Double(1.0_f64.to_bits()))),
            ("-1.5e3", Some(Number::Double((-1500.0_f64).to_bits()))),
            (".5", Some(Number::Double(0.5_f64.to_bits()))),
            ("1.", Some(Number::Double(1.0_f64.to_bits()))),
            ("4*2", None),
            ("", None),
            ("%r1", None),
        ] {
            assert_eq!(Number::read(text), number, "{text}");
        }
    }
}
