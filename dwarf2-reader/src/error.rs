//! The error type of this crate: what is wrong with the bytes of a section, and where.

/// A fault in a section: what is wrong with it, and at which byte offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{section}+{offset:#x}: {kind}")]
pub struct Error {
    /// Name of the section that has the fault, as DWARF writes it: `.debug_info`.
    pub section: &'static str,
    /// Byte offset of the fault, counted from the start of the section.
    pub offset: u64,
    /// The kind of the fault.
    pub kind: ErrorKind,
}

/// The kinds of fault that this crate reports in a DWARF section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes of the section end before the end of the named item.
    #[error("{0} is cut short")]
    Truncated(&'static str),
    /// The named LEB128 number has more than 64 bits.
    #[error("{0} has more than 64 bits")]
    LebOverflow(&'static str),
    /// The named string has no NUL at its end.
    #[error("{0} has no NUL at its end")]
    OpenString(&'static str),
    /// The named field has a value that DWARF does not allow there.
    #[error("{field} is {found:#x}, expected {expected}")]
    Value {
        /// The name of the field in the DWARF specification.
        field: &'static str,
        /// The value that was found.
        found: u64,
        /// The values that are allowed there.
        expected: &'static str,
    },
    /// An entry has an abbreviation code that the abbreviation table of its unit does not have.
    #[error("abbreviation {code} is not in the table of this unit")]
    UnknownCode {
        /// The abbreviation code of the entry.
        code: u64,
    },
    /// Two abbreviations of one table have the same code.
    #[error("abbreviation {code} is in this table twice")]
    DuplicateCode {
        /// The abbreviation code that two abbreviations have.
        code: u64,
    },
    /// The children flag of an abbreviation is neither `DW_CHILDREN_no` nor `DW_CHILDREN_yes`.
    #[error("the children flag is {0:#x}, expected 0 or 1")]
    ChildrenFlag(u8),
    /// An attribute of an abbreviation has a name and no form, or a form and no name: one of the
    /// two numbers is 0.
    #[error("attribute {name:#x} with form {form:#x}, expected both, or two zeros")]
    HalfAttribute {
        /// `DW_AT_*`.
        name: u64,
        /// `DW_FORM_*`.
        form: u64,
    },
    /// An attribute has a form that no version of DWARF defines, so that the size of its value
    /// cannot be known.
    #[error("form {form:#x} is not known")]
    UnknownForm {
        /// The number of the form.
        form: u64,
    },
    /// Bytes are left over after the last item of a unit or set.
    #[error("{left:#x} bytes after the end of {what}")]
    Rest {
        /// The item after whose end the bytes are.
        what: &'static str,
        /// The number of bytes.
        left: u64,
    },
    /// Reading the section needs more work than its size allows: many units share parts of a long
    /// abbreviation table, or many entries have attributes that take no bytes.
    #[error("{0} are more than a section of this size may ask for")]
    Budget(&'static str),
}

/// The result type of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;
