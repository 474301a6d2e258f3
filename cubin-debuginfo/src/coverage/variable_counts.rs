//! Counts of variables, and of the bytes of code at which they have locations.

use super::percent::percent;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::AddAssign;

/// Counts of variables or parameters, and of the bytes of code at which they have locations, as
/// `llvm-dwarfdump --statistics` counts them.
///
/// A variable counts once for each entry that belongs to code: in functions, blocks and inlined
/// calls, not in abstract functions (`DW_AT_inline`), declarations and types of functions. Its
/// scope is the nearest entry around it that has code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(into = "VariableMembers")]
pub struct VariableCounts {
    /// The number of variables or parameters.
    pub all: u64,
    /// The number of variables that have a readable `DW_AT_location` or a `DW_AT_const_value`.
    pub located: u64,
    /// The bytes of code in the scope of each variable, added up over all variables.
    pub scope_bytes: u64,
    /// The part of [`scope_bytes`](Self::scope_bytes) at which the variable has a location. One
    /// expression covers the whole scope; a location list covers its ranges.
    pub covered_bytes: u64,
    /// The part of [`covered_bytes`](Self::covered_bytes) at which the location of the variable is
    /// a register, or an address that a register holds.
    pub register_bytes: u64,
    /// The part of [`register_bytes`](Self::register_bytes) at which the register map has SASS
    /// registers for the complete PTX register. Elsewhere a debugger has a location and cannot read
    /// it.
    pub sass_bytes: u64,
}

impl VariableCounts {
    /// The share of [`scope_bytes`](Self::scope_bytes) at which the variables have a location, in
    /// percent.
    pub fn covered_percent(&self) -> Option<f64> {
        percent(self.covered_bytes, self.scope_bytes)
    }

    /// Returns how much of the code in which variables are in registers has a SASS register for
    /// them, in percent of the bytes [`register_bytes`](Self::register_bytes).
    pub fn sass_percent(&self) -> Option<f64> {
        percent(self.sass_bytes, self.register_bytes)
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
pub(super) struct VariableMembers {
    /// The number of all variables.
    all: u64,
    /// The number of variables with a location or a constant value.
    located: u64,
    /// The bytes of code in the scope of each variable, added up over all variables.
    scope_bytes: u64,
    /// The part of `scope_bytes` at which the variable has a location.
    covered_bytes: u64,
    /// `covered_bytes` as a share of `scope_bytes`, in percent; `None` without scopes.
    covered_percent: Option<f64>,
    /// The part of `covered_bytes` at which the variable is in a register, or at an address that a
    /// register holds.
    register_bytes: u64,
    /// The part of `register_bytes` at which the register map has the complete register in SASS
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
