//! Why a PTX says nothing about the code of a cubin.

use thiserror::Error;

/// The reason why the call chains of a PTX cannot be used for a cubin: it is not known to be the
/// PTX from which the cubin was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NoChains {
    /// The cubin has no PTX text with which the PTX could be compared.
    #[error("without .nv_debug_ptx_txt nothing tells whether the PTX is that of this file")]
    Unknown,
    /// The cubin has the text of another PTX, so it was not made from this one.
    #[error("the PTX is not that of this file, whose .nv_debug_ptx_txt differs")]
    Other,
}
