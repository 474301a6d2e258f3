#![doc = include_str!("../README.md")]

mod limits;
pub mod page;
mod report;
mod rule;

pub use limits::MAX_FINDINGS;
pub use report::{Counts, Finding, Report};
pub use rule::{Rule, RuleTable, Severity, faults_of_table};
