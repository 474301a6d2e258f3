//! The code that the lists of `.debug_ranges` and `.debug_loc` cover.

use super::SectionBudget;
use crate::code_ranges::{self, CodeRange, EntryCode};
use crate::entries::{Address, Entry};
use crate::loc_and_range_lists::Lists;
use nv_debug_sections::Result;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::code::Code;
use nv_debug_sections::cubin::Cubin;

/// Reads the lists that entries refer to.
#[derive(Debug)]
pub(super) struct Reader<'s> {
    code: &'s Code<'s>,
    ranges: List<'s>,
    locations: List<'s>,
}

/// A section of lists, and how much of it has been followed.
#[derive(Debug)]
struct List<'s> {
    lists: Lists<'s>,
    budget: SectionBudget,
}

impl<'s> Reader<'s> {
    pub(super) fn new(cubin: &'s Cubin<'_>, code: &'s Code<'_>) -> Result<Self> {
        let list = |kind: SectionKind| -> Result<List<'s>> {
            let lists = Lists::read(cubin, kind)?;
            Ok(List { budget: SectionBudget::new(kind.name(), lists.len()), lists })
        };
        Ok(Self { code, ranges: list(SectionKind::DebugRanges)?, locations: list(SectionKind::DebugLoc)? })
    }

    /// The code of an entry, [joined](code_ranges::joined). `base` is the unit's `DW_AT_low_pc`.
    pub(super) fn code(&mut self, entry: Entry<'_>, base: Option<Address>) -> Result<Vec<CodeRange>> {
        match code_ranges::code_of(self.code, entry) {
            EntryCode::Listed(offset) => self.ranges.read(self.code, offset, base),
            EntryCode::One(stretch) => Ok(code_ranges::joined(vec![stretch])),
            EntryCode::Nowhere => Ok(Vec::new()),
        }
    }

    /// Returns the code that the location list at `offset` covers; `None` without `.debug_loc`.
    pub(super) fn locations(&mut self, offset: u64, base: Option<Address>) -> Result<Option<Vec<CodeRange>>> {
        let is_there = self.locations.lists.section().is_some();
        is_there.then(|| self.locations.read(self.code, offset, base)).transpose()
    }

    /// Counts work that is not reading.
    pub(super) fn spend(&mut self, steps: usize, offset: u64) -> Result<()> {
        self.locations.budget.spend(steps as u64, offset)
    }
}

impl List<'_> {
    fn read(&mut self, code: &Code<'_>, offset: u64, base: Option<Address>) -> Result<Vec<CodeRange>> {
        let mut found = Vec::new();
        for pair in self.lists.at(offset, base) {
            self.budget.spend(1, offset)?;
            found.extend(pair?.and_then(|pair| code_ranges::code_range(code, pair.start, pair.end)));
        }
        Ok(code_ranges::joined(found))
    }
}
