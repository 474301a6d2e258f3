//! The chains of inlined calls that the `.loc` directives of a PTX state, by PTX line.

use super::ptx_facts::PtxFacts;
use super::ptx_sections::PtxSections;
use cubin_debuginfo::lines::{PtxCallee, PtxFrame};
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::line_table::LocId;
use nv_debug_sections::release::Target;
use ptx_syntax::{LineIndex, Module};
use std::collections::BTreeMap;

/// The chains of inlined calls that the `.loc` directives of a PTX state, by PTX line. ptxas drops
/// some of these calls, and all columns.
#[derive(Debug)]
pub struct LocChains<'a> {
    facts: PtxFacts<'a>,
    /// Number and path in a file table of ptxas, by index.
    files: BTreeMap<u32, (u64, &'a str)>,
    /// The bytes of `.debug_str`.
    names: Vec<u8>,
}

impl<'a> LocChains<'a> {
    /// Indexes the `.loc` directives of a module, for an SM and a release. `lines` are the lines of
    /// its text. Faults of the PTX are ignored.
    pub fn of(module: &Module<'a>, target: Target, lines: &LineIndex) -> Self {
        let sections = PtxSections::of(module);
        let facts = PtxFacts::of(module, target, lines, Some(&sections));
        let mut files: BTreeMap<u32, (u64, &str)> = BTreeMap::new();
        for file in module.files() {
            files.entry(file.index as u32).or_insert((0, file.path));
        }
        for (number, (of_table, _)) in (1..).zip(files.values_mut()) {
            *of_table = number;
        }
        let strings = sections.by_kind(SectionKind::DebugStr);
        let names = strings.map_or_else(Vec::new, |section| section.assembled.bytes.clone());
        Self { facts, files, names }
    }

    /// Iterates over the frames of the `.loc` in force at a 1-based line of the PTX, the innermost
    /// first.
    pub fn at_line(&self, line: u32) -> impl Iterator<Item = PtxFrame<'_>> {
        let loc = |id: LocId| self.facts.locs.get(id.0 as usize);
        let all = std::iter::successors(self.facts.loc_at_line(line), move |id| loc(*id)?.parent);
        all.map_while(move |id| {
            let (loc, column) = (loc(id)?, *self.facts.columns.get(id.0 as usize)?);
            let (file, path) = self.files.get(&loc.file).copied().unzip();
            // Without its call site a call is not known.
            let callee = loc.parent.map(|_| PtxCallee { name: self.name(loc.name), offset: loc.name.into() });
            Some(PtxFrame { callee, path, file: file.unwrap_or(0), line: loc.line, column })
        })
    }

    fn name(&self, offset: u32) -> Option<&[u8]> {
        let rest = self.names.get(offset as usize..)?;
        rest.split(|byte| *byte == 0).next().filter(|name| name.len() < rest.len())
    }
}
