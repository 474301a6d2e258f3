//! A variable of a cubin.

use crate::SourceLine;
use cubin_debuginfo::variables::VariableLocation;

/// A variable or parameter that is in scope at an address.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// Its name; `None` where the entry has none.
    pub name: Option<String>,
    /// Its type as C spells it: `float const *`.
    pub type_name: String,
    /// Whether it is a parameter.
    pub is_parameter: bool,
    /// Where the source declares it.
    pub declared: Option<SourceLine>,
    /// Where it is at the address. Several are the file's contradiction; none is the same as
    /// nowhere.
    pub places: Vec<VariableLocation>,
}
