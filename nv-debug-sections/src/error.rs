//! The error type of this crate: what is wrong, in which section, at which byte.

pub use crate::limits::MAX_NAME_CHARS;
use crate::nv_info::attribute::Attribute;
use crate::reloc::action::RelocAction;
use std::borrow::Cow;
use std::fmt;

/// A fault in a cubin or in one of its sections.
///
/// `section` is the section's name (empty for the ELF file header and tables), `offset` the byte
/// offset inside that section (inside the file when `section` is empty), if the fault is of one
/// place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    section: String,
    offset: Option<u64>,
    kind: ErrorKind,
}

/// The kinds of fault in a cubin, with what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The data ends inside the named field.
    #[error("the data ends inside {0}")]
    Truncated(&'static str),
    /// A LEB128 number is longer than 64 bits.
    #[error("{0} is a LEB128 number of more than 64 bits")]
    LebOverflow(&'static str),
    /// A field holds a value this format does not allow.
    #[error("{field} is {found:#x}, expected {expected}")]
    Value {
        /// The field's name in the specification.
        field: &'static str,
        /// The value of the field.
        found: u64,
        /// The values that the field may have, in words.
        expected: &'static str,
    },
    /// The bytes are not an ELF file, or are an ELF file of another kind.
    #[error("not a cubin: {0}")]
    NotACubin(&'static str),
    /// The bytes are of no kind that holds GPU code.
    #[error("no GPU code here: {0}")]
    NotAContainer(&'static str),
    /// A payload is compressed or hidden in a way this crate cannot undo.
    #[error("the payload is {0}")]
    UnsupportedEncoding(&'static str),
    /// A compressed payload is damaged, or not as long as its header says.
    #[error("the {method} data cannot be decompressed: {reason}")]
    Damaged {
        /// Name of the compression.
        method: &'static str,
        /// The reason that the decoder of the section gives.
        reason: String,
    },
    /// A compressed payload claims to be larger than its stored bytes may become.
    #[error("{stored:#x} stored bytes claim to be {claimed:#x}, more than {factor} times as many")]
    Expansion {
        /// Bytes in the file.
        stored: u64,
        /// Bytes they claim to become.
        claimed: u64,
        /// The limit.
        factor: u64,
    },
    /// A table index names nothing.
    #[error("{what} {index} does not exist (there are {count})")]
    Index {
        /// Kind of thing: "section", "symbol", "file" ...
        what: &'static str,
        /// The index found.
        index: u64,
        /// The number of items.
        count: u64,
    },
    /// A value cannot be written in the field that must hold it.
    #[error("{what} {value:#x} does not fit {field}")]
    DoesNotFit {
        /// The value's meaning.
        what: &'static str,
        /// The value.
        value: u64,
        /// The field and its width.
        field: &'static str,
    },
    /// The DWARF writer refuses a part of a section; the error is then of the section as a whole
    /// ([`Error::in_section`]).
    #[error("{part} {index}: {reason}")]
    Unwritable {
        /// Kind of part: "unit", "directory", "file", "sequence", "entry".
        part: &'static str,
        /// Which of its kind: 0-based, but directories and files have the 1-based numbers of their
        /// tables.
        index: u64,
        /// Why.
        reason: dwarf2_writer::Error,
    },
    /// A section of DWARF is not as DWARF has it, in another way than those above.
    #[error(transparent)]
    Dwarf(dwarf2_reader::ErrorKind),
    /// The ELF file is for another machine, which is named.
    #[error("the ELF file is for {0}, not for NVIDIA CUDA (190)")]
    OtherMachine(String),
    /// A section has bytes that the file has not.
    #[error(
        "the section's {size:#x} bytes at file offset {offset:#x} end past the file's {file_size:#x} bytes"
    )]
    OutsideFile {
        /// `sh_offset`.
        offset: u64,
        /// `sh_size`.
        size: u64,
        /// Size of the file in bytes.
        file_size: usize,
    },
    /// Two things lie over each other: which, in one sentence.
    #[error("{0}")]
    Overlap(&'static str),
    /// There is a second one of what can be there once.
    #[error("a second {0}")]
    Second(&'static str),
    /// A name or a line, which a NUL ends in the file, has a NUL inside.
    #[error("{0} holds a NUL byte")]
    NulByte(String),
    /// No section of this name can be given to a cubin.
    #[error("no name for a debug section: expected .debug_*, .nv_debug_*, or a dot and a word without dots")]
    NotADebugSection,
    /// The file has a section of this name that holds something else than debug information.
    #[error("the file has a section of its own of this name")]
    NameTaken,
    /// `DW_OP_regx` cannot name this register.
    #[error("{0:?} is not a PTX register name of two or more characters")]
    NotARegister(String),
    /// The file needs more work or memory than one of its size may: for what, in one sentence.
    #[error("{0}")]
    Limit(Cow<'static, str>),
    /// Something that is needed is not in the file: what, in one sentence.
    #[error("{0}")]
    Missing(Cow<'static, str>),
    /// The section, or a part of it, is not suitable for the operation. The text says why, in one
    /// sentence.
    #[error("{0}")]
    Unsuitable(&'static str),
    /// A section that is to be removed is needed by a part of the file that stays.
    #[error("{what} needs {removed}, which is removed")]
    Needed {
        /// The part that needs the section.
        what: &'static str,
        /// Name of the section that is removed.
        removed: String,
    },
    /// Shared memory is larger than the address space.
    #[error("the {size:#x} bytes of '{name}' go past the end of the address space")]
    AddressSpace {
        /// Name of the section or variable.
        name: String,
        /// Its size in bytes.
        size: u64,
    },
    /// A relocation has an addend in a REL section, or none in a RELA section.
    #[error("a relocation {} addend in a section of type {sh_type:#x}", if *.has_addend { "with" } else { "without" })]
    Addend {
        /// Whether the relocation has one.
        has_addend: bool,
        /// `sh_type` of the section.
        sh_type: u32,
    },
    /// A relocation is not of the kind that its field can have.
    #[error("a relocation {found} {width} bytes in {what}, expected one that {expected} 8 bytes")]
    RelocationAction {
        /// The item that the field is part of.
        what: &'static str,
        /// The effect of the relocation.
        found: RelocAction,
        /// Size of its field in bytes.
        width: u8,
        /// The effect that the relocation may have.
        expected: RelocAction,
    },
    /// A relocation is of another type than its field needs.
    #[error("the relocation is of type {found:#x}, expected {expected:#x}")]
    RelocationType {
        /// Low half of `r_info`.
        found: u32,
        /// The value that was expected.
        expected: u32,
    },
    /// A relocation is where none can be, is not where one must be, or leads where it cannot:
    /// which, in one sentence.
    #[error("{0}")]
    Relocation(&'static str),
    /// A cubin and its debug file do not belong together: how they differ.
    #[error("{0}")]
    OtherFile(String),
    /// Two sections, or a section and the text that it was made of, do not say the same: how they
    /// differ.
    #[error("{0}")]
    Disagreement(String),
    /// The sections are not those of a cubin with or for a capsule: why, in one sentence.
    #[error("{0}")]
    Capsule(String),
    /// An address or a symbol has no counterpart in the other space of a cubin with a capsule:
    /// which, in one sentence.
    #[error("{0}")]
    NoCounterpart(String),
    /// An entry of `.debug_frame` cannot be led to the other space.
    #[error("entry {number}: {reason}")]
    FrameEntry {
        /// 0-based, in section order.
        number: usize,
        /// Why.
        reason: String,
    },
    /// Ranges of a register map cannot be led to the other space.
    #[error("ranges of {function}: {reason}")]
    RegisterRanges {
        /// Name of the function.
        function: String,
        /// Why.
        reason: String,
    },
    /// A line program cannot be led to the other space: why, in one sentence.
    #[error("{0}")]
    LineProgram(String),
    /// A record of `.nv.info` cannot be led to the other space.
    #[error("{attribute}: {reason}")]
    InfoRecord {
        /// The record's attribute.
        attribute: Attribute,
        /// Why.
        reason: Cow<'static, str>,
    },
}

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Creates an error of `kind` at byte `offset` of `section`.
    pub fn new(section: impl Into<String>, offset: u64, kind: ErrorKind) -> Self {
        Self { section: section.into(), offset: Some(offset), kind }
    }

    /// Creates an error that concerns a whole section, or the whole file if `section` is empty.
    pub fn in_section(section: impl Into<String>, kind: ErrorKind) -> Self {
        Self { section: section.into(), offset: None, kind }
    }

    /// Moves the error `by` bytes further and to `section`, for the error of a decoder that was
    /// given a part of a section.
    #[must_use]
    pub fn rebased(self, section: impl Into<String>, by: u64) -> Self {
        let offset = self.offset.map(|offset| offset.saturating_add(by));
        Self { section: section.into(), offset, ..self }
    }

    /// The name of the section at fault; empty for the file's own header and tables.
    pub fn section(&self) -> &str {
        &self.section
    }

    /// A part of `section` that the DWARF writer refuses.
    pub(crate) fn unwritable(
        section: &str,
        part: &'static str,
        index: usize,
        reason: dwarf2_writer::Error,
    ) -> Self {
        Self::in_section(section, ErrorKind::Unwritable { part, index: index as u64, reason })
    }

    /// The byte offset inside [`section`](Self::section); 0 if the fault has no single position.
    pub fn offset(&self) -> u64 {
        self.offset.unwrap_or(0)
    }

    /// The kind of the fault that this error reports.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }
}

impl From<dwarf2_reader::Error> for Error {
    fn from(error: dwarf2_reader::Error) -> Self {
        use dwarf2_reader::ErrorKind as Dwarf;
        let dwarf2_reader::Error { section, offset, kind } = error;
        // What both have is one kind, so that a caller need not look for it twice.
        let kind = match kind {
            Dwarf::Truncated(field) | Dwarf::OpenString(field) => ErrorKind::Truncated(field),
            Dwarf::LebOverflow(field) => ErrorKind::LebOverflow(field),
            Dwarf::Value { field, found, expected } => ErrorKind::Value { field, found, expected },
            kind => ErrorKind::Dwarf(kind),
        };
        Self::new(section, offset, kind)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&*self.section, self.offset) {
            ("", None) => write!(f, "{}", self.kind),
            ("", Some(offset)) => write!(f, "offset {offset:#x}: {}", self.kind),
            (section, None) => write!(f, "{section}: {}", self.kind),
            (section, Some(offset)) => write!(f, "{section}+{offset:#x}: {}", self.kind),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_told_with_its_place_if_it_has_one() {
        let kind = || ErrorKind::Truncated("a field");
        let rows = [
            (Error::new("", 0, kind()), "offset 0x0: the data ends inside a field"),
            (Error::new(".x", 0, kind()), ".x+0x0: the data ends inside a field"),
            (Error::new("", 1, kind()).rebased(".x", 2), ".x+0x3: the data ends inside a field"),
            (Error::in_section("", kind()), "the data ends inside a field"),
            (Error::in_section(".x", kind()), ".x: the data ends inside a field"),
            (Error::in_section("", kind()).rebased(".x", 2), ".x: the data ends inside a field"),
        ];
        for (error, want) in rows {
            assert_eq!(error.to_string(), want);
        }
    }
}
