//! Counts of instructions and variables, and their shares in percent.

use super::percent::percent;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::AddAssign;

/// Counts of instructions by what the line tables have for them: a source line, line 0, inlined
/// code, a PTX line. Padding is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(into = "InstructionMembers")]
pub struct InstructionCounts {
    /// The number of all instructions, without padding.
    pub all: u64,
    /// The number of padding instructions: the `NOP`s after the last other instruction of a
    /// function. They are not counted in [`all`](Self::all). The number is 0 where the file has no
    /// code bytes, as in debug-only objects.
    pub padding: u64,
    /// The number of instructions that a row of `.debug_line` covers with a line other than 0.
    pub with_line: u64,
    /// The number of instructions that have a line ([`with_line`](Self::with_line)) and do not
    /// inherit it ([`inherited`](Self::inherited)). Their row starts in the same function, at an
    /// instruction of the same PTX line; where no PTX line is known, at any instruction of the
    /// function.
    pub own: u64,
    /// The number of instructions that a row of `.debug_line` covers with line 0, which means "no
    /// source line".
    pub line_0: u64,
    /// The number of instructions whose row of `.debug_line` starts at an earlier instruction that
    /// belongs to another PTX line or to another function. Only the PTX can tell whether the line
    /// is also theirs. Several PTX lines of one statement are the common case.
    pub inherited: u64,
    /// The number of instructions that come from inlined code, by their row of `.debug_line`; in a
    /// unit that has no rows of inlined code, by the inlined calls of `.debug_info`.
    pub inlined: u64,
    /// The number of instructions that a row of `.nv_debug_line_sass` covers.
    pub with_ptx_line: u64,
    /// The number of instructions that a row of `.nv.tileir.debug_line` covers: those that come
    /// from a line of an intermediate language, as cuTile has one.
    pub with_intermediate_line: u64,
}

impl InstructionCounts {
    /// The number of instructions that no row of `.debug_line` covers.
    pub fn without_row(&self) -> u64 {
        self.all.saturating_sub(self.with_line).saturating_sub(self.line_0)
    }

    /// Returns the share of `part` instructions in all instructions, in percent; `None` if there
    /// are no instructions.
    pub fn percent(&self, part: u64) -> Option<f64> {
        percent(part, self.all)
    }
}

/// The numbers of instructions of 16 bytes, by what the line tables say of them, and their shares.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InstructionCounts")]
struct InstructionMembers {
    /// The number of all instructions, without `padding`.
    all: u64,
    /// The number of `NOP`s after the last other instruction of a function; 0 where the file has no
    /// code bytes.
    padding: u64,
    /// The number of instructions that a row of `.debug_line` covers with a line other than 0.
    with_line: u64,
    /// The number of instructions that `with_line` counts and `inherited` does not.
    own: u64,
    /// The number of instructions that a row of `.debug_line` covers with line 0.
    line_0: u64,
    /// The number of instructions that no row of `.debug_line` covers.
    without_row: u64,
    /// The number of instructions whose row starts at an earlier instruction of another PTX line,
    /// or of another function where ptxas left out the first row of this one.
    inherited: u64,
    /// The number of instructions that come from inlined code.
    inlined: u64,
    /// The number of instructions that a row of `.nv_debug_line_sass` covers.
    with_ptx_line: u64,
    /// The number of instructions that a row of `.nv.tileir.debug_line` covers. Absent where it is
    /// 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    with_intermediate_line: Option<u64>,
    /// `with_line` as a share of `all`, in percent; `None` without instructions.
    line_percent: Option<f64>,
    /// `own` as a share of `all`, in percent; `None` without instructions.
    own_percent: Option<f64>,
    /// `inherited` as a share of `all`, in percent; `None` without instructions.
    inherited_percent: Option<f64>,
}

impl From<InstructionCounts> for InstructionMembers {
    fn from(counts: InstructionCounts) -> Self {
        let InstructionCounts { all, padding, with_line, own, line_0, inherited, inlined, .. } = counts;
        let InstructionCounts { with_ptx_line, with_intermediate_line, .. } = counts;
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
            with_intermediate_line: (with_intermediate_line != 0).then_some(with_intermediate_line),
            line_percent: counts.percent(with_line),
            own_percent: counts.percent(own),
            inherited_percent: counts.percent(inherited),
        }
    }
}

impl AddAssign for InstructionCounts {
    fn add_assign(&mut self, other: Self) {
        let Self { all, padding, with_line, own, line_0, inherited, inlined, .. } = other;
        let Self { with_ptx_line, with_intermediate_line, .. } = other;
        for (sum, more) in [
            (&mut self.all, all),
            (&mut self.padding, padding),
            (&mut self.with_line, with_line),
            (&mut self.own, own),
            (&mut self.line_0, line_0),
            (&mut self.inherited, inherited),
            (&mut self.inlined, inlined),
            (&mut self.with_ptx_line, with_ptx_line),
            (&mut self.with_intermediate_line, with_intermediate_line),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}
