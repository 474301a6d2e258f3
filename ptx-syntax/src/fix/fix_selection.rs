//! Which repairs to make, with their parameters.

use super::{REPAIRS, Repair};
use crate::check::RuleId;
use cuda_releases::Release;
use dwarf2_reader::PathMap;

/// The repairs of a PTX text to make, with their parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixSelection {
    /// The repairs to make, in any order. `add-debug` and `add-section` have no effect beside a
    /// repair that removes `debug` from `.target`.
    pub repairs: Vec<Repair>,
    /// The parameter of [`Repair::PathMap`]: the maps that [`PathMap::apply`] replaces prefixes of
    /// paths by.
    pub path_map: Vec<PathMap>,
    /// The parameter of [`Repair::FileTime`]: the time in seconds since 1970, which must not be 0,
    /// and the size in bytes.
    pub file_time: (u32, u32),
    /// The release of ptxas that is to take the module; `None`: the one that `check` is about
    /// unasked.
    pub release: Option<Release>,
}

impl Default for FixSelection {
    /// The defaults of the table.
    fn default() -> Self {
        let repairs = REPAIRS.iter().filter(|info| info.default).map(|info| info.repair).collect();
        Self { repairs, ..Self::of(&[]) }
    }
}

impl FixSelection {
    /// Creates a selection of these repairs only.
    pub fn of(repairs: &[Repair]) -> Self {
        Self { repairs: repairs.to_vec(), path_map: Vec::new(), file_time: (1, 0), release: None }
    }

    pub(super) fn has(&self, repair: Repair) -> bool {
        self.repairs.contains(&repair)
    }

    /// Whether `debug` is to go whatever there is.
    pub(super) fn takes_debug_out(&self) -> bool {
        [Repair::StripAll, Repair::StripToLines, Repair::RemoveDebug]
            .into_iter()
            .any(|repair| self.has(repair))
    }

    /// Whether one of the selected repairs removes findings of a rule.
    pub fn repairs(&self, rule: RuleId) -> bool {
        self.repairs.iter().any(|repair| repair.info().rules.contains(&rule))
    }
}
