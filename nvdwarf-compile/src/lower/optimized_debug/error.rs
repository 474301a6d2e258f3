//! Why entries cannot be changed.

/// Entries that cannot be read, or not be written again.
#[derive(Debug, thiserror::Error)]
pub(in crate::lower) enum Error {
    /// The debug sections of the PTX cannot be read as a tree of entries.
    #[error("--debug-opt, --path-map: {0}")]
    Unread(Box<Error>),
    #[error(
        ".debug_info+{offset:#x}: a unit of version {version} with addresses of {address_size} bytes: \
         only version 2 with 8 bytes can be written again"
    )]
    Version { offset: u64, version: u16, address_size: u8 },
    #[error(".debug_info+{0:#x}: an entry beside the unit's own")]
    Beside(u64),
    #[error(".debug_info+{0:#x}: DW_FORM_indirect cannot be written again")]
    Indirect(u64),
    #[error(".debug_info+{offset:#x}: form {form:#x} cannot be written again")]
    Form { offset: usize, form: u16 },
    #[error("no entry at .debug_info+{0:#x}, which is referred to")]
    NoEntry(usize),
    #[error("--debug-opt, --path-map: {0} need more work than a PTX of this size may ask for")]
    TooMuch(&'static str),
    #[error(transparent)]
    Number(#[from] leb128_nv::Error),
    #[error(transparent)]
    Reader(#[from] dwarf2_reader::Error),
    #[error(transparent)]
    Section(#[from] nv_debug_sections::Error),
    #[error(transparent)]
    Writer(#[from] dwarf2_writer::Error),
}

pub(super) type Result<T, E = Error> = std::result::Result<T, E>;
