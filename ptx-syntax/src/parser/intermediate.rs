//! The parser of `.loc_intermediate` and `.nv_intermediate_source_section`.

use super::Parser;
use crate::intermediate::{CodeBlock, IntermediateLoc, IntermediateSources};
use crate::lexer::{Lexer, SOURCE_BEGIN, SOURCE_END, TokenKind, text_in_source};
use crate::module_directives::MODULE_DIRECTIVES;
use crate::text_range::TextRange;

impl<'a> Parser<'a> {
    pub(super) fn intermediate_loc(&mut self) -> IntermediateLoc {
        let start = self.bump().range.start;
        let mut loc =
            IntermediateLoc { file: 0, line: 0, column: 0, is_complete: true, range: TextRange::default() };
        if self.intermediate_loc_operands(&mut loc).is_none() {
            loc.is_complete = false;
            self.skip_line();
        }
        loc.range = self.range_from(start);
        loc
    }

    /// None: an error was reported.
    fn intermediate_loc_operands(&mut self, loc: &mut IntermediateLoc) -> Option<()> {
        loc.file = self.integer_32("a file index")?;
        loc.line = self.integer_32("a line number")?;
        loc.column = self.integer_32("a column number")?;
        Some(())
    }

    pub(super) fn intermediate_sources(&mut self) -> IntermediateSources<'a> {
        let head = self.bump().range;
        let mut blocks = Vec::new();
        if self.source_blocks(&mut blocks).is_none() {
            self.skip_sources(head.end);
        }
        IntermediateSources { blocks, range: self.range_from(head.start) }
    }

    /// Up to the `}` of the section. None: an error was reported.
    fn source_blocks(&mut self, blocks: &mut Vec<CodeBlock<'a>>) -> Option<()> {
        self.expect(TokenKind::OpenBrace, "`{`")?;
        while self.eat(TokenKind::CloseBrace).is_none() {
            blocks.push(self.code_block()?);
        }
        Some(())
    }

    /// None: an error was reported. The parts have one order, and all are needed.
    fn code_block(&mut self) -> Option<CodeBlock<'a>> {
        let start = self.token.range.start;
        self.word_of_block(".code_block", "`.code_block` or `}`")?;
        self.expect(TokenKind::OpenBrace, "`{`")?;
        self.key_of_block(".ir_name", "`.ir_name:`")?;
        let name = self.string("the name of a language in quotes")?.range;
        self.key_of_block(".sourceFileName", "`.sourceFileName:`")?;
        let file_range = self.token.range;
        let file = self.integer_32("a file index")?;
        let text = self.expect(TokenKind::SourceText, "`.source_begin` at the end of its line")?.range;
        self.expect(TokenKind::CloseBrace, "`}`")?;
        Some(CodeBlock {
            ir_name: TextRange::new(name.start + 1, name.end - 1).slice(self.text),
            file,
            text: text_in_source(text.slice(self.text)),
            source: text,
            file_range,
            range: self.range_from(start),
        })
    }

    fn word_of_block(&mut self, word: &str, what: &'static str) -> Option<()> {
        if self.directive_word() == word {
            self.bump();
            return Some(());
        }
        self.unexpected(what);
        None
    }

    /// A word and its `:`, which are one token to ptxas.
    fn key_of_block(&mut self, word: &str, what: &'static str) -> Option<()> {
        let is_key = self.directive_word() == word && self.text_at(self.token.range.end).starts_with(':');
        if !is_key {
            self.unexpected(what);
            return None;
        }
        self.bump();
        self.bump();
        Some(())
    }

    /// After an error: skips to after the `}` of the section, whose directive ended at `head`, or
    /// to a directive that is none of its parts, so that nothing in it is taken for PTX.
    fn skip_sources(&mut self, head: u32) {
        let mut lexer = Lexer::new(self.text, head);
        let mut depth = 0_u32;
        self.last_end = loop {
            let token = lexer.next_significant();
            let word = token.range.slice(self.text);
            match token.kind {
                TokenKind::OpenBrace => depth += 1,
                TokenKind::CloseBrace if depth <= 1 => break token.range.end,
                TokenKind::CloseBrace => depth -= 1,
                TokenKind::Eof => break token.range.start,
                // Its line goes on, so that it is no token with the text.
                TokenKind::DotIdent if word == SOURCE_BEGIN => {
                    let after = self.text_at(token.range.end);
                    let end = after.find(SOURCE_END).map_or(after.len(), |at| at + SOURCE_END.len());
                    lexer.seek(token.range.end + end as u32);
                }
                TokenKind::DotIdent if ends_sources(word) => break token.range.start,
                _ => {}
            }
        };
        self.lexer.seek(self.last_end);
        self.look();
    }
}

/// Whether a directive cannot be a part of the section.
fn ends_sources(word: &str) -> bool {
    matches!(word, ".file" | ".section" | ".nv_intermediate_source_section")
        || MODULE_DIRECTIVES.contains(&word)
}
