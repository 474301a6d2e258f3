//! The error type of this crate: what is wrong, in which section, at which byte.

pub use crate::limits::MAX_NAME_CHARS;
use crate::nv_info::attribute::Attribute;
use crate::reloc::action::RelocAction;
use std::borrow::Cow;
use std::fmt;

/// A fault in a cubin or in one of its sections: the section's name, the byte offset and the kind
/// of fault.
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
    /// A field has a value that the format does not allow; it was found where another was expected.
    #[error("{field} is {found:#x}, expected {expected}")]
    Value {
        /// The field's name in the specification.
        field: &'static str,
        /// The value of the field.
        found: u64,
        /// The values that the field may have, in words.
        expected: &'static str,
    },
    /// The bytes are not an ELF file, or are an ELF file that is not a cubin.
    #[error("not a cubin: {0}")]
    NotACubin(&'static str),
    /// The bytes are not of a kind of file that holds GPU code.
    #[error("no GPU code here: {0}")]
    NotAContainer(&'static str),
    /// A payload is compressed or obfuscated in a way that this crate cannot read.
    #[error("the payload is {0}")]
    UnsupportedEncoding(&'static str),
    /// A compressed payload cannot be decompressed, or its size is not the one in its header.
    #[error("the {method} data cannot be decompressed: {reason}")]
    Damaged {
        /// Name of the compression.
        method: &'static str,
        /// The reason that the decoder of the section gives.
        reason: String,
    },
    /// A compressed payload claims a size that is too large for its stored bytes.
    #[error("{stored:#x} stored bytes claim to be {claimed:#x}, more than {factor} times as many")]
    Expansion {
        /// The number of compressed bytes in the file.
        stored: u64,
        /// The number of bytes that the payload claims to have once decompressed.
        claimed: u64,
        /// The most bytes that one compressed byte may become.
        factor: u64,
    },
    /// An index in a table is outside the table: no section, symbol or file has this number.
    #[error("{what} {index} does not exist (there are {count})")]
    Index {
        /// Kind of thing: "section", "symbol", "file" ...
        what: &'static str,
        /// The index found.
        index: u64,
        /// The number of items.
        count: u64,
    },
    /// A value is too large for the field in which it must be written.
    #[error("{what} {value:#x} does not fit {field}")]
    DoesNotFit {
        /// What the value is, in words for the message: `size`.
        what: &'static str,
        /// The value.
        value: u64,
        /// The field and its width.
        field: &'static str,
    },
    /// An image that is to be replaced in its file has less room than the new one needs.
    #[error("the new image needs {needed:#x} bytes{}, there is room for {room:#x}", compressed(*is_compressed))]
    NoRoom {
        /// The number of bytes that the new image needs.
        needed: u64,
        /// The number of bytes that the old one takes, with the padding after it.
        room: u64,
        /// Whether the new image is compressed.
        is_compressed: bool,
    },
    /// The DWARF writer rejects a part of a section, such as an entry or a sequence. The error has
    /// no byte offset ([`Error::in_section`]).
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
    /// A section breaks the rules of DWARF, in a way that no other kind of this enum states.
    #[error(transparent)]
    Dwarf(dwarf2_reader::ErrorKind),
    /// The ELF file is for another machine than NVIDIA CUDA; the machine is named.
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
    /// Two sections or fields overlap. The text says which, in one sentence.
    #[error("{0}")]
    Overlap(&'static str),
    /// The file has a second one of the named item, which may occur only once.
    #[error("a second {0}")]
    Second(&'static str),
    /// A name or a line contains a NUL byte, although in the file a NUL ends it.
    #[error("{0} holds a NUL byte")]
    NulByte(String),
    /// No debug section of a cubin can have this name.
    #[error("no name for a debug section: expected .debug_*, .nv_debug_*, or a dot and a word without dots")]
    NotADebugSection,
    /// The file already has a section of this name that is not a debug section.
    #[error("the file has a section of its own of this name")]
    NameTaken,
    /// `DW_OP_regx` cannot name this register: its name is not that of a PTX register, or is too
    /// short.
    #[error("{0:?} is not a PTX register name of two or more characters")]
    NotARegister(String),
    /// Reading the file needs more work or memory than is allowed for a file of this size. The text
    /// says for what, in one sentence.
    #[error("{0}")]
    Limit(Cow<'static, str>),
    /// The file lacks something that the operation needs. The text says what, in one sentence.
    #[error("{0}")]
    Missing(Cow<'static, str>),
    /// The section, or an item in it, cannot be used for the operation. The text says why, in one
    /// sentence.
    #[error("{0}")]
    Unsuitable(&'static str),
    /// A section that is to be removed is needed by something in the file that stays.
    #[error("{what} needs {removed}, which is removed")]
    Needed {
        /// The part that needs the section.
        what: &'static str,
        /// Name of the section that is removed.
        removed: String,
    },
    /// A function or a variable would end past the end of the address space.
    #[error("the {size:#x} bytes of '{name}' go past the end of the address space")]
    AddressSpace {
        /// Name of the section or variable.
        name: String,
        /// The size in bytes of the function or variable.
        size: u64,
    },
    /// A relocation has an addend although its section is REL, or has none although its section is
    /// RELA.
    #[error("a relocation {} addend in a section of type {sh_type:#x}", if *.has_addend { "with" } else { "without" })]
    Addend {
        /// Whether the relocation has one.
        has_addend: bool,
        /// `sh_type` of the section.
        sh_type: u32,
    },
    /// A relocation has an effect or a width that its field does not allow.
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
    /// A relocation has another type than its field requires.
    #[error("the relocation is of type {found:#x}, expected {expected:#x}")]
    RelocationType {
        /// Low half of `r_info`.
        found: u32,
        /// The value that was expected.
        expected: u32,
    },
    /// A relocation applies to a field that cannot have one, is missing, or refers to something
    /// that it cannot refer to. The text says which, in one sentence.
    #[error("{0}")]
    Relocation(&'static str),
    /// A cubin and its debug file do not belong together. The text says how they differ.
    #[error("{0}")]
    OtherFile(String),
    /// Two sections, or a section and its source text, contradict each other. The text says how
    /// they differ.
    #[error("{0}")]
    Disagreement(String),
    /// The Mercury sections of a cubin are missing, or do not form a capsule. The text says why, in
    /// one sentence.
    #[error("{0}")]
    Capsule(String),
    /// An address or a symbol has no counterpart in the other space, native or Mercury. The text
    /// says which, in one sentence.
    #[error("{0}")]
    NoCounterpart(String),
    /// An entry of `.debug_frame` cannot be translated between native and Mercury space.
    #[error("entry {number}: {reason}")]
    FrameEntry {
        /// 0-based, in section order.
        number: usize,
        /// Why.
        reason: String,
    },
    /// The register ranges of a function cannot be translated between native and Mercury space.
    #[error("ranges of {function}: {reason}")]
    RegisterRanges {
        /// Name of the function.
        function: String,
        /// Why.
        reason: String,
    },
    /// A line program cannot be translated between native and Mercury space. The text says why, in
    /// one sentence.
    #[error("{0}")]
    LineProgram(String),
    /// A record of `.nv.info` cannot be translated between native and Mercury space.
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

    /// Returns the error with another section name and with `by` added to its offset, for an error
    /// of a decoder that was given only a part of the section.
    #[must_use]
    pub fn rebased(self, section: impl Into<String>, by: u64) -> Self {
        let offset = self.offset.map(|offset| offset.saturating_add(by));
        Self { section: section.into(), offset, ..self }
    }

    /// The name of the section that has the fault; empty for the file's own header and tables.
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

/// What a message says of the bytes of an image.
fn compressed(is_compressed: bool) -> &'static str {
    if is_compressed { " when compressed" } else { "" }
}

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
