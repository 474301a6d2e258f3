#![doc = include_str!("../README.md")]

mod code_facts;
mod compilation;
mod diagnostic;
mod error;
mod limits;
mod lower;
mod message;
mod options;
mod parallel;
mod provider;
mod ptx_features;
mod refused_ptx;
mod source_stats;

pub use compilation::{CheckedPtx, CodeImage, Compiled, PreparedPtx, Statistics, compile};
pub use cuda_releases::arch;
pub use diagnostic::{Diagnostic, Severity};
pub use error::{CompileError, ErrorKind, OPTIMIZED_DEBUG};
pub use message::Message;
pub use options::{FileStat, LineTableStyle, NvdwarfOptions, Options, PathMap};

/// The facts of a PTX from which debug information is made, for callers that do not compile it.
pub mod ptx {
    pub use crate::lower::loc_chains::LocChains;
    pub use crate::lower::mercury_lines::mercury_lines;
    pub use crate::lower::ptx_facts::PtxFacts;
    pub use crate::lower::ptx_sections::PtxSections;
    pub use crate::ptx_features::ptx_features;
}
