//! What is wrong with an inlined call of a cubin.

use schemars::JsonSchema;
use serde::Serialize;

/// What is wrong with an inlined call of a cubin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallFault {
    /// The `.loc` of the PTX has the call, and the cubin does not.
    Lost,
    /// The cubin has the call, and the `.loc` of the PTX does not: another call was there before,
    /// or is meant.
    NotInPtx,
}
