//! Many addresses at once.

use super::{Place, Symbolizer};
use crate::cubin::SectionIndex;

/// Addresses that are looked up side by side: what they touch stays well within 32 KB.
const BLOCK: usize = 32;

impl Symbolizer<'_> {
    /// What [`locate`](Self::locate) answers for each address, in order.
    ///
    /// Faster where tables are larger than caches: one lookup waits for memory a few times, each time for what it needs to go
    /// on, while those of different addresses need not wait for each other. So all of a block take each step together.
    pub fn locate_all<'s>(
        &'s self,
        addresses: impl IntoIterator<Item = (SectionIndex, u64)>,
    ) -> impl Iterator<Item = Option<Place<'s>>> {
        let mut addresses = addresses.into_iter().fuse();
        let mut block = Vec::with_capacity(BLOCK);
        let mut sequences = Vec::with_capacity(BLOCK);
        std::iter::from_fn(move || {
            if block.is_empty() {
                let next = addresses.by_ref().take(BLOCK);
                block.extend(next.map(|(section, offset)| self.code_at(section, offset)));
                // The last comes first, so that places are taken from the end.
                block.reverse();
                sequences.clear();
                sequences.extend(block.iter().map(|place: &Option<Place<'s>>| {
                    let place = place.as_ref()?;
                    self.source.sequence(place.section.index, place.offset)
                }));
                for (place, sequence) in block.iter_mut().zip(&sequences) {
                    if let (Some(place), Some((rows, offset))) = (place, sequence) {
                        place.source = rows.at(*offset);
                    }
                }
            }
            block.pop()
        })
    }
}
