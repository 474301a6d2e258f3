#![doc = include_str!("../README.md")]

mod baseline;
mod catalog;
mod finding;
mod finding_file;
pub mod format;
mod limits;
mod located_finding;
pub mod page;
mod report;
mod rule;
mod rule_details;
mod rule_text;
mod selection;
mod subject;
mod summary;

pub use baseline::{BASELINE_VERSION, Baseline, BaselineBuilder, BaselineError, KnownFindings};
pub use catalog::Catalog;
pub use finding::Finding;
pub use finding_file::FindingFile;
pub use limits::{MAX_FINDINGS, MAX_SUBJECT};
pub use located_finding::{FindingPosition, LocatedFinding, Region, SectionOffset};
pub use report::{Counts, Report};
pub use rule::{Rule, RuleTable, Severity, rule_table_faults};
pub use rule_details::{RuleDetails, ToolWords};
pub use rule_text::{Explanation, RuleText};
pub use selection::{Selection, UnknownRule};
pub use subject::{subject_of_line, subject_of_words};
pub use summary::{ListedFinding, Summary, UnlistedFindings};
