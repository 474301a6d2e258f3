//! The printer: writes a module in one canonical layout. (`module.text` is an unedited module as it
//! was.)

mod spacing;

use crate::SyntaxErrorKind;
use crate::error::SyntaxError;
use crate::function::{Body, Function};
use crate::lexer::{BYTE_ORDER_MARK, Lexer, Token, TokenKind, tokenize};
use crate::limits::{MAX_ERRORS, MAX_INDENT};
use crate::module::Item;
use crate::parser::Parsed;
use crate::section::SectionBlock;
use crate::statement::Statement;
use crate::text_range::TextRange;
use spacing::Style;

/// Prints a module in one canonical layout. Time and memory are linear in the text.
///
/// - One item, statement or data directive a line, ended by `\n`; a function's parameters (where it
///   has a body) and directives have a line each, and so have braces and labels. Data lists longer
///   than 120 columns go on on the next line.
/// - Statements of a body and data directives are indented by one tab a level (at most 8), labels
///   by none. Between words there is one blank or none.
/// - A blank line before and after each function with a body and each section; no others.
/// - Tokens are kept as written: numbers, names, strings; no `;` is added or dropped.
/// - A comment that begins on the line on which something ends stays after it. One inside a
///   statement stays there if it is `/* */` on one line; other comments inside a statement come
///   before it. All others have a line of their own.
/// - Line markers (`# 1 "file"`) stay between the statements where they stood, each on a line of
///   its own.
/// - What has an error is printed as it stands, its own line breaks too; it begins on a line of its
///   own.
///
/// The output parses to the same tree but for the ranges, with the same errors, and prints as
/// itself. Modules without comments and errors that differ in blanks only become the same text.
///
/// Lines of the PTX text change. `.loc` does not notice; tables by PTX line do
/// (`.nv_debug_line_sass`, and `.nv_debug_ptx_txt` which holds the text), so compile the output,
/// not the input, where these must fit.
pub fn normalise(parsed: &Parsed<'_>) -> String {
    let text = parsed.module.text;
    if parsed.errors.iter().any(|error| error.kind == SyntaxErrorKind::TooLarge) {
        return text.to_owned();
    }
    let mut printer = Printer {
        text,
        lexer: Lexer::new(text, 0),
        errors: &parsed.errors,
        passed: 0,
        out: String::with_capacity(text.len()),
        line: Vec::new(),
        last_end: 0,
        depth: 0,
        same_line: false,
        blank_line: false,
    };
    if text.starts_with(BYTE_ORDER_MARK) {
        printer.out.push(BYTE_ORDER_MARK); // a fault like others, which stay
    }
    let mut big_before = false;
    for item in &parsed.module.items {
        let big = match item {
            Item::Section(_) | Item::IntermediateSources(_) => true,
            Item::Function(function) => function.body.is_some(),
            _ => false,
        };
        printer.gap_with(item.range().start, big || big_before);
        printer.item(item);
        big_before = big;
    }
    printer.gap_with(u32::MAX, big_before);
    printer.end_line();
    printer.out
}

/// Copies the text token by token, in step with the tree.
struct Printer<'a, 'p> {
    text: &'a str,
    lexer: Lexer<'a>,
    errors: &'p [SyntaxError],
    /// Errors that begin before the current node.
    passed: usize,
    out: String,
    /// The tokens of the current statement and the comments that stay inside.
    line: Vec<Token>,
    /// End of the last token or comment, in the text.
    last_end: u32,
    /// Open blocks, a body's too.
    depth: usize,
    /// What follows must stay on the line of what is printed last.
    same_line: bool,
    /// Whether the next line is to follow a blank one.
    blank_line: bool,
}

impl<'a> Printer<'a, '_> {
    fn item(&mut self, item: &Item<'a>) {
        let range = item.range();
        match item {
            Item::Function(function) => self.function(function),
            Item::Section(section) => self.section(section),
            Item::IntermediateSources(_) => self.intermediate_sources(range),
            Item::Unknown(_) => self.verbatim(range),
            _ => self.statement(range, Style::Directive),
        }
    }

    fn function(&mut self, function: &Function<'a>) {
        let end = function.body.as_ref().map_or(function.range.end, |body| body.open.end);
        let head = TextRange::new(function.range.start, end);
        if self.is_faulty(head) {
            self.verbatim(head);
        } else if function.body.is_some() {
            self.collect(head);
            self.head(function);
        } else {
            self.statement(head, Style::Directive);
        }
        if let Some(body) = &function.body {
            self.body(body);
        }
    }

    /// Prints `line` as a function's head, up to the `{`.
    fn head(&mut self, function: &Function<'a>) {
        self.begin_line(0);
        let directives = function.directives.range;
        let after = |token: &Token, at: u32| token.range.start >= at;
        let line = std::mem::take(&mut self.line);
        let params = line.partition_point(|token| !after(token, function.name.range.end));
        let last = line.partition_point(|token| !after(token, directives.start));
        let open = line.len().saturating_sub(1);
        let has_params = !function.params.is_empty();
        let mut spacing = spacing::Spacing::new(self.text, Style::Directive);
        let mut inside = 0_u32;
        for (index, token) in line.iter().enumerate() {
            let in_params = has_params && (params..last).contains(&index);
            let is_directive = token.kind == TokenKind::DotIdent
                && index >= last
                && crate::function_directive::function_directive(token.range.slice(self.text)).is_some();
            let closes = in_params && inside == 1 && token.kind == TokenKind::CloseParen;
            if index == open || is_directive || closes {
                self.out.push('\n');
                spacing.begin_line();
            }
            spacing.put(&mut self.out, &line, index);
            if in_params {
                inside += u32::from(matches!(token.kind, TokenKind::OpenParen | TokenKind::OpenBracket));
                let opens = inside == 1 && token.kind == TokenKind::OpenParen;
                let after_comma = inside == 1 && token.kind == TokenKind::Comma;
                if opens || after_comma {
                    self.out.push_str("\n\t");
                    spacing.begin_line();
                }
                let close = matches!(token.kind, TokenKind::CloseParen | TokenKind::CloseBracket);
                inside = inside.saturating_sub(u32::from(close));
            }
        }
        self.line = line;
    }

    fn body(&mut self, body: &Body<'a>) {
        self.depth = 1;
        for statement in &body.statements {
            self.gap(statement.range().start);
            self.body_statement(statement);
        }
        self.depth = 0;
        if !body.close.is_empty() {
            self.gap(body.close.start);
            self.statement(body.close, Style::Directive);
        }
    }

    fn body_statement(&mut self, statement: &Statement<'a>) {
        let range = statement.range();
        match statement {
            Statement::BlockOpen(_) => {
                self.statement(range, Style::Directive);
                self.depth += 1;
            }
            Statement::BlockClose(_) => {
                self.depth = self.depth.saturating_sub(1);
                self.statement(range, Style::Directive);
            }
            Statement::Label(_) => self.label(range),
            Statement::Instruction(instruction) => {
                self.statement(range, Style::Instruction { opcode_end: instruction.opcode.range.end });
            }
            Statement::Unknown(_) | Statement::Section(_) => self.verbatim(range),
            _ => self.statement(range, Style::Directive),
        }
    }

    /// A label and its `:`, which is not in its range.
    fn label(&mut self, name: TextRange) {
        let mut lexer = Lexer::new(self.text, name.end);
        let colon = lexer.next_significant();
        let end = if colon.kind == TokenKind::Colon { colon.range.end } else { name.end };
        let range = TextRange::new(name.start, end);
        if self.is_faulty(range) {
            return self.verbatim(range);
        }
        self.collect(range);
        self.begin_line(0);
        self.print_line(Style::Directive);
    }

    fn section(&mut self, section: &SectionBlock<'a>) {
        if self.is_faulty(section.range) || section.open.is_empty() || section.close.is_empty() {
            return self.verbatim(section.range);
        }
        self.statement(TextRange::new(section.range.start, section.name.range.end), Style::Directive);
        self.gap(section.open.start);
        self.statement(section.open, Style::Directive);
        while let Some((range, is_label)) = self.next_datum(section.close.start) {
            self.gap(range.start);
            self.collect(range);
            self.begin_line(usize::from(!is_label));
            self.print_line(if is_label { Style::Directive } else { Style::Data });
        }
        self.gap(section.close.start);
        self.statement(section.close, Style::Directive);
    }

    /// Prints texts of an intermediate language, which keep their blanks and line breaks.
    fn intermediate_sources(&mut self, range: TextRange) {
        if self.is_faulty(range) {
            return self.verbatim(range);
        }
        while let Some((part, is_inside)) = self.next_source_part(range.end) {
            self.gap(part.start);
            self.depth = self.depth.saturating_sub(usize::from(!is_inside));
            self.statement(part, Style::Directive);
            let opens = part.slice(self.text).ends_with('{');
            self.depth += usize::from(opens);
        }
    }

    /// The next part of a line of its own: a brace with the word before it, a key with its value,
    /// a text; and whether it is no `}`. None at `end`.
    fn next_source_part(&self, end: u32) -> Option<(TextRange, bool)> {
        let mut lexer = self.lexer.clone();
        let first = lexer.next_significant();
        if first.range.start >= end {
            return None;
        }
        let last = match first.kind {
            TokenKind::SourceText | TokenKind::CloseBrace => first,
            _ => {
                let second = lexer.next_significant();
                if second.kind == TokenKind::Colon { lexer.next_significant() } else { second }
            }
        };
        let range = TextRange::new(first.range.start, last.range.end);
        Some((range, first.kind != TokenKind::CloseBrace))
    }

    /// The next label, or directive with its values, of a section without faults; none before its
    /// `}`.
    fn next_datum(&self, close: u32) -> Option<(TextRange, bool)> {
        let mut lexer = self.lexer.clone();
        let first = lexer.next_significant();
        if first.range.start >= close {
            return None;
        }
        if first.kind == TokenKind::Ident {
            let colon = lexer.next_significant();
            return Some((TextRange::new(first.range.start, colon.range.end), true));
        }
        loop {
            let mut value = lexer.next_significant();
            if value.kind == TokenKind::Minus {
                value = lexer.next_significant();
            }
            let mut next = lexer.next_significant();
            if matches!(next.kind, TokenKind::Plus | TokenKind::Minus) {
                value = lexer.next_significant();
                next = lexer.next_significant();
            }
            if next.kind != TokenKind::Comma {
                return Some((TextRange::new(first.range.start, value.range.end), false));
            }
        }
    }

    fn statement(&mut self, range: TextRange, style: Style) {
        if self.is_faulty(range) {
            return self.verbatim(range);
        }
        self.collect(range);
        self.begin_line(self.depth);
        self.print_line(style);
    }

    fn print_line(&mut self, style: Style) {
        let mut spacing = spacing::Spacing::new(self.text, style);
        for index in 0..self.line.len() {
            spacing.put(&mut self.out, &self.line, index);
        }
    }

    /// Fills `line` from the tokens of `range`. Comments that cannot stay inside are printed at
    /// once.
    fn collect(&mut self, range: TextRange) {
        self.line.clear();
        while self.lexer.offset() < range.end {
            let token = self.lexer.next_token();
            match token.kind {
                TokenKind::Eof => return,
                TokenKind::Whitespace => continue,
                TokenKind::LineComment | TokenKind::LineMarker => self.own_line(token),
                TokenKind::BlockComment if token.range.slice(self.text).contains('\n') => {
                    self.own_line(token);
                }
                _ => self.line.push(token),
            }
            self.last_end = token.range.end;
        }
    }

    fn verbatim(&mut self, range: TextRange) {
        self.begin_line(self.depth);
        // The range of a section without `}` ends where the next item begins.
        let kept = range.slice(self.text).trim_ascii_end();
        self.out.push_str(kept);
        self.same_line = self.would_end_in_marker(range.start, kept);
        self.lexer.seek(self.lexer.offset().max(range.end));
        self.last_end = range.end;
    }

    /// Whether `kept`, which begins at `start`, ends in a `# 1 "file"` that is a line marker only
    /// without what follows it on its line.
    fn would_end_in_marker(&self, start: u32, kept: &str) -> bool {
        if !kept.contains('#') {
            return false;
        }
        tokenize(kept).last().is_some_and(|last| {
            let at = start + last.range.start;
            let in_place = Lexer::new(self.text, at).next_token();
            last.kind == TokenKind::LineMarker && in_place.kind != TokenKind::LineMarker
        })
    }

    fn gap_with(&mut self, until: u32, blank_line: bool) {
        self.blank_line = blank_line;
        self.gap(until);
    }

    /// Prints the comments and markers before `until`.
    fn gap(&mut self, until: u32) {
        loop {
            let before = self.lexer.offset();
            let token = self.lexer.next_token();
            if token.kind == TokenKind::Eof || token.range.start >= until {
                return self.lexer.seek(before);
            }
            match token.kind {
                TokenKind::Whitespace => continue,
                TokenKind::LineComment | TokenKind::BlockComment if self.is_after(token) => {
                    self.out.push(' ');
                    self.out.push_str(token.range.slice(self.text).trim_ascii_end());
                    self.same_line = false;
                }
                _ => self.own_line(token),
            }
            self.last_end = token.range.end;
        }
    }

    /// Whether a comment begins on the line on which what is printed last ends.
    fn is_after(&self, comment: Token) -> bool {
        let between = TextRange::new(self.last_end, comment.range.start).slice(self.text);
        self.last_end > 0 && !between.contains('\n')
    }

    fn own_line(&mut self, token: Token) {
        self.begin_line(if token.kind == TokenKind::LineMarker { 0 } else { self.depth });
        self.out.push_str(token.range.slice(self.text).trim_ascii_end());
    }

    fn begin_line(&mut self, indent: usize) {
        if std::mem::take(&mut self.same_line) {
            self.blank_line = false;
            return self.out.push(' ');
        }
        self.end_line();
        if self.blank_line && !self.out.is_empty() {
            self.out.push('\n');
        }
        self.blank_line = false;
        (0..indent.min(MAX_INDENT)).for_each(|_| self.out.push('\t'));
    }

    fn end_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    /// Whether an error begins in `range`. Ranges must ascend. After the last error that is listed,
    /// everything is faulty.
    fn is_faulty(&mut self, range: TextRange) -> bool {
        while self.errors.get(self.passed).is_some_and(|error| error.range.start < range.start) {
            self.passed += 1;
        }
        self.passed >= MAX_ERRORS
            || self.errors.get(self.passed).is_some_and(|error| error.range.start < range.end)
    }
}
