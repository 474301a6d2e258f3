#![doc = include_str!("../README.md")]

mod limits;
pub mod page;
mod report;
mod rule;
mod summary;

pub use limits::MAX_FINDINGS;
pub use report::{Counts, Finding, Report};
pub use rule::{Rule, RuleTable, Severity, faults_of_table};
pub use summary::{ListedFinding, Summary, UnlistedFindings};
