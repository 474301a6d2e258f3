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

mod counts;
mod files;
mod lines;
mod list_reader;
mod padding;
pub mod ptx;
mod report;
pub mod rules;
mod variables;

pub use counts::{InstructionCounts, VariableCounts, percent};
pub use files::FileCoverage;
pub use report::{FileLines, FunctionReport, Limits, Measure, Report, Shortfall, SourceFileReport};

use crate::entries::Entries;
use crate::limits::COVERAGE_STEPS;
use crate::symbolize::Symbolizer;
use crate::variables::{InlinedCalls, Variables};
use dwarf2_reader::WorkBudget;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::BTreeSet;

/// The size in bytes of one instruction, from sm_70 on. Observed: nvdisasm 13.2, sm_75-sm_121.
pub const INSTRUCTION_SIZE: u64 = 16;

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

/// The coverage of one function: a kernel, a device function, or one that ptxas has folded into a
/// kernel's section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionCoverage<'s> {
    /// The name of the function's symbol; the name of the section where no symbol covers the code.
    pub name: &'s str,
    /// The code section that contains the function.
    pub section: SectionIndex,
    /// Byte offset of the function's code in its section.
    pub offset: u64,
    /// Whether the function is a kernel.
    pub kernel: bool,
    /// The counts of the function's instructions.
    pub instructions: InstructionCounts,
    /// The number of rows that `.debug_line` has at the function's addresses, without rows that end
    /// a sequence.
    pub rows: u64,
    /// The number of inlined calls that the function's instructions belong to, at any depth. Each
    /// pair of a call site and a callee is one call.
    pub inlined_calls: u64,
    /// The source lines of the function's instructions. For inlined code this is the line in the
    /// innermost callee.
    pub lines: BTreeSet<CoveredLine>,
    /// The source lines of the call sites of the function's inlined calls, without lines that also
    /// have instructions.
    pub call_lines: BTreeSet<CoveredLine>,
    /// The source lines that rows at the function's addresses name, but that no instruction and no
    /// call site has: a later row at the same address has replaced them.
    pub lost_lines: BTreeSet<CoveredLine>,
    /// Whether `.debug_info` has an entry for the function.
    pub entry: bool,
    /// The counts of the function's parameters, including those in inlined calls and blocks.
    pub parameters: VariableCounts,
    /// The counts of the function's local variables, including those in inlined calls and blocks.
    pub locals: VariableCounts,
}

/// A line of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoveredLine {
    /// Index of the source file in [`Coverage::files`].
    pub file: usize,
    /// 1-based line in the source file.
    pub line: u32,
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
            lines::count(symbolizer, &InlinedCalls::of(&found), &pieces)?;
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

impl FunctionCoverage<'_> {
    /// The counts of the function's parameters and local variables, added up.
    pub fn variables(&self) -> VariableCounts {
        let mut sum = self.parameters;
        sum += self.locals;
        sum
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
