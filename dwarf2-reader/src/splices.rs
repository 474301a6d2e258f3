//! Replacement of byte ranges in a section by others of any length, and where offsets lead then.

use alloc::vec::Vec;

use crate::Span;

/// The replacement of a byte range of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// The byte range that is replaced.
    pub span: Span,
    /// The bytes in its place.
    pub bytes: Vec<u8>,
}

/// The replacements in one section.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Splices {
    /// Ascending and disjoint.
    all: Vec<Splice>,
    /// For each replacement how much it and those before it grow the section.
    growth: Vec<i64>,
}

impl Splices {
    /// Adds a replacement. Nothing happens if its range overlaps that of another one.
    pub fn add(&mut self, splice: Splice) {
        let at = self.all.partition_point(|other| other.span.start < splice.span.start);
        let is_free = |other: Option<&Splice>| {
            other.is_none_or(|other| {
                other.span.end <= splice.span.start || splice.span.end <= other.span.start
            })
        };
        let before = at.checked_sub(1).and_then(|before| self.all.get(before));
        if is_free(before) && is_free(self.all.get(at)) {
            self.all.insert(at, splice);
            // Replacements mostly come in ascending order: then only one number is added.
            self.growth.truncate(at);
            let mut grown = at.checked_sub(1).and_then(|last| self.growth.get(last)).copied().unwrap_or(0);
            for splice in self.all.get(at..).unwrap_or_default() {
                grown += splice.growth();
                self.growth.push(grown);
            }
        }
    }

    /// Returns the replacements in the section, by ascending offset.
    #[must_use]
    pub fn all(&self) -> &[Splice] {
        &self.all
    }

    /// Whether nothing is replaced.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the offset that an offset of the section becomes. Inside a replaced range the
    /// distance from its end stays; `None` if the replacement is too short for that, or has other
    /// bytes from there on. `section` has the bytes as they were.
    #[must_use]
    pub fn offset(&self, offset: u64, section: &[u8]) -> Option<u64> {
        let after = self.all.partition_point(|splice| splice.span.end <= offset);
        let grown = after.checked_sub(1).and_then(|last| self.growth.get(last)).copied().unwrap_or(0);
        let moved = |grown: i64| offset.checked_add_signed(grown);
        match self.all.get(after).filter(|splice| splice.span.start < offset) {
            None => moved(grown),
            Some(splice) => {
                let tail =
                    section.get(usize::try_from(offset).ok()?..usize::try_from(splice.span.end).ok()?)?;
                splice.bytes.ends_with(tail).then(|| moved(grown + splice.growth()))?
            }
        }
    }

    /// Returns the section with the replacements made.
    #[must_use]
    pub fn apply(&self, section: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(section.len());
        let mut at = 0;
        for Splice { span, bytes } in &self.all {
            let (start, end) = (span.start as usize, span.end as usize);
            out.extend_from_slice(section.get(at..start).unwrap_or(&[]));
            out.extend_from_slice(bytes);
            at = end;
        }
        out.extend_from_slice(section.get(at..).unwrap_or(&[]));
        out
    }
}

impl Splice {
    fn growth(&self) -> i64 {
        self.bytes.len() as i64 - (self.span.end - self.span.start) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_follow() {
        let section = b"ab/old/k.cu\0tail";
        let mut splices = Splices::default();
        splices.add(Splice { span: 2..11, bytes: b"/n/k.cu".to_vec() });
        splices.add(Splice { span: 5..7, bytes: Vec::new() });
        assert_eq!(splices.all().len(), 1, "the second overlaps");
        assert_eq!(splices.apply(section), b"ab/n/k.cu\0tail");
        let at = |offset| splices.offset(offset, section);
        assert_eq!([at(0), at(2), at(11), at(12), at(16)], [Some(0), Some(2), Some(9), Some(10), Some(14)]);
        assert_eq!([at(6), at(7), at(3)], [Some(4), Some(5), None], "`/k.cu`, `k.cu`, `old/k.cu`");
    }

    #[test]
    fn replacements_come_in_any_order() {
        let section = b"0123456789";
        let all = [(6..7, "six"), (1..3, ""), (4..4, "+")];
        let mut splices = Splices::default();
        for (span, bytes) in all {
            splices.add(Splice { span, bytes: bytes.into() });
        }
        assert_eq!(splices.apply(section), b"03+45six789");
        let at = |offset| splices.offset(offset, section);
        assert_eq!([at(0), at(3), at(5), at(7), at(9)], [Some(0), Some(1), Some(4), Some(8), Some(10)]);
    }
}
