//! The shared variables of `.nv_debug.shared`.

use super::contents::Contents;
use nv_debug_sections::Result;
use nv_debug_sections::cubin::{Cubin, SectionIndex, SymbolIndex};
use nv_debug_sections::shared_window::{self, LinkStage};
use schemars::JsonSchema;
use serde::Serialize;

/// The variables of `.nv_debug.shared`, a section for debuggers that reserves shared memory and has
/// no bytes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SharedVariables {
    /// Whether the file is linked, so that the variables have addresses.
    pub linked: bool,
    /// The alignment of the section `.nv_debug.shared`, in bytes.
    pub align: u64,
    /// The variables in shared memory, in the order of their symbols.
    pub variables: Vec<SharedVariable>,
}

/// A variable of `.nv_debug.shared`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SharedVariable {
    /// The name of the variable's symbol.
    pub name: String,
    /// Byte offset of the variable in the shared window. Absent before linking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Alignment of the variable in bytes. Absent once the file is linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub align: Option<u64>,
    /// Size of the variable in bytes; 0 for an array without a size.
    pub size: u64,
}

/// `.nv_debug.shared`, which has no bytes: its variables.
pub(super) fn variables<'s>(cubin: &Cubin<'_>, index: SectionIndex) -> Result<Contents<'s>> {
    let symbols = (0..).map(SymbolIndex).zip(cubin.symbols());
    let named = symbols.map(|(at, symbol)| (cubin.symbol_name(at), symbol));
    let window = shared_window::decode(cubin.section(index)?, index, named)?;
    let linked = window.stage == LinkStage::Linked;
    let variables = window.variables.iter().map(|variable| SharedVariable {
        name: variable.name.to_owned(),
        offset: linked.then_some(variable.value),
        align: (!linked).then_some(variable.value),
        size: variable.size,
    });
    let variables = variables.collect();
    Ok(Contents::Shared(SharedVariables { linked, align: window.align, variables }))
}
