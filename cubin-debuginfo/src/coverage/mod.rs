//! Coverage: how much of the code of a cubin its debug information covers. Counts instructions with
//! a line, and variables with a location.
//!
//! ```no_run
//! # fn f(bytes: &[u8]) -> nv_debug_sections::Result<()> {
//! use cubin_debuginfo::coverage::Coverage;
//! use cubin_debuginfo::symbolize::Symbolizer;
//! use nv_debug_sections::cubin::Cubin;
//!
//! let cubin = Cubin::parse(bytes)?;
//! let symbolizer = Symbolizer::new(&cubin)?;
//! let coverage = Coverage::of(&cubin, &symbolizer)?;
//! for function in &coverage.functions {
//!     let counts = &function.instructions;
//!     println!("{}: {} of {} instructions have a line", function.name, counts.with_line, counts.all);
//! }
//! # Ok(()) }
//! ```

mod covered_line;
mod file_coverage;
mod file_lines;
mod function_coverage;
mod function_report;
mod instruction_counts;
mod instruction_size;
mod limits;
mod lines;
mod list_reader;
mod lost_function;
mod measure;
mod padding;
mod percent;
mod ptx_names;
mod report;
pub mod rules;
mod shortfall;
mod source_file_report;
mod variable_counts;
mod variables;

pub use covered_line::CoveredLine;
pub use file_coverage::FileCoverage;
pub use file_lines::FileLines;
pub use function_coverage::FunctionCoverage;
pub use function_report::FunctionReport;
pub use instruction_counts::InstructionCounts;
pub use instruction_size::INSTRUCTION_SIZE;
pub use limits::Limits;
pub use lost_function::LostFunction;
pub use measure::Measure;
pub use percent::percent;
pub use ptx_names::PtxNames;
pub use report::Report;
pub use shortfall::Shortfall;
pub use source_file_report::SourceFileReport;
pub use variable_counts::VariableCounts;

use crate::entries::Entries;
use crate::limits::COVERAGE_STEPS;
use crate::symbolize::Symbolizer;
use crate::variables::{InlinedCalls, Variables};
use dwarf2_reader::WorkBudget;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::BTreeSet;

/// The debug information coverage of one cubin, by function and source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage<'s> {
    /// The coverage of each function that has code, ordered by section and offset.
    pub functions: Vec<FunctionCoverage<'s>>,
    /// The source files that rows of `.debug_line` name, in order of first use.
    pub files: Vec<FileCoverage<'s>>,
    /// The (mangled) names of the functions that have inlined code among the instructions, at any
    /// depth.
    pub inlined_functions: BTreeSet<String>,
    /// The counts of variables outside functions. They have no scope of code, so their byte counts
    /// are 0.
    pub globals: VariableCounts,
    /// The counts of variables and parameters of functions whose code is not in the file.
    /// [`located`](VariableCounts::located) counts those in static memory and constants.
    pub without_code: VariableCounts,
    /// Why [`register_bytes`](VariableCounts::register_bytes) and
    /// [`sass_bytes`](VariableCounts::sass_bytes) are incomplete: the register map cannot be read,
    /// or it has the registers of variables in more ranges than any compiler writes.
    pub register_fault: Option<Error>,
}

impl<'s> Coverage<'s> {
    /// Counts the instructions and variables of a cubin. `symbolizer` must have been made from that
    /// cubin.
    ///
    /// # Errors
    ///
    /// `.debug_info`, `.debug_loc` or `.debug_ranges` cannot be decoded, or they or the line table
    /// refer to so much so often that no compiler has made them. The error names section and
    /// offset.
    pub fn of(cubin: &'s Cubin<'_>, symbolizer: &'s Symbolizer<'_>) -> Result<Self> {
        let pieces = padding::pieces(cubin, symbolizer)?;
        let entries = Entries::read(cubin)?;
        let found = Variables::read(cubin, &entries)?;
        let lines::Counted { mut functions, files, inlined_functions } =
            lines::count(symbolizer, &InlinedCalls::of(&found, symbolizer), &pieces)?;
        let variables::NonFunctionCounts { globals, without_code, register_fault } =
            variables::count(cubin, symbolizer, &found, &mut functions)?;
        Ok(Self { functions, files, inlined_functions, globals, without_code, register_fault })
    }

    /// The counts of all instructions of the cubin, added up over its functions.
    pub fn instructions(&self) -> InstructionCounts {
        self.functions.iter().fold(InstructionCounts::default(), |mut sum, function| {
            sum += function.instructions;
            sum
        })
    }
}

/// The work that may still be done for one section: many entries may share one long list.
#[derive(Debug)]
struct SectionBudget {
    section: &'static str,
    left: WorkBudget,
}

impl SectionBudget {
    /// Steps for a section of `size` bytes or rows.
    fn new(section: &'static str, size: u64) -> Self {
        Self { section, left: WorkBudget::of_input(size, COVERAGE_STEPS) }
    }

    fn spend(&mut self, steps: u64, offset: u64) -> Result<()> {
        if self.left.take(steps) {
            return Ok(());
        }
        let text = "referred to too often to follow every reference";
        Err(Error::new(self.section, offset, ErrorKind::Limit(text.into())))
    }
}
