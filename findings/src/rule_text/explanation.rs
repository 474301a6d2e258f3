//! The explanation of a rule.

use super::RuleText;
use std::fmt;

/// The explanation of a rule, as text of several lines without a final line end.
#[derive(Debug, Clone, Copy)]
pub struct Explanation<'r>(pub(super) &'r RuleText);

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = self.0;
        let RuleText { code, name, severity, subject, more, .. } = rule;
        write!(f, "{code} {name} ({}; {subject})", severity.as_str())?;
        for (label, text) in rule.lines() {
            let colon = if label.is_empty() { "" } else { ": " };
            write!(f, "\n\n{label}{colon}{text}")?;
        }
        if let Some(example) = &more.example {
            f.write_str("\n\nExample:\n")?;
            example.lines().try_for_each(|line| {
                f.write_str("\n")?;
                if line.is_empty() { Ok(()) } else { write!(f, "    {line}") }
            })?;
        }
        Ok(())
    }
}
