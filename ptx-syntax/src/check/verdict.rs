//! Whether the ptxas of a release accepts a module.

use super::rules::Rule;
use std::fmt;

/// Whether the ptxas of a release accepts a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// ptxas writes a cubin.
    Accept,
    /// ptxas refuses the module, or crashes on it. The rule is the first one whose violation has
    /// this effect.
    Reject(&'static Rule),
    /// ptxas may accept the module or not: what it does about this rule is not known. No rule is
    /// known to refuse it.
    NotKnown(&'static Rule),
}

impl fmt::Display for Verdict {
    /// `accept`, `reject CODE` or `not known CODE`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accept => f.write_str("accept"),
            Self::Reject(rule) => write!(f, "reject {}", rule.code),
            Self::NotKnown(rule) => write!(f, "not known {}", rule.code),
        }
    }
}
