//! How many findings each rule has.

use crate::{Rule, RuleTable};
use std::marker::PhantomData;

/// Counts the findings of each rule of a table, and decides which of them are kept: a limited
/// number of each rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts<I> {
    limit: usize,
    of_rule: Vec<usize>,
    table: PhantomData<I>,
}

impl<I: RuleTable> Counts<I> {
    /// Creates counts of 0. At most `limit` findings of each rule will be kept.
    pub fn new(limit: usize) -> Self {
        Self { limit, of_rule: vec![0; I::rules().len()], table: PhantomData }
    }

    /// Counts a finding of a rule. Returns whether the finding is to be kept.
    pub fn add(&mut self, rule: I) -> bool {
        let Some(count) = self.of_rule.get_mut(rule.index()) else { return false };
        *count = count.saturating_add(1);
        *count <= self.limit
    }

    /// Whether the limit of kept findings of a rule is reached. Further findings are only counted.
    pub fn is_full(&self, rule: I) -> bool {
        self.of(rule) >= self.limit
    }

    /// The number of all findings of a rule, kept or not.
    pub fn of(&self, rule: I) -> usize {
        self.of_rule.get(rule.index()).copied().unwrap_or(0)
    }

    /// The number of findings of a rule that are counted and not kept.
    pub fn beyond_limit(&self, rule: I) -> usize {
        self.of(rule).saturating_sub(self.limit)
    }

    /// Iterates over the rules with findings that are counted and not kept, each with the number of
    /// these findings, in the order of the table.
    pub fn more(&self) -> impl Iterator<Item = (&'static Rule<I>, usize)> {
        let more = I::rules().iter().map(|rule| (rule, self.beyond_limit(rule.id)));
        more.filter(|(_, more)| *more > 0)
    }
}
