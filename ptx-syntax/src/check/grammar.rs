//! Syntax errors as findings, and the messages of ptxas for them.

use super::bounded_text::{bounded, quoted};
use super::ptxas_transcript::{FILE, Level, Modes, Phase};
use super::rules::RuleId;
use super::sink::Sink;
use crate::dotted_names::{DeclaredNames, MangledNames, MangledWord, dotted_symbol};
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::file_folder::FileParts;
use crate::lexer::{BYTE_ORDER_MARK, Lexer, Token, TokenKind, tokenize};
use crate::line_index::LineIndex;
use crate::mnemonics::is_mnemonic;
use crate::module::Module;
use crate::number::Literal;
use crate::parser::{BODY_END, Parsed};
use crate::reserved_words::is_reserved;
use crate::scalar_type::ScalarType;
use crate::section::is_label;
use crate::statement::Statement;
use crate::text_range::TextRange;
use cuda_releases::release::NonAscii;
use findings::Severity;

/// Reports all errors of the parser.
pub(super) fn check(parsed: &Parsed<'_>, sink: &mut Sink<'_>) {
    let Parsed { module, errors } = parsed;
    let mut grammar = Grammar {
        module,
        names: None,
        mangled: None,
        parsed,
        data: DataErrors::default(),
        first_strange_byte: true,
        comments: None,
        utf16: false,
        version_missed: 0,
    };
    for error in errors {
        grammar.error(error, sink);
    }
    instructions(parsed, sink);
}

/// What of instructions is judged: a `\` before them, and the first word.
fn instructions(parsed: &Parsed<'_>, sink: &mut Sink<'_>) {
    let Parsed { module, errors } = parsed;
    // ptxas looks at the opcode when it has read the `;`.
    let is_read = |range: TextRange| {
        let next = errors.partition_point(|error| error.range.start < range.start);
        range.slice(module.text).ends_with(';')
            && errors.get(next).is_none_or(|error| error.range.start >= range.end)
    };
    let bodies = module.functions().filter_map(|function| function.body.as_ref());
    for statement in bodies.flat_map(|body| &body.statements) {
        let Statement::Instruction(instruction) = statement else { continue };
        let word = instruction.mnemonic();
        if !word.is_empty() && !is_mnemonic(word) && is_read(instruction.range) {
            let (rule, range) = (RuleId::UnknownOpcode, instruction.range);
            let message = format_args!("no opcode of PTX begins with `{word}`");
            sink.error(rule, TextRange::new(range.start, range.start + word.len() as u32), message);
            let said = format_args!("Not a name of any known instruction: '{word}'");
            sink.ptxas_error(rule, range.end.saturating_sub(1), said);
        }
        if let Some(range) = instruction.backslash() {
            sink.error(
                RuleId::Backslash,
                range,
                format_args!("a `\\` before an opcode is not PTX: ptxas skips it"),
            );
        }
    }
}

/// What the ptxas of a release does with a byte that is not text of PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StrangeByte {
    Taken,
    Crashes,
    /// With these words.
    Refused(&'static str),
}

/// The comments of a text, in its order.
fn comments(text: &str) -> Vec<TextRange> {
    let is_comment = |token: &Token| matches!(token.kind, TokenKind::LineComment | TokenKind::BlockComment);
    tokenize(text).filter(is_comment).map(|token| token.range).collect()
}

struct Grammar<'m, 'a> {
    module: &'m Module<'a>,
    /// Made for the first name with a dot.
    names: Option<DeclaredNames<'a>>,
    mangled: Option<MangledNames>,
    parsed: &'m Parsed<'a>,
    data: DataErrors,
    first_strange_byte: bool,
    /// The comments of the text; made for the first byte that is not ASCII.
    comments: Option<Vec<TextRange>>,
    /// Every other byte is NUL, which one finding has said.
    utf16: bool,
    /// The position at which ptxas stops because the version is missing. It reports no errors
    /// before it.
    version_missed: u32,
}

impl Grammar<'_, '_> {
    fn error(&mut self, error: &SyntaxError, sink: &mut Sink<'_>) {
        use SyntaxErrorKind as Kind;
        let SyntaxError { kind, range } = *error;
        let text = sink.text;
        match kind {
            Kind::NonAscii => {
                let verdict = self.non_ascii(range, sink);
                self.strange_byte(RuleId::NonAscii, error, verdict, sink);
            }
            Kind::NulByte => {
                let verdict = StrangeByte::Refused("Unexpected EOF");
                self.strange_byte(RuleId::NulByte, error, verdict, sink);
            }
            Kind::UnterminatedComment => {
                sink.error(RuleId::UnterminatedComment, range, format_args!("{error}"));
                let said = format_args!("Parsing error near '': unexpected EOF while scanning");
                sink.ptxas_fatal(RuleId::UnterminatedComment, range.start, said);
            }
            Kind::UnterminatedSource => {
                sink.error(RuleId::UnterminatedSource, range, format_args!("{error}"));
                let said =
                    format_args!("Parsing error near '': unterminated .source_begin, expected .source_end");
                sink.ptxas_fatal(RuleId::UnterminatedSource, range.end, said);
            }
            Kind::MissingVersion => {
                sink.error(RuleId::MissingVersion, range, format_args!("{error}"));
                self.version_missed = version_token(text, range.start);
                if !range.slice(text).starts_with("/*") {
                    missing(RuleId::MissingVersion, ".version", self.version_missed, sink);
                }
            }
            Kind::MissingTarget => {
                sink.error(RuleId::MissingTarget, range, format_args!("{error}"));
                missing(RuleId::MissingTarget, ".target", range.start, sink);
            }
            Kind::AddressSize => {
                sink.error(RuleId::AddressSize, range, format_args!("{error}"));
                let said = format_args!("Illegal value for .address_size directive (must be 32 or 64)");
                sink.ptxas_error(RuleId::AddressSize, range.start, said);
            }
            Kind::Misplaced(_) => {
                let rule = match range.slice(text) {
                    ".file" => RuleId::FileInside,
                    ".loc" => RuleId::LocOutside,
                    ".section" => RuleId::SectionInside,
                    _ => RuleId::Syntax,
                };
                sink.error(rule, range, format_args!("{error}"));
                if range.start >= self.version_missed {
                    ptxas_syntax_error(rule, after_linkage(text, range), sink);
                }
            }
            Kind::Expected { .. } => self.unexpected(error, sink),
            Kind::UnknownCharacter | Kind::UnterminatedString => {
                sink.error(RuleId::Syntax, range, format_args!("{error}"));
                ptxas_syntax_error(RuleId::Syntax, range, sink);
            }
            Kind::ConstantOverflow => {
                sink.error(RuleId::ConstantOverflow, range, format_args!("{error}"));
                sink.ptxas_error(RuleId::ConstantOverflow, range.start, format_args!("Constant overflow"));
            }
            Kind::ValueOutOfRange { bits } => self.data.value_out_of_range(bits, range, sink),
            Kind::DataType => self.data.data_type(error, sink),
            Kind::NoStorage => {
                sink.error(RuleId::Syntax, range, format_args!("{error}"));
                sink.ptxas_fatal(RuleId::Syntax, range.start, format_args!("No variable storage specified"));
            }
            Kind::NarrowLabel => narrow_label(error, sink),
            Kind::FileFolder => file_folder(error, sink),
            Kind::NestingTooDeep => sink.error(RuleId::NestingTooDeep, range, format_args!("{error}")),
            Kind::TooLarge => sink.error(RuleId::TooLarge, range, format_args!("{error}")),
            Kind::TooManyErrors => sink.error(RuleId::TooManyErrors, range, format_args!("{error}")),
        }
    }

    /// What the ptxas of the release does with text that is not ASCII.
    fn non_ascii(&mut self, range: TextRange, sink: &Sink<'_>) -> StrangeByte {
        let mut is_in_comment = || {
            let comments = self.comments.get_or_insert_with(|| comments(sink.text));
            let next = comments.partition_point(|comment| comment.end <= range.start);
            comments.get(next).is_some_and(|comment| comment.start <= range.start)
        };
        let refused = StrangeByte::Refused("Unexpected non-ASCII character");
        match sink.release.non_ascii() {
            // A byte order mark is no blank for it, and `.version` does not come first.
            NonAscii::Taken if range.start == 0 && sink.text.starts_with(BYTE_ORDER_MARK) => refused,
            NonAscii::Taken => StrangeByte::Taken,
            NonAscii::TakenInComments | NonAscii::RefusedOutsideComments if is_in_comment() => {
                StrangeByte::Taken
            }
            NonAscii::TakenInComments => StrangeByte::Crashes,
            NonAscii::Refused | NonAscii::RefusedOutsideComments => refused,
        }
    }

    /// ptxas stops at the first such byte that it does not take, before it parses anything.
    fn strange_byte(&mut self, rule: RuleId, error: &SyntaxError, verdict: StrangeByte, sink: &mut Sink<'_>) {
        let range = error.range;
        if self.utf16 {
            return;
        }
        let (bytes, release) = (range.slice(sink.text), sink.release);
        let severity = if verdict == StrangeByte::Taken { Severity::Warning } else { Severity::Error };
        let found = sink.find_as(severity, rule, range, format_args!("{error}"));
        if let Some(finding) = found.filter(|_| rule == RuleId::NonAscii) {
            let does = match verdict {
                StrangeByte::Taken => format!("ptxas {release} takes it, and others refuse it"),
                StrangeByte::Crashes => format!("ptxas {release} crashes over it outside of comments"),
                StrangeByte::Refused(_) if release.non_ascii() == NonAscii::Refused => {
                    format!("ptxas {release} refuses it even in comments")
                }
                StrangeByte::Refused(_) if release.non_ascii() == NonAscii::Taken => {
                    format!("ptxas {release} refuses it before `.version`")
                }
                StrangeByte::Refused(_) => format!("ptxas {release} takes it in comments only"),
            };
            finding.message = format!("expected ASCII text, found {}: {does}", quoted(bytes));
            let help = match bytes.chars().next() {
                Some(BYTE_ORDER_MARK) if range.start == 0 => "save the file without a byte order mark",
                Some('\u{f7fe}' | '\u{f7ff}') if range.start == 0 => {
                    self.utf16 = true;
                    "this looks like UTF-16: save the file as ASCII"
                }
                _ => "write a name of ASCII letters; in `.debug_str` these bytes may stand as numbers",
            };
            finding.help = Some(help.into());
        }
        if verdict == StrangeByte::Taken || !std::mem::take(&mut self.first_strange_byte) {
            return;
        }
        if let StrangeByte::Refused(said) = verdict {
            let line = LineIndex::new(sink.text).line(range.start);
            let said = format_args!("{said} encountered on line {line}");
            sink.ptxas_message(rule, Phase::Read, range.start, Level::Fatal, Modes::ALL, said);
        } else {
            sink.ptxas_message(rule, Phase::Read, range.start, Level::Crash, Modes::ALL, format_args!(""));
        }
    }

    fn unexpected(&mut self, error: &SyntaxError, sink: &mut Sink<'_>) {
        let (text, range) = (sink.text, error.range);
        let dot = range.slice(text).starts_with('.');
        if dot {
            let mangled = self.mangled.get_or_insert_with(|| MangledNames::of(self.parsed));
            if let Some(MangledWord { range: symbol, name: new, is_function }) = mangled.at(range) {
                let name = symbol.slice(text);
                let message = format_args!("`{name}` is not a PTX name: a dot cannot stand in one");
                if let Some(finding) = sink.find(RuleId::DottedSymbol, *symbol, message) {
                    let where_else = if *is_function { ", also where it is looked up" } else { "" };
                    finding.help =
                        Some(bounded(format_args!("write `{new}` wherever it stands{where_else}")));
                }
                return ptxas_syntax_error(RuleId::DottedSymbol, range, sink);
            }
        }
        let symbol = dotted_symbol(text, range).filter(|_| dot).and_then(|symbol| {
            let name = symbol.slice(text);
            let names = self.names.get_or_insert_with(|| DeclaredNames::new(self.module));
            let meant = names.meant(name);
            // What begins with a dot is a suffix, unless it is a name.
            (!name.starts_with('.') || meant.is_some()).then_some((symbol, name, meant))
        });
        if let Some((symbol, name, meant)) = symbol {
            if meant.is_none() && begins_line(text, symbol) {
                // An instruction, taken for a part of what stands before it.
                if let Some(finding) = sink.find(RuleId::Syntax, symbol, format_args!("{error}")) {
                    finding.help = Some("the line before has a word too many, or lacks its `;`".into());
                }
                return ptxas_syntax_error(RuleId::Syntax, range, sink);
            }
            let message = format_args!("`{name}` is not a PTX name: a dot cannot stand in one");
            if let Some(finding) = sink.find(RuleId::DottedSymbol, symbol, message) {
                finding.help = Some(match meant {
                    Some(declared) => bounded(format_args!("the module declares it as `{declared}`")),
                    None => "no declared name has the same letters".into(),
                });
            }
            return ptxas_syntax_error(RuleId::DottedSymbol, range, sink);
        }
        // A directive of the module stands inside a section only where its `}` is missing or it was
        // meant elsewhere.
        let rule = match range.slice(text) {
            ".section" => RuleId::SectionInside,
            ".file" => RuleId::FileInside,
            _ => RuleId::Syntax,
        };
        sink.error(rule, range, format_args!("{error}"));
        let missing_brace = matches!(error.kind, SyntaxErrorKind::Expected { what: BODY_END, .. });
        ptxas_syntax_error(rule, if missing_brace { after_linkage(text, range) } else { range }, sink);
    }
}

/// The token that cannot stand in a body: ptxas takes `.visible .func f()` there for a prototype.
fn after_linkage(text: &str, first: TextRange) -> TextRange {
    let mut lexer = Lexer::new(text, first.start);
    let mut token = lexer.next_significant();
    let mut head = first;
    if matches!(first.slice(text), ".visible" | ".extern" | ".weak") {
        token = lexer.next_significant();
        head = token.range;
    }
    if head.slice(text) != ".func" {
        return head;
    }
    loop {
        match token.kind {
            TokenKind::OpenBrace => return token.range,
            TokenKind::Semicolon | TokenKind::CloseBrace | TokenKind::Eof => return head,
            _ => token = lexer.next_significant(),
        }
    }
}

/// Whether only blanks stand before a place on its line.
fn begins_line(text: &str, at: TextRange) -> bool {
    let before = text.get(..at.start as usize).unwrap_or("");
    before.trim_end_matches([' ', '\t']).ends_with('\n')
}

fn missing(rule: RuleId, directive: &str, at: u32, sink: &mut Sink<'_>) {
    sink.ptxas_fatal(rule, at, format_args!("Missing {directive} directive at start of file '{FILE}'"));
}

/// The position at which ptxas finds the version missing: at a `.version` whose number it cannot
/// read, after a `.target`, otherwise at the first token.
fn version_token(text: &str, at: u32) -> u32 {
    let mut lexer = Lexer::new(text, 0);
    let first = lexer.next_significant().range;
    match first.slice(text) {
        ".version" => first.start,
        ".target" => loop {
            lexer.next_significant();
            let after = lexer.next_significant();
            if after.kind != TokenKind::Comma {
                break after.range.start;
            }
        },
        _ => at,
    }
}

/// `Parsing error near 'TOKEN'`, with the token as ptxas reads it.
fn ptxas_syntax_error(rule: RuleId, range: TextRange, sink: &mut Sink<'_>) {
    let token = near(sink.text, range);
    sink.ptxas_fatal(rule, range.start, format_args!("Parsing error near '{token}': syntax error"));
}

/// A key of a `.code_block` with its `:`, which are one token to ptxas.
fn key_of_block(rest: &str) -> Option<&str> {
    [".ir_name:", ".sourceFileName:"].into_iter().find(|key| rest.starts_with(key))
}

fn near(text: &str, range: TextRange) -> &str {
    let word = range.slice(text);
    let rest = text.get(range.start as usize..).unwrap_or("");
    if word == ".version" {
        return version_with_number(rest);
    }
    if let Some(key) = key_of_block(rest) {
        return key;
    }
    let two = rest.get(..2).unwrap_or("");
    if matches!(two, "<<" | ">>" | "<=" | ">=" | "==" | "!=" | "&&" | "||") {
        return two;
    }
    match word.chars().next() {
        // Strange characters come one by one.
        Some(first)
            if !first.is_ascii_alphanumeric() && !matches!(first, '.' | '"' | '@' | '_' | '$' | '%') =>
        {
            word.get(..first.len_utf8()).unwrap_or(word)
        }
        _ => word,
    }
}

/// `.version 8.0`: one token of ptxas.
fn version_with_number(rest: &str) -> &str {
    let word = ".version".len();
    let tail = rest.get(word..).unwrap_or("");
    let blanks = tail.len() - tail.trim_start_matches([' ', '\t']).len();
    let number = tail.get(blanks..).unwrap_or("");
    let length = number.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
    if length == 0 {
        return rest.get(..word).unwrap_or("");
    }
    rest.get(..word + blanks + length).unwrap_or("")
}

fn narrow_label(error: &SyntaxError, sink: &mut Sink<'_>) {
    let range = error.range;
    sink.error(RuleId::NarrowLabel, range, format_args!("{error}"));
    // After a label alone ptxas looks for a sign first.
    let is_label_alone = !range.slice(sink.text).contains(['+', '-']);
    let at = if is_label_alone { next_token(sink.text, range.end).range.start } else { range.end - 1 };
    sink.ptxas_error(RuleId::NarrowLabel, at, format_args!("Illegal type for dwarf data"));
}

/// A folder and a name: ptxas stops at the second string, or at what follows a lone name.
fn file_folder(error: &SyntaxError, sink: &mut Sink<'_>) {
    let (rule, text) = (RuleId::FileFolder, sink.text);
    let parts = FileParts::read(text, error.range);
    if let Some(finding) = sink.find(rule, error.range, format_args!("{error}")) {
        finding.help = parts.name().map(|name| bounded(format_args!("write \"{name}\"")));
    }
    ptxas_syntax_error(rule, next_token(text, parts.first.range.end).range, sink);
}

/// The token at or after `offset` that is neither a blank nor a comment.
pub(super) fn next_token(text: &str, offset: u32) -> Token {
    Lexer::new(text, offset).next_significant()
}

/// Errors that ptxas reports when it has read a whole list of values.
#[derive(Default)]
struct DataErrors {
    /// The list that was walked last, and what ends it; a list with many errors is walked once.
    list: TextRange,
    end: Option<u32>,
    /// The last list of a type that holds no data; its values have been dealt with.
    untyped: TextRange,
}

impl DataErrors {
    /// What ends the list that continues after `from`; `None` if it ends with a syntax error.
    fn list_end(&mut self, text: &str, from: u32) -> Option<u32> {
        if !self.list.contains(from) {
            let (end, complete) = walk_list(text, from, true, |_| {});
            self.list = TextRange::new(from, end);
            self.end = complete.then_some(end);
        }
        self.end
    }

    fn value_out_of_range(&mut self, bits: u8, range: TextRange, sink: &mut Sink<'_>) {
        if self.untyped.contains(range.start) {
            return;
        }
        let text = sink.text;
        let value = value_as_ptxas(range.slice(text));
        let least = -(1_i64 << (bits - 1));
        let most = (1_i64 << bits) - 1;
        let (written, release) = (range.slice(text), sink.release);
        let message = format_args!("{written} does not fit .b{bits}: expected {least} to {most}");
        if let Some(finding) = sink.find(RuleId::ValueRange, range, message)
            && value == 0
        {
            finding.message = format!("ptxas {release} takes no negative zero: expected 0 for {written}");
        }
        if let Some(end) = self.list_end(text, range.end) {
            let said = format_args!("Value out of range for type .b{bits} {value}");
            sink.ptxas_error(RuleId::ValueRange, end, said);
        }
    }

    fn data_type(&mut self, error: &SyntaxError, sink: &mut Sink<'_>) {
        let (text, range) = (sink.text, error.range);
        if ScalarType::from_keyword(range.slice(text)).is_none() {
            // After `@@DWARF`, where ptxas' grammar has no other word.
            sink.error(RuleId::Syntax, range, format_args!("{error}"));
            return ptxas_syntax_error(RuleId::Syntax, range, sink);
        }
        sink.error(RuleId::DataType, range, format_args!("{error}"));
        let first = next_token(text, range.end);
        let word = first.range.slice(text);
        let is_name = match first.kind {
            TokenKind::Ident => is_label(word),
            TokenKind::DotIdent => !is_reserved(word),
            _ => false,
        };
        if is_name {
            let end = next_token(text, first.range.end).range.start;
            return sink.ptxas_error(RuleId::DataType, end, format_args!("Illegal type for dwarf data"));
        }
        let mut values = Vec::new();
        let (end, complete) = walk_list(text, range.end, false, |value| values.push(value_as_ptxas(value)));
        self.untyped = TextRange::new(range.end, end);
        if !complete {
            return;
        }
        sink.ptxas_error(RuleId::DataType, end, format_args!("Illegal type for dwarf data"));
        // The type is 0 bits wide to ptxas.
        for value in values.into_iter().filter(|&value| value != 0) {
            sink.ptxas_error(RuleId::DataType, end, format_args!("Value out of range for type .b0 {value}"));
        }
    }
}

/// Walks over `1, -2, ...`, or `, 3, ...` after a value. Returns where it ends and whether that is
/// after a value.
fn walk_list(text: &str, from: u32, mut after_value: bool, mut each: impl FnMut(&str)) -> (u32, bool) {
    let mut lexer = Lexer::new(text, from);
    let mut token = lexer.next_significant();
    loop {
        if after_value {
            if token.kind != TokenKind::Comma {
                return (token.range.start, true);
            }
            token = lexer.next_significant();
        }
        let start = token.range.start;
        if token.kind == TokenKind::Minus {
            token = lexer.next_significant();
        }
        if token.kind != TokenKind::Integer {
            return (token.range.start, false);
        }
        each(TextRange::new(start, token.range.end).slice(text));
        after_value = true;
        token = lexer.next_significant();
    }
}

/// A number as ptxas prints it: 32 bits, or a negative one of 64.
fn value_as_ptxas(written: &str) -> i64 {
    match written.strip_prefix('-') {
        Some(digits) => (Literal::read(digits.trim_start()).value as i64).wrapping_neg(),
        None => i64::from(Literal::read(written).value as u32),
    }
}
