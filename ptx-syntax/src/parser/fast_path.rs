//! A fast parser of instructions and `.loc` in the forms that compilers write, byte by byte: most
//! of a module's text is these.
//!
//! Only what the rules of the other files take without an error is read here, and only on one line.
//! All else is left to them, from the first byte of the statement.

use super::Parser;
use crate::lexer::{is_blank, is_digit, is_letter, is_word};
use crate::loc::{InlinedAt, LocDirective};
use crate::module_directives::is_never_a_suffix;
use crate::name::Name;
use crate::section::is_label;
use crate::text_range::TextRange;

/// A position in the text that moves over what a method names; `None` where something else is
/// there.
struct Plain<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    /// Moves over an instruction: its first word, which is the current token, its suffixes, its
    /// operands and its `;`. Gives the range of the opcode; `None` if the instruction is not plain:
    /// then the parser has not moved.
    pub(super) fn plain_instruction(&mut self) -> Option<TextRange> {
        let mut plain = Plain { text: self.text, at: self.token.range.end as usize };
        plain.suffixes()?;
        let opcode = TextRange::new(self.token.range.start, plain.at as u32);
        plain.operands()?;
        self.continue_after(plain.at);
        Some(opcode)
    }

    /// Moves over a `.loc`, which is the current token; `None` if it is not plain: then the parser
    /// has not moved.
    pub(super) fn plain_loc(&mut self) -> Option<LocDirective<'a>> {
        let start = self.token.range.start;
        let mut plain = Plain { text: self.text, at: self.token.range.end as usize };
        let [file, line, column] = plain.place()?;
        let mut end = plain.at;
        let mut inlined_at = None;
        plain.blanks();
        if plain.eat(b',') {
            let at = plain.inlined_at()?;
            end = plain.at;
            inlined_at = Some(Box::new(at));
        } else if plain.comma_may_follow() {
            return None;
        }
        self.continue_after(end);
        let range = TextRange::new(start, end as u32);
        Some(LocDirective { file, line, column, inlined_at, range })
    }

    fn continue_after(&mut self, end: usize) {
        self.last_end = end as u32;
        self.lexer.seek(self.last_end);
        self.look();
    }
}

impl<'a> Plain<'a> {
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.at += usize::from(found);
        found
    }

    /// Moves over bytes of a class, and returns them.
    fn run(&mut self, is_of: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let count = rest.iter().position(|&byte| !is_of(byte)).unwrap_or(rest.len());
        self.at += count;
        rest.get(..count).unwrap_or_default()
    }

    /// Blanks of the line.
    fn blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.at += 1;
        }
    }

    /// Whether the next token may be a comma, on whatever line.
    fn comma_may_follow(&self) -> bool {
        let mut next = Self { ..*self };
        next.run(is_blank);
        matches!(next.peek(), b',' | b'/' | b'#')
    }

    /// The suffixes of an opcode, without blanks between them.
    fn suffixes(&mut self) -> Option<()> {
        while self.peek() == b'.' {
            let start = self.at;
            self.at += 1;
            if !is_letter(self.peek()) {
                return None;
            }
            self.run(is_word);
            let word = self.text.get(start..self.at)?;
            if self.peek() == b':' || word == ".const" || is_never_a_suffix(word) {
                return None;
            }
        }
        Some(())
    }

    /// One operand or more and the `;`.
    fn operands(&mut self) -> Option<()> {
        loop {
            self.blanks();
            match self.peek() {
                b'[' => {
                    self.at += 1;
                    self.name()?;
                    if self.eat(b'+') {
                        self.decimal(DIGITS_OF_U64)?;
                    }
                    self.eat(b']').then_some(())?;
                }
                b'{' => {
                    self.at += 1;
                    self.vector()?;
                }
                b'-' | b'0'..=b'9' => {
                    self.eat(b'-');
                    self.decimal(DIGITS_OF_U64)?;
                }
                _ => self.name()?,
            }
            self.blanks();
            if self.eat(b';') {
                return Some(());
            }
            self.eat(b',').then_some(())?;
        }
    }

    /// Names up to the `}`.
    fn vector(&mut self) -> Option<()> {
        loop {
            self.blanks();
            self.name()?;
            self.blanks();
            if self.eat(b'}') {
                return Some(());
            }
            self.eat(b',').then_some(())?;
        }
    }

    /// A register, a variable, a label or `_`.
    fn name(&mut self) -> Option<()> {
        let sigil = matches!(self.peek(), b'%' | b'$');
        self.at += usize::from(sigil);
        let word = self.run(is_word);
        let first = *word.first()?;
        let is_name =
            sigil || !is_digit(first) && (word == b"_" || std::str::from_utf8(word).is_ok_and(is_label));
        is_name.then_some(())
    }

    /// A decimal number of at most `most` digits that is not octal. The caller looks at what
    /// follows it directly.
    fn decimal(&mut self, most: usize) -> Option<u64> {
        let (start, begins_with_0) = (self.at, self.peek() == b'0');
        let mut value = 0_u64;
        while let digit @ 0..10 = self.peek().wrapping_sub(b'0') {
            value = value.wrapping_mul(10).wrapping_add(digit.into());
            self.at += 1;
        }
        let count = self.at - start;
        let is_plain = count == 1 || count > 1 && count <= most && !begins_with_0;
        is_plain.then_some(value)
    }

    /// The file, line and column of a `.loc`.
    fn place(&mut self) -> Option<[u64; 3]> {
        let mut place = [0; 3];
        for number in &mut place {
            self.blanks();
            *number = self.decimal(DIGITS_OF_U32)?;
            let ends = is_blank(self.peek()) || self.peek() == b',';
            ends.then_some(())?;
        }
        Some(place)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.blanks();
        let found = self.run(is_word) == word.as_bytes();
        found.then_some(())
    }

    /// What follows the comma of a `.loc`.
    fn inlined_at(&mut self) -> Option<InlinedAt<'a>> {
        self.blanks();
        let start = self.at as u32;
        self.word("function_name")?;
        self.blanks();
        let name_start = self.at as u32;
        self.name()?;
        let range = TextRange::new(name_start, self.at as u32);
        let function_name = Name { text: range.slice(self.text), range };
        is_label(function_name.text).then_some(())?;
        self.blanks();
        self.eat(b',').then_some(())?;
        self.word("inlined_at")?;
        let [file, line, column] = self.place()?;
        let range = TextRange::new(start, self.at as u32);
        Some(InlinedAt { function_name, name_offset: 0, file, line, column, range })
    }
}

/// Any number of up to this many decimal digits fits 64 bits.
const DIGITS_OF_U64: usize = 18;

/// Any number of up to this many decimal digits fits 32 bits.
const DIGITS_OF_U32: usize = 9;

#[cfg(test)]
mod tests {
    use super::Plain;
    use crate::{Statement, TextRange, parse};
    use proptest::prelude::*;

    /// Returns whether there are errors, and, for the first statement, what the tree says of it
    /// except its text.
    fn read(statement: &str) -> (bool, Option<(TextRange, String)>) {
        let text = format!(".version 8.0\n.target sm_80\n.func f() {{\n\t{statement}\n}}\n");
        let parsed = parse(&text);
        let function = parsed.module.functions().next();
        let first = function.and_then(|function| function.body.as_ref()?.statements.first());
        let of = |statement: &Statement<'_>| match statement {
            Statement::Instruction(instruction) => (instruction.range, format!("{:?}", instruction.opcode)),
            other => (other.range(), format!("{other:?}")),
        };
        (parsed.errors.is_empty(), first.map(of))
    }

    /// As it is, and with line ends for blanks, so that it is not plain.
    fn is_read_by_the_rules(statement: &str) -> Result<(), TestCaseError> {
        let (plain, ruled) = (read(statement), read(&statement.replace(' ', "\n")));
        prop_assert_eq!(plain.0, ruled.0, "{}", statement);
        if plain.0 {
            prop_assert_eq!(plain.1, ruled.1, "{}", statement);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn instructions_are_read_as_by_the_rules(
            opcode in "(@%p |@!%p |)(ld|ret|bra|_|inlined_at)(\\.(s32|x1|loc|byte|1d|const|global::a|func)|){0,2} ",
            operands in "(([\\[{] ?|-|)(%r1|\\$L|data|_|WARP_SZ|function_name|%|0|7|08|12345678901234567890|0x1f|1e5|2U|\\.x)\
                (\\.x|)([+] ?[-]?[0-9]{0,2}|) ?[\\]}]?(, ?|,|;|)){0,4};",
        ) {
            is_read_by_the_rules(&format!("{opcode}{operands}"))?;
        }

        #[test]
        fn locs_are_read_as_by_the_rules(
            place in "\\.loc [0-9]{1,2} (0|07|10|4294967296|123456789|1U|0x1)( |\\t)[0-9]{1,3}",
            inlined in "(| ,| ?, ?function_name (\\$L|name|_|inlined_at|\\.debug_str|L[+]4) ?,? ?inlined_at [0-9] [0-9]{1,3}( [0-9]|))",
            after in "( |//,|\n, function_name x, inlined_at 1 2 3|,|;|\nret;|x|)",
        ) {
            is_read_by_the_rules(&format!("{place}{inlined}{after}"))?;
        }
    }

    #[test]
    fn what_compilers_write_is_plain() {
        for operands in ["\t%r1, %r2, -7;", " {%f1, _}, [data+16];", " $L__BB0_1;", "\t[%rd1], 0;"] {
            assert!(Plain { text: operands, at: 0 }.operands().is_some(), "{operands}");
        }
    }
}
