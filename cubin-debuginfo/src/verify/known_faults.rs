//! The faults that NVIDIA's tools and compilers are known to make.

use super::RULES;
use super::known_fault::KnownFault;

/// Iterates over the known faults of tools, in the order of the rules.
pub fn known_faults() -> impl Iterator<Item = KnownFault> {
    RULES.iter().filter_map(|rule| {
        let (fault_of, text) = (rule.details.fault_of?, rule.details.why);
        Some(KnownFault { code: rule.code, name: rule.name, fault_of, summary: rule.summary, text })
    })
}
