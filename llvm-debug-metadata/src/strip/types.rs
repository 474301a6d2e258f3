//! Named types in the order in which LLVM finds them.

use super::names::{Slots, is_kept};
use crate::lexer::{Lexer, TokenKind};
use crate::module::{ItemKind, Module};
use std::collections::{HashMap, HashSet};

/// The named types of a module.
#[derive(Debug, Default)]
pub(super) struct NamedTypes<'a> {
    /// The numbers that come for the names.
    pub(super) slots: Slots<'a>,
    /// Indices of the items that define them, in the order in which they are to be written.
    pub(super) items: Vec<usize>,
    /// All names without sigil.
    pub(super) names: HashSet<&'a str>,
}

/// Finds the types where they are first used: in variables, then in functions.
pub(super) fn named_types<'a>(module: &Module<'a>) -> NamedTypes<'a> {
    let text = module.text;
    let mut defined: HashMap<&'a str, usize> = HashMap::new();
    for (index, item) in module.items().iter().enumerate() {
        if let ItemKind::Type { name } = item.kind {
            defined.insert(name.slice(text), index);
        }
    }
    if defined.is_empty() {
        return NamedTypes::default();
    }
    let (mut order, mut seen): (Vec<&'a str>, HashSet<&'a str>) = (Vec::new(), HashSet::new());
    let mut visit = |name: &'a str| {
        let mut open =
            Vec::from_iter(Some(name).filter(|name| defined.contains_key(name) && seen.insert(name)));
        while let Some(name) = open.pop() {
            order.push(name);
            let definition = module.items()[defined[name]].range;
            let inner =
                Lexer::in_range(text, definition).skip(1).filter(|token| token.kind == TokenKind::Local);
            let mut inner: Vec<&'a str> = inner.map(|token| token.name(text)).collect();
            inner.retain(|name| defined.contains_key(name) && seen.insert(name));
            open.extend(inner.into_iter().rev());
        }
    };
    let uses = |kind: ItemKind| match kind {
        ItemKind::Variable(_) => 0,
        ItemKind::Alias(_) => 1,
        ItemKind::Function(_) => 2,
        _ => 3,
    };
    for rank in 0..3 {
        for item in module.items().iter().filter(|item| uses(item.kind) == rank) {
            for token in Lexer::in_range(text, item.range).filter(|token| token.kind == TokenKind::Local) {
                visit(token.name(text));
            }
        }
    }
    // Types that only metadata uses, or none.
    for item in module.items() {
        if let ItemKind::Type { name } = item.kind {
            visit(name.slice(text));
        }
    }
    let (named, numbered): (Vec<&str>, Vec<&str>) = order.iter().partition(|name| is_kept(name));
    let slots = numbered.iter().zip(0..).map(|(name, slot)| (*name, slot)).collect();
    let items = numbered.iter().chain(&named).map(|name| defined[name]).collect();
    NamedTypes { slots, items, names: defined.keys().copied().collect() }
}
