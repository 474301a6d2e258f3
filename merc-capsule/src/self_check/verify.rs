//! Checks of a capsule, with findings as the result.

use super::rules::RuleId;
use super::{CheckOutcome, CubinPart, SectionCheck, self_check};
use crate::clone_policy::is_mercury;
use crate::plan::plan;
use crate::section_view::SectionView;
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
    // Of a capsule whose rules are not known only the clones of debug sections are.
    let target = cubin.target();
    let is_known = target.release.knows_capsules_of(target.sm);
    let is_debug = |native| SectionName::parse(cubin.section_name(native)).is_debug();
    for clone in clones.iter().filter(|clone| is_known || is_debug(clone.original_index())) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// ptxas 13.5 gives `.nv.merc.nv.host` another type than ptxas 13.0. Observed: a kernel of
    /// cuTile.
    #[test]
    fn headers_of_a_capsule_with_unknown_rules_are_those_of_debug_sections() {
        for (file, has_finding) in [
            (&include_bytes!("../../../corpus/releases/13.0-sm_120.cubin")[..], true),
            (&include_bytes!("../../../corpus/releases/13.5-sm_120.cubin")[..], false),
        ] {
            let mut cubin = Cubin::parse(file).unwrap();
            let is_other = |name: &str| name.starts_with(".nv.merc.nv.shared");
            let other = cubin.iter().position(|(_, name, _)| is_other(name)).unwrap();
            cubin.sections[other].sh_type = 0x7000_0087;
            let codes: Vec<_> = verify(&cubin).findings().iter().map(|finding| finding.rule.code).collect();
            assert_eq!(codes.contains(&"C003"), has_finding, "{codes:?}");
        }
    }
}
