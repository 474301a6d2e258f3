//! Finds equal items that the caller keeps: `alloc` has no hash table.

use alloc::vec::Vec;

/// Numbers items 0, 1, ... in the order they were inserted, and finds them by hash and comparison.
///
/// The hash has no secret: somebody who chooses the items can make lookups slow, not wrong.
#[derive(Debug, Clone, Default)]
pub(crate) struct HashIndex {
    /// Item + 1, 0 is free. A power of two, at most half of it used.
    slots: Vec<u32>,
    /// By item.
    hashes: Vec<u64>,
}

impl HashIndex {
    /// The item with this hash that `equal` accepts.
    #[inline]
    pub(crate) fn find(&self, hash: u64, mut equal: impl FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = hash as usize & mask;
        loop {
            // Free, or a table without slots.
            let item = self.slots.get(slot)?.checked_sub(1)?;
            if self.hashes.get(item as usize) == Some(&hash) && equal(item) {
                return Some(item);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Gives the next number to an item that [`HashIndex::find`] does not find.
    pub(crate) fn insert(&mut self, hash: u64) -> u32 {
        let item = self.hashes.len() as u32;
        self.hashes.push(hash);
        if self.hashes.len() * 2 > self.slots.len() {
            let size = (self.slots.len() * 2).max(16);
            self.slots.clear();
            self.slots.resize(size, 0);
            for (item, hash) in (0..).zip(&self.hashes) {
                take_slot(&mut self.slots, *hash, item);
            }
        } else {
            take_slot(&mut self.slots, hash, item);
        }
        item
    }
}

/// Puts `item` in the first free slot from its hash on.
fn take_slot(slots: &mut [u32], hash: u64, item: u32) {
    let mask = slots.len().wrapping_sub(1);
    let mut at = hash as usize & mask;
    while let Some(slot) = slots.get_mut(at) {
        if *slot == 0 {
            *slot = item + 1;
            return;
        }
        at = (at + 1) & mask;
    }
}

/// Hash of a sequence of words, from 0 on.
#[inline]
pub(crate) const fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The hash with its good high bits where [`HashIndex`] looks.
#[inline]
pub(crate) const fn finish(hash: u64) -> u64 {
    hash ^ (hash >> 32)
}

/// Hash of bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let hash = words.iter().fold(bytes.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    let last = rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    finish(mix(hash, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn items_are_found_also_where_hashes_collide() {
        let strings: Vec<_> = (0..1000).map(|n| format!("name{n}").into_bytes()).collect();
        for hash in [of_bytes, |bytes: &[u8]| u64::from(bytes[4] & 1), |_: &[u8]| u64::MAX] {
            let mut index = HashIndex::default();
            assert_eq!(index.find(hash(b"name0"), |_| true), None);
            for (n, string) in strings.iter().enumerate() {
                let equal = |item: u32| strings[item as usize] == *string;
                assert_eq!(index.find(hash(string), equal), None);
                assert_eq!(index.insert(hash(string)), n as u32);
                assert_eq!(index.find(hash(string), equal), Some(n as u32));
            }
            assert_eq!(index.find(hash(b"other"), |_| false), None);
        }
    }
}
