//! Code providers: where the code image comes from. All give the same two things.

pub mod cubin;
pub mod none;
pub mod ptxas;

use crate::code_image::{CodeImage, MercuryImage};
use nv_debug_sections::cubin::Cubin;

/// A code image and the file its debug sections go into.
#[derive(Debug)]
pub struct Provided<'d> {
    /// The facts.
    pub image: CodeImage,
    /// The same code in Mercury space, from sm_100 on.
    pub mercury: Option<MercuryImage>,
    /// Code, symbols and everything else that is not debug information. Debug sections of its own are replaced.
    pub container: Cubin<'d>,
    /// Whether sections have addresses, so that relocations are applied rather than kept.
    pub placed: bool,
}
