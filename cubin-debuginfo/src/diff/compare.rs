//! Comparison of the facts of two files.

mod unresolved;

use super::difference_kind::DifferenceKind;

use crate::limits::MAX_ALIGNMENT_TIME;
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::time::Instant;

pub use unresolved::Unresolved;

use unresolved::Row;

/// A text, kept as its hash only. Both files have millions of equal lines; those that
/// differ are computed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Words(pub(super) u64);

/// The words that differences need.
pub(super) type Texts = HashMap<Words, String>;

/// The facts of one side of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FactsOfSide {
    text: String,
    /// Words that follow the text.
    words: Option<Words>,
    /// Whether it is an item of a list: blanks around it are left out where they say nothing.
    pub(super) is_item: bool,
}

impl From<String> for FactsOfSide {
    fn from(text: String) -> Self {
        Self { text, words: None, is_item: false }
    }
}

impl FactsOfSide {
    fn item(words: Words) -> Self {
        Self { text: String::new(), words: Some(words), is_item: true }
    }

    fn range(text: String, words: Words) -> Self {
        Self { text, words: Some(words), is_item: false }
    }

    pub(super) fn resolved(mut self, texts: &Texts) -> String {
        let words = self.words.and_then(|words| texts.get(&words)).map_or("", String::as_str);
        self.text.push_str(words);
        self.text
    }
}

/// The facts that hold for ranges of code. Functions at one place share them.
#[derive(Debug, Clone)]
pub(super) struct Ranges {
    /// Start, end, what is true there. Ascending, without overlap.
    pub(super) all: Rc<[(u64, u64, Words)]>,
    /// The hash of all ranges.
    pub(super) hash: u64,
}

impl PartialEq for Ranges {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Eq for Ranges {}

/// The facts that a file states under one key about one subject, such as a function or a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Facts {
    /// Facts that each have a name of their own; they are compared by name.
    Named(BTreeMap<String, String>),
    /// Facts in a meaningful order; they are compared as lists.
    Listed(Vec<Words>),
    /// Facts about ranges of code; they are compared by code address.
    Ranges(Ranges),
    /// The bytes of a section. Only the bytes that differ are shown.
    Bytes(Vec<u8>),
}

/// All facts of a file, by key and subject.
pub(super) type AllFacts = BTreeMap<(DifferenceKind, String), Facts>;

/// All differences, by key and subject, under the keys that are wanted; of each key at most `limit`
/// are kept.
pub(super) fn compare(
    a: &AllFacts,
    b: &AllFacts,
    wants: impl Fn(DifferenceKind) -> bool,
    limit: usize,
) -> Unresolved {
    let (mut rows, mut counts) = (Vec::new(), BTreeMap::<DifferenceKind, usize>::new());
    let mut subjects: Vec<&(DifferenceKind, String)> = a.keys().chain(b.keys()).collect();
    subjects.sort();
    subjects.dedup();
    for subject in subjects {
        let (key, name) = subject;
        if !wants(*key) {
            continue;
        }
        let mut add = |place: &dyn Fn() -> String, a: Option<FactsOfSide>, b: Option<FactsOfSide>| {
            let count = counts.entry(*key).or_default();
            *count += 1;
            if *count <= limit {
                rows.push(Row { key: *key, subject: name.clone(), place: place(), a, b });
            }
        };
        match (a.get(subject), b.get(subject)) {
            (Some(a), Some(b)) if a == b => {}
            (Some(Facts::Named(a)), Some(Facts::Named(b))) => named(a, b, &mut add),
            (Some(Facts::Listed(a)), Some(Facts::Listed(b))) => listed(a, b, &mut add),
            (Some(Facts::Ranges(a)), Some(Facts::Ranges(b))) => ranges(&a.all, &b.all, &mut add),
            (Some(Facts::Bytes(a)), Some(Facts::Bytes(b))) => bytes(a, b, &mut add),
            (a, b) => add(&String::new, a.map(Facts::summary), b.map(Facts::summary)),
        }
    }
    let sides = rows.iter().flat_map(|row| [&row.a, &row.b]);
    let wanted = sides.flatten().filter_map(|said| said.words).collect();
    Unresolved { rows, counts, wanted, texts: Texts::new() }
}

type Add<'f> = &'f mut dyn FnMut(&dyn Fn() -> String, Option<FactsOfSide>, Option<FactsOfSide>);

impl Facts {
    /// Bytes of memory, roughly.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Named(all) => {
                all.iter().map(|(name, value)| size_of_val(name) * 2 + name.len() + value.len()).sum()
            }
            Self::Listed(all) => size_of_val(&**all),
            // Taken when they were made.
            Self::Ranges(_) => 0,
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    /// In words, where the other file has nothing to compare with.
    fn summary(&self) -> FactsOfSide {
        let text = match self {
            Self::Named(all) => match all.iter().next() {
                Some((name, value)) if all.len() == 1 => format!("{name}: {value}"),
                _ => format!("{} items", all.len()),
            },
            Self::Listed(all) => match all.as_slice() {
                [one] => return FactsOfSide::item(*one),
                all => format!("{} items", all.len()),
            },
            Self::Ranges(ranges) => match &*ranges.all {
                [(start, end, what)] => return FactsOfSide::range(format!("{start:#x}..{end:#x}: "), *what),
                all => format!("{} ranges", all.len()),
            },
            Self::Bytes(bytes) => format!("{:#x} bytes", bytes.len()),
        };
        text.into()
    }
}

fn named(a: &BTreeMap<String, String>, b: &BTreeMap<String, String>, add: Add<'_>) {
    let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        if a.get(name) != b.get(name) {
            let said = |all: &BTreeMap<String, String>| all.get(name).cloned().map(FactsOfSide::from);
            add(&|| name.clone(), said(a), said(b));
        }
    }
}

/// Items that moved, came or went; runs of replaced items are shown in pairs.
fn listed(a: &[Words], b: &[Words], add: Add<'_>) {
    let deadline = Instant::now() + MAX_ALIGNMENT_TIME;
    for op in capture_diff_slices_deadline(Algorithm::Myers, a, b, Some(deadline)) {
        let (old, new) = match op {
            DiffOp::Equal { .. } => continue,
            DiffOp::Delete { old_index, old_len, .. } => (old_index..old_index + old_len, 0..0),
            DiffOp::Insert { new_index, new_len, .. } => (0..0, new_index..new_index + new_len),
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                (old_index..old_index + old_len, new_index..new_index + new_len)
            }
        };
        let (old, new) = (a.get(old).unwrap_or_default(), b.get(new).unwrap_or_default());
        for index in 0..old.len().max(new.len()) {
            let said = |all: &[Words]| all.get(index).copied().map(FactsOfSide::item);
            add(&String::new, said(old), said(new));
        }
    }
}

/// Addresses at which the two say different things; neighbours of the same difference are one.
fn ranges(a: &[(u64, u64, Words)], b: &[(u64, u64, Words)], add: Add<'_>) {
    let mut cuts: Vec<u64> = a.iter().chain(b).flat_map(|(start, end, _)| [*start, *end]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let said = |words: Option<Words>| words.map(|words| FactsOfSide::range(String::new(), words));
    let mut open: Option<(u64, u64, Option<Words>, Option<Words>)> = None;
    let (mut in_a, mut in_b) = (Walk::new(a), Walk::new(b));
    for (&start, &end) in cuts.iter().zip(cuts.iter().skip(1)) {
        let (old, new) = (in_a.at(start), in_b.at(start));
        match &mut open {
            Some((_, last, a, b)) if *last == start && (*a, *b) == (old, new) => *last = end,
            _ => {
                if let Some((start, end, a, b)) = open.take() {
                    add(&|| format!("{start:#x}..{end:#x}"), said(a), said(b));
                }
                if old != new {
                    open = Some((start, end, old, new));
                }
            }
        }
    }
    if let Some((start, end, a, b)) = open {
        add(&|| format!("{start:#x}..{end:#x}"), said(a), said(b));
    }
}

/// Ranges looked up by ascending address.
struct Walk<'r> {
    rest: &'r [(u64, u64, Words)],
}

impl<'r> Walk<'r> {
    fn new(rest: &'r [(u64, u64, Words)]) -> Self {
        Self { rest }
    }

    fn at(&mut self, address: u64) -> Option<Words> {
        while let Some(((_, end, _), rest)) = self.rest.split_first() {
            if *end > address {
                break;
            }
            self.rest = rest;
        }
        self.rest.first().filter(|(start, ..)| *start <= address).map(|(.., words)| *words)
    }
}

/// Describes the first difference between two byte strings, and the number of bytes that differ.
fn bytes(a: &[u8], b: &[u8], add: Add<'_>) {
    let common = a.len().min(b.len());
    let first = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(common);
    let differing = a.iter().zip(b).filter(|(a, b)| a != b).count() + (a.len().max(b.len()) - common);
    let side = |bytes: &[u8]| {
        let shown: Vec<String> = bytes.iter().skip(first).take(8).map(|byte| format!("{byte:02x}")).collect();
        if shown.is_empty() {
            format!("ends after {:#x} bytes", bytes.len())
        } else {
            format!("{} of {:#x} bytes", shown.join(" "), bytes.len())
        }
    };
    let words = if differing == 1 { "byte differs" } else { "bytes differ" };
    add(&|| format!("{first:#x}, {differing} {words}"), Some(side(a).into()), Some(side(b).into()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(a: Facts, b: Facts) -> Vec<(String, Option<String>, Option<String>)> {
        let all = |facts| AllFacts::from([((DifferenceKind::Lines, "f".to_owned()), facts)]);
        let mut found = compare(&all(a), &all(b), |_| true, usize::MAX);
        // The tests' words have one letter.
        let texts = found.wanted.iter().map(|words| (*words, char::from(words.0 as u8).to_string()));
        found.texts = texts.collect();
        let found = found.resolve();
        assert_eq!(found.counts.values().sum::<usize>(), found.kept.len());
        found.kept.into_iter().map(|d| (d.place, d.a, d.b)).collect()
    }

    fn ranges_of(all: &[(u64, u64, Words)]) -> Facts {
        let hash = all.iter().fold(0, |hash: u64, range| {
            hash.wrapping_mul(31).wrapping_add(range.0 ^ range.1 << 8 ^ range.2.0)
        });
        Facts::Ranges(Ranges { all: all.into(), hash })
    }

    fn words(letter: &str) -> Words {
        Words(letter.as_bytes()[0].into())
    }

    /// Sides as they come out.
    fn said<'t>(text: impl Into<Option<&'t str>>) -> Option<String> {
        text.into().map(str::to_owned)
    }

    #[test]
    fn ranges_differ_by_address_not_by_where_they_are_cut() {
        let range = |start, end, text: &str| (start, end, words(text));
        let a = ranges_of(&[range(0, 0x20, "1"), range(0x20, 0x40, "2")]);
        let cut = ranges_of(&[range(0, 0x10, "1"), range(0x10, 0x20, "1"), range(0x20, 0x40, "2")]);
        assert_eq!(differences(a.clone(), cut), []);
        let b = ranges_of(&[range(0x10, 0x30, "1"), range(0x30, 0x40, "3"), range(0x50, 0x60, "4")]);
        assert_eq!(
            differences(a, b),
            [
                ("0x0..0x10".to_owned(), said("1"), None),
                ("0x20..0x30".to_owned(), said("2"), said("1")),
                ("0x30..0x40".to_owned(), said("2"), said("3")),
                ("0x50..0x60".to_owned(), None, said("4")),
            ]
        );
    }

    #[test]
    fn lists_are_aligned_and_names_matched() {
        let list = |items: &[&str]| Facts::Listed(items.iter().map(|item| words(item)).collect());
        let found = differences(list(&["a", "b", "c", "d"]), list(&["x", "a", "c", "e"]));
        let want = [(None, said("x")), (said("b"), None), (said("d"), said("e"))];
        assert_eq!(found, want.map(|(a, b)| (String::new(), a, b)));
        let names = |all: &[(&str, &str)]| {
            Facts::Named(all.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
        };
        let found = differences(names(&[("a", "1"), ("b", "2")]), names(&[("b", "3"), ("c", "4")]));
        let want = [("a", said("1"), None), ("b", said("2"), said("3")), ("c", None, said("4"))];
        assert_eq!(found, want.map(|(place, a, b)| (place.to_owned(), a, b)));
    }

    #[test]
    fn bytes_show_the_first_difference() {
        let found = differences(Facts::Bytes(vec![1, 2, 3]), Facts::Bytes(vec![1, 9]));
        assert_eq!(
            found,
            [("0x1, 2 bytes differ".to_owned(), said("02 03 of 0x3 bytes"), said("09 of 0x2 bytes"))]
        );
    }
}
