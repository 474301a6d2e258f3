//! Lookup of many addresses at once.

use super::line_table_index::SequenceRows;
use super::{ResolvedAddress, Symbolizer};
use nv_debug_sections::cubin::SectionIndex;
use std::hint::black_box;

/// Addresses that are looked up side by side: what they touch stays well within 32 KB.
const BLOCK: usize = 32;

/// A block of lookups.
#[derive(Debug)]
struct LookupBatch<'s> {
    /// The last address comes first, so that places are taken from the end.
    places: Vec<Option<ResolvedAddress<'s>>>,
    halves: Vec<Option<PartialLookup<'s>>>,
}

/// A lookup whose sequence is found, but not yet its row.
#[derive(Debug, Clone, Copy)]
struct PartialLookup<'s> {
    rows: SequenceRows<'s>,
    /// Relative to the sequence's start.
    offset: u64,
    step: usize,
}

impl Symbolizer<'_> {
    /// Returns the result of [`locate`](Self::locate) for each address, in order.
    ///
    /// Faster where tables are larger than caches: one lookup waits for memory a few times, each
    /// time for what it needs to go on, while those of different addresses need not wait for each
    /// other. So all of a block take each step together.
    pub fn locate_all(
        &self,
        addresses: impl IntoIterator<Item = (SectionIndex, u64)>,
    ) -> impl Iterator<Item = Option<ResolvedAddress<'_>>> {
        let mut addresses = addresses.into_iter().fuse();
        let mut block = LookupBatch { places: Vec::with_capacity(BLOCK), halves: Vec::with_capacity(BLOCK) };
        std::iter::from_fn(move || {
            if block.places.is_empty() {
                block.fill(self, addresses.by_ref().take(BLOCK));
            }
            block.places.pop()
        })
    }
}

impl<'s> LookupBatch<'s> {
    /// Looks the next addresses up; all places before have been taken.
    fn fill(&mut self, symbolizer: &'s Symbolizer<'_>, addresses: impl Iterator<Item = (SectionIndex, u64)>) {
        self.places.extend(addresses.map(|(section, offset)| symbolizer.code_at(section, offset)));
        self.places.reverse();
        self.halves.clear();
        self.halves.extend(self.places.iter().map(|place| {
            let ResolvedAddress { section, offset, .. } = place.as_ref()?;
            let (rows, offset) = symbolizer.source.sequence(section.index, *offset)?;
            Some(PartialLookup { rows, offset, step: 0 })
        }));
        for half in self.halves.iter_mut().flatten() {
            half.step = half.rows.step(half.offset);
        }
        for (place, half) in self.places.iter_mut().zip(&self.halves) {
            if let (Some(place), Some(half)) = (place, half) {
                let nearest = half.rows.at_step(half.step, half.offset);
                place.source = nearest.filter(|found| symbolizer.source.reaches(found, place.range_number));
            }
        }
        // Call sites of all are waited for together, here and not in each chain.
        for found in self.places.iter().flatten().filter_map(|place| place.source) {
            black_box(found.caller_line());
        }
    }
}
