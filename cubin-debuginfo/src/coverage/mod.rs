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
pub use report::{FileLines, FunctionReport, Limits, Measure, Report, Shortfall, SourceFileReport};

use crate::entries::Entries;
use crate::limits::COVERAGE_STEPS;
use crate::symbolize::{Symbolizer, TableFileName};
use crate::variables::{InlinedCalls, Variables};
use dwarf2_reader::WorkBudget;
use nv_debug_sections::cubin::{Cubin, SectionIndex};
use nv_debug_sections::{Error, ErrorKind, Result};
use std::collections::BTreeSet;

/// The bytes of one instruction, from sm_70 on. Observed: nvdisasm 13.2, sm_75-sm_121.
pub const INSTRUCTION_SIZE: u64 = 16;

/// The debug information coverage of one cubin, by function and source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage<'s> {
    /// All functions that have code, by section and offset.
    pub functions: Vec<FunctionCoverage<'s>>,
    /// The files that rows name, in order of first use.
    pub files: Vec<FileCoverage<'s>>,
    /// The (mangled) names of the functions that instructions are inlined from, at any depth.
    pub inlined_functions: BTreeSet<String>,
    /// Variables outside functions. They have no scope of code: their byte counts are 0.
    pub globals: VariableCounts,
    /// Variables and parameters of functions whose code is not in the file. Located are those in
    /// static memory or constant.
    pub without_code: VariableCounts,
    /// Why [`register_bytes`](VariableCounts::register_bytes) or
    /// [`sass_bytes`](VariableCounts::sass_bytes) is incomplete: the register map cannot be read,
    /// or it and the locations refer to each other more often than any compiler's output.
    pub register_fault: Option<Error>,
}

/// The coverage of one function: a kernel, a device function, or one that ptxas has folded into a
/// kernel's section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionCoverage<'s> {
    /// Its symbol's name; the section's where no symbol covers the code.
    pub name: &'s str,
    /// Its code section.
    pub section: SectionIndex,
    /// Byte offset of its code in that section.
    pub offset: u64,
    /// Whether it is a kernel.
    pub kernel: bool,
    /// Its instructions.
    pub instructions: InstructionCounts,
    /// Rows of `.debug_line` at its addresses, end markers left out.
    pub rows: u64,
    /// Inlined calls that instructions are in: call sites, each with a callee, at any depth.
    pub inlined_calls: u64,
    /// Lines of its instructions, innermost ones.
    pub lines: BTreeSet<CoveredLine>,
    /// The call sites of the inlined calls, without those that are lines of instructions too.
    pub call_lines: BTreeSet<CoveredLine>,
    /// Lines that rows at its addresses name, and that neither instructions nor their call sites
    /// have: a later row at the same address has taken their place.
    pub lost_lines: BTreeSet<CoveredLine>,
    /// Whether `.debug_info` has the function.
    pub entry: bool,
    /// Its parameters, those of inlined calls and blocks too.
    pub parameters: VariableCounts,
    /// Its local variables, likewise.
    pub locals: VariableCounts,
}

/// A line of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoveredLine {
    /// Index in [`Coverage::files`].
    pub file: usize,
    /// 1-based.
    pub line: u32,
}

/// The coverage of one source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCoverage<'s> {
    /// Its path, or the number that no file table declares.
    pub name: TableFileName<'s>,
    /// Functions that have instructions on its lines.
    pub functions: u64,
    /// Instructions on its lines other than 0.
    pub instructions: u64,
    /// The number of these instructions that are inlined.
    pub inlined: u64,
    /// Lines that have instructions.
    pub lines: BTreeSet<u32>,
    /// The lines of call sites that have no instructions.
    pub call_lines: BTreeSet<u32>,
    /// Lines that rows of any function name, and that no instruction or call site has.
    pub lost_lines: BTreeSet<u32>,
}

impl<'s> Coverage<'s> {
    /// Counts the instructions and variables of a cubin. `symbolizer` is the cubin's.
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

    /// The counts of all instructions of the cubin.
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
