//! Follows scopes to their subprograms, and call sites to the function they are in.

use crate::module::{Module, NodeId};
use crate::{Node, NodeKind, Reference};

/// Where scopes or call sites lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// To this node.
    To(NodeId),
    /// To nothing that can be followed further.
    Nowhere,
    /// Round in a circle.
    Circle,
}

/// What is known of where a node leads to.
#[derive(Debug, Clone, Copy)]
enum State {
    New,
    /// It is on the way that is being followed.
    OnTheWay,
    Known(Lead),
}

/// Where the scopes and the call sites of a module lead to. Each node is followed once.
#[derive(Debug)]
pub(super) struct Scopes<'m, 'a> {
    module: &'m Module<'a>,
    subprograms: Vec<State>,
    outermost: Vec<State>,
}

impl<'m, 'a> Scopes<'m, 'a> {
    pub(super) fn new(module: &'m Module<'a>) -> Self {
        let states = vec![State::New; module.nodes().len()];
        Self { module, subprograms: states.clone(), outermost: states }
    }

    /// The subprogram that a scope is in, or is.
    pub(super) fn subprogram(&mut self, scope: NodeId) -> Lead {
        let module = self.module;
        follow(&mut self.subprograms, scope, |at| {
            let Ok(node) = Node::of(module, at) else { return Step::End(Lead::Nowhere) };
            match node.kind() {
                NodeKind::Subprogram => Step::End(Lead::To(at)),
                NodeKind::LexicalBlock | NodeKind::LexicalBlockFile => next(&node, "scope"),
                _ => Step::End(Lead::Nowhere),
            }
        })
    }

    /// The location that a location was inlined at, outermost; itself if it was not inlined.
    pub(super) fn outermost(&mut self, location: NodeId) -> Lead {
        let module = self.module;
        follow(&mut self.outermost, location, |at| {
            let Ok(node) = Node::of(module, at) else { return Step::End(Lead::Nowhere) };
            match node.kind() {
                NodeKind::Location if node.reference("inlinedAt").is_none() => Step::End(Lead::To(at)),
                NodeKind::Location => next(&node, "inlinedAt"),
                _ => Step::End(Lead::Nowhere),
            }
        })
    }

    /// The definition of a subprogram that the scope of a node is in.
    pub(super) fn subprogram_of(&mut self, node: &Node<'_, '_>) -> Lead {
        match node.reference("scope") {
            Some(Reference::Numbered(scope)) => self.subprogram(scope),
            _ => Lead::Nowhere,
        }
    }
}

enum Step {
    To(NodeId),
    End(Lead),
}

fn next(node: &Node<'_, '_>, field: &str) -> Step {
    match node.reference(field) {
        Some(Reference::Numbered(next)) => Step::To(next),
        _ => Step::End(Lead::Nowhere),
    }
}

/// Follows steps from a node, and remembers where all nodes on the way lead to.
fn follow(states: &mut [State], from: NodeId, step: impl Fn(NodeId) -> Step) -> Lead {
    let (mut way, mut at) = (Vec::new(), from);
    let lead = loop {
        match states.get(at.0 as usize) {
            None => break Lead::Nowhere,
            Some(State::Known(lead)) => break *lead,
            Some(State::OnTheWay) => break Lead::Circle,
            Some(State::New) => {}
        }
        states[at.0 as usize] = State::OnTheWay;
        way.push(at);
        match step(at) {
            Step::To(next) => at = next,
            Step::End(lead) => break lead,
        }
    };
    for node in way {
        states[node.0 as usize] = State::Known(lead);
    }
    lead
}
