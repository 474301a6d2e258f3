//! The conditions other than the debug level that decide which sections a file has: its kind, and
//! the features of its PTX.

use crate::catalog::SectionKind;
use std::fmt;

/// A condition under which a file has a section. [`Display`](fmt::Display) writes it as "there is
/// code".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Condition {
    /// There is code ([`PtxFeatures::has_code`](super::PtxFeatures::has_code)).
    Code,
    /// Code comes from PTX ([`PtxFeatures::has_ptx_lines`](super::PtxFeatures::has_ptx_lines)).
    PtxLines,
    /// Code has a `.loc` ([`PtxFeatures::has_loc`](super::PtxFeatures::has_loc)).
    Loc,
    /// Inlined functions are named
    /// ([`PtxFeatures::has_inlined_names`](super::PtxFeatures::has_inlined_names)).
    InlinedNames,
    /// Code has a `.loc_intermediate`
    /// ([`PtxFeatures::has_intermediate_lines`](super::PtxFeatures::has_intermediate_lines)).
    IntermediateLoc,
    /// The PTX has texts of an intermediate language
    /// ([`PtxFeatures::intermediate_text_names`](super::PtxFeatures::intermediate_text_names)).
    IntermediateText,
    /// There are `.shared` variables
    /// ([`PtxFeatures::has_shared_variables`](super::PtxFeatures::has_shared_variables)). It is not
    /// fully known which `.shared` variables count: see `docs/conformance.md`.
    SharedVariables,
    /// The PTX has a section of this kind
    /// ([`PtxFeatures::sections`](super::PtxFeatures::sections)).
    PtxSection(SectionKind),
    /// The section whose relocations are expected has references that need them.
    References,
    /// The section was not stripped
    /// ([`DetectedLevel::removed`](super::detected::DetectedLevel::removed)).
    NotStripped,
    /// The code is not optimised
    /// ([`DetectedLevel::optimised`](super::detected::DetectedLevel::optimised)).
    Unoptimised,
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Code => "there is code",
            Self::PtxLines => "code comes from PTX",
            Self::Loc => "code has a .loc",
            Self::InlinedNames => "inlined functions are named",
            Self::IntermediateLoc => "code has a .loc_intermediate",
            Self::IntermediateText => "the PTX has .nv_intermediate_source_section",
            Self::SharedVariables => "there are .shared variables",
            Self::PtxSection(kind) => return write!(f, "the PTX has {}", kind.name()),
            Self::References => "that section has references",
            Self::NotStripped => "it was not stripped",
            Self::Unoptimised => "the code is not optimised",
        })
    }
}
