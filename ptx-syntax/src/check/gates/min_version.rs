//! The lowest `.version` that a module can have.

use super::super::ptx_version::PtxVersion;
use super::{GatedUse, VersionGate};
use crate::text_range::TextRange;

/// The lowest `.version` that a module can have, by the features and the architectures in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MinVersion {
    /// The first use of each feature that needs a version, in text order.
    pub uses: Vec<GatedUse>,
    /// The version that the architectures of `.target` need, with the range of the word that needs
    /// it; `None` for unknown architectures.
    pub target: Option<(PtxVersion, TextRange)>,
}

impl MinVersion {
    /// Returns the lowest `.version` with which ptxas 13.0.88 accepts the module; 1.0 if no feature
    /// needs more.
    pub fn enforced(&self) -> PtxVersion {
        self.least(|gate| gate.enforced)
    }

    /// Returns the lowest `.version` that the PTX ISA demands for the features of the module.
    pub fn documented(&self) -> PtxVersion {
        self.least(|gate| Some(gate.documented))
    }

    fn least(&self, of: impl Fn(&VersionGate) -> Option<PtxVersion>) -> PtxVersion {
        let uses = self.uses.iter().filter_map(|used| of(used.gate));
        let all = uses.chain(self.target.map(|(version, _)| version));
        all.max().unwrap_or(PtxVersion::new(1, 0))
    }

    /// Notes a use; only the first of each feature counts. Returns whether this is it.
    pub(super) fn note(&mut self, gate: &'static VersionGate, range: TextRange) -> bool {
        let first = !self.uses.iter().any(|used| used.gate.rule == gate.rule);
        if first {
            self.uses.push(GatedUse { gate, range });
        }
        first
    }
}
