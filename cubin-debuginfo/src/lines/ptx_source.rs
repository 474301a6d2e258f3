//! A line of the PTX text of a cubin, as an answer.

use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// The line of the PTX text from which the code at an address comes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PtxSource<'s> {
    /// 1-based number of the line in the PTX text.
    pub line: u32,
    /// The text of the PTX line as `.nv_debug_ptx_txt` keeps it, without leading blanks and debug
    /// directives; `None` where the file has no such line.
    pub text: Option<Cow<'s, str>>,
    /// The name of the section that has the PTX text. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<&'s str>,
}

impl fmt::Display for PtxSource<'_> {
    /// `ptx:46  ret;`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ptx:{}", self.line)?;
        self.text.as_ref().map_or(Ok(()), |text| write!(f, "  {text}"))
    }
}
