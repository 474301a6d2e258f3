//! The rules for which `coverage` fails: limits that a function must meet, and faults that prevent
//! the comparison with limits.

pub mod file_findings;

use super::measure::Measure;
use super::report::Report;
use super::shortfall::Shortfall;
use crate::coverage::rules::file_findings::of_file;
use RuleId as Id;
use findings::{
    FindingFile, FindingPosition, KnownFindings, LocatedFinding, RuleDetails, RuleTable, Selection, Severity,
    subject_of_words,
};

/// A rule of `coverage`: a requirement on a file, and the consequence if it is broken.
pub type Rule = findings::Rule<RuleId>;

/// The rules of `coverage`. The number of each variant is the index of its row in [`RULES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
#[allow(missing_docs)] // the table says what each one is
pub enum RuleId {
    MinLines,
    MinOwn,
    MaxInherited,
    MinVariables,
    RegisterMap,
    NoCode,
    UnrelatedPtx,
}

impl RuleTable for RuleId {
    type Details = &'static str;
    const SUBJECTS: &'static [(char, &'static str)] = &[('G', "gaps in what debug information covers")];

    fn rules() -> &'static [Rule] {
        &RULES
    }

    fn index(self) -> usize {
        self as usize
    }

    fn details_of(rule: &'static Rule) -> RuleDetails {
        let mend = match rule.id {
            Id::MinLines | Id::MinOwn | Id::MaxInherited => Some(
                "`compile --line-table full` has rows that ptxas leaves out; `lines` shows which code has none.",
            ),
            Id::MinVariables => {
                Some("`compile --debug-opt keep` has locations that ptxas drops; `vars` shows the variables.")
            }
            Id::RegisterMap => Some("`verify` says what is wrong with the map."),
            Id::NoCode => Some(
                "Give the file that has the code, with --debug-file if its debug sections are elsewhere.",
            ),
            Id::UnrelatedPtx => {
                Some("Give the PTX that the files were made from; --path-map if its paths were replaced.")
            }
        };
        let mend = mend.into_iter().map(Into::into).collect();
        RuleDetails { why: Some(rule.details.into()), mend, ..RuleDetails::default() }
    }
}

const fn row(
    id: RuleId,
    code: &'static str,
    name: &'static str,
    summary: &'static str,
    why: &'static str,
) -> Rule {
    Rule { id, code, name, severity: Severity::Error, summary, details: why }
}

/// The rules of `coverage`, in the order of their codes.
#[rustfmt::skip] // one rule, one place
pub static RULES: [Rule; 7] = [
    row(Id::MinLines, "G001", "min-lines", "The share of a function's instructions with a line is at least that of --min-lines.", "For the others nothing says which source they come from."),
    row(Id::MinOwn, "G002", "min-own", "The share of a function's instructions with a line of their own is at least that of --min-own.", "The others have the line of the row before them, which may be of other code."),
    row(Id::MaxInherited, "G003", "max-inherited", "The share of a function's instructions that inherit their line is at most that of --max-inherited.", "They are shown at a line that is not theirs."),
    row(Id::MinVariables, "G004", "min-vars", "The share of the bytes of a function's scopes at which variables have a location is at least that of --min-vars.", "Elsewhere a debugger shows the variable as optimized out. If a function has no entry in .debug_info, it shows no variable at all."),
    row(Id::RegisterMap, "G005", "register-map", "The register map can be read.", "Otherwise variables that are in SASS registers are not all counted."),
    row(Id::NoCode, "G006", "no-code", "A file that is compared with limits has code to which they apply.", "Without code every limit would be met, though nothing was checked."),
    row(Id::UnrelatedPtx, "G007", "unrelated-ptx", "The PTX of --ptx has a function, source file or variable of a file that is read.", "Otherwise all of the PTX would seem to be lost."),
];

impl Measure {
    /// The rule that a function breaks if its coverage is below a limit for this measure.
    pub fn rule(self) -> &'static Rule {
        let id = match self {
            Self::Lines => Id::MinLines,
            Self::Own => Id::MinOwn,
            Self::Inherited => Id::MaxInherited,
            Self::Variables | Self::VariablesWithoutEntry => Id::MinVariables,
        };
        id.rule()
    }
}

impl Report {
    /// Keeps the findings of the selected rules only.
    pub fn select(&mut self, selection: &Selection) {
        for function in &mut self.functions {
            function.below.retain(|shortfall| selection.has(shortfall.measure.rule().code));
        }
        self.register_fault.take_if(|_| !selection.has(Id::RegisterMap.rule().code));
    }

    /// Removes the findings that a baseline already lists for the file called `file`. A function
    /// below a limit stays out while its coverage is not lower than in the baseline.
    pub fn leave_out(&mut self, file: &str, known: &mut KnownFindings) {
        let before = known.taken();
        for function in &mut self.functions {
            let name = &function.name;
            function.below.retain(|shortfall| {
                let is_no_worse = |share: &str| shortfall.is_no_worse_than(share);
                let code = shortfall.measure.rule().code;
                !known.take_similar(file, code, &beginning_of_subject(name), is_no_worse)
            });
        }
        let is_known = |error: &mut String| {
            known.take(file, Id::RegisterMap.rule().code, &subject_of_words(REGISTER_MAP, error))
        };
        self.register_fault.take_if(is_known);
        self.in_baseline = Some(known.taken() - before);
    }

    /// Returns the findings of the report, each with its position in `file`.
    pub fn located(&self, file: &FindingFile) -> Vec<LocatedFinding> {
        let register_fault = self.register_fault.iter().map(|error| {
            let message = format!("{error}; not all that is in SASS registers is counted");
            let subject = subject_of_words(REGISTER_MAP, error);
            of_file(Id::RegisterMap, file, message, subject)
        });
        let shortfalls = self.functions.iter().flat_map(|function| {
            function.below.iter().map(|shortfall| of_function(file, &function.name, shortfall))
        });
        register_fault.chain(shortfalls).collect()
    }
}

const REGISTER_MAP: &str = ".nv_debug_info_reg_sass";

fn of_function(file: &FindingFile, function: &str, shortfall: &Shortfall) -> LocatedFinding {
    let Rule { code, name, severity, .. } = *shortfall.measure.rule();
    let place = FindingPosition {
        file: file.clone(),
        function: Some(function.to_owned()),
        ..FindingPosition::default()
    };
    let (message, subject) = (shortfall.to_string(), subject_of_shortfall(function, shortfall));
    LocatedFinding { code, name, severity, message, place, related: None, help: None, subject }
}

/// The function, and its share in percent.
fn subject_of_shortfall(function: &str, shortfall: &Shortfall) -> String {
    format!("{}{:.1}", beginning_of_subject(function), shortfall.found)
}

fn beginning_of_subject(function: &str) -> String {
    subject_of_words(function, "")
}

impl Shortfall {
    /// Whether the share is at least as good as the one that [`subject_of_shortfall`] kept.
    fn is_no_worse_than(&self, share: &str) -> bool {
        // Both with the same number of digits.
        let Some((was, is)) = share.parse::<f64>().ok().zip(format!("{:.1}", self.found).parse::<f64>().ok())
        else {
            return false;
        };
        if self.measure == Measure::Inherited { is <= was } else { is >= was }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use findings::BaselineBuilder;

    #[test]
    fn the_table_is_sound() {
        assert_eq!(findings::rule_table_faults::<RuleId>(), [""; 0]);
        assert!(RULES.iter().all(|rule| rule.details.ends_with('.')));
    }

    #[test]
    fn a_shortfall_that_is_known_stays_known_until_it_gets_worse() {
        let shortfall = |measure, found| Shortfall { measure, found, limit: 95.0 };
        let file = FindingFile::new("a.cubin", None);
        let mut builder = BaselineBuilder::default();
        builder.add(&of_function(&file, "k1", &shortfall(Measure::Lines, 89.96)));
        builder.add(&of_function(&file, "k1", &shortfall(Measure::Inherited, 97.0)));
        let known = builder.finish("coverage").known();
        let strike = |function, measure: Measure, found| {
            let is_no_worse = |share: &str| shortfall(measure, found).is_no_worse_than(share);
            let (code, beginning) = (measure.rule().code, beginning_of_subject(function));
            known.clone().take_similar("a.cubin", code, &beginning, is_no_worse)
        };
        assert!(strike("k1", Measure::Lines, 90.0) && strike("k1", Measure::Lines, 93.0));
        assert!(!strike("k1", Measure::Lines, 89.0) && !strike("k1", Measure::Lines, 9.5));
        assert!(strike("k1", Measure::Inherited, 96.0) && !strike("k1", Measure::Inherited, 98.0));
        assert!(!strike("k1", Measure::Own, 90.0) && !strike("k2", Measure::Lines, 90.0));
    }
}
