//! A function of the PTX that lacks lines, call sites or variables in the cubin.

use super::FileLines;
use schemars::JsonSchema;
use serde::Serialize;

/// A function of the PTX that lacks lines, call sites or variables in the cubin, with what it
/// lacks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct LostFunction {
    /// The name of the function; `""` for variables outside functions.
    pub name: String,
    /// Whether the function has code of its own in the cubin.
    pub code: bool,
    /// Whether the function is inlined somewhere in the cubin.
    pub inlined: bool,
    /// Whether the cubin has no code, no inlined call and no line of the function, because it was
    /// folded away or is not used.
    pub absent: bool,
    /// The lines that `.loc` directives of the function name, but that no instruction of the cubin
    /// has.
    pub lines: Vec<FileLines>,
    /// Those of `lines` that no instruction of the PTX has either: another `.loc` follows before
    /// one, or the function ends. The others were lost in compiling.
    pub lines_without_code: Vec<FileLines>,
    /// The lines that `inlined_at` in the function names as call sites, but that no inlined call of
    /// the cubin has.
    pub call_sites: Vec<FileLines>,
    /// The names of variables and parameters that the function has in the `.debug_info` of the PTX,
    /// but not in that of the cubin.
    pub variables: Vec<String>,
}
