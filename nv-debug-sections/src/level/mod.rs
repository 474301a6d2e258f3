//! Debug levels: how much debug information a compilation writes, and which sections follow.
//!
//! [`DebugLevel`] follows from the options and the PTX; which sections a file of that level has,
//! from a rule table over the catalog. There are two models of that: [`observed`] is what ptxas and
//! nvlink 13.0.88 do, the same for every SM from 75 to 121 (864 runs of ptxas, 288 of nvlink),
//! [`documented`] what the notes this project started from say they do. The differences are in the
//! project's `docs/conformance.md`. [`detected`] reads from a file what it was made of, [`compare`]
//! says what is missing in it, [`report`] all of it together.

pub mod compare;
mod condition;
mod debug_level;
pub mod detected;
pub mod documented;
pub mod observed;
mod output_kind;
mod ptx_features;
mod reference_kinds;
pub mod report;
mod section_expectation;
mod stated_facts;
mod unoptimised_code;

pub use debug_level::{DebugLevel, DebugOptions, LevelDirectives};

pub use condition::Condition;
pub use output_kind::OutputKind;
pub use ptx_features::{PtxFeatures, PtxSection};
pub use reference_kinds::{ReferenceKind, ReferenceKinds, typical_references};
pub use section_expectation::{Requirement, SectionExpectation};
pub use stated_facts::StatedFact;
pub use unoptimised_code::UnoptimisedCode;
