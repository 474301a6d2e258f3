//! The error type of this crate: what is wrong with the bytes of a section, and where.

/// Why a section could not be read, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{section}+{offset:#x}: {kind}")]
pub struct Error {
    /// Name of the section, as DWARF has it: `.debug_info`.
    pub section: &'static str,
    /// Byte offset from its start.
    pub offset: u64,
    /// The kind of the fault.
    pub kind: ErrorKind,
}

/// The kinds of fault in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes end before the item does.
    #[error("{0} is cut short")]
    Truncated(&'static str),
    /// A LEB128 number of more than 64 bits.
    #[error("{0} has more than 64 bits")]
    LebOverflow(&'static str),
    /// A string that no NUL ends.
    #[error("{0} has no NUL at its end")]
    OpenString(&'static str),
    /// A field that has another value than the few that it may have.
    #[error("{field} is {found:#x}, expected {expected}")]
    Value {
        /// By DWARF's name.
        field: &'static str,
        /// The value that was found.
        found: u64,
        /// The values that are allowed there.
        expected: &'static str,
    },
    /// An entry with an abbreviation that its table does not have.
    #[error("abbreviation {code} is not in the table of this unit")]
    UnknownCode {
        /// The code that the entry has.
        code: u64,
    },
    /// Two abbreviations of a table have the same code.
    #[error("abbreviation {code} is in this table twice")]
    DuplicateCode {
        /// The code.
        code: u64,
    },
    /// An abbreviation's flag for children is neither `DW_CHILDREN_no` nor `DW_CHILDREN_yes`.
    #[error("the children flag is {0:#x}, expected 0 or 1")]
    ChildrenFlag(u8),
    /// One of the two numbers of an attribute in an abbreviation is 0.
    #[error("attribute {name:#x} with form {form:#x}, expected both, or two zeros")]
    HalfAttribute {
        /// `DW_AT_*`.
        name: u64,
        /// `DW_FORM_*`.
        form: u64,
    },
    /// A form that no version of DWARF has: how long its value is cannot be known.
    #[error("form {form:#x} is not known")]
    UnknownForm {
        /// The number of the form.
        form: u64,
    },
    /// Bytes after the last item of a unit or set.
    #[error("{left:#x} bytes after the end of {what}")]
    Rest {
        /// The item after whose end the bytes are.
        what: &'static str,
        /// The number of bytes.
        left: u64,
    },
    /// The section asks for more work than its size allows: many units that share parts of a long
    /// table, or many entries with attributes that take no bytes.
    #[error("{0} are more than a section of this size may ask for")]
    Budget(&'static str),
}

/// The result type of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;
