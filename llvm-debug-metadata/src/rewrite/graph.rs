//! The nodes of a module together with new ones.

use crate::lexer::{Lexer, Token, TokenKind};
use crate::module::{Module, NodeBody, NodeId};
use crate::value::{Fields, Value};
use crate::{Error, ErrorKind, NodeKind, Result, TextRange};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::fmt::Write;
use std::hash::BuildHasher;

/// A node that is in no text yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewNode<'a> {
    pub(crate) kind: NodeKind,
    pub(crate) is_distinct: bool,
    /// Names and values in the order in which LLVM prints them; operands of a tuple have no name.
    pub(crate) fields: Vec<(&'a str, NewValue<'a>)>,
}

/// A value in a new node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewValue<'a> {
    /// Copied; numbers of nodes in it are those of the module.
    Text(&'a str),
    Node(NodeId),
    Null,
    Integer(u64),
    /// A string, which is written in quotes.
    Quoted(&'a str),
    /// A whole number with its type.
    Typed(&'static str, u64),
    /// A string that ends with a number.
    Numbered(&'static str, u64),
}

impl NewValue<'_> {
    /// Writes a value that is neither a node nor copied text.
    fn write_plain(self, out: &mut String) {
        let _ = match self {
            Self::Text(_) | Self::Node(_) => Ok(()),
            Self::Null => write!(out, "null"),
            Self::Integer(number) => write!(out, "{number}"),
            Self::Typed(kind, number) => write!(out, "{kind} {number}"),
            Self::Quoted(text) => write!(out, "\"{text}\""),
            Self::Numbered(text, number) => write!(out, "\"{text}{number}\""),
        };
    }
}

/// The nodes of a module, and new ones, whose indices follow theirs.
#[derive(Debug)]
pub(crate) struct Graph<'m, 'a> {
    pub(crate) module: &'m Module<'a>,
    added: Vec<NewNode<'a>>,
    /// What nodes of the module have become.
    replaced: HashMap<NodeId, NewNode<'a>>,
    /// Nodes by the hash of their text, of the kinds that are asked for; the rare others with the
    /// same hash follow one another.
    unique: HashMap<u64, Vec<NodeId>, RandomState>,
    hasher: RandomState,
}

/// The kinds among which an equal node is looked for.
const UNIQUE: [NodeKind; 4] =
    [NodeKind::Tuple, NodeKind::Location, NodeKind::Subprogram, NodeKind::SubroutineType];

impl<'m, 'a> Graph<'m, 'a> {
    pub(crate) fn new(module: &'m Module<'a>) -> Self {
        Self {
            module,
            added: Vec::new(),
            replaced: HashMap::new(),
            unique: HashMap::default(),
            hasher: RandomState::default(),
        }
    }

    /// The number of nodes, new ones too.
    pub(crate) fn len(&self) -> usize {
        self.module.nodes().len() + self.added.len()
    }

    fn new_node(&self, id: NodeId) -> Option<&NewNode<'a>> {
        match (id.0 as usize).checked_sub(self.module.nodes().len()) {
            Some(index) => self.added.get(index),
            None if self.replaced.is_empty() => None,
            None => self.replaced.get(&id),
        }
    }

    /// The node in the text, for one of the module that was not replaced.
    pub(crate) fn body(&self, id: NodeId) -> Option<NodeBody> {
        match self.new_node(id) {
            Some(_) => None,
            None => self.module.node(id).map(|node| node.body),
        }
    }

    pub(crate) fn kind(&self, id: NodeId) -> NodeKind {
        match self.new_node(id) {
            Some(node) => node.kind,
            None => self.module.node(id).map_or(NodeKind::Unknown, |node| node.body.kind),
        }
    }

    pub(crate) fn is_distinct(&self, id: NodeId) -> bool {
        match self.new_node(id) {
            Some(node) => node.is_distinct,
            None => self.module.node(id).is_some_and(|node| node.body.is_distinct),
        }
    }

    /// The node that a number in the text means.
    pub(crate) fn numbered(&self, number: u32, range: TextRange) -> Result<NodeId> {
        let undefined = || Error::new(ErrorKind::UndefinedNode(number), range);
        self.module.node_id(number).ok_or_else(undefined)
    }

    /// The node that a token means, which is one with a number. `text` is where the token is.
    pub(crate) fn meant_by(&self, token: Token, text: &str, range: TextRange) -> Result<NodeId> {
        let number = token.number(text).ok_or_else(|| Error::new(ErrorKind::NumberTooLarge, range))?;
        self.numbered(number, range)
    }

    /// The fields of a node as values for a new one.
    pub(crate) fn fields(&self, id: NodeId) -> Result<Vec<(&'a str, NewValue<'a>)>> {
        if let Some(node) = self.new_node(id) {
            return Ok(node.fields.clone());
        }
        self.body(id).map_or(Ok(Vec::new()), |body| self.fields_of(body))
    }

    fn fields_of(&self, body: NodeBody) -> Result<Vec<(&'a str, NewValue<'a>)>> {
        let text = self.module.text;
        let value = |value, range: TextRange| {
            Ok(match value {
                Value::Null => NewValue::Null,
                Value::Number(number) => NewValue::Node(self.numbered(number, range)?),
                _ => NewValue::Text(range.slice(text)),
            })
        };
        let field = |field: crate::value::Field| {
            let name = field.name.map(|name| name.slice(text)).unwrap_or_default();
            Ok((name, value(field.value, field.range)?))
        };
        Fields::new(text, body.content).map(field).collect()
    }

    /// The value of one field.
    pub(crate) fn field(&self, id: NodeId, name: &str) -> Result<Option<NewValue<'a>>> {
        Ok(self.fields(id)?.into_iter().find(|(field, _)| *field == name).map(|(_, value)| value))
    }

    /// The node in one field.
    pub(crate) fn reference(&self, id: NodeId, name: &str) -> Result<Option<NodeId>> {
        Ok(match self.field(id, name)? {
            Some(NewValue::Node(node)) => Some(node),
            _ => None,
        })
    }

    /// The nodes that a node has as operands, in the order of LLVM's operands.
    pub(crate) fn operands(&self, id: NodeId) -> Result<Vec<NodeId>> {
        let fields = self.fields(id)?;
        let order = self.kind(id).operands();
        let mut operands = Vec::new();
        let mut add = |value: &NewValue<'a>| match value {
            NewValue::Node(node) => {
                operands.push(*node);
                Ok(())
            }
            NewValue::Text(text) if text.contains('!') => self.each_number(text, &mut |id| operands.push(id)),
            _ => Ok(()),
        };
        for name in order {
            for (_, value) in fields.iter().filter(|(field, _)| field == name) {
                add(value)?;
            }
        }
        for (_, value) in fields.iter().filter(|(field, _)| !order.contains(field)) {
            add(value)?;
        }
        Ok(operands)
    }

    /// Looks at each number of a node in `text`, a part of the module's text or like one.
    fn each_number(&self, text: &str, look: &mut impl FnMut(NodeId)) -> Result<()> {
        for token in Lexer::new(text).filter(|token| token.kind == TokenKind::MetadataNumber) {
            look(self.meant_by(token, text, TextRange::default())?);
        }
        Ok(())
    }

    /// Adds a node that is equal to no other.
    pub(crate) fn add(&mut self, node: NewNode<'a>) -> NodeId {
        let id = NodeId(self.len() as u32);
        self.added.push(node);
        id
    }

    /// What a node of the module becomes; all that mean it mean the new one.
    pub(crate) fn replace(&mut self, id: NodeId, node: NewNode<'a>) {
        self.replaced.insert(id, node);
    }

    /// Whether a node of the module became another.
    pub(crate) fn has_replaced(&self) -> bool {
        !self.replaced.is_empty()
    }

    /// The node that a value means; one that is written in place becomes a new one.
    pub(crate) fn meant(&mut self, value: Value, range: TextRange) -> Result<Option<NodeId>> {
        match value {
            Value::Number(number) => self.numbered(number, range).map(Some),
            Value::Inline(body) => {
                let fields = self.fields_of(body)?;
                let node = NewNode { kind: body.kind, is_distinct: body.is_distinct, fields };
                Ok(Some(if body.is_distinct { self.add(node) } else { self.unique(node)? }))
            }
            _ => Ok(None),
        }
    }

    /// Adds a field to a new node, after the others.
    pub(crate) fn add_field(&mut self, id: NodeId, name: &'a str, value: NewValue<'a>) {
        let first = self.module.nodes().len();
        let node = (id.0 as usize).checked_sub(first).and_then(|index| self.added.get_mut(index));
        if let Some(node) = node {
            node.fields.push((name, value));
        }
    }

    /// Sets operand 0 of a tuple to itself, as the identity of a loop has it.
    pub(crate) fn refer_to_itself(&mut self, id: NodeId) {
        let first = self.module.nodes().len();
        let node = (id.0 as usize).checked_sub(first).and_then(|index| self.added.get_mut(index));
        if let Some((_, value)) = node.and_then(|node| node.fields.first_mut()) {
            *value = NewValue::Node(id);
        }
    }

    /// The node equal to `node`, which is added if there is none.
    pub(crate) fn unique(&mut self, node: NewNode<'a>) -> Result<NodeId> {
        if self.unique.is_empty() {
            for index in 0..self.module.nodes().len() as u32 {
                let id = NodeId(index);
                if UNIQUE.contains(&self.kind(id)) && !self.is_distinct(id) {
                    let hash = self.hasher.hash_one(key(self.kind(id), &self.fields(id)?));
                    self.unique.entry(hash).or_default().push(id);
                }
            }
        }
        let key_of_new = key(node.kind, &node.fields);
        let hash = self.hasher.hash_one(&key_of_new);
        for id in self.unique.get(&hash).into_iter().flatten() {
            if key(self.kind(*id), &self.fields(*id)?) == key_of_new {
                return Ok(*id);
            }
        }
        let id = self.add(node);
        self.unique.entry(hash).or_default().push(id);
        Ok(id)
    }

    /// The tuple with these operands.
    pub(crate) fn tuple(&mut self, operands: impl IntoIterator<Item = NewValue<'a>>) -> Result<NodeId> {
        let fields = operands.into_iter().map(|value| ("", value)).collect();
        self.unique(NewNode { kind: NodeKind::Tuple, is_distinct: false, fields })
    }

    /// Writes a node. `write_node` writes what stands for a node in it, `write_text` what is
    /// copied.
    pub(crate) fn write(
        &self,
        id: NodeId,
        out: &mut String,
        write_node: &mut impl FnMut(&mut String, NodeId),
        write_text: &mut impl FnMut(&mut String, &str) -> Result<()>,
    ) -> Result<()> {
        if let Some(body) = self.body(id) {
            return write_text(out, body.range.slice(self.module.text));
        }
        let Some(node) = self.new_node(id) else { return Ok(()) };
        out.push_str(if node.is_distinct { "distinct !" } else { "!" });
        out.push_str(node.kind.name());
        out.push(if node.kind == NodeKind::Tuple { '{' } else { '(' });
        for (index, (name, value)) in node.fields.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let colon = if name.is_empty() { "" } else { ": " };
            let _ = write!(out, "{comma}{name}{colon}");
            match value {
                NewValue::Text(text) => write_text(out, text)?,
                NewValue::Node(node) => write_node(out, *node),
                plain => plain.write_plain(out),
            }
        }
        out.push(if node.kind == NodeKind::Tuple { '}' } else { ')' });
        Ok(())
    }
}

/// What two equal nodes have in common.
fn key(kind: NodeKind, fields: &[(&str, NewValue<'_>)]) -> String {
    let mut key = format!("{}", kind as u8);
    for (name, value) in fields {
        let _ = match value {
            NewValue::Text(text) => write!(key, "\n{name}={text}"),
            NewValue::Node(id) => write!(key, "\n{name}>{}", id.0),
            plain => {
                let _ = write!(key, "\n{name}=");
                plain.write_plain(&mut key);
                Ok(())
            }
        };
    }
    key
}
