//! The debug information in the PTX that libNVVM writes for a module.

use super::EmissionKind;
use super::module_modes::UnitModes;
use schemars::JsonSchema;
use serde::Serialize;

/// The debug information in the PTX that libNVVM 13.0.88 writes for a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct PtxContents {
    /// Whether `.target` ends with `, debug`.
    pub target_debug: bool,
    /// Whether functions have `.loc`, and the module `.file`.
    pub loc: bool,
    /// Whether `.loc` of inlined calls have `function_name` and `inlined_at`. The names are in
    /// `.debug_str`.
    pub inlined_at: bool,
    /// Whether there are `.debug_abbrev` and `.debug_info`. Below compute_100 `.debug_macinfo` is
    /// there too.
    pub dwarf_sections: bool,
    /// How many `.debug_pubnames` and `.debug_pubtypes` there are from compute_100 on.
    pub public_names_sections: usize,
    /// How many of these `.debug_pubnames` list functions. Where ptxas 13.0.88 makes `.debug_info`,
    /// it fails if there is more than one.
    pub filled_public_names_sections: usize,
}

impl PtxContents {
    /// The contents for units that are in `!llvm.dbg.cu` of a module with debug version 3.
    pub(super) fn of_units(units: &[UnitModes]) -> Self {
        if !units.iter().any(|unit| unit.emission_kind.row().has_lines) {
            return Self::default();
        }
        let is_any = |is: fn(&UnitModes) -> bool| units.iter().any(is);
        let target_debug = is_any(|unit| unit.emission_kind.row().has_dwarf);
        // Beside a unit that has lines, one without debug information has entries for its
        // functions.
        let has_entries =
            |unit: &&UnitModes| unit.emission_kind != EmissionKind::NoDebug || unit.functions > 0;
        let dwarf_sections =
            target_debug || is_any(|unit| unit.emission_kind == EmissionKind::NoDebug && unit.functions > 0);
        let names: Vec<&UnitModes> =
            units.iter().filter(has_entries).filter(|unit| unit.has_public_names && dwarf_sections).collect();
        Self {
            target_debug,
            loc: is_any(|unit| unit.functions > 0),
            inlined_at: is_any(|unit| unit.emission_kind.row().has_inlined_at && unit.inlined_locations > 0),
            dwarf_sections,
            public_names_sections: names.len(),
            filled_public_names_sections: names.iter().filter(|unit| unit.functions > 0).count(),
        }
    }
}
