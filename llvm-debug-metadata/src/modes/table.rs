//! The tables of emission kinds and of the options that make them.

use schemars::JsonSchema;
use serde::Serialize;

/// How much debug information is emitted for a unit: the `emissionKind` of its `DICompileUnit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub enum EmissionKind {
    /// Nothing is emitted. This is also the kind of a unit that names none.
    NoDebug,
    /// Lines, and DWARF entries of everything.
    FullDebug,
    /// Lines, and DWARF entries of units and functions.
    LineTablesOnly,
    /// Lines, as `.loc` and `.file`, and no DWARF entries.
    DebugDirectivesOnly,
}

impl EmissionKind {
    /// The row of the table for this kind.
    pub fn row(self) -> &'static KindRow {
        // LLVM's numbers of the kinds are the indices of the table.
        &KINDS[self as usize]
    }

    /// The kind that a field says, by name or by number; `NoDebug` for an empty text.
    pub fn from_field(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::NoDebug);
        }
        let number = text.parse::<usize>().ok();
        let is_meant = |(index, row): &(usize, &KindRow)| row.name == text || Some(*index) == number;
        KINDS.iter().enumerate().find(is_meant).map(|(_, row)| row.kind)
    }
}

/// The debug level that the header of an NVVM container has, by the documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub enum ContainerLevel {
    /// `NVVM_DEBUG_INFO_NONE`, 0.
    #[serde(rename = "NONE")]
    None,
    /// `NVVM_DEBUG_INFO_LINE_INFO`, 1.
    #[serde(rename = "LINE_INFO")]
    LineInfo,
    /// `NVVM_DEBUG_INFO_DWARF`, 2.
    #[serde(rename = "DWARF")]
    Dwarf,
}

impl ContainerLevel {
    /// The name of the level.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::LineInfo => "LINE_INFO",
            Self::Dwarf => "DWARF",
        }
    }
}

/// The container level of a unit or a module, as documented and as measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ContainerStatement {
    /// The level that the documentation names. Absent where it names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documented: Option<ContainerLevel>,
    /// The level that fits the PTX of libNVVM 13.0.88.
    pub measured: ContainerLevel,
}

/// A stage of cicc that the documentation says an option is handed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The linker, which adds libdevice.
    Linker,
    /// The optimizer.
    Optimizer,
}

impl Stage {
    /// The name of the stage.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linker => "linker",
            Self::Optimizer => "optimizer",
        }
    }
}

/// What libNVVM 13.0.88 writes for a unit of one emission kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct KindRow {
    /// The kind.
    pub kind: EmissionKind,
    /// Its name in LLVM IR.
    pub name: &'static str,
    /// Whether a module with such a unit alone has `.loc` and `.file`, if its functions have
    /// subprograms.
    pub has_lines: bool,
    /// Whether `.loc` of inlined calls have `function_name` and `inlined_at`, and `.debug_str` the
    /// names.
    pub has_inlined_at: bool,
    /// Whether a module with such a unit has `, debug` in `.target`, and `.debug_abbrev` and
    /// `.debug_info`.
    pub has_dwarf: bool,
    /// Whether the unit has `.debug_pubnames` and `.debug_pubtypes` where there is DWARF, from
    /// compute_100 on.
    pub has_public_names: bool,
    /// The container level.
    pub container: ContainerStatement,
}

/// All emission kinds, by LLVM's numbers.
pub const KINDS: [KindRow; 4] = [
    KindRow {
        kind: EmissionKind::NoDebug,
        name: "NoDebug",
        has_lines: false,
        has_inlined_at: false,
        has_dwarf: false,
        // Beside a unit of another kind, even a unit without debug information has entries.
        has_public_names: true,
        container: ContainerStatement {
            documented: Some(ContainerLevel::None),
            measured: ContainerLevel::None,
        },
    },
    KindRow {
        kind: EmissionKind::FullDebug,
        name: "FullDebug",
        has_lines: true,
        has_inlined_at: false,
        has_dwarf: true,
        has_public_names: true,
        container: ContainerStatement {
            documented: Some(ContainerLevel::Dwarf),
            measured: ContainerLevel::Dwarf,
        },
    },
    KindRow {
        kind: EmissionKind::LineTablesOnly,
        name: "LineTablesOnly",
        has_lines: true,
        has_inlined_at: false,
        has_dwarf: true,
        has_public_names: false,
        container: ContainerStatement {
            documented: Some(ContainerLevel::LineInfo),
            measured: ContainerLevel::Dwarf,
        },
    },
    KindRow {
        kind: EmissionKind::DebugDirectivesOnly,
        name: "DebugDirectivesOnly",
        has_lines: true,
        has_inlined_at: true,
        has_dwarf: false,
        has_public_names: false,
        container: ContainerStatement { documented: None, measured: ContainerLevel::LineInfo },
    },
];

/// An option of cicc that asks for debug information, and what comes of it. libNVVM takes the same
/// options, and they change nothing there: the kind in the IR decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CompilerOption {
    /// The options as written; empty where none is given.
    pub options: &'static str,
    /// What the documentation says of them. Absent where it says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documented: Option<OptionEffect>,
    /// What cicc 13.0.88 makes of them, by its PTX.
    pub measured: EmissionKind,
}

/// What the documentation says that options of cicc do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OptionEffect {
    /// The emission kind of units.
    pub emission_kind: EmissionKind,
    /// The level in the header of the container.
    pub container: ContainerLevel,
    /// The name by which the option is handed on; empty where nothing is.
    pub handed_on_as: &'static str,
    /// The stages that get it.
    pub stages: &'static [Stage],
}

/// The options of cicc.
pub const COMPILER_OPTIONS: [CompilerOption; 4] = [
    CompilerOption {
        options: "",
        documented: Some(OptionEffect {
            emission_kind: EmissionKind::NoDebug,
            container: ContainerLevel::None,
            handed_on_as: "",
            stages: &[],
        }),
        measured: EmissionKind::NoDebug,
    },
    CompilerOption {
        options: "-generate-line-info",
        documented: Some(OptionEffect {
            emission_kind: EmissionKind::LineTablesOnly,
            container: ContainerLevel::LineInfo,
            handed_on_as: "-generate-line-info",
            stages: &[Stage::Optimizer],
        }),
        measured: EmissionKind::DebugDirectivesOnly,
    },
    CompilerOption {
        options: "-g",
        documented: Some(OptionEffect {
            emission_kind: EmissionKind::FullDebug,
            container: ContainerLevel::Dwarf,
            handed_on_as: "-debug-compile",
            stages: &[Stage::Linker, Stage::Optimizer],
        }),
        measured: EmissionKind::FullDebug,
    },
    CompilerOption { options: "-g -generate-line-info", documented: None, measured: EmissionKind::FullDebug },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_by_name_and_by_number() {
        for (number, row) in KINDS.iter().enumerate() {
            assert_eq!(row.kind.row(), row);
            assert_eq!(EmissionKind::from_field(row.name), Some(row.kind));
            assert_eq!(EmissionKind::from_field(&number.to_string()), Some(row.kind));
        }
        assert_eq!(EmissionKind::from_field(""), Some(EmissionKind::NoDebug));
        assert_eq!(EmissionKind::from_field("4"), None);
        assert_eq!(EmissionKind::from_field("nodebug"), None);
    }
}
