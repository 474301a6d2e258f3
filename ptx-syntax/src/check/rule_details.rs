//! The details of a rule about PTX.

use super::ptx_version::PtxVersion;
use super::release_behaviour::ReleaseDifference;

/// The details of a rule about PTX, beyond those that all rules have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// The first `.version` that the rule applies to; `None` if it applies from the first version
    /// on.
    pub since: Option<PtxVersion>,
    /// The first `.version` that the rule no longer applies to; `None` if there is none.
    pub until: Option<PtxVersion>,
    /// The document that states the requirement.
    pub reference: &'static str,
    /// The behaviour of ptxas 13.0.88 where the rule is broken; `silent` where it says nothing.
    pub ptxas: &'static str,
    /// The releases whose ptxas does otherwise.
    pub releases: &'static [ReleaseDifference],
    /// Whether [`crate::fix`] has a repair.
    pub fixable: bool,
}
