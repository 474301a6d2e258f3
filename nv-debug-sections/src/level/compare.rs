//! Comparison of the debug sections of a file with those that are expected.

use super::section_expectation::{Requirement, SectionExpectation};
use crate::catalog::{SectionHeaderFields, SectionKind, SectionName};
use crate::cubin::{Cubin, SectionIndex};
use std::collections::HashSet;

/// The debug sections of a file that are missing, extra or have an odd header.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Comparison<'a> {
    /// Names of debug sections that are expected, but that the file does not have.
    pub missing: Vec<SectionName<'a>>,
    /// Indices of debug sections that the file has, but that are not expected. A second section of
    /// an expected name is one of them.
    pub extra: Vec<SectionIndex>,
    /// Debug sections of the file whose header differs from that of other sections of the same
    /// name.
    pub odd: Vec<OddHeader>,
}

/// A debug section with an unexpected section type, flags or links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OddHeader {
    /// The index of the section whose header does not fit its name.
    pub section: SectionIndex,
    /// The difference from the expected header.
    pub what: HeaderOddity,
}

/// How a section header differs from what the section's name requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderOddity {
    /// The section type, flags, alignment or entry size differ from what the name requires.
    Fields {
        /// As found.
        found: SectionHeaderFields,
        /// As such sections have it.
        expected: SectionHeaderFields,
    },
    /// A relocation section applies to another section than its name says; this is the index of
    /// that section.
    Target(SectionIndex),
}

impl Comparison<'_> {
    /// Whether no section is missing, extra or odd.
    pub fn is_clean(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty() && self.odd.is_empty()
    }
}

/// Compares the debug sections of a file with a list of expected sections. The name
/// `.nv_debug_ptx_txt.N` in the list stands for any number.
pub fn compare<'a>(cubin: &Cubin<'_>, expected: &[SectionExpectation<'a>]) -> Comparison<'a> {
    let found: Vec<_> =
        cubin.iter().map(|(index, name, section)| (index, SectionName::parse(name), section)).collect();
    let names: HashSet<_> =
        found.iter().flat_map(|(_, name, _)| [Some(name.clone()), any_number(name)]).flatten().collect();
    let wanted: HashSet<_> = expected.iter().map(|section| &section.name).collect();
    let is_wanted = |name: &SectionName<'_>| {
        wanted.contains(name) || any_number(name).is_some_and(|any| wanted.contains(&any))
    };
    let missing = expected
        .iter()
        .filter(|section| section.requirement == Requirement::Always && !names.contains(&section.name));
    let mut seen = HashSet::new();
    let extra =
        found.iter().filter(|(_, name, _)| name.is_debug() && !(is_wanted(name) && seen.insert(name)));
    let odd = found.iter().filter_map(|(index, name, section)| {
        let expected = name.header_fields(cubin.release())?;
        let found = section.header_fields();
        let target = SectionIndex(section.info);
        let aims = name.form.is_none() || is_target(&SectionName::parse(cubin.section_name(target)), name);
        let what = match (found == expected, aims) {
            (false, _) => HeaderOddity::Fields { found, expected },
            (true, false) => HeaderOddity::Target(target),
            (true, true) => return None,
        };
        Some(OddHeader { section: *index, what })
    });
    Comparison {
        missing: missing.map(|section| section.name.clone()).collect(),
        extra: extra.map(|(index, ..)| *index).collect(),
        odd: odd.collect(),
    }
}

fn is_target(target: &SectionName<'_>, of: &SectionName<'_>) -> bool {
    target.form.is_none() && target.space == of.space && target.base == of.base
}

/// The name that a list has for a PTX text of unknown number.
fn any_number(name: &SectionName<'_>) -> Option<SectionName<'static>> {
    let is_numbered = name.kind() == Some(SectionKind::NvDebugPtxTxt) && !name.suffix().is_empty();
    let base = || format!("{}.N", SectionKind::NvDebugPtxTxt.name());
    is_numbered.then(|| SectionName { base: base().into(), form: name.form, space: name.space })
}
