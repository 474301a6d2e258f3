//! The limit on the work that a file may cause.

use crate::limits::{LEAST_WORK, SHARED_STRING_BYTES};

/// The work that may still be done for a file. The limit grows with the size of the input, and
/// bounds time and memory.
///
/// What counts is the caller's: attributes that take no bytes, bytes of strings that many entries
/// share, steps along references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkBudget {
    left: u64,
}

impl WorkBudget {
    /// Creates a budget of `factor` units of work for each byte of an input of `size` bytes, and at
    /// least 2^20 units.
    #[must_use]
    pub fn of_input(size: u64, factor: u64) -> Self {
        Self { left: size.saturating_mul(factor).saturating_add(LEAST_WORK) }
    }

    /// Creates a budget for the bytes of strings in `.debug_str` to which the fields of a section
    /// refer. `section` and `strings` are the sizes of the two sections in bytes.
    #[must_use]
    pub fn of_strings(section: u64, strings: u64) -> Self {
        Self::of_input(section.saturating_add(strings), SHARED_STRING_BYTES)
    }

    /// Takes `work` units from the budget, and returns whether the budget had that many left. If
    /// not, the budget is empty from then on.
    pub fn take(&mut self, work: u64) -> bool {
        let left = self.left.checked_sub(work);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// Whether the budget is used up, so that the last result may have been cut short.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_gone() {
        let mut budget = WorkBudget::of_input(10, 3);
        assert!(budget.take(LEAST_WORK) && budget.take(30));
        assert!(budget.is_spent() && !budget.take(1));
        assert!(budget.take(0));
        assert!(WorkBudget::of_input(u64::MAX, u64::MAX).take(u64::MAX));
    }
}
