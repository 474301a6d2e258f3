//! Checks what libNVVM's parser asks of the text: it ends at the first fault.

use super::field_rows::{HIGHEST_LINE, REQUIREMENTS, Requirement, is_known};
use super::rules::RuleId;
use super::sink::Sink;
use super::subprogram::is_definition;
use super::words::{PREFIXES, WORDS};
use crate::lexer::{Lexer, TokenKind};
use crate::limits::MAX_INLINE_DEPTH;
use crate::module::{ItemKind, Module, NodeBody};
use crate::value::{Field, Value};
use crate::{ErrorKind, IrDialect, Node, NodeKind, TextRange};

/// Checks the text of a module. Returns what libNVVM says of it: of the first fault, and of numbers
/// without a node once all is read.
pub(super) fn check(module: &Module<'_>, dialect: IrDialect, sink: &mut Sink) -> Vec<String> {
    let mut syntax = Syntax { module, dialect, sink, first: None, undefined: None };
    for error in module.errors() {
        let sentence = match error.kind {
            ErrorKind::RepeatedNode(_) => "Metadata id is already used",
            ErrorKind::UnknownItem => "expected top-level entity",
            ErrorKind::MissingNode => "Expected '!' here",
            _ => "",
        };
        syntax.fault(RuleId::Text, error.range, error.range.start, sentence, error.to_string());
    }
    for definition in module.nodes() {
        syntax.node(definition.body, 0);
    }
    for item in module.items() {
        syntax.numbers(item.range, &item.kind);
    }
    let sentence = syntax.first.or(syntax.undefined).map(|(_, sentence)| sentence);
    sentence.into_iter().filter(|sentence| !sentence.is_empty()).collect()
}

struct Syntax<'s, 'm, 'a> {
    module: &'m Module<'a>,
    dialect: IrDialect,
    sink: &'s mut Sink,
    /// The offset at which LLVM's parser ends, and what it says.
    first: Option<(u32, String)>,
    /// The lowest number without a node, and what is said of it.
    undefined: Option<(u32, String)>,
}

impl Syntax<'_, '_, '_> {
    /// Adds a fault that LLVM's parser comes to at `offset`.
    fn fault(&mut self, rule: RuleId, range: TextRange, offset: u32, sentence: &str, message: String) {
        if self.first.as_ref().is_none_or(|(first, _)| offset < *first) {
            self.first = Some((offset, sentence.to_owned()));
        }
        self.sink.find(rule, range, sentence, message);
    }

    fn field(&mut self, range: TextRange, sentence: &str, message: String) {
        self.fault(RuleId::Field, range, range.start, sentence, message);
    }

    /// Checks that numbers of metadata that are used outside of nodes are defined.
    fn numbers(&mut self, range: TextRange, kind: &ItemKind) {
        let module = self.module;
        if matches!(kind, ItemKind::Unknown) {
            return;
        }
        for token in Lexer::in_range(module.text, range) {
            let number = (token.kind == TokenKind::MetadataNumber).then(|| token.number(module.text));
            if let Some(Some(number)) = number
                && module.node_id(number).is_none()
            {
                self.undefined(number, token.range);
            }
        }
    }

    fn undefined(&mut self, number: u32, range: TextRange) {
        let sentence = format!("use of undefined metadata '!{number}'");
        self.sink.find(RuleId::UndefinedNode, range, &sentence, format!("metadata !{number} is not defined"));
        if self.undefined.as_ref().is_none_or(|(lowest, _)| number < *lowest) {
            self.undefined = Some((number, sentence));
        }
    }

    /// Checks a node and those that are written in it, which it is `depth` deep in itself.
    fn node(&mut self, body: NodeBody, depth: usize) {
        let module = self.module;
        let node = match Node::read(module, body) {
            Ok(node) => node,
            Err(error) => {
                let words = error.range.slice(module.text);
                let sentence = match &error.kind {
                    ErrorKind::UndefinedNode(number) => {
                        self.undefined(*number, error.range);
                        return;
                    }
                    // It has no colon after it.
                    ErrorKind::UnknownField(_) if !is_label(module.text, error.range) => {
                        "expected field label here".to_owned()
                    }
                    ErrorKind::UnknownField(_) => format!("invalid field '{words}'"),
                    ErrorKind::RepeatedField => format!("field '{words}' cannot be specified more than once"),
                    ErrorKind::WrongValue(expected) => parse_sentence(expected).to_owned(),
                    _ => String::new(),
                };
                self.field(error.range, &sentence, error.to_string());
                return;
            }
        };
        if body.kind == NodeKind::Unknown {
            self.field(body.range, "expected metadata type", "LLVM has no such node".to_owned());
            return;
        }
        let kind = node.kind().name();
        for field in node.fields() {
            if let Value::Inline(inner) = field.value
                && depth < MAX_INLINE_DEPTH
            {
                self.node(inner, depth + 1);
            }
            if node.kind() == NodeKind::Expression {
                self.operation(*field);
            }
            let Some(name) = field.name else { continue };
            let name_text = name.slice(module.text);
            if !is_known(node.kind(), self.dialect, name_text) {
                let sentence = format!("invalid field '{name_text}'");
                let message = format!("a {kind} has no `{name_text}` {}", self.dialect.architectures());
                self.field(name, &sentence, message);
            }
            self.value(&node, name_text, *field);
        }
        self.requirements(&node);
        let is_unit = node.kind() == NodeKind::CompileUnit;
        if !body.is_distinct && (is_unit || is_definition(&node)) {
            let what = match (is_unit, self.dialect) {
                (true, _) => "!DICompileUnit",
                (false, IrDialect::TypedPointers) => "!DISubprogram when 'isDefinition'",
                (false, IrDialect::OpaquePointers) => "!DISubprogram that is a Definition",
            };
            let sentence = format!("missing 'distinct', required for {what}");
            let message = format!("this {kind} is not distinct");
            // Of a subprogram that is known once all its fields are read.
            let offset = if is_unit { body.range.start } else { body.range.end };
            self.fault(RuleId::NotDistinct, body.range, offset, &sentence, message);
        }
    }

    /// Checks an operation of an expression by its name.
    fn operation(&mut self, field: Field) {
        let word = field.range.slice(self.module.text);
        let is_known = !word.starts_with("DW_OP_") || super::expression::is_known(word, self.dialect);
        if !is_known {
            let sentence = format!("invalid DWARF op '{word}'");
            self.field(field.range, &sentence, format!("LLVM has no operation {word}"));
        }
    }

    /// Checks a value against what its field takes.
    fn value(&mut self, node: &Node<'_, '_>, name: &str, field: Field) {
        let word = field.range.slice(self.module.text);
        if name == "line" && word.parse::<u128>().is_ok_and(|line| line > u128::from(HIGHEST_LINE)) {
            self.too_large(name, HIGHEST_LINE, field.range);
        }
        if !matches!(field.value, Value::Other(_)) {
            return;
        }
        let number = word.parse::<u128>().ok();
        // Some fields take numbers below 0.
        let has_sign =
            matches!(name, "value" | "count" | "lowerBound" | "upperBound" | "stride" | "thisAdjustment");
        if !has_sign && word.parse::<i128>().is_ok_and(|number| number < 0) {
            let message = format!("`{name}` is {word}, expected 0 or more");
            self.field(field.range, "expected unsigned integer", message);
            return;
        }
        if let Some(row) = WORDS.iter().find(|row| row.kind == node.kind() && row.field == name) {
            if let Some(number) = number {
                if number > u128::from(row.max) {
                    self.too_large(name, row.max, field.range);
                }
            } else if !row.words.contains(&word) {
                let quoted = format!("'{word}'");
                let sentence =
                    [row.sentence, if row.sentence.ends_with(' ') { &quoted } else { "" }].concat();
                let expected = row.words.join(", ");
                self.field(field.range, &sentence, format!("`{name}` is {word}, expected one of {expected}"));
            }
            return;
        }
        let prefix = PREFIXES.iter().find(|row| row.field == name && number.is_none());
        let Some(row) = prefix else { return };
        for word in word.split('|').map(str::trim).filter(|word| word.parse::<u64>().is_err()) {
            let Some(rest) = word.strip_prefix(row.prefix) else {
                self.field(
                    field.range,
                    row.expected,
                    format!("`{name}` is {word}, expected {}...", row.prefix),
                );
                return;
            };
            if !row.words.contains(&rest) {
                let sentence = match self.dialect {
                    IrDialect::TypedPointers => row.invalid_if_typed,
                    IrDialect::OpaquePointers => row.invalid,
                };
                self.field(field.range, &format!("{sentence} '{word}'"), format!("LLVM has no {word}"));
                return;
            }
        }
    }

    fn too_large(&mut self, name: &str, limit: u64, range: TextRange) {
        let sentence = format!("value for '{name}' too large, limit is {limit}");
        self.field(range, &sentence, format!("`{name}` is above {limit}"));
    }

    fn requirements(&mut self, node: &Node<'_, '_>) {
        let kind = node.kind();
        for row in REQUIREMENTS.iter().filter(|row| row.kind == kind) {
            let (name, field) = (row.field, node.field(row.field));
            match (row.requirement, field) {
                (Requirement::ThereIfTyped, _) if self.dialect == IrDialect::OpaquePointers => {}
                (Requirement::There | Requirement::ThereIfTyped, None) => {
                    let sentence = format!("missing required field '{name}'");
                    let (range, message) =
                        (node.body().range, format!("this {} has no `{name}`", kind.name()));
                    self.fault(RuleId::Field, range, range.end, &sentence, message);
                }
                (Requirement::NotNull, Some(field)) if field.value == Value::Null => {
                    let sentence = format!("'{name}' cannot be null");
                    self.field(field.range, &sentence, format!("`{name}` of a {} is `null`", kind.name()));
                }
                (Requirement::NotEmpty, Some(field)) if node.text(name).is_empty() => {
                    let sentence = format!("'{name}' cannot be empty");
                    self.field(field.range, &sentence, format!("`{name}` of a {} is empty", kind.name()));
                }
                (Requirement::AtMost(limit), Some(field)) if node.integer(name) > i128::from(limit) => {
                    self.too_large(name, limit, field.range);
                }
                _ => {}
            }
        }
        if kind == NodeKind::File && node.field("checksumkind").is_some() != node.field("checksum").is_some()
        {
            let sentence = "'checksumkind' and 'checksum' must be provided together";
            self.field(
                node.body().range,
                sentence,
                "this DIFile has one of `checksumkind` and `checksum`".to_owned(),
            );
        }
    }
}

/// Whether a word is the name of a field.
fn is_label(text: &str, word: TextRange) -> bool {
    text.as_bytes().get(word.end as usize) == Some(&b':')
}

/// What LLVM's parser says of a value of another type.
fn parse_sentence(expected: &str) -> &'static str {
    match expected {
        "a whole number" => "expected unsigned integer",
        "true or false" => "expected 'true' or 'false'",
        "a string" => "expected string constant",
        "a node" => "expected metadata operand",
        _ => "",
    }
}
