//! How much debug information a module asks for, and what libNVVM and ptxas make of it.
//!
//! [`KINDS`] and [`COMPILER_OPTIONS`] are the facts; all answers are derived from them. Where the
//! documentation says something else than the tools of CUDA 13.0.88 do, both are given.

mod module_modes;
mod ptx_contents;
mod ptxas;
mod table;

pub(crate) use module_modes::has_names_table;
pub use module_modes::{ModuleModes, UnitModes};
pub use ptx_contents::PtxContents;
pub use ptxas::{DebugTables, OPTIMIZATION_LEVELS, PtxasOption, PtxasRun, ptxas_runs};
pub use table::{
    COMPILER_OPTIONS, CompilerOption, ContainerLevel, ContainerStatement, EmissionKind, KINDS, KindRow,
    OptionEffect, Stage,
};
