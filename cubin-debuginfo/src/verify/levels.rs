//! Checks that all code of a linked file has debug information of one level.

use super::{RuleId, Verifier};
use crate::entries::Entries;
use dwarf2_reader::constants as dw;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::SectionIndex;
use nv_debug_sections::level::DebugLevel;
use nv_debug_sections::reg_sass;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What names of functions start with that ptxas adds, for divisions and the like.
const HELPER: &str = "__cuda_";

pub(super) fn check(check: &mut Verifier<'_, '_>, entries: Option<&Entries<'_>>) {
    if !check.is_linked {
        return;
    }
    let mut levels: HashMap<SectionIndex, DebugLevel> = HashMap::new();
    for kind in [SectionKind::NvDebugLineSass, SectionKind::DebugLine] {
        // Relocations alone say whose rows there are.
        let view = check.view(kind);
        let fields = view.iter().flat_map(|view| view.data.fields());
        levels.extend(fields.filter_map(|field| Some((field.target.section?, DebugLevel::Lines))));
    }
    let code =
        entries.into_iter().flat_map(Entries::iter).filter(|entry| entry.tag() == dw::DW_TAG_subprogram);
    levels.extend(code.filter_map(|entry| Some((entry.code()?.0, DebugLevel::Full))));
    // Maps have all functions of an object with -G, also those without entries: helpers,
    // destructors.
    let map = check.view(SectionKind::NvDebugInfoRegSass);
    let map = map.as_ref().and_then(|view| reg_sass::decode(&view.data.bytes).ok()).unwrap_or_default();
    let mapped: HashSet<_> = map.iter().map(|function| function.function).collect();
    let mut by_level: BTreeMap<DebugLevel, Vec<&str>> = BTreeMap::new();
    for section in check.code.sections() {
        let functions = check.code.functions_of(section.index);
        let Some(function) = functions.first().filter(|_| section.size > 0) else { continue };
        let level = levels.get(&section.index).copied().unwrap_or(DebugLevel::None);
        let level = if mapped.contains(function.name.as_bytes()) { DebugLevel::Full } else { level };
        // ptxas' own helpers have no line to show.
        if level == DebugLevel::None && function.name.starts_with(HELPER) {
            continue;
        }
        by_level.entry(level).or_default().push(function.name);
    }
    if by_level.len() < 2 {
        return;
    }
    let words = |(level, names): (&DebugLevel, &Vec<&str>)| {
        let first = names.first().copied().unwrap_or_default();
        format!("{} functions with level `{}` ({first})", names.len(), level.name())
    };
    let found = by_level.iter().map(words).collect::<Vec<_>>().join(", ");
    let name = SectionKind::DebugLine.name();
    check.find(RuleId::LevelsMixed, name, 0, found, "debug information of one level");
}
