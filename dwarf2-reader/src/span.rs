//! The byte range of an item in its section.

use core::ops::Range;

/// The byte range of an item, counted from the start of its section.
pub type Span = Range<u64>;
