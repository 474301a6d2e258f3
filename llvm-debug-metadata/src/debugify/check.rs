//! Looks for what a pass lost of made-up debug information.

use super::{function_name, is_passed_over};
use crate::lexer::TokenKind;
use crate::module::Module;
use crate::node::Reference;
use crate::statement::{Statement, StatementKind, Statements};
use crate::type_size::Types;
use crate::value::{Fields, Value};
use crate::{Error, Node, Result, TextRange};
use std::fmt::{self, Display};

/// What is said of a module, in LLVM's words and order.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        value: u64,
        /// Size of the variable in bits.
        variable: u64,
        /// The text of the record.
        record: String,
    },
    /// No instruction has this line.
    MissingLine(u64),
    /// No record has this variable.
    MissingVariable(u64),
}

impl Display for CheckMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLocation { function, instruction } => {
                write!(f, "WARNING: Instruction with empty DebugLoc in function {function} --  {instruction}")
            }
            Self::OtherSize { value, variable, record } => write!(
                f,
                "ERROR: dbg.value operand has size {value}, but its variable has size {variable}: {record}"
            ),
            Self::MissingLine(line) => write!(f, "WARNING: Missing line {line}"),
            Self::MissingVariable(variable) => write!(f, "WARNING: Missing variable {variable}"),
        }
    }
}

/// What was found in a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedDebugify {
    /// Messages in LLVM's order.
    pub messages: Vec<CheckMessage>,
    /// Lines that were given out.
    pub lines: u64,
    /// Variables that were given out.
    pub variables: u64,
}

impl CheckedDebugify {
    /// Whether a value has another size than its variable, which LLVM calls a failure. What is
    /// missing is none.
    pub fn has_errors(&self) -> bool {
        self.messages.iter().any(|message| matches!(message, CheckMessage::OtherSize { .. }))
    }

    /// How many lines are missing.
    pub fn missing_lines(&self) -> usize {
        self.messages.iter().filter(|message| matches!(message, CheckMessage::MissingLine(_))).count()
    }

    /// How many variables are missing.
    pub fn missing_variables(&self) -> usize {
        self.messages.iter().filter(|message| matches!(message, CheckMessage::MissingVariable(_))).count()
    }
}

/// Looks for lines and variables that [`debugify`](super::debugify) gave out and that are no longer
/// there, as LLVM's pass `check-debugify` does. Nothing where `!llvm.debugify` is missing.
///
/// # Errors
///
/// The first one of [`Module::errors`]; a node whose fields are not those of its kind.
pub fn check_debugify(module: &Module<'_>) -> Result<Option<CheckedDebugify>> {
    if let Some(error) = module.errors().first() {
        return Err(error.clone());
    }
    let counts: Vec<u64> =
        module.named_nodes("llvm.debugify").into_iter().map(|node| count(module, node)).collect();
    let [lines, variables, ..] = counts[..] else { return Ok(None) };
    let types = Types::new(module);
    let (mut found_lines, mut found_variables) = (Seen::default(), Seen::default());
    let mut messages = Vec::new();
    for function in module.functions().filter(|function| !is_passed_over(module, function)) {
        let Some(body) = function.body else { continue };
        let name = function_name(module, function);
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
                        function: name.to_owned(),
                        instruction: statement.range.slice(module.text).to_owned(),
                    }),
                }
            }
        }
        messages.extend(sizes);
    }
    messages.extend(found_lines.missing(lines).map(CheckMessage::MissingLine));
    messages.extend(found_variables.missing(variables).map(CheckMessage::MissingVariable));
    Ok(Some(CheckedDebugify { messages, lines, variables }))
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
    let body = attachment.and_then(|one| module.reference(one.value)).and_then(|node| module.body_of(node));
    let Some(body) = body else { return Ok(None) };
    let line = Node::read(module, body)?.integer("line");
    Ok(Some(u64::try_from(line).unwrap_or(0)))
}

/// The variable of a record or an intrinsic: the first node among its operands.
fn variable<'m, 'a>(module: &'m Module<'a>, statement: &Statement<'_>) -> Result<Option<Node<'m, 'a>>> {
    let number = statement.tokens.iter().find(|token| token.kind == TokenKind::MetadataNumber);
    let id = number.and_then(|token| token.number(module.text)).and_then(|number| module.node_id(number));
    id.map(|id| Node::of(module, id)).transpose()
}

/// Says so if a value has another size than its variable. Values with an expression are passed
/// over, as LLVM does.
fn other_size(
    types: &Types<'_, '_>,
    statement: &Statement<'_>,
    variable: &Node<'_, '_>,
) -> Result<Option<CheckMessage>> {
    let module = types.module();
    let open = statement.tokens.iter().position(|token| token.is(b'(', module.text));
    let Some(operands) = open.and_then(|open| statement.tokens.get(open + 1)) else { return Ok(None) };
    let content = TextRange { start: operands.range.start, end: statement.range.end };
    let mut fields = Fields::new(module.text, content);
    let Some(value) = fields.next() else { return Ok(None) };
    let expression = fields.nth(1);
    let is_plain = expression.is_some_and(|field| match field.value {
        Value::Inline(body) => body.content.slice(module.text).trim().is_empty(),
        _ => false,
    });
    let words = value.range.slice(module.text);
    let words = words.strip_prefix("metadata ").unwrap_or(words);
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
        value: value_bits,
        variable: variable_bits,
        record: statement.range.slice(module.text).to_owned(),
    }))
}

/// The size of a variable by its type; 0 where it is not known.
fn size(module: &Module<'_>, variable: &Node<'_, '_>) -> std::result::Result<u64, Error> {
    let body = variable.reference("type").and_then(|node| module.body_of(node));
    let Some(body) = body else { return Ok(0) };
    Ok(u64::try_from(Node::read(module, body)?.integer("size")).unwrap_or(0))
}
