//! Looks for what a pass lost of made-up debug information.

use super::message_fields::MessageFields;
use super::{FunctionScope, function_name, is_passed_over, unescaped};
use crate::lexer::{Token, TokenKind};
use crate::module::{FunctionItem, Module};
use crate::node::Reference;
use crate::statement::{Statement, StatementKind, Statements};
use crate::type_size::Types;
use crate::value::{Field, Fields, Value};
use crate::{Error, ErrorKind, Node, Result, TextRange};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::{self, Display};

/// One message of a check. As text it has LLVM's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(into = "MessageFields")]
pub enum CheckMessage {
    /// An instruction has no location.
    NoLocation {
        /// The name of its function.
        function: String,
        /// Its text.
        instruction: String,
    },
    /// A value has another size than its variable.
    OtherSize {
        /// Size of the value in bits.
        value_bits: u64,
        /// Size of the variable in bits.
        variable_bits: u64,
        /// The text of the record.
        record: String,
    },
    /// No instruction has this line.
    MissingLine {
        /// The line.
        line: u64,
    },
    /// No record has this variable.
    MissingVariable {
        /// The number of the variable, which is its name.
        variable: u64,
    },
}

impl Display for CheckMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLocation { function, instruction } => {
                write!(f, "WARNING: Instruction with empty DebugLoc in function {function} --  {instruction}")
            }
            Self::OtherSize { value_bits, variable_bits, record } => write!(
                f,
                "ERROR: dbg.value operand has size {value_bits}, but its variable has size {variable_bits}: {record}"
            ),
            Self::MissingLine { line } => write!(f, "WARNING: Missing line {line}"),
            Self::MissingVariable { variable } => write!(f, "WARNING: Missing variable {variable}"),
        }
    }
}

/// What was found in a module or in one of its functions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckedDebugify {
    /// Lines that were given out.
    pub lines: u64,
    /// Variables that were given out.
    pub variables: u64,
    /// Messages in LLVM's order.
    #[schemars(with = "Vec<MessageFields>")]
    pub messages: Vec<CheckMessage>,
}

impl CheckedDebugify {
    /// Whether a value has another size than its variable, which LLVM calls a failure. What is
    /// missing is none.
    pub fn has_errors(&self) -> bool {
        self.messages.iter().any(|message| matches!(message, CheckMessage::OtherSize { .. }))
    }

    /// How many lines are missing.
    pub fn missing_lines(&self) -> usize {
        self.messages.iter().filter(|message| matches!(message, CheckMessage::MissingLine { .. })).count()
    }

    /// How many variables are missing.
    pub fn missing_variables(&self) -> usize {
        self.messages.iter().filter(|message| matches!(message, CheckMessage::MissingVariable { .. })).count()
    }
}

/// Looks for lines and variables that [`debugify`](super::debugify) gave out and that are no
/// longer there, as LLVM's pass `check-debugify` does. Nothing where `!llvm.debugify` is missing.
/// Lines and variables of functions that are out of scope count as missing.
///
/// # Errors
///
/// The first one of [`Module::errors`]; a node whose fields are not those of its kind.
pub fn check_debugify(module: &Module<'_>, functions: FunctionScope<'_>) -> Result<Option<CheckedDebugify>> {
    if let Some(error) = module.errors().first() {
        return Err(error.clone());
    }
    let counts: Vec<u64> =
        module.named_nodes("llvm.debugify").into_iter().map(|node| count(module, node)).collect();
    let [lines, variables, ..] = counts[..] else { return Ok(None) };
    let types = Types::new(module);
    let (mut found_lines, mut found_variables) = (Seen::default(), Seen::default());
    let mut messages = Vec::new();
    let is_in_scope = |function: &&FunctionItem| functions.has(module, function);
    for function in module.functions().filter(is_in_scope).filter(|one| !is_passed_over(module, one)) {
        let Some(body) = function.body else { continue };
        let name = unescaped(function_name(module, function));
        // LLVM looks at all locations of a function, then at all its variables.
        let mut statements = Statements::new(module.text, body);
        let mut sizes = Vec::new();
        while let Some(statement) = statements.next_statement() {
            let is_call = statement.debug_intrinsic() == Some("llvm.dbg.value");
            if is_call || statement.kind == StatementKind::Record {
                let has_value = is_call || matches!(statement.opcode(), "#dbg_value" | "#dbg_assign");
                if let Some(variable) = variable(module, &statement)?.filter(|_| has_value) {
                    match other_size(&types, &statement, &variable)? {
                        None => found_variables.insert(variable.text("name").parse().unwrap_or(0)),
                        Some(message) => sizes.push(message),
                    }
                }
            } else if statement.kind == StatementKind::Instruction {
                match line(module, &statement)? {
                    Some(0) => {}
                    Some(line) => found_lines.insert(line),
                    None if statement.opcode() == "phi" => {}
                    None => messages.push(CheckMessage::NoLocation {
                        function: name.clone().into_owned(),
                        instruction: statement.range.slice(module.text).to_owned(),
                    }),
                }
            }
        }
        messages.extend(sizes);
    }
    messages.extend(found_lines.missing(lines).map(|line| CheckMessage::MissingLine { line }));
    messages.extend(
        found_variables.missing(variables).map(|variable| CheckMessage::MissingVariable { variable }),
    );
    Ok(Some(CheckedDebugify { lines, variables, messages }))
}

/// Numbers that were met.
#[derive(Debug, Default)]
struct Seen(std::collections::HashSet<u64>);

impl Seen {
    fn insert(&mut self, number: u64) {
        self.0.insert(number);
    }

    /// Those from 1 to `last` that were not met: a forged count makes no more messages than a
    /// module can have lines.
    fn missing(&self, last: u64) -> impl Iterator<Item = u64> {
        (1..=last.min(crate::limits::MAX_TEXT as u64 / 64)).filter(|number| !self.0.contains(number))
    }
}

/// The number in `!{i32 7}`.
fn count(module: &Module<'_>, node: Reference) -> u64 {
    let body = module.body_of(node);
    let field = body.and_then(|body| Fields::new(module.text, body.content).next());
    let words = field.map(|field| field.range.slice(module.text)).unwrap_or_default();
    words.split_once(' ').and_then(|(_, number)| number.trim().parse().ok()).unwrap_or(0)
}

/// The line of an instruction's location; nothing without a location.
fn line(module: &Module<'_>, statement: &Statement<'_>) -> Result<Option<u64>> {
    let attachment = statement.attachments().find(|one| one.kind.slice(module.text) == "dbg");
    let Some(attachment) = attachment else { return Ok(None) };
    let node = match attachment.value {
        Value::Number(number) => {
            let undefined = || Error::new(ErrorKind::UndefinedNode(number), attachment.value_range);
            Some(Reference::Numbered(module.node_id(number).ok_or_else(undefined)?))
        }
        Value::Other(range) if range.slice(module.text).starts_with('!') => {
            return Err(Error::new(ErrorKind::NumberTooLarge, range));
        }
        other => module.reference(other),
    };
    let Some(body) = node.and_then(|node| module.body_of(node)) else { return Ok(None) };
    let line = Node::read(module, body)?.integer("line");
    Ok(Some(u64::try_from(line).unwrap_or(0)))
}

/// The variable of a record or an intrinsic: the first node among its operands.
fn variable<'m, 'a>(module: &'m Module<'a>, statement: &Statement<'_>) -> Result<Option<Node<'m, 'a>>> {
    let number = statement.tokens.iter().find(|token| token.kind == TokenKind::MetadataNumber);
    let Some(token) = number else { return Ok(None) };
    let number =
        token.number(module.text).ok_or_else(|| Error::new(ErrorKind::NumberTooLarge, token.range))?;
    let undefined = || Error::new(ErrorKind::UndefinedNode(number), token.range);
    Node::of(module, module.node_id(number).ok_or_else(undefined)?).map(Some)
}

/// Says so if a value has another size than its variable. Values with an expression are passed
/// over, as LLVM does.
fn other_size(
    types: &Types<'_, '_>,
    statement: &Statement<'_>,
    variable: &Node<'_, '_>,
) -> Result<Option<CheckMessage>> {
    let module = types.module();
    let Some(content) = operands(module.text, statement.tokens) else { return Ok(None) };
    let fields: Vec<Field> =
        Fields::new(module.text, content).map(|field| without_word(module.text, field)).collect();
    let [value, _, expression, ..] = fields[..] else { return Ok(None) };
    let is_plain = match module.reference(expression.value).and_then(|node| module.body_of(node)) {
        Some(body) => body.content.slice(module.text).trim().is_empty(),
        None => false,
    };
    let words = value.range.slice(module.text);
    let Some((written, _)) = words.rsplit_once(' ').filter(|_| is_plain) else { return Ok(None) };
    let value_bits = types.allocated_bits(written);
    let variable_bits = size(module, variable)?;
    if value_bits == 0 || variable_bits == 0 {
        return Ok(None);
    }
    let is_integer = written.strip_prefix('i').is_some_and(|bits| bits.parse::<u32>().is_ok());
    // Integers may be larger, and smaller where the variable has no sign.
    let is_other = !is_integer && value_bits != variable_bits;
    Ok(is_other.then(|| CheckMessage::OtherSize {
        value_bits,
        variable_bits,
        record: record(module.text, statement, &fields),
    }))
}

/// What is between the first bracket of a statement and the one that closes it.
fn operands(text: &str, tokens: &[Token]) -> Option<TextRange> {
    let open = tokens.iter().position(|token| token.is(b'(', text))?;
    let mut depth = 0;
    let close = tokens[open..].iter().find(|token| {
        depth += token.nesting(text);
        depth == 0
    })?;
    Some(TextRange { start: tokens[open].range.end, end: close.range.start })
}

/// A field without the word `metadata` that stands before the operands of an intrinsic.
fn without_word(text: &str, field: Field) -> Field {
    let words = field.range.slice(text);
    let Some(rest) = words.strip_prefix("metadata").filter(|rest| rest.starts_with([' ', '\t'])) else {
        return field;
    };
    let start = field.range.end - rest.trim_start().len() as u32;
    let range = TextRange { start, ..field.range };
    Fields::new(text, range).next().unwrap_or(field)
}

/// The text of a record. That of an intrinsic is written as the record that LLVM 19 makes of it.
fn record(text: &str, statement: &Statement<'_>, fields: &[Field]) -> String {
    if statement.kind == StatementKind::Record {
        return statement.range.slice(text).to_owned();
    }
    let location = statement.attachments().find(|one| one.kind.slice(text) == "dbg");
    let operands = fields.iter().map(|field| field.range.slice(text));
    let operands: Vec<&str> =
        operands.chain(location.map(|location| location.value_range.slice(text))).collect();
    format!("#dbg_value({})", operands.join(", "))
}

/// The size of a variable by its type; 0 where it is not known.
fn size(module: &Module<'_>, variable: &Node<'_, '_>) -> std::result::Result<u64, Error> {
    let body = variable.reference("type").and_then(|node| module.body_of(node));
    let Some(body) = body else { return Ok(0) };
    Ok(u64::try_from(Node::read(module, body)?.integer("size")).unwrap_or(0))
}
