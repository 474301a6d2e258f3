//! A hash index of items that the caller keeps, since `alloc` has no hash table.

use alloc::vec::Vec;

/// Numbers items 0, 1, ... in the order they were inserted, and finds them by hash and comparison.
///
/// Hashes are seeded, so that no one who chooses the items can make most of them collide. `alloc`
/// has no source of chance but where memory was given: where that is foreseeable, so are the
/// hashes. Numbers do not depend on them.
#[derive(Debug, Clone)]
pub(crate) struct HashIndex {
    /// Item + 1, 0 is free. A power of two, at most half of it used.
    slots: Vec<u32>,
    /// By item.
    hashes: Vec<u64>,
    seed: u64,
}

impl Default for HashIndex {
    fn default() -> Self {
        let slots = alloc::vec![0; LEAST_SLOTS];
        let seed = mix(slots.as_ptr().addr() as u64, MULTIPLIER);
        Self { slots, hashes: Vec::new(), seed }
    }
}

const LEAST_SLOTS: usize = 16;

impl HashIndex {
    /// Hash of bytes.
    pub(crate) fn of_bytes(&self, bytes: &[u8]) -> u64 {
        let (words, rest) = bytes.as_chunks();
        let hash = words.iter().fold(self.seed, |hash, word| mix(hash, u64::from_le_bytes(*word)));
        let last = rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        mix(mix(hash, last), bytes.len() as u64)
    }

    /// Hash of words.
    #[inline]
    pub(crate) fn of_words(&self, words: &[u32]) -> u64 {
        let hash = words.iter().fold(self.seed, |hash, word| mix(hash, u64::from(*word)));
        mix(hash, words.len() as u64)
    }

    /// The item with this hash that `equal` accepts.
    #[inline]
    pub(crate) fn find(&self, hash: u64, mut equal: impl FnMut(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = hash as usize & mask;
        loop {
            // None is free.
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
            let size = self.slots.len() * 2;
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

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Both halves of a product: each bit of the result depends on all of `hash` and `word`.
#[inline]
const fn mix(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word) as u128 * MULTIPLIER as u128;
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn items_are_found_also_where_hashes_collide() {
        let strings: Vec<_> = (0..1000).map(|n| format!("name{n}").into_bytes()).collect();
        let seeded = HashIndex::default();
        for kind in 0..3 {
            let hash = |bytes: &[u8]| match kind {
                0 => seeded.of_bytes(bytes),
                1 => u64::from(bytes[4] & 1),
                _ => u64::MAX,
            };
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
