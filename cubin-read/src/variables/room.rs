//! How much may be made of an input.

/// Answers of a file in any case, and as a multiple of the bytes they come from.
const MIN_STEPS: u64 = 1 << 20;
const MAX_STEPS: u64 = 8;

/// Steps that are left for [`location`](super::Variables::location): many entries may share a long location list, a scope of many
/// pieces, or a register that is in many places, and all of them together would be more than anybody could read.
///
/// No file of the corpus comes to its end (`tests/variables.rs`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room(u64);

impl Room {
    pub(super) fn of_bytes(bytes: u64) -> Self {
        Self(bytes.saturating_mul(MAX_STEPS).max(MIN_STEPS))
    }

    /// Takes so many steps; `false` where they are not left.
    pub(super) fn take(&mut self, steps: usize) -> bool {
        match self.0.checked_sub(steps as u64) {
            Some(left) => self.0 = left,
            None => self.0 = 0,
        }
        self.0 > 0
    }

    /// Whether nothing is left: answers are then cut short.
    pub fn is_empty(&self) -> bool {
        self.0 == 0
    }
}
