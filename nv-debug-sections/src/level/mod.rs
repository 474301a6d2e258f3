//! Debug levels: how much debug information a compilation writes, and which sections follow.
//!
//! [`DebugLevel`] follows from the options and the PTX; which sections a file of that level has,
//! from a rule table over the catalog. There are two models of that: [`observed`] is what ptxas and
//! nvlink 13.0.88 do, the same for every SM from 75 to 121 (864 runs of ptxas, 288 of nvlink),
//! [`documented`] what the notes this project started from say they do. The differences are in the
//! project's `docs/conformance.md`. [`detected`] reads from a file what it was made of, [`compare`]
//! says what is missing in it, [`report`] all of it together.

pub mod compare;
mod conditions;
mod debug_level;
pub mod detected;
pub mod documented;
pub mod observed;
mod reference_kinds;
pub mod report;
mod stated_facts;

pub use debug_level::{DebugLevel, DebugOptions, LevelDirectives};

pub use conditions::{Condition, OutputKind, PtxFeatures, PtxSection, Requirement, SectionExpectation};
pub use reference_kinds::{ReferenceKind, ReferenceKinds};
pub use stated_facts::StatedFact;
