//! x

use super::{LocationRange, Scope, ScopeKind, Variable, Variables};
use crate::address_query::CodeAddress;
use crate::names::demangle;
use nv_debug_sections::cubin::SymbolIndex;
use std::collections::HashSet;

/// Selects variables by name, by function and by the addresses at which they are in scope.
#[derive(Debug, Clone, Default)]
pub struct VariableFilter<'o> {
    /// The names that selected variables have; variables of all names if it is empty.
    pub names: &'o [String],
    /// The functions to which selected variables belong, by their symbols; `None` for all
    /// functions.
    pub functions: Option<HashSet<SymbolIndex>>,
    /// The code addresses at which selected variables are in scope; anywhere if it is empty.
    pub addresses: Vec<CodeAddress>,
}

impl VariableFilter<'_> {
    /// Whether each scope's variables are wanted.
    pub(super) fn scopes(&self, variables: &Variables<'_>) -> Vec<bool> {
        let of_unit = |scope: &Scope| scope.kind == ScopeKind::Unit;
        if self.addresses.is_empty() {
            let is_wanted = |scope: &Scope| match &self.functions {
                Some(symbols) => variables.function(scope).is_some_and(|own| symbols.contains(&own.symbol)),
                None => true,
            };
            return variables.scopes().iter().map(is_wanted).collect();
        }
        let has = |scope: &Scope, at: &CodeAddress| {
            scope.code.iter().any(|own| own.section == at.section && own.range.contains(&at.offset))
        };
        let mut wanted: Vec<bool> =
            variables.scopes().iter().map(|scope| self.addresses.iter().any(|at| has(scope, at))).collect();
        // The file's own: of the units that have one of the functions.
        for index in 0..wanted.len() {
            if let (Some(true), Some(scope)) = (wanted.get(index), variables.scopes().get(index))
                && scope.kind == ScopeKind::Function
                && let Some(unit) = scope.parent
                && variables.scopes().get(unit).is_some_and(of_unit)
                && let Some(unit) = wanted.get_mut(unit)
            {
                *unit = true;
            }
        }
        wanted
    }

    pub(super) fn has_name(&self, variables: &Variables<'_>, variable: &Variable) -> bool {
        self.names.is_empty()
            || variables.name(variable).is_some_and(|own| self.names.iter().any(|name| is_called(&own, name)))
    }

    /// Whether a range is to be shown.
    pub(super) fn has_range(&self, range: &LocationRange) -> bool {
        let Some(code) = &range.code else { return true };
        let has = |at: &CodeAddress| at.section == code.section && code.range.contains(&at.offset);
        self.addresses.is_empty() || self.addresses.iter().any(has)
    }
}

/// Whether a variable is meant by a name: its own, as its programmer wrote it, or the last part of
/// that.
pub(super) fn is_called(own: &str, name: &str) -> bool {
    own == name
        || demangle(own).is_some_and(|whole| {
            whole == name || whole.strip_suffix(name).is_some_and(|scopes| scopes.ends_with("::"))
        })
}
