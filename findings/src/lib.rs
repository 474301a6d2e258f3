#![doc = include_str!("../README.md")]

mod baseline;
mod catalog;
pub mod format;
mod limits;
mod located;
pub mod page;
mod report;
mod rule;
mod rule_details;
mod selection;
mod summary;

pub use baseline::{BASELINE_VERSION, Baseline, BaselineBuilder, BaselineError, KnownFindings};
pub use catalog::{Catalog, Explanation, RuleText};
pub use limits::{MAX_FINDINGS, MAX_SUBJECT};
pub use located::{
    FindingFile, FindingPosition, LocatedFinding, Region, SectionOffset, subject_of_line, subject_of_words,
};
pub use report::{Counts, Finding, Report};
pub use rule::{Rule, RuleTable, Severity, rule_table_faults};
pub use rule_details::{RuleDetails, ToolWords};
pub use selection::{Selection, UnknownRule};
pub use summary::{ListedFinding, Summary, UnlistedFindings};
