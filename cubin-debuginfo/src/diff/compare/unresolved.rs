//! Differences whose texts have not been looked up.

use super::super::difference::{Difference, Differences};
use super::super::difference_kind::DifferenceKind;
use super::{FactsOfSide, Texts, Words};
use std::collections::{BTreeMap, HashSet};

/// A difference whose words are hashed.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) key: DifferenceKind,
    pub(super) subject: String,
    pub(super) place: String,
    pub(super) a: Option<FactsOfSide>,
    pub(super) b: Option<FactsOfSide>,
}

/// The differences between two cubins, before their texts have been looked up. Most texts are still
/// kept as a hash only.
#[derive(Debug)]
pub struct Unresolved {
    pub(super) rows: Vec<Row>,
    pub(super) counts: BTreeMap<DifferenceKind, usize>,
    /// The words that are to be made again.
    pub(in crate::diff) wanted: HashSet<Words>,
    pub(in crate::diff) texts: Texts,
}

impl Unresolved {
    /// Whether texts of the differences still have to be read from the two cubins, with
    /// [`look_up_texts`](Self::look_up_texts).
    pub fn needs_texts(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Returns the differences with their texts. A text that was not looked up is empty.
    pub fn resolve(self) -> Differences {
        let Self { rows, counts, texts, .. } = self;
        let kept = rows.into_iter().map(|Row { key, subject, place, a, b }| {
            let is_item = [&a, &b].into_iter().flatten().any(|said| said.is_item);
            let [mut a, mut b] = [a, b].map(|said| said.map(|said| said.resolved(&texts)));
            let trimmed = |text: &Option<String>| text.as_deref().map(|text| text.trim().to_owned());
            // Blanks around an item are shown where nothing else differs.
            if is_item && trimmed(&a) != trimmed(&b) {
                (a, b) = (trimmed(&a), trimmed(&b));
            }
            Difference { key, subject, place, a, b }
        });
        Differences { kept: kept.collect(), counts }
    }
}
