//! Selection of rules: those that a user selects, without those that are ignored.

use crate::Catalog;
use std::collections::BTreeSet;

/// The rules that a user selected by `--select` and `--ignore`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    codes: BTreeSet<&'static str>,
}

/// The error for a word that does not name a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not a rule{}", near.map(|near| format!("; did you mean {near}?")).unwrap_or_default())]
pub struct UnknownRule {
    /// The word that names no rule.
    pub word: String,
    /// The code or name of a rule that looks most like the word; `None` if none does.
    pub near: Option<&'static str>,
}

/// The word that means all rules.
const ALL: &str = "ALL";

/// How similar a name must be to be shown, from 0 to 1 (Jaro-Winkler). As clap has it.
const MIN_SIMILARITY: f64 = 0.7;

impl Selection {
    /// Selects the rules of a catalog that `select` names, or all if it is empty, without those
    /// that `ignore` names.
    ///
    /// A word is a code, a name, the beginning of codes or `ALL`; codes and `ALL` in either case.
    /// Where several mean a rule, the one that means the fewest decides: `--select L --ignore ALL`
    /// leaves the rules of L. Of two alike, it is ignored.
    ///
    /// # Errors
    ///
    /// A word means no rule.
    pub fn new(
        catalog: &Catalog,
        select: &[impl AsRef<str>],
        ignore: &[impl AsRef<str>],
    ) -> Result<Self, UnknownRule> {
        let everything = if select.is_empty() { Some((0, true)) } else { None };
        // How long the longest word is that means each rule, and whether it selects.
        let mut decided = vec![everything; catalog.rules().len()];
        let selecting = select.iter().map(|word| (word.as_ref(), true));
        let ignoring = ignore.iter().map(|word| (word.as_ref(), false));
        for (word, selects) in selecting.chain(ignoring) {
            let mut is_known = false;
            for (decided, rule) in decided.iter_mut().zip(catalog.rules()) {
                let Some(length) = length_if_meant(word, rule.code, rule.name) else { continue };
                is_known = true;
                if decided.is_none_or(|(longest, _)| length >= longest) {
                    *decided = Some((length, selects));
                }
            }
            if !is_known {
                return Err(UnknownRule { word: word.to_owned(), near: near(catalog, word) });
            }
        }
        let rules = catalog.rules().iter().zip(decided);
        let codes = rules.filter(|(_, decided)| decided.is_some_and(|(_, selects)| selects));
        Ok(Self { codes: codes.map(|(rule, _)| rule.code).collect() })
    }

    /// Whether the rule with this code is selected.
    pub fn has(&self, code: &str) -> bool {
        self.codes.contains(code)
    }
}

/// How much of a rule's code a word says, if it means the rule. A name says as much as the code.
fn length_if_meant(word: &str, code: &str, name: &str) -> Option<usize> {
    if word.eq_ignore_ascii_case(ALL) {
        return Some(0);
    }
    let beginning = code.get(..word.len()).filter(|_| !word.is_empty());
    if beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(word)) {
        return Some(word.len());
    }
    (word == name).then_some(code.len())
}

/// The code or name that looks most like a word.
fn near(catalog: &Catalog, word: &str) -> Option<&'static str> {
    let upper = word.to_ascii_uppercase();
    let rules = catalog.rules().iter();
    let words = rules.flat_map(|rule| {
        [
            (strsim::jaro_winkler(&upper, rule.code), rule.code),
            (strsim::jaro_winkler(word, rule.name), rule.name),
        ]
    });
    let mut best: Option<(f64, &'static str)> = None;
    for (similarity, word) in words.filter(|(similarity, _)| *similarity > MIN_SIMILARITY) {
        if best.is_none_or(|(most, _)| similarity > most) {
            best = Some((similarity, word));
        }
    }
    best.map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::tests::Row;

    fn chosen(select: &[&str], ignore: &[&str]) -> Vec<&'static str> {
        Selection::new(&Catalog::of::<Row>(), select, ignore).unwrap().codes.into_iter().collect()
    }

    #[test]
    fn the_longest_word_decides() {
        assert_eq!(chosen(&[], &[]), ["A001", "A002", "A101", "B001"]);
        assert_eq!(chosen(&[], &["A0"]), ["A101", "B001"]);
        assert_eq!(chosen(&["a"], &["A00"]), ["A101"]);
        assert_eq!(chosen(&["A001", "B"], &["A"]), ["A001", "B001"]);
        assert_eq!(chosen(&["A"], &["ALL"]), ["A001", "A002", "A101"]);
        assert_eq!(chosen(&["all"], &["fourth-rule", "second"]), ["A001", "A101"]);
        assert_eq!(chosen(&["B001"], &["fourth-rule"]), [""; 0]);
        assert_eq!(chosen(&[], &["ALL"]), [""; 0]);
    }

    #[test]
    fn a_word_that_means_nothing_is_an_error_with_a_hint() {
        let error = |word| Selection::new(&Catalog::of::<Row>(), &[word], &[""; 0]).unwrap_err();
        assert_eq!(error("fourth-rul").near, Some("fourth-rule"));
        assert_eq!(error("b0O1").near, Some("B001"));
        for word in ["", "Z", "A0012", "FOURTH-RULE", "\u{e9}"] {
            assert_eq!(error(word).word, word);
        }
        assert_eq!(error("Z").to_string(), "`Z` is not a rule");
    }
}
