#![doc = include_str!("../README.md")]

pub mod page;
mod report;
mod rule;

pub use report::{Counts, Finding, MAX_FINDINGS, Report};
pub use rule::{Rule, RuleTable, Severity, faults_of_table};
