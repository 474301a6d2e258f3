//! Checks of a capsule, with findings as the result.

use super::rules::RuleId;
use super::{CheckOutcome, CubinPart, SectionCheck, self_check};
use crate::clone_policy::is_mercury;
use crate::plan::{SectionView, plan};
use findings::RuleTable as _;
use foldhash::HashMap;
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::Cubin;

/// A finding of [`verify`]: something that breaks a rule of a capsule.
pub type Finding = findings::Finding<RuleId>;

/// The report of [`verify`]: its findings about the capsule of a cubin.
pub type Report = findings::Report<RuleId>;

/// Checks that the capsule of a cubin is sound and agrees with the native sections: runs
/// [`self_check`] with recovered address maps, and checks the headers of clones. Data that cannot
/// be read is a finding too.
pub fn verify(cubin: &Cubin<'_>) -> Report {
    let mut report = Report::default();
    let views = SectionView::all(cubin);
    let clones = match plan(&views) {
        Ok(plan) => plan.clones,
        Err(error) => {
            report.push(finding(RuleId::CapsuleUnsound, "", error.to_string(), "a sound capsule"));
            return report;
        }
    };
    // By name, with which headers: linked files have several of one name.
    let mut present: HashMap<&str, Vec<(u32, u64)>> = HashMap::default();
    for view in views.iter().filter(|view| is_mercury(view.flags)).rev() {
        present.entry(view.name).or_default().push((view.sh_type, view.flags));
    }
    for clone in &clones {
        let header = present.get_mut(&*clone.name).and_then(Vec::pop);
        let Some((sh_type, flags)) = header.filter(|header| *header != (clone.sh_type, clone.flags)) else {
            continue;
        };
        let found = format!("type {sh_type:#x}, flags {flags:#x}");
        let expected = format!("type {:#x}, flags {:#x}", clone.sh_type, clone.flags);
        report.push(finding(RuleId::CapsuleHeader, &clone.name, found, &expected));
    }
    match self_check(cubin, None) {
        Ok(checked) => {
            checked.iter().filter_map(SectionCheck::finding).for_each(|finding| report.push(finding));
        }
        Err(error) => {
            let found = error.kind().to_string();
            let expected = "sections that can be compared";
            let finding = finding(RuleId::CapsuleUnsound, error.section(), found, expected);
            report.push(Finding { offset: error.offset(), ..finding });
        }
    }
    report
}

impl SectionCheck {
    /// Returns the finding for a section that breaks a rule of the capsule; `None` if it breaks no
    /// rule.
    pub fn finding(&self) -> Option<Finding> {
        let Self { native, clone, part, outcome } = self;
        match outcome {
            CheckOutcome::Same | CheckOutcome::NotChecked => None,
            CheckOutcome::Different(words) => {
                let expected = format!("what {clone} says");
                Some(finding(RuleId::CapsuleDiffers, native, words.clone(), &expected))
            }
            CheckOutcome::Missing => {
                let is_needed = *part == CubinPart::Text || SectionName::parse(native).is_debug();
                let missing =
                    || finding(RuleId::CapsuleMissing, clone, "no such section".to_owned(), "this clone");
                is_needed.then(missing)
            }
        }
    }
}

fn finding(rule: RuleId, section: &str, found: String, expected: &str) -> Finding {
    Finding {
        rule: rule.rule(),
        section: section.to_owned(),
        offset: 0,
        function: None,
        found,
        expected: expected.to_owned(),
    }
}
