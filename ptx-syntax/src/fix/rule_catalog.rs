//! The rules of `check` in words, with the repairs for each, and examples that break them.

use super::REPAIRS;
use crate::check::{RuleId, example};
use findings::{Catalog, RuleTable as _};

/// Returns all rules of [`check`](crate::check), each with the repairs for its findings.
pub fn catalog() -> Catalog {
    Catalog::of::<RuleId>().with_texts(|rule| {
        let answers = |info: &&super::RepairInfo| info.rules.iter().any(|id| id.rule().code == rule.code);
        let repairs = REPAIRS.iter().filter(answers);
        let words = repairs.map(|info| {
            let option = if info.default { "--fix".to_owned() } else { format!("--fix={}", info.name) };
            format!("{option}: {}", info.summary).into()
        });
        rule.more.mend.extend(words);
        rule.more.example = RuleId::named(rule.code).and_then(|row| example(row.id)).map(Into::into);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_with_a_repair_says_which() {
        let catalog = catalog();
        for rule in catalog.rules() {
            let row = RuleId::named(rule.code).unwrap();
            let repairs = rule.more.mend.iter().any(|what| what.starts_with("--fix"));
            assert_eq!(row.details.fixable, repairs, "{}", rule.code);
        }
        let rule = catalog.rules().iter().find(|rule| rule.name == "duplicate-file-index").unwrap();
        let text = rule.explanation().to_string();
        assert!(text.contains("\n\nptxas 13.0.88: "), "{text}");
        assert!(text.contains("\n\nTo mend it: --fix: "), "{text}");
    }
}
