//! What libNVVM does with a module.

use schemars::JsonSchema;
use serde::Serialize;

/// What libNVVM 13.0.88 does with a module, judged by its debug metadata alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LibNvvmAnswer {
    /// How verification and compilation end.
    pub outcome: LibNvvmOutcome,
    /// The code that it returns, a `nvvmResult`: 0 for success, 3 for a version that it does not
    /// take, 6 for a module that is not valid. Absent where it returns none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_code: Option<u8>,
    /// What it says, each sentence once: in its log where it returns an error, else on standard
    /// error. Nodes and places that it prints after a sentence are left out.
    pub sentences: Vec<String>,
    /// Whether the PTX has `.loc`.
    pub has_lines: bool,
}

/// How verification and compilation by libNVVM end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LibNvvmOutcome {
    /// It returns a code.
    Returns,
    /// It ends the process, after it has said why.
    Aborts,
    /// It does not come back.
    NeverReturns,
    /// It goes on with what is not valid: mostly it ends the process without a word.
    Undefined,
}
