//! The debug sections of NVIDIA cubins: codecs, line-table rules and the container.

pub mod error;

pub use error::{Error, ErrorKind, Result};
