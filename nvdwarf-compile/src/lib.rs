#![doc = include_str!("../README.md")]

mod checked_tables;
mod code_facts;
mod compilation;
mod diagnostic;
mod error;
mod file_stat;
mod limits;
mod line_table_style;
mod lower;
mod message;
mod options;
mod parallel;
mod provider;
mod ptx_features;
mod refused_ptx;
mod source_stats;
mod statistics;

pub use compilation::{CheckedPtx, CodeImage, Compiled, PreparedPtx, compile};
pub use cuda_releases::arch;
pub use diagnostic::{Diagnostic, Severity};
pub use dwarf2_reader::PathMap;
pub use error::{CompileError, ErrorKind, OPTIMIZED_DEBUG};
pub use file_stat::FileStat;
pub use line_table_style::LineTableStyle;
pub use message::Message;
pub use options::{NvdwarfOptions, Options};
pub use statistics::Statistics;

/// The facts of a PTX from which debug information is made, for callers that do not compile it.
pub mod ptx {
    pub use crate::lower::loc_chains::LocChains;
    pub use crate::lower::mercury_lines::mercury_lines;
    pub use crate::lower::ptx_facts::PtxFacts;
    pub use crate::lower::ptx_sections::PtxSections;
    pub use crate::ptx_features::ptx_features;
}
