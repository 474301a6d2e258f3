//! A finding about a section of a cubin, as a value that serde writes.

use crate::{Finding, RuleTable, Severity};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// A finding about a section of a cubin, as reports list it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CubinFinding")]
pub struct ListedFinding {
    /// The code of the broken rule, as in [verify.md](verify.md).
    pub code: &'static str,
    /// The name of the broken rule.
    pub name: &'static str,
    /// The severity of the broken rule.
    pub severity: Severity,
    /// The name of the section that breaks the rule; if a section is missing, the name that it
    /// would have.
    pub section: String,
    /// The byte offset in the section. For a row of a line table it is the offset of the address
    /// that begins the row's sequence.
    pub offset: u64,
    /// The symbol name of the function that the finding is about; `None` where none is known.
    pub function: Option<String>,
    /// What was found, in words.
    pub found: String,
    /// What was expected, in words.
    pub expected: String,
    /// The tool whose output is known to break the rule; `None` where there is none.
    pub known_fault_of: Option<&'static str>,
}

impl ListedFinding {
    pub(super) fn new<I: RuleTable>(finding: &Finding<I>, known_fault_of: Option<&'static str>) -> Self {
        let Finding { rule, section, offset, function, found, expected } = finding.clone();
        let (code, name, severity) = (rule.code, rule.name, rule.severity);
        Self { code, name, severity, section, offset, function, found, expected, known_fault_of }
    }

    /// Returns the finding in words, without its place.
    pub(crate) fn words(&self) -> String {
        let Self { found, expected, known_fault_of, .. } = self;
        let tool = known_fault_of.map(|tool| format!(" (known fault of {tool})")).unwrap_or_default();
        format!("{found}; expected {expected}{tool}")
    }
}

impl fmt::Display for ListedFinding {
    /// Writes the finding on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, severity, section, offset, function, .. } = self;
        write!(f, "{}[{code}]: {section}+{offset:#x}: ", severity.as_str())?;
        function.iter().try_for_each(|function| write!(f, "{function}: "))?;
        f.write_str(&self.words())
    }
}
