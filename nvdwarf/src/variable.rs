//! A variable of a cubin.

use crate::SourceLine;
use cubin_debuginfo::variables::VariableLocation;

/// A variable or parameter that is in scope at an address.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// The name of the variable; `None` where its entry has none.
    pub name: Option<String>,
    /// The type of the variable, as C spells it: `float const *`.
    pub type_name: String,
    /// Whether the variable is a parameter.
    pub is_parameter: bool,
    /// The source line at which the variable is declared.
    pub declared: Option<SourceLine>,
    /// The locations of the variable at the address. With several the file contradicts itself; with
    /// none the variable is nowhere.
    pub places: Vec<VariableLocation>,
}
