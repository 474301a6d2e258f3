//! What a rule of `verify` has in addition to code, name and summary.

/// What a rule of [`verify`](super) has in addition to code, name and summary: its reason, and the
/// tools that break it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// The consequence if a cubin breaks the rule, or the source that the rule comes from.
    pub why: &'static str,
    /// The tools that are known to break the rule, with their versions; `None` if no tool does. The
    /// codes of rules that a tool breaks start at 101.
    pub fault_of: Option<&'static str>,
}
