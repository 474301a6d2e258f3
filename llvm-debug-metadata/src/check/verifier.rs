//! What the checks of LLVM's verifier share: the module, and what was seen of it so far. `walk`
//! goes through the module, `visit` through its nodes.

use super::fault::Fault;
use super::inlinable::inlinable;
use super::rules::RuleId;
use super::scopes::Scopes;
use super::sink::Sink;
use super::subprogram::is_definition;
use crate::modes::EmissionKind;
use crate::module::{Module, NodeBody, NodeId};
use crate::value::Value;
use crate::{IrDialect, Node, NodeKind, TextRange};
use std::collections::HashMap;

/// The state of the walk.
pub(super) struct Verifier<'v, 'm, 'a> {
    pub(super) module: &'m Module<'a>,
    pub(super) dialect: IrDialect,
    pub(super) sink: &'v mut Sink,
    pub(super) scopes: Scopes<'m, 'a>,
    /// The function that each subprogram is attached to, by its name.
    pub(super) functions_of: HashMap<NodeId, TextRange>,
    /// Whether something is wrong so far: LLVM then looks at fewer locations.
    pub(super) is_broken: bool,
    /// Functions that can be called by their names, and whether the verifier takes them for ones
    /// that could be inlined.
    pub(super) inlinable: HashMap<&'m str, bool>,
    /// The emission kinds of the units.
    pub(super) emission_kinds: Vec<EmissionKind>,
    /// Whether LLVM reads past the end of an expression.
    pub(super) reads_past_end: bool,
    /// By node, whether it was visited.
    pub(super) visited: Vec<bool>,
    /// Units that were visited.
    pub(super) units: Vec<NodeId>,
}

impl<'v, 'm, 'a> Verifier<'v, 'm, 'a> {
    pub(super) fn new(module: &'m Module<'a>, dialect: IrDialect, sink: &'v mut Sink) -> Self {
        Self {
            module,
            dialect,
            sink,
            scopes: Scopes::new(module),
            functions_of: HashMap::new(),
            is_broken: false,
            inlinable: inlinable(module, dialect),
            emission_kinds: emission_kinds(module),
            reads_past_end: false,
            visited: vec![false; module.nodes().len()],
            units: Vec::new(),
        }
    }

    /// The node that a value means.
    pub(super) fn body(&self, value: Value) -> Option<NodeBody> {
        self.module.reference(value).and_then(|node| self.module.body_of(node))
    }

    /// The node that a value means, read; nothing if its fields are not those of its kind.
    pub(super) fn node(&self, value: Value) -> Option<Node<'m, 'a>> {
        Node::read(self.module, self.body(value)?).ok()
    }

    /// Whether a value means the definition of a subprogram.
    pub(super) fn is_definition(&self, value: Value) -> bool {
        self.node(value).is_some_and(|node| is_definition(&node))
    }

    /// What a value leads to, in words.
    pub(super) fn found(&self, value: Value) -> String {
        match self.body(value) {
            Some(body) if body.kind == NodeKind::Tuple => "a tuple".to_owned(),
            Some(body) => format!("a {}", body.kind.name()),
            None if value == Value::Null => "`null`".to_owned(),
            None => "not a metadata node".to_owned(),
        }
    }

    /// Adds a finding about which libNVVM says a sentence.
    pub(super) fn fail(
        &mut self,
        rule: RuleId,
        range: TextRange,
        sentence: &str,
        message: impl Into<String>,
    ) {
        self.is_broken = true;
        self.sink.find(rule, range, sentence, message.into());
    }

    pub(super) fn report(&mut self, fault: &Fault) {
        self.fail(fault.rule, fault.range, fault.sentence, fault.message.clone());
    }
}

/// The emission kinds of the units of a module.
fn emission_kinds(module: &Module<'_>) -> Vec<EmissionKind> {
    let units = module.units().into_iter().filter_map(|unit| module.body_of(unit));
    let kind = |body| EmissionKind::from_field(Node::read(module, body).ok()?.word("emissionKind"));
    units.filter_map(kind).collect()
}
