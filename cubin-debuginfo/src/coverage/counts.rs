//! Counts of instructions and variables, and their shares in percent.

use schemars::JsonSchema;
use serde::Serialize;
use std::ops::AddAssign;

/// The numbers of instructions, by what the line tables say about them. Padding is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(into = "InstructionMembers")]
pub struct InstructionCounts {
    /// All.
    pub all: u64,
    /// `NOP`s after the last other instruction of a function, which are not in [`all`](Self::all):
    /// what runs into them has left the function. 0 where the file has no code bytes, as debug-only
    /// objects.
    pub padding: u64,
    /// A row of `.debug_line` covers it, with a line other than 0.
    pub with_line: u64,
    /// Those of [`with_line`](Self::with_line) that are not [`inherited`](Self::inherited): the row
    /// starts in the same function, and at an instruction of the same PTX line, or at any where no
    /// PTX line is known.
    pub own: u64,
    /// A row covers it, with line 0: "no source line" in the compiler's words.
    pub line_0: u64,
    /// The number of covered instructions whose row starts earlier, at an instruction of another
    /// PTX line or another function. Only the PTX can tell whether the line is theirs too. Several
    /// PTX lines of one statement are the common case.
    pub inherited: u64,
    /// The row that covers it is of inlined code; in a unit without such rows, an inlined call of
    /// `.debug_info` has it.
    pub inlined: u64,
    /// A row of `.nv_debug_line_sass` covers it.
    pub with_ptx_line: u64,
}

/// The numbers of variables or parameters, as `llvm-dwarfdump --statistics` counts them.
///
/// A variable counts once for each entry that belongs to code: in functions, blocks and inlined
/// calls, not in abstract functions (`DW_AT_inline`), declarations and types of functions. Its
/// scope is the nearest entry around it that has code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(into = "VariableMembers")]
pub struct VariableCounts {
    /// All.
    pub all: u64,
    /// With a `DW_AT_location` that can be read, or a `DW_AT_const_value`.
    pub located: u64,
    /// Bytes of code in the scopes of all, added up.
    pub scope_bytes: u64,
    /// Those at which the variable has a location: all where that is one expression, else what its
    /// location list covers.
    pub covered_bytes: u64,
    /// Those at which its location is a register, or an address that a register holds.
    pub register_bytes: u64,
    /// The number of these bytes at which the register map has the complete register in SASS
    /// registers. Elsewhere a debugger has a location and cannot read it.
    pub sass_bytes: u64,
}

/// Returns the share of `part` in `all`, in percent; `None` if `all` is 0.
#[expect(clippy::cast_precision_loss, reason = "a share, a few digits of which are shown")]
pub fn percent(part: u64, all: u64) -> Option<f64> {
    (all != 0).then(|| part as f64 * 100.0 / all as f64)
}

impl InstructionCounts {
    /// The number of instructions that no row of `.debug_line` covers.
    pub fn without_row(&self) -> u64 {
        self.all.saturating_sub(self.with_line).saturating_sub(self.line_0)
    }

    /// Returns the share of `part` in all instructions, in percent; `None` if there are none.
    pub fn percent(&self, part: u64) -> Option<f64> {
        percent(part, self.all)
    }
}

impl VariableCounts {
    /// The share of [`scope_bytes`](Self::scope_bytes) at which the variables have a location, in
    /// percent.
    pub fn covered_percent(&self) -> Option<f64> {
        percent(self.covered_bytes, self.scope_bytes)
    }

    /// The share of [`register_bytes`](Self::register_bytes) that SASS registers hold, in percent.
    pub fn sass_percent(&self) -> Option<f64> {
        percent(self.sass_bytes, self.register_bytes)
    }
}

/// The numbers of instructions of 16 bytes, by what the line tables say of them, and their shares.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InstructionCounts")]
struct InstructionMembers {
    /// All instructions, without `padding`.
    all: u64,
    /// `NOP`s after the last other instruction of a function; 0 where the file has no code bytes.
    padding: u64,
    /// Those that a row of `.debug_line` covers with a line other than 0.
    with_line: u64,
    /// Those of `with_line` that are not `inherited`.
    own: u64,
    /// Those that a row covers with line 0.
    line_0: u64,
    /// Those that no row covers.
    without_row: u64,
    /// Those whose row starts before, at an instruction of another PTX line, or of another function
    /// where ptxas left out the first row of this one.
    inherited: u64,
    /// Those whose row is of inlined code.
    inlined: u64,
    /// Those that a row of `.nv_debug_line_sass` covers.
    with_ptx_line: u64,
    /// `with_line` as a share of `all`, in percent; `None` without instructions.
    line_percent: Option<f64>,
    /// `own` as a share of `all`, in percent; `None` without instructions.
    own_percent: Option<f64>,
    /// `inherited` as a share of `all`, in percent; `None` without instructions.
    inherited_percent: Option<f64>,
}

impl From<InstructionCounts> for InstructionMembers {
    fn from(counts: InstructionCounts) -> Self {
        let InstructionCounts { all, padding, with_line, own, line_0, inherited, inlined, with_ptx_line } =
            counts;
        Self {
            all,
            padding,
            with_line,
            own,
            line_0,
            without_row: counts.without_row(),
            inherited,
            inlined,
            with_ptx_line,
            line_percent: counts.percent(with_line),
            own_percent: counts.percent(own),
            inherited_percent: counts.percent(inherited),
        }
    }
}

/// The numbers of variables, and their shares.
///
/// All but the last three members mean what `llvm-dwarfdump --statistics` means: entries of
/// functions, blocks and inlined calls count; those of abstract functions (`DW_AT_inline`),
/// declarations and function types do not. Other than LLVM: artificial parameters count; ranges
/// that overlap count once; a range whose start or end ptxas left open covers nothing.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "VariableCounts")]
struct VariableMembers {
    /// All variables.
    all: u64,
    /// Those with a location or a constant value.
    located: u64,
    /// Bytes of code in the scopes of all, added up.
    scope_bytes: u64,
    /// Those of `scope_bytes` at which the variable has a location.
    covered_bytes: u64,
    /// `covered_bytes` as a share of `scope_bytes`, in percent; `None` without scopes.
    covered_percent: Option<f64>,
    /// Those of `covered_bytes` at which the variable is in a register, or at an address that a
    /// register holds.
    register_bytes: u64,
    /// Those of `register_bytes` at which the register map has all of the register in SASS
    /// registers, so that a debugger can read it.
    sass_bytes: u64,
    /// `sass_bytes` as a share of `register_bytes`, in percent; `None` where that is 0.
    sass_percent: Option<f64>,
}

impl From<VariableCounts> for VariableMembers {
    fn from(counts: VariableCounts) -> Self {
        let VariableCounts { all, located, scope_bytes, covered_bytes, register_bytes, sass_bytes } = counts;
        Self {
            all,
            located,
            scope_bytes,
            covered_bytes,
            covered_percent: counts.covered_percent(),
            register_bytes,
            sass_bytes,
            sass_percent: counts.sass_percent(),
        }
    }
}

impl AddAssign for InstructionCounts {
    fn add_assign(&mut self, other: Self) {
        let Self { all, padding, with_line, own, line_0, inherited, inlined, with_ptx_line } = other;
        for (sum, more) in [
            (&mut self.all, all),
            (&mut self.padding, padding),
            (&mut self.with_line, with_line),
            (&mut self.own, own),
            (&mut self.line_0, line_0),
            (&mut self.inherited, inherited),
            (&mut self.inlined, inlined),
            (&mut self.with_ptx_line, with_ptx_line),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

impl AddAssign for VariableCounts {
    fn add_assign(&mut self, other: Self) {
        let Self { all, located, scope_bytes, covered_bytes, register_bytes, sass_bytes } = other;
        for (sum, more) in [
            (&mut self.all, all),
            (&mut self.located, located),
            (&mut self.scope_bytes, scope_bytes),
            (&mut self.covered_bytes, covered_bytes),
            (&mut self.register_bytes, register_bytes),
            (&mut self.sass_bytes, sass_bytes),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}
