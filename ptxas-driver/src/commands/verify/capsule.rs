//! Whether the capsule is sound and says what the native sections say.

use cubin_read::verify::{Finding, Report, RuleId};
use merc_capsule::self_check::{Checked, Outcome, Part, self_check};
use merc_capsule::{SectionView, is_mercury, plan};
use nv_debug_sections::catalog::SectionName;
use nv_debug_sections::cubin::Cubin;
use std::collections::HashMap;

pub(super) fn check(cubin: &Cubin<'_>, report: &mut Report) {
    let views = SectionView::all(cubin);
    let clones = match plan(&views) {
        Ok(plan) => plan.clones,
        Err(error) => {
            report.push(finding(RuleId::CapsuleUnsound, "", error.to_string(), "a sound capsule"));
            return;
        }
    };
    // By name, with which headers: linked files have several of one name.
    let mut present: HashMap<&str, Vec<(u32, u64)>> = HashMap::new();
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
        Ok(checked) => checked.iter().filter_map(of_section).for_each(|finding| report.push(finding)),
        Err(error) => {
            let found = error.kind().to_string();
            let expected = "sections that can be compared";
            let finding = finding(RuleId::CapsuleUnsound, error.section(), found, expected);
            report.push(Finding { offset: error.offset(), ..finding });
        }
    }
}

fn of_section(checked: &Checked) -> Option<Finding> {
    let Checked { native, clone, part, outcome } = checked;
    match outcome {
        Outcome::Same | Outcome::NotTold => None,
        Outcome::Different(words) => {
            let expected = format!("what {clone} says");
            Some(finding(RuleId::CapsuleDiffers, native, words.clone(), &expected))
        }
        Outcome::Missing => {
            let is_needed = *part == Part::Text || SectionName::parse(native).is_debug();
            is_needed
                .then(|| finding(RuleId::CapsuleMissing, clone, "no such section".to_owned(), "this clone"))
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
