//! The parser of `.version`, `.target`, `.address_size`, `.file`, `.loc`, `.section` and `@@DWARF`.

use super::Parser;
use crate::at_dwarf::AtDwarf;
use crate::error::SyntaxErrorKind;
use crate::file_directive::FileDirective;
use crate::header::{AddressSizeDirective, TargetDirective, VersionDirective};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::loc::{InlinedAt, LocDirective};
use crate::module::Item;
use crate::name::Name;
use crate::number::Literal;
use crate::reserved_words::is_reserved;
use crate::section::{
    DataCursor, SectionBlock, check_integer, check_negative, data_width, has_negative, is_label,
};
use crate::text_range::TextRange;

impl<'a> Parser<'a> {
    pub(super) fn version(&mut self) -> Item<'a> {
        let start = self.bump().range.start;
        // ptxas reads both as one token, which a line break or a comment would end.
        let gap = TextRange::new(self.last_end, self.token.range.start).slice(self.text);
        let is_one_token = !gap.is_empty() && !gap.contains(['\n', '/', '#']);
        let number = self.word().split_once('.').filter(|_| is_one_token && self.at(TokenKind::Float));
        let number = number.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        let Some((major, minor)) = number else {
            self.errors.push(SyntaxErrorKind::MissingVersion, self.token.range);
            if !self.begins_line() {
                self.skip_statement();
            }
            return Item::Unknown(self.range_from(start));
        };
        self.bump();
        Item::Version(VersionDirective { major, minor, range: self.range_from(start) })
    }

    pub(super) fn target(&mut self) -> TargetDirective<'a> {
        let start = self.bump().range.start;
        let mut specifiers = Vec::with_capacity(1);
        while let Some(token) = self.expect(TokenKind::Ident, "a target such as sm_90") {
            specifiers.push(self.name_of(token));
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        TargetDirective { specifiers, range: self.range_from(start) }
    }

    pub(super) fn address_size(&mut self) -> Item<'a> {
        let start = self.bump().range.start;
        let number = self.token;
        let bits = self.integer_32("an address size");
        if bits.is_some_and(|bits| bits != 32 && bits != 64) {
            self.errors.push(SyntaxErrorKind::AddressSize, number.range);
        }
        let bits = bits.and_then(|bits| u32::try_from(bits).ok()).unwrap_or(64);
        Item::AddressSize(AddressSizeDirective { bits, range: self.range_from(start) })
    }

    pub(super) fn file(&mut self) -> FileDirective<'a> {
        let start = self.bump().range.start;
        let mut file = FileDirective {
            index: 0,
            path: "",
            path_range: TextRange::empty(self.last_end),
            timestamp: None,
            size: None,
            is_complete: true,
            range: TextRange::default(),
        };
        if self.file_operands(&mut file).is_none() {
            file.is_complete = false;
            self.skip_line();
        }
        file.range = self.range_from(start);
        file
    }

    /// None: an error was reported. Each step only if the one before it stood there: one fault, one
    /// error.
    fn file_operands(&mut self, file: &mut FileDirective<'a>) -> Option<()> {
        file.index = self.integer_32("a file index")?;
        let path = self.string("a file name in quotes")?.range;
        file.path_range = TextRange::new(path.start + 1, path.end - 1);
        file.path = file.path_range.slice(self.text);
        if self.folder_and_name(path, file) {
            file.is_complete = false;
            return Some(());
        }
        if self.eat(TokenKind::Comma).is_none() {
            return Some(());
        }
        file.timestamp = Some(self.integer("a timestamp")?);
        if self.eat(TokenKind::Comma).is_none() {
            return Some(()); // ptxas 13.0.88 asks for no size, which the PTX ISA does
        }
        file.size = Some(self.integer("the file size")?);
        Some(())
    }

    /// `"FOLDER" "NAME" md5 0x... source "..."` of other assemblers, which PTX does not have: one
    /// error for all of it, on however many lines. `first` has been read, and is the folder if a
    /// name follows.
    fn folder_and_name(&mut self, first: TextRange, file: &mut FileDirective<'a>) -> bool {
        if !self.at(TokenKind::String) && !matches!(self.word(), "md5" | "source") {
            return false;
        }
        // A checksum has more bits than a number may have: the tokens are not looked at.
        let mut lexer = Lexer::new(self.text, first.end);
        let mut end = first.end;
        if self.at(TokenKind::String) {
            let name = lexer.next_significant().range;
            file.path_range = TextRange::new(name.start + 1, name.end - 1);
            file.path = file.path_range.slice(self.text);
            end = name.end;
        }
        loop {
            let [word, operand] = [lexer.next_significant(), lexer.next_significant()];
            match (word.range.slice(self.text), operand.kind) {
                ("md5", TokenKind::Integer) | ("source", TokenKind::String) => end = operand.range.end,
                _ => break,
            }
        }
        if end == first.end {
            return false;
        }
        self.errors.push(SyntaxErrorKind::FileFolder, TextRange::new(first.start, end));
        self.lexer.seek(end);
        self.last_end = end;
        self.look();
        true
    }

    pub(super) fn loc(&mut self) -> LocDirective<'a> {
        if let Some(loc) = self.plain_loc() {
            return loc;
        }
        let start = self.bump().range.start;
        let mut loc =
            LocDirective { file: 0, line: 0, column: 0, inlined_at: None, range: TextRange::default() };
        if self.loc_operands(&mut loc).is_none() {
            self.skip_line();
        }
        loc.range = self.range_from(start);
        loc
    }

    /// None: an error was reported.
    fn loc_operands(&mut self, loc: &mut LocDirective<'a>) -> Option<()> {
        loc.file = self.integer_32("a file index")?;
        loc.line = self.integer_32("a line number")?;
        loc.column = self.integer_32("a column number")?;
        if self.eat(TokenKind::Comma).is_none() {
            return Some(());
        }
        let start = self.token.range.start;
        self.keyword("function_name", "`function_name`")?;
        let label = match self.token.kind {
            TokenKind::Ident => is_label(self.word()),
            TokenKind::DotIdent => !is_reserved(self.word()),
            _ => false,
        };
        if !label {
            self.unexpected("a label of .debug_str");
            return None;
        }
        let function_name = self.bump();
        let mut at = InlinedAt {
            function_name: self.name_of(function_name),
            name_offset: 0,
            file: 0,
            line: 0,
            column: 0,
            range: TextRange::default(),
        };
        if self.eat(TokenKind::Plus).is_some() {
            at.name_offset = u64::from(self.integer("an offset")? as u32);
        }
        self.expect(TokenKind::Comma, "`,` and `inlined_at`")?;
        self.keyword("inlined_at", "`inlined_at`")?;
        at.file = self.integer_32("a file index")?;
        at.line = self.integer_32("a line number")?;
        at.column = self.integer_32("a column number")?;
        at.range = self.range_from(start);
        loc.inlined_at = Some(Box::new(at));
        Some(())
    }

    fn keyword(&mut self, word: &str, what: &'static str) -> Option<()> {
        if self.word() == word {
            self.bump();
            return Some(());
        }
        self.unexpected(what);
        None
    }

    pub(super) fn section(&mut self) -> SectionBlock<'a> {
        let start = self.bump().range.start;
        let mut faulty = !self.at(TokenKind::DotIdent) || is_reserved(self.word());
        if faulty {
            self.unexpected("a section name such as .debug_info");
        }
        let name = match self.eat(TokenKind::DotIdent) {
            Some(token) => self.name_of(token),
            None => self.empty_name(),
        };
        while !matches!(self.token.kind, TokenKind::OpenBrace | TokenKind::Eof) && !self.begins_line() {
            // What follows the name on its line belongs to no grammar; one error, and on to the
            // `{`.
            if !faulty {
                self.unexpected("`{`");
                faulty = true;
            }
            self.bump();
        }
        let open = match self.expect(TokenKind::OpenBrace, "`{` after the section name") {
            Some(token) => token.range,
            None => TextRange::empty(self.last_end),
        };
        let mut block =
            SectionBlock { name, open, close: TextRange::empty(open.end), range: open, text: self.text };
        if !open.is_empty() {
            let mut cursor = DataCursor::new(self.text, open.end);
            block.close = cursor.check(&mut self.errors);
            self.lexer.seek(cursor.offset());
            self.last_end = cursor.offset();
            self.look();
        }
        block.range = TextRange::new(start, block.close.end.max(self.last_end));
        block
    }

    /// `@@DWARF .section NAME, "FLAGS", @progbits` or `@@DWARF .byte 1, 2`: numbers, whose first
    /// has no sign, or one name without an offset (ptxas 13.0.88).
    pub(super) fn at_dwarf(&mut self) -> AtDwarf<'a> {
        let start = self.bump().range.start;
        let mut directive = self.empty_name();
        let whole = self.at_dwarf_line(&mut directive).is_some();
        if !whole {
            while !self.begins_line() && !matches!(self.token.kind, TokenKind::Eof | TokenKind::AtDwarf) {
                self.bump();
            }
        }
        let range = self.range_from(start);
        AtDwarf {
            directive,
            range,
            is_complete: whole,
            text: self.text.get(..range.end as usize).unwrap_or(""),
        }
    }

    /// None: an error was reported.
    fn at_dwarf_line(&mut self, directive: &mut Name<'a>) -> Option<()> {
        let token = self.expect(TokenKind::DotIdent, "`.section` or a data directive after `@@DWARF`")?;
        *directive = self.name_of(token);
        if directive.text == ".section" {
            return self.at_dwarf_section();
        }
        let Some(width) = data_width(directive.text) else {
            self.errors.push(SyntaxErrorKind::DataType, directive.range);
            return None;
        };
        let is_name = match self.token.kind {
            TokenKind::Ident => is_label(self.word()),
            TokenKind::DotIdent => !is_reserved(self.word()),
            _ => false,
        };
        if is_name {
            let range = self.bump().range;
            if width < 4 {
                self.errors.push(SyntaxErrorKind::NarrowLabel, range);
            }
            return Some(());
        }
        let mut minus = None;
        loop {
            if !self.at(TokenKind::Integer) {
                self.unexpected("a number or a name");
                return None;
            }
            let (range, digits) = (self.token.range, self.word());
            let literal = Literal::read(digits);
            match minus {
                None => drop(check_integer(digits, range, width, &mut self.errors)),
                Some(Token { range: sign, .. }) if has_negative(&literal) => {
                    let range = TextRange::new(sign.start, range.end);
                    check_negative(&literal, range, width, &mut self.errors);
                }
                Some(_) => {
                    self.unexpected("a number below 2^63 after `-`");
                    return None;
                }
            }
            self.bump();
            if self.eat(TokenKind::Comma).is_none() {
                return Some(());
            }
            minus = self.eat(TokenKind::Minus); // only after a comma
        }
    }

    fn at_dwarf_section(&mut self) -> Option<()> {
        if is_reserved(self.word()) {
            self.unexpected("a section name such as .debug_info");
            return None;
        }
        self.expect(TokenKind::DotIdent, "a section name such as .debug_info")?;
        self.expect(TokenKind::Comma, "`,` and the section's flags")?;
        self.expect(TokenKind::String, "section flags in quotes")?;
        self.expect(TokenKind::Comma, "`,` and `@progbits`")?;
        let progbits = self.lexer.clone().next_token().range;
        if !self.at(TokenKind::At) || progbits.slice(self.text) != "progbits" {
            self.unexpected("`@progbits`"); // one word to ptxas
            return None;
        }
        self.bump();
        self.bump();
        Some(())
    }
}
