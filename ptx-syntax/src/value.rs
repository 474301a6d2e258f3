//! A value in the data of a section.

use crate::name::Name;
use crate::text_range::TextRange;

/// A value in the data of a `.section` block: a number, an address or a difference of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value<'a> {
    /// The kind of value.
    pub kind: ValueKind<'a>,
    /// The size of the value in bytes: 1, 2, 4 or 8.
    pub width: u8,
    /// The range of the value in the text, with its sign or offset.
    pub range: TextRange,
}

/// The kinds of value in the data of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind<'a> {
    /// A number as ptxas stores it: cut to 32 bits, or, if negative, as 64-bit two's complement.
    Integer(u64),
    /// The address of a symbol, `NAME` or `NAME+N`. If the name begins with a dot it is that of a
    /// section. N is cut to 32 bits.
    Symbol {
        /// Label, function, variable or section.
        name: Name<'a>,
        /// N, or 0.
        addend: u32,
    },
    /// The difference of two labels, `LEFT-RIGHT`.
    Difference {
        /// The label subtracted from.
        left: Name<'a>,
        /// The label subtracted.
        right: Name<'a>,
    },
}
