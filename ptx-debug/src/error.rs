//! Why debug information could not be put into a model, or written.

use alloc::string::String;

/// Why a call of this crate failed. The model or the writer is then as it was before the call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A handle is not one of this model.
    #[error("{kind} {index} is not in this model")]
    UnknownHandle {
        /// What the handle stands for: `unit`, `file`, `subprogram`, ...
        kind: &'static str,
        /// The 0-based number in the handle.
        index: u32,
    },
    /// The model has 2^32 things of one kind.
    #[error("too many of one kind in the model: {kind}")]
    TooMany {
        /// What there are too many of.
        kind: &'static str,
    },
    /// Neither the name of a file nor its folder begins with `/`, so the debugger would look for it
    /// below the folder that it was started in.
    #[error("the path of file {path:?} is relative")]
    RelativePath {
        /// The path, with the bytes that are not UTF-8 replaced.
        path: String,
    },
    /// A string has a NUL inside. Its end is marked by one.
    #[error("{field} has a NUL byte at offset {offset}")]
    NulInString {
        /// Which string: `name`, `linkage name`, `path`.
        field: &'static str,
        /// 0-based byte offset in the string.
        offset: usize,
    },
    /// A register cannot be named in DWARF, where its number is made of its name: `%` and one to
    /// seven characters.
    #[error("{name:?} is not a register with a DWARF number: % and up to seven characters")]
    RegisterName {
        /// The name that was given.
        name: String,
    },
    /// A type was to be defined that is defined already.
    #[error("type {index} is defined already")]
    DefinedType {
        /// The 0-based number in the handle.
        index: u32,
    },
    /// A declared type was never defined.
    #[error("type {index} was declared, but not defined")]
    UndefinedType {
        /// The 0-based number in the handle.
        index: u32,
    },
    /// The sections of entries cannot be encoded.
    #[error("the entries: {0}")]
    Entries(#[from] dwarf2_writer::Error),
    /// A function was to be begun or the module to be finished before the function before it has
    /// ended.
    #[error("a function is open: end it first")]
    FunctionOpen,
    /// An instruction, or the end of a function, came outside a function.
    #[error("no function is open: begin one before its instructions")]
    NoFunction,
    /// The location of an instruction does not lead to the function that the instruction is in: the
    /// outermost call site of its chain, or the location itself, is in another one.
    #[error("the outermost scope of the location is of another function")]
    ForeignLocation,
}
