//! The lines of one source file.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The lines of one source file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileLines {
    /// The path of the source file; `None` where the file table has no such entry.
    pub file: Option<String>,
    /// The 1-based lines in the source file, ascending.
    pub lines: Vec<u32>,
}

impl FileLines {
    /// Lines by file.
    pub(super) fn by_file<K: Ord>(
        lines: impl Iterator<Item = (K, u32)>,
        name: impl Fn(K) -> Option<String>,
    ) -> Vec<Self> {
        let mut by_file: BTreeMap<K, Vec<u32>> = BTreeMap::new();
        for (file, line) in lines {
            by_file.entry(file).or_default().push(line);
        }
        by_file.into_iter().map(|(file, lines)| Self { file: name(file), lines }).collect()
    }

    /// Returns the lines of `all` that `others` does not have. Both are sorted.
    pub fn without(all: &[Self], others: &[Self]) -> Vec<Self> {
        let left = all.iter().filter_map(|of| {
            let other = others.iter().find(|other| other.file == of.file);
            let is_left = |line: &&u32| other.is_none_or(|other| other.lines.binary_search(line).is_err());
            let lines: Vec<u32> = of.lines.iter().filter(is_left).copied().collect();
            (!lines.is_empty()).then(|| Self { file: of.file.clone(), lines })
        });
        left.collect()
    }
}
