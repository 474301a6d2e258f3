//! A node with its fields, and with the types that LLVM gives to these fields.

use crate::module::{Module, NodeBody, NodeId};
use crate::node_kind::FieldType;
use crate::value::{Field, Fields, Value};
use crate::{Error, ErrorKind, NodeKind, Result, TextRange};

/// A node whose fields are known to its kind and have values of the right types.
///
/// Names of fields are LLVM's: `linkageName`, `scopeLine`. A field that is not there has its
/// default, which is 0, `false`, no text or no node.
#[derive(Debug, Clone)]
pub struct Node<'m, 'a> {
    module: &'m Module<'a>,
    body: NodeBody,
    fields: Vec<Field>,
}

/// A node that a field or an operand means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// One with a number.
    Numbered(NodeId),
    /// One that is written in that place.
    Inline(NodeBody),
}

impl Reference {
    /// The place of a node with a number; none of one that is written where it is used.
    pub fn numbered(self) -> Option<NodeId> {
        match self {
            Self::Numbered(id) => Some(id),
            Self::Inline(_) => None,
        }
    }
}

impl<'m, 'a> Node<'m, 'a> {
    /// Reads a node. The nodes that it means are not looked at.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::UnknownField`], [`ErrorKind::RepeatedField`] and [`ErrorKind::WrongValue`], at
    /// the field; [`ErrorKind::UndefinedNode`], at the number. Nodes of an unknown kind have any
    /// fields.
    pub fn read(module: &'m Module<'a>, body: NodeBody) -> Result<Self> {
        let fields: Vec<Field> = Fields::new(module.text, body.content).collect();
        let rows = body.kind.fields();
        let mut seen = 0_u64;
        for field in &fields {
            if let Value::Number(number) = field.value
                && module.node_id(number).is_none()
            {
                return Err(Error::new(ErrorKind::UndefinedNode(number), field.range));
            }
            if matches!(
                body.kind,
                NodeKind::Tuple | NodeKind::Expression | NodeKind::ArgList | NodeKind::Unknown
            ) {
                continue;
            }
            let name = field.name.map(|name| name.slice(module.text)).unwrap_or_default();
            let place = field.name.unwrap_or(field.range);
            let Some(index) = rows.iter().position(|row| row.name == name) else {
                return Err(Error::new(ErrorKind::UnknownField(body.kind.name()), place));
            };
            if seen >> index & 1 != 0 {
                return Err(Error::new(ErrorKind::RepeatedField, place));
            }
            seen |= 1 << index;
            if let Some(expected) = mismatch(rows[index].value, field, module.text) {
                return Err(Error::new(ErrorKind::WrongValue(expected), field.range));
            }
        }
        Ok(Self { module, body, fields })
    }

    /// Reads a node of the module by its index.
    ///
    /// # Errors
    ///
    /// As [`Node::read`]; [`ErrorKind::UndefinedNode`] for an index of another module.
    pub fn of(module: &'m Module<'a>, id: NodeId) -> Result<Self> {
        let undefined = || Error::new(ErrorKind::UndefinedNode(id.0), TextRange::default());
        Self::read(module, module.node(id).ok_or_else(undefined)?.body)
    }

    /// What it is.
    pub fn kind(&self) -> NodeKind {
        self.body.kind
    }

    /// Its text and whether it is distinct.
    pub fn body(&self) -> NodeBody {
        self.body
    }

    /// Its fields or operands in the order of the text.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The field with this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let text = self.module.text;
        self.fields.iter().find(|field| field.name.is_some_and(|field| field.slice(text) == name))
    }

    /// The node in a field; none where the field is missing, `null` or no node.
    pub fn reference(&self, name: &str) -> Option<Reference> {
        self.reference_of(self.field(name)?)
    }

    /// The node that one of its fields or operands means.
    pub fn reference_of(&self, field: &Field) -> Option<Reference> {
        self.module.reference(field.value)
    }

    /// The string in a field as it is written: `\22` is a quote. Empty where there is none.
    pub fn text(&self, name: &str) -> &'a str {
        match self.field(name).map(|field| field.value) {
            Some(Value::Text(range)) => range.slice(self.module.text),
            _ => "",
        }
    }

    /// The whole number in a field; 0 where there is none.
    pub fn integer(&self, name: &str) -> i128 {
        self.word(name).parse().unwrap_or_default()
    }

    /// Whether a field is `true`.
    pub fn boolean(&self, name: &str) -> bool {
        self.word(name) == "true"
    }

    /// The words or the number in a field as written; empty where there is none.
    pub fn word(&self, name: &str) -> &'a str {
        match self.field(name).map(|field| field.value) {
            Some(Value::Other(range)) => range.slice(self.module.text),
            _ => "",
        }
    }
}

/// What the value of a field ought to be, if it is not.
fn mismatch(expected: FieldType, field: &Field, text: &str) -> Option<&'static str> {
    let words = field.range.slice(text);
    let is_integer = words.parse::<i128>().is_ok();
    // A string of metadata stands where a node does: `!"text"`.
    let is_node = matches!(field.value, Value::Null | Value::Number(_) | Value::Inline(_))
        || matches!(field.value, Value::Text(_)) && words.starts_with('!');
    let is_other = matches!(field.value, Value::Other(_)) && !field.range.is_empty();
    let (is_right, name) = match expected {
        FieldType::Node => (is_node, "a node"),
        FieldType::Text => (matches!(field.value, Value::Text(_) | Value::Null), "a string"),
        FieldType::Integer => (is_integer || words == "null", "a whole number"),
        FieldType::Boolean => (matches!(words, "true" | "false"), "true or false"),
        FieldType::Word => (is_other || matches!(field.value, Value::Text(_)), "a word"),
        FieldType::Bound => (is_integer || is_node || is_other, "a bound"),
        FieldType::Constant => (is_node || is_other || matches!(field.value, Value::Text(_)), "a constant"),
        FieldType::Operands => (matches!(field.value, Value::Operands(_)), "operands in braces"),
    };
    (!is_right).then_some(name)
}
