//! Baselines: known findings, so that only new ones count.
//!
//! A finding is known if a baseline has one of the same rule and file about the same
//! [subject](crate::LocatedFinding::subject): of text its line, of a cubin the function or section
//! and the words without numbers. Each known one stands for one finding. Of rules that break so
//! often that some findings are only counted, the baseline has their number.

use crate::LocatedFinding;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// The schema of a baseline.
const SCHEMA: &str = "nvdwarf.baseline";
/// The version of the format of baselines, which is that of the JSON documents of commands. It is
/// raised when an older reader would misread a baseline.
pub const BASELINE_VERSION: u32 = 2;

/// The known findings of a command, as `--write-baseline` stores them in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Baseline {
    /// `nvdwarf.baseline`
    #[schemars(skip)]
    schema: String,
    /// [`BASELINE_VERSION`]
    #[schemars(skip)]
    schema_version: u32,
    /// The command whose findings they are.
    command: String,
    /// The findings, by file, rule and subject.
    findings: Vec<KnownFinding>,
}

/// A known finding, or several equal ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
struct KnownFinding {
    /// The path of the file, from the folder that the command ran in if it is below that; of an
    /// image a colon and the image.
    file: String,
    /// The code of the rule.
    rule: String,
    /// The subject of the findings: for PTX the line, for cubins the function or section and the
    /// words without numbers. Absent for findings that are only counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subject: Option<String>,
    /// The number of such findings.
    count: usize,
}

/// Why a baseline cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The text is not JSON, or lacks members that a baseline has.
    #[error("not a baseline: {0}")]
    Json(serde_json::Error),
    /// The JSON document says that it is something other than a baseline.
    #[error("not a baseline: its schema is `{0}`, expected `{SCHEMA}`")]
    Schema(String),
    /// The baseline has another version than [`BASELINE_VERSION`]: another version of the program
    /// made it.
    #[error("a baseline of version {0}, expected {BASELINE_VERSION}")]
    Version(u32),
    /// The baseline was made by another command, whose codes mean other rules.
    #[error("a baseline of `{found}`, expected one of `{expected}`")]
    Command {
        /// The command that it is of.
        found: String,
        /// The command that reads it.
        expected: String,
    },
}

impl Baseline {
    /// Parses the text of a baseline of `command`.
    ///
    /// # Errors
    ///
    /// It is something else, of another version or of another command.
    pub fn parse(text: &[u8], command: &str) -> Result<Self, BaselineError> {
        #[derive(Deserialize)]
        struct Head {
            schema: String,
            schema_version: u32,
        }
        let Head { schema, schema_version } = serde_json::from_slice(text).map_err(BaselineError::Json)?;
        if schema != SCHEMA {
            return Err(BaselineError::Schema(schema));
        }
        if schema_version != BASELINE_VERSION {
            return Err(BaselineError::Version(schema_version));
        }
        let baseline: Self = serde_json::from_slice(text).map_err(BaselineError::Json)?;
        if baseline.command != command {
            let (found, expected) = (baseline.command, command.to_owned());
            return Err(BaselineError::Command { found, expected });
        }
        Ok(baseline)
    }

    /// Returns the findings of the baseline, to be matched with those of a new run.
    pub fn known(&self) -> KnownFindings {
        let mut known = KnownFindings::default();
        for KnownFinding { file, rule, subject, count } in &self.findings {
            let key = (file.clone(), rule.clone());
            let left = match subject {
                Some(subject) => known.listed.entry(key).or_default().entry(subject.clone()).or_default(),
                None => known.unlisted.entry(key).or_default(),
            };
            *left = left.saturating_add(*count);
        }
        known
    }
}

/// The findings of a baseline that no finding of the run has matched yet.
#[derive(Debug, Clone, Default)]
pub struct KnownFindings {
    /// By file and rule, then by subject.
    listed: HashMap<(String, String), BTreeMap<String, usize>>,
    unlisted: HashMap<(String, String), usize>,
    met: usize,
}

impl KnownFindings {
    /// Returns whether the baseline has a finding with this file, rule code and subject. Each
    /// finding of the baseline matches once only.
    ///
    /// Where some of a rule's findings in a file are only counted, those that are listed may be
    /// others than they were: one with a new subject then counts as one of these.
    pub fn take(&mut self, file: &str, code: &str, subject: &str) -> bool {
        let key = (file.to_owned(), code.to_owned());
        let listed = self.listed.get_mut(&key).and_then(|subjects| subjects.get_mut(subject));
        let is_known = take_up_to(listed, 1) == 1 || take_up_to(self.unlisted.get_mut(&key), 1) == 1;
        self.met += usize::from(is_known);
        is_known
    }

    /// Returns whether the baseline has a finding whose subject begins with `beginning`, and for
    /// whose rest `is_accepted` returns true. Each finding of the baseline matches once only, as in
    /// [`take`](Self::take). This is for subjects that end with a number that may change.
    pub fn take_similar(
        &mut self,
        file: &str,
        code: &str,
        beginning: &str,
        is_accepted: impl Fn(&str) -> bool,
    ) -> bool {
        let Some(subjects) = self.listed.get_mut(&(file.to_owned(), code.to_owned())) else { return false };
        let alike = subjects.range_mut(beginning.to_owned()..);
        let mut ends = alike.map_while(|(subject, left)| Some((subject.strip_prefix(beginning)?, left)));
        let found = ends.find(|(end, left)| **left > 0 && is_accepted(end));
        let is_known = take_up_to(found.map(|(_, left)| left), 1) == 1;
        self.met += usize::from(is_known);
        is_known
    }

    /// Returns how many of `count` findings of a rule in a file are not in the baseline. For
    /// findings that are counted and not listed; call it after [`take`](Self::take) for those that
    /// are listed.
    pub fn take_unlisted(&mut self, file: &str, code: &str, count: usize) -> usize {
        let known = take_up_to(self.unlisted.get_mut(&(file.to_owned(), code.to_owned())), count);
        self.met = self.met.saturating_add(known);
        count - known
    }

    /// The number of findings of the run that were in the baseline so far.
    pub fn taken(&self) -> usize {
        self.met
    }
}

/// Takes up to `count` of what is left, and says how many.
fn take_up_to(left: Option<&mut usize>, count: usize) -> usize {
    let Some(left) = left else { return 0 };
    let taken = count.min(*left);
    *left -= taken;
    taken
}

/// Collects the findings of a new baseline.
#[derive(Debug, Clone, Default)]
pub struct BaselineBuilder {
    /// By file, rule and subject, so that the text of the baseline is the same whichever file was
    /// looked at first.
    findings: BTreeMap<(String, String, Option<String>), usize>,
}

impl BaselineBuilder {
    /// Adds a finding to the baseline.
    pub fn add(&mut self, finding: &LocatedFinding) {
        self.count(finding.place.file.stable(), finding.code, Some(&finding.subject), 1);
    }

    /// Adds `count` findings of a rule in a file that are counted and not listed.
    pub fn add_unlisted(&mut self, file: &str, code: &str, count: usize) {
        self.count(file.to_owned(), code, None, count);
    }

    fn count(&mut self, file: String, code: &str, subject: Option<&str>, count: usize) {
        let known = self.findings.entry((file, code.to_owned(), subject.map(str::to_owned))).or_default();
        *known = known.saturating_add(count);
    }

    /// Returns the finished baseline, for the command called `command`.
    pub fn finish(self, command: &str) -> Baseline {
        let known = |((file, rule, subject), count)| KnownFinding { file, rule, subject, count };
        Baseline {
            schema: SCHEMA.to_owned(),
            schema_version: BASELINE_VERSION,
            command: command.to_owned(),
            findings: self.findings.into_iter().map(known).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::of_text;

    fn baseline(count: usize, unlisted: usize) -> Baseline {
        let mut builder = BaselineBuilder::default();
        (0..count).for_each(|_| builder.add(&of_text()));
        if unlisted > 0 {
            builder.add_unlisted("a b/k,1.ptx", "A001", unlisted);
        }
        let text = serde_json::to_vec(&builder.finish("check")).unwrap();
        Baseline::parse(&text, "check").unwrap()
    }

    #[test]
    fn a_second_one_is_new() {
        let mut known = baseline(2, 0).known();
        let mut strike = |code, subject| known.take("a b/k,1.ptx", code, subject);
        assert_eq!([strike("A002", "text"), strike("A001", "txt")], [false, false]);
        assert_eq!(
            [strike("A001", "text"), strike("A001", "text"), strike("A001", "text")],
            [true, true, false]
        );
        assert!(!known.take("other.ptx", "A001", "text"));
        assert_eq!(known.taken(), 2);
    }

    #[test]
    fn of_those_that_are_counted_the_sum_is_known() {
        // One listed finding was mended, so that another one is listed in its place.
        let mut known = baseline(1, 3).known();
        assert_eq!(baseline(1, 3).findings.iter().map(|known| known.count).sum::<usize>(), 4);
        assert!(known.take("a b/k,1.ptx", "A001", "another"));
        assert_eq!(known.take_unlisted("a b/k,1.ptx", "A001", 2), 0);
        assert_eq!(known.take_unlisted("a b/k,1.ptx", "A001", 2), 2);
        assert_eq!(known.taken(), 3);
    }

    #[test]
    fn the_text_does_not_depend_on_the_order() {
        let other = LocatedFinding { subject: "a".to_owned(), ..of_text() };
        let made = |findings: [&LocatedFinding; 2]| {
            let mut builder = BaselineBuilder::default();
            for finding in findings {
                builder.add(finding);
            }
            serde_json::to_string(&builder.finish("check")).unwrap()
        };
        assert_eq!(made([&other, &of_text()]), made([&of_text(), &other]));
        let finding = r#"{"file":"a b/k,1.ptx","rule":"A001","subject":"a","count":1}"#;
        assert!(made([&other, &of_text()]).contains(finding));
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        let error = |text: &str| Baseline::parse(text.as_bytes(), "verify").unwrap_err().to_string();
        let of = |schema, version: u32| {
            format!(r#"{{"schema":"{schema}","schema_version":{version},"command":"check","findings":[]}}"#)
        };
        assert!(error("[]").starts_with("not a baseline: "));
        let schema = "not a baseline: its schema is `nvdwarf.check`, expected `nvdwarf.baseline`";
        assert_eq!(error(&of("nvdwarf.check", 2)), schema);
        assert_eq!(error(&of(SCHEMA, 9)), "a baseline of version 9, expected 2");
        assert_eq!(error(&of(SCHEMA, 2)), "a baseline of `check`, expected one of `verify`");
    }
}
