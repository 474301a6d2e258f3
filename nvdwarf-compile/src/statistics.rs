//! Numbers about a compilation.

use nv_debug_sections::catalog::{SectionKind, SectionName, Space};
use nv_debug_sections::code::Code;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line::{self, LineOp};
use schemars::JsonSchema;
use serde::Serialize;

/// The numbers of rows, entries and other items of debug information that a compilation wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Statistics {
    /// The number of functions with code.
    pub functions: usize,
    /// The number of debug sections, without their Mercury clones.
    pub sections: usize,
    /// The number of bytes in the debug sections, without their Mercury clones.
    pub bytes: usize,
    /// The number of rows in `.debug_line`.
    pub rows: usize,
}

impl Statistics {
    /// Counts the debug information that a cubin has.
    pub(super) fn of_cubin(cubin: &Cubin<'_>) -> Self {
        let is_counted = |name: &str| {
            let name = SectionName::parse(name);
            name.is_debug_contents() && name.space == Space::Native
        };
        let sections: Vec<_> = cubin.iter().filter(|(_, name, _)| is_counted(name)).collect();
        let bytes = |index| cubin.bytes(index).map_or(0, |bytes| bytes.len());
        let lines = SectionKind::DebugLine.name();
        let table =
            cubin.section_by_name(lines).and_then(|index| cubin.bytes(index).ok()).unwrap_or_default();
        let units = line::unit_programs(lines, &table).map_while(Result::ok);
        let sequences = units.flat_map(|unit| unit.sequences().map_while(Result::ok).collect::<Vec<_>>());
        let is_row = |(op, _): &(LineOp, u64)| matches!(op, LineOp::Row { .. });
        Self {
            functions: Code::new(cubin).functions().len(),
            sections: sections.len(),
            bytes: sections.iter().map(|(index, ..)| bytes(*index)).sum(),
            rows: sequences.map(|sequence| sequence.steps().filter(is_row).count()).sum(),
        }
    }
}
