//! New names for what a module declares with dots.

use std::collections::{HashMap, HashSet};

use super::words::{UsedWord, WordKind, Words};
use super::{DOT, is_section_name};
use crate::lexer::{TokenKind, tokenize};
use crate::parser::Parsed;
use crate::text_range::TextRange;

/// The words of a module that mean something that is declared with dots in its name.
#[derive(Debug, Default)]
pub(crate) struct MangledNames {
    /// In the order of the text.
    words: Vec<MangledWord>,
}

/// A word that means something that is declared with dots in its name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MangledWord {
    pub(crate) range: TextRange,
    /// A name without dots that nothing else in the module has.
    pub(crate) name: String,
    /// Whether it is a kernel or a function, which others look up by its name.
    pub(crate) is_function: bool,
}

impl MangledNames {
    /// The words of a module. There is none in a text that the parser takes.
    pub(crate) fn of(parsed: &Parsed<'_>) -> Self {
        let text = parsed.module.text;
        if parsed.errors.is_empty() {
            return Self::default();
        }
        let words = Words::of(text);
        let dotted: Vec<_> = words
            .declared
            .iter()
            .map(|word| (word, Key { name: word.range.slice(text), kind: word.kind }))
            .filter(|(_, key)| key.name.contains('.') && !is_section_name(key.name))
            .collect();
        if dotted.is_empty() {
            return Self::default();
        }
        // Those of functions are advice, and wait for what is left.
        let (functions, others): (Vec<_>, Vec<_>) =
            dotted.iter().map(|(_, key)| *key).partition(|key| key.kind == WordKind::Function);
        let names = new_names(text, others.into_iter().chain(functions));
        let scopes: HashSet<(Key<'_>, Option<u32>)> =
            dotted.iter().map(|(word, key)| (*key, word.function)).collect();
        let word = |range: TextRange, key: &Key<'_>| {
            let is_function = key.kind == WordKind::Function;
            Some(MangledWord { range, name: names.get(key)?.clone(), is_function })
        };
        let of_declared = dotted.iter().filter_map(|(declared, key)| word(declared.range, key));
        let is_known = |key: &Key<'_>, function| match function {
            // Debug sections name what is inside of functions, too.
            None => names.contains_key(key),
            function => scopes.contains(&(*key, function)) || scopes.contains(&(*key, None)),
        };
        let of_used = words.used.iter().filter_map(|used| {
            let (range, key) = meant(text, used, &words, is_known)?;
            word(range, &key)
        });
        let mut words: Vec<_> = of_declared.chain(of_used).collect();
        words.sort_unstable();
        words.dedup();
        Self { words }
    }

    /// All words, in the order of the text.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &MangledWord> {
        self.words.iter()
    }

    /// The word that a place is in.
    pub(crate) fn at(&self, place: TextRange) -> Option<&MangledWord> {
        let after = self.words.partition_point(|word| word.range.start <= place.start);
        self.words.get(after.checked_sub(1)?).filter(|word| place.start < word.range.end)
    }
}

/// Something that is declared: its name, and what it is. Names of several functions may be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key<'a> {
    name: &'a str,
    kind: WordKind,
}

/// LLVM's form of each name. Where that is taken, it has the first number after it that makes a new
/// name.
fn new_names<'a>(text: &'a str, keys: impl Iterator<Item = Key<'a>>) -> HashMap<Key<'a>, String> {
    let mut taken: HashSet<String> = tokenize(text)
        .filter(|token| token.kind == TokenKind::Ident)
        .map(|token| token.range.slice(text).to_owned())
        .collect();
    let (mut names, mut clashes) = (HashMap::new(), Vec::new());
    let mut seen = HashSet::new();
    for key in keys.filter(|key| seen.insert(*key)) {
        let name = key.name.replace('.', DOT);
        if taken.insert(name.clone()) {
            names.insert(key, name);
        } else {
            clashes.push((key, name));
        }
    }
    // The numbers that have been tried for each of LLVM's forms.
    let mut numbers: HashMap<String, u32> = HashMap::new();
    for (key, usual) in clashes {
        let number = numbers.entry(usual.clone()).or_default();
        let name = loop {
            *number += 1;
            let name = format!("{usual}_{number}");
            if taken.insert(name.clone()) {
                break name;
            }
        };
        names.insert(key, name);
    }
    names
}

/// What a word means of all that is declared with dots, and how much of the word that is.
fn meant<'a>(
    text: &'a str,
    word: &UsedWord,
    words: &Words<'a>,
    is_known: impl Fn(&Key<'a>, Option<u32>) -> bool,
) -> Option<(TextRange, Key<'a>)> {
    let whole = word.range.slice(text);
    let find = |name: &'a str| {
        use WordKind::{Function, Label, Variable};
        let kinds = if word.is_called { [Function, Variable, Label] } else { [Variable, Label, Function] };
        let keys = kinds.map(|kind| Key { name, kind });
        keys.into_iter().find(|key| is_known(key, word.function))
    };
    // A component of a vector is not a part of the name.
    if let Some((vector, "x" | "y" | "z" | "w" | "r" | "g" | "b" | "a")) = whole.rsplit_once('.')
        && (words.vectors.contains(&(vector, word.function)) || words.vectors.contains(&(vector, None)))
    {
        let range = TextRange::new(word.range.start, word.range.start + vector.len() as u32);
        return find(vector).map(|key| (range, key));
    }
    if let Some(key) = find(whole) {
        return Some((word.range, key));
    }
    // A register of a family: the number stays.
    let family = whole.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let is_family = family.len() < whole.len()
        && (words.families.contains(&(family, word.function)) || words.families.contains(&(family, None)));
    let range = TextRange::new(word.range.start, word.range.start + family.len() as u32);
    find(family).filter(|_| is_family).map(|key| (range, key))
}
