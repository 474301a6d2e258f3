//! The debug sections that the documentation of nvlink ("Debug Section Output Matrix") says nvlink
//! 13.0.88 and the ptxas inside it write, kept as data. The real tools differ nearly everywhere:
//! see the project's `docs/conformance.md`, and [`observed`](super::observed).

use super::section_expectation::{Requirement, SectionExpectation};
use super::{DebugLevel, DebugOptions};
use crate::catalog::{SectionKind, SectionName, Space};
use schemars::JsonSchema;
use serde::Serialize;

/// The tool that gets the option `--suppress-debug-info`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tool {
    /// ptxas, where the option suppresses all debug information.
    Ptxas,
    /// nvlink, where the option suppresses only the effect of `-g`.
    Nvlink,
}

/// The first SM whose files have clones. The documents state it for all releases.
const FIRST_SM_WITH_CLONES: u32 = 100;

/// One row of the matrix.
struct Row {
    kind: SectionKind,
    /// The least level it is written at.
    from: DebugLevel,
    /// Written for SMs above this number.
    above: u32,
    /// Written natively.
    native: bool,
    /// Written as a clone from [`FIRST_SM_WITH_CLONES`] on.
    mercury: bool,
    /// Counted in the inventory.
    counted: bool,
}

const ROWS: [Row; 16] = {
    use DebugLevel::{Full, Lines};
    const fn row(kind: SectionKind, from: DebugLevel, above: u32) -> Row {
        Row { kind, from, above, native: true, mercury: true, counted: true }
    }
    const fn mercury_only(kind: SectionKind) -> Row {
        Row { native: false, ..row(kind, Full, 0) }
    }
    [
        row(SectionKind::DebugLine, Lines, 0),
        row(SectionKind::DebugInfo, Full, 0),
        row(SectionKind::DebugAbbrev, Full, 0),
        row(SectionKind::DebugStr, Full, 0),
        row(SectionKind::DebugFrame, Full, 0),
        row(SectionKind::DebugLoc, Full, 0),
        row(SectionKind::NvDebugLineSass, Lines, 89),
        row(SectionKind::NvDebugInfoRegSass, Full, 89),
        row(SectionKind::NvDebugPtxTxt, Full, 0),
        row(SectionKind::NvDebugInfoRegType, Full, 0),
        // In the matrix, but neither in the inventory nor among the Mercury sections.
        Row { mercury: false, counted: false, ..row(SectionKind::NvDebugInfoPtx, Full, 0) },
        mercury_only(SectionKind::DebugAranges),
        mercury_only(SectionKind::DebugRanges),
        mercury_only(SectionKind::DebugMacinfo),
        mercury_only(SectionKind::DebugPubnames),
        mercury_only(SectionKind::DebugPubtypes),
    ]
};

/// Returns the debug level that the documentation of ptxas and nvlink gives for a set of their
/// options.
pub fn level(request: DebugOptions, tool: Tool) -> DebugLevel {
    match request {
        DebugOptions { suppress: true, .. } if tool == Tool::Ptxas => DebugLevel::None,
        DebugOptions { device_debug: true, suppress: false, .. } => DebugLevel::Full,
        DebugOptions { line_info: true, .. } => DebugLevel::Lines,
        _ => DebugLevel::None,
    }
}

/// Returns the sections that the documentation lists for a debug level and an SM number, native
/// ones first.
pub fn sections(level: DebugLevel, sm: u32) -> Vec<SectionExpectation<'static>> {
    rows(level, sm).map(|(_, name)| SectionExpectation { name, requirement: Requirement::Always }).collect()
}

fn rows(level: DebugLevel, sm: u32) -> impl Iterator<Item = (&'static Row, SectionName<'static>)> {
    let written = move |row: &&Row| level >= row.from && sm > row.above;
    let native = ROWS.iter().filter(written).filter(|row| row.native);
    let clones = ROWS.iter().filter(written).filter(move |row| row.mercury && sm >= FIRST_SM_WITH_CLONES);
    let name = |row: &Row| SectionName::native(row.kind.name());
    native.map(move |row| (row, name(row))).chain(clones.map(move |row| (row, name(row).mercury())))
}

/// The numbers of debug sections in one row of the documentation's table "Complete Section
/// Inventory by Debug Level".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Inventory {
    /// The number of standard DWARF sections.
    pub standard: usize,
    /// The number of NVIDIA's own sections.
    pub extensions: usize,
    /// The number of Mercury copies, `.nv.merc.*`.
    pub mercury: usize,
}

impl Inventory {
    /// The sum of the three numbers of sections.
    pub fn total(&self) -> usize {
        self.standard + self.extensions + self.mercury
    }
}

/// The inventory as it is stated: level, SMs above, up to, counts.
const INVENTORY: [(DebugLevel, u32, u32, Inventory); 7] = {
    use DebugLevel::{Full, Lines, None};
    const fn counts(standard: usize, extensions: usize, mercury: usize) -> Inventory {
        Inventory { standard, extensions, mercury }
    }
    [
        (None, 0, u32::MAX, counts(0, 0, 0)),
        (Lines, 0, 89, counts(1, 0, 0)),
        (Lines, 89, u32::MAX, counts(1, 1, 0)),
        (Full, 0, 72, counts(6, 2, 0)),
        (Full, 72, 89, counts(6, 2, 0)),
        (Full, 89, 99, counts(6, 4, 0)),
        (Full, 99, u32::MAX, counts(6, 4, 15)),
    ]
};

/// Returns the numbers of sections that the documentation's table has for a debug level and an SM
/// number. The table does not count `.nv_debug_info_ptx`, nor the Mercury clones in files with
/// lines only.
pub fn inventory(level: DebugLevel, sm: u32) -> Inventory {
    let stated = INVENTORY.iter().find(|(of, above, to, _)| *of == level && sm > *above && sm <= *to);
    stated.map_or(INVENTORY[0].3, |(.., counts)| *counts)
}

/// Counts the sections that the documentation lists by name for a debug level and an SM number:
/// standard sections, NVIDIA's own, and Mercury copies. The documentation also states these numbers
/// ([`inventory`]), and some differ.
pub fn count(level: DebugLevel, sm: u32) -> Inventory {
    let of = |space: Space, own: bool| {
        let counted = move |(row, name): &(&Row, SectionName<'_>)| {
            let is_own = row.kind.name().starts_with(OWN_PREFIX);
            row.counted && name.space == space && (space == Space::Mercury || is_own == own)
        };
        rows(level, sm).filter(counted).count()
    };
    Inventory {
        standard: of(Space::Native, false),
        extensions: of(Space::Native, true),
        mercury: of(Space::Mercury, false),
    }
}

/// How the names of NVIDIA's own sections begin.
const OWN_PREFIX: &str = ".nv_";

#[cfg(test)]
mod tests {
    use super::*;

    /// The inventory's counts are those of the matrix, but for the clones of files with lines only.
    #[test]
    fn the_matrix_has_as_many_sections_as_the_inventory_states() {
        for (level, above, to, stated) in INVENTORY {
            for sm in [above + 1, to.min(121)] {
                let contradicted = level == DebugLevel::Lines && sm >= FIRST_SM_WITH_CLONES;
                let mercury = if contradicted { 2 } else { stated.mercury };
                assert_eq!(count(level, sm), Inventory { mercury, ..stated }, "{level:?}, sm_{sm}");
                assert_eq!(inventory(level, sm), stated);
            }
        }
        assert_eq!(inventory(DebugLevel::Full, 100).total(), 25); // as stated
    }

    /// Seed 003, "Debug Level Summary Matrix": request, levels in ptxas and nvlink.
    #[test]
    fn requests_have_the_levels_of_the_summary() {
        use DebugLevel::{Full, Lines, None};
        let request = |device_debug, line_info, suppress| DebugOptions { device_debug, line_info, suppress };
        for (request, in_ptxas, in_nvlink) in [
            (request(false, false, false), None, None),
            (request(false, true, false), Lines, Lines),
            (request(true, false, false), Full, Full),
            (request(true, true, false), Full, Full),
            (request(true, false, true), None, None),
            (request(false, true, true), None, Lines),
        ] {
            assert_eq!(
                (level(request, Tool::Ptxas), level(request, Tool::Nvlink)),
                (in_ptxas, in_nvlink),
                "{request:?}"
            );
        }
    }

    #[test]
    fn lines_of_sm_90_are_two_sections() {
        let names: Vec<String> =
            sections(DebugLevel::Lines, 90).iter().map(|section| section.name.to_string()).collect();
        assert_eq!(names, [".debug_line", ".nv_debug_line_sass"]);
        assert!(sections(DebugLevel::None, 100).is_empty());
    }
}
