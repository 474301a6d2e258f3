//! A section that cannot be read and therefore is not compared.

use super::difference_kind::DifferenceKind;

/// A section that cannot be read and therefore is not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadSection {
    /// The kind of difference for which the section would have been compared.
    pub key: DifferenceKind,
    /// Why the section cannot be read.
    pub error: nv_debug_sections::Error,
}
