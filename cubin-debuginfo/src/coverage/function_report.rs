//! The coverage of a function, as a part of a report.

use super::file_lines::FileLines;
use super::shortfall::Shortfall;
use super::{Coverage, CoveredLine, FunctionCoverage, InstructionCounts, VariableCounts};
use crate::names::demangle;
use nv_debug_sections::cubin::Cubin;
use schemars::JsonSchema;
use serde::Serialize;

/// The coverage of a kernel or function, as a part of a report.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "FunctionCoverage")]
pub struct FunctionReport {
    /// The name of the function's symbol; the name of the section where no symbol covers the code.
    pub name: String,
    /// The function's name as its programmer wrote it. Absent where the name is not mangled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub demangled: Option<String>,
    /// Whether the function is a kernel.
    pub kernel: bool,
    /// The name of the code section that contains the function.
    pub section: String,
    /// The index of the function's code section in the section table.
    pub section_index: u32,
    /// Byte offset of the function's code in its section.
    pub offset: u64,
    /// The counts of the function's instructions.
    pub instructions: InstructionCounts,
    /// The number of rows that `.debug_line` has at the function's addresses.
    pub rows: u64,
    /// The number of inlined calls that the function's instructions belong to, at any depth. Each
    /// pair of a call site and a callee is one call.
    pub inlined_calls: u64,
    /// The number of source lines that have instructions of the function.
    pub lines: usize,
    /// The source lines that rows at the function's addresses name, but that no instruction and no
    /// call site has.
    pub lost_lines: Vec<FileLines>,
    /// Whether `.debug_info` has an entry for the function.
    pub entry: bool,
    /// The counts of the function's parameters and local variables.
    pub variables: VariableCounts,
    /// The counts of the function's parameters.
    pub parameters: VariableCounts,
    /// The counts of the function's local variables.
    pub locals: VariableCounts,
    /// The limits that the function does not keep. All limits apply to kernels; all but `vars` also
    /// to functions folded into kernels, except those of the toolkit. In a file without kernels all
    /// apply to the functions at the start of a section.
    pub below: Vec<Shortfall>,
}

impl FunctionReport {
    /// The coverage of a function, with no limits.
    pub(super) fn new(function: &FunctionCoverage<'_>, cubin: &Cubin<'_>, coverage: &Coverage<'_>) -> Self {
        let lost_lines = function.lost_lines.iter().map(|CoveredLine { file, line }| (*file, *line));
        let name = |file: usize| coverage.files.get(file)?.name.path().map(str::to_owned);
        Self {
            name: function.name.to_owned(),
            demangled: demangle(function.name),
            kernel: function.kernel,
            section: cubin.section_name(function.section).to_owned(),
            section_index: function.section.0,
            offset: function.offset,
            instructions: function.instructions,
            rows: function.rows,
            inlined_calls: function.inlined_calls,
            lines: function.lines.len(),
            lost_lines: FileLines::by_file(lost_lines, name),
            entry: function.entry,
            variables: function.variables(),
            parameters: function.parameters,
            locals: function.locals,
            below: Vec::new(),
        }
    }

    /// The function's name as its programmer wrote it, demangled if it is mangled.
    pub fn plain_name(&self) -> &str {
        self.demangled.as_ref().unwrap_or(&self.name)
    }
}
