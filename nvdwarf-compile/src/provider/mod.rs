//! Code providers: the sources of the code image. All give the code facts and the container.

pub(crate) mod cubin;
pub(crate) mod none;

use crate::code_facts::{CodeFacts, MercuryFacts};
use nv_debug_sections::cubin::Cubin;

/// A code image and the file its debug sections go into.
#[derive(Debug)]
pub(crate) struct Provided<'d> {
    /// The facts.
    pub(crate) image: CodeFacts,
    /// The facts about the same code in Mercury space, from sm_100 on.
    pub(crate) mercury: Option<MercuryFacts>,
    /// Code, symbols and everything else that is not debug information. Debug sections of its own
    /// are replaced.
    pub(crate) container: Cubin<'d>,
    /// Whether sections have addresses, so that relocations are applied rather than kept.
    pub(crate) debug_only: bool,
}
