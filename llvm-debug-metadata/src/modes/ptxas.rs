//! What ptxas 13.0.88 does with the PTX of a module.

use super::PtxContents;
use crate::IrDialect;
use schemars::JsonSchema;
use serde::Serialize;

/// An option of ptxas that asks for debug information.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PtxasOption {
    /// None is given.
    Neither,
    /// The option `-lineinfo` alone.
    LineInfo,
    /// The option `-g` alone.
    Debug,
    /// Both `-g` and `-lineinfo`.
    Both,
}

impl PtxasOption {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Neither, Self::LineInfo, Self::Debug, Self::Both];

    /// The options as they are written.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Neither => "",
            Self::LineInfo => "-lineinfo",
            Self::Debug => "-g",
            Self::Both => "-g -lineinfo",
        }
    }
}

/// The levels of optimization, and none, where ptxas chooses: 3, or 0 for debug information.
pub const OPTIMIZATION_LEVELS: [Option<u8>; 5] = [None, Some(0), Some(1), Some(2), Some(3)];

/// The debug tables of a cubin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DebugTables {
    /// Only `.debug_frame`.
    None,
    /// `.debug_line`, `.nv_debug_line_sass` and `.nv_debug_ptx_txt`.
    Lines,
    /// Lines, and `.nv_debug_info_reg_sass` and `.nv_debug_info_reg_type`, but no `.debug_info`.
    Registers,
    /// All of these, and `.debug_info`.
    Full,
}

impl DebugTables {
    /// The name of the level.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lines => "lines",
            Self::Registers => "registers",
            Self::Full => "full",
        }
    }
}

/// What ptxas does with a PTX under some options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PtxasRun {
    /// `-g` and `-lineinfo`, as they are given.
    pub options: &'static str,
    /// The number after `-O`; `null` without it.
    pub level: Option<u8>,
    /// The debug tables of the cubin; `null` where ptxas makes none.
    pub tables: Option<DebugTables>,
    /// Its warnings and errors, without the words `ptxas warning :` and `ptxas fatal   :`.
    pub messages: Vec<&'static str>,
}

const CONFLICT: &str = "Conflicting options --device-debug and --generate-line-info specified, ignoring --generate-line-info option";
const OPTIMIZED: &str = "Optimized debugging not supported";
const OVERLAP: &str = "Internal error: overlapping non-identical data";

/// What ptxas does with the PTX of a module, with each option at each level.
pub fn ptxas_runs(ptx: PtxContents, dialect: IrDialect) -> Vec<PtxasRun> {
    let of_option = |option| OPTIMIZATION_LEVELS.map(|level| run(ptx, dialect, option, level));
    PtxasOption::ALL.into_iter().flat_map(of_option).collect()
}

fn run(ptx: PtxContents, dialect: IrDialect, option: PtxasOption, level: Option<u8>) -> PtxasRun {
    let asks_debug = matches!(option, PtxasOption::Debug | PtxasOption::Both);
    let is_debug = ptx.target_debug || asks_debug;
    let mut messages = Vec::new();
    if option == PtxasOption::Both {
        messages.push(CONFLICT);
    }
    let tables = if is_debug && level.is_some_and(|level| level > 0) {
        messages.push(OPTIMIZED);
        None
    } else if is_debug && dialect == IrDialect::OpaquePointers && ptx.filled_public_names_sections > 1 {
        messages.push(OVERLAP);
        None
    } else if is_debug && ptx.dwarf_sections {
        Some(DebugTables::Full)
    } else if is_debug {
        messages.extend([".debug_abbrev section not found", ".debug_info section not found"]);
        Some(DebugTables::Registers)
    } else if ptx.loc || option == PtxasOption::LineInfo {
        Some(DebugTables::Lines)
    } else {
        Some(DebugTables::None)
    };
    PtxasRun { options: option.text(), level, tables, messages }
}
