//! A line in a text of an intermediate language, as an answer.

use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// A line in a text of the intermediate language that a compiler has between the source and PTX.
#[derive(Debug, Serialize, JsonSchema)]
pub struct IntermediateSource<'s> {
    /// The name of the file that the text is of, as `.nv.tileir.debug_txt.NAME` has it; `None`
    /// where the file table has no such file.
    pub file: Option<&'s str>,
    /// 1-based number of the line in the text of the intermediate language.
    pub line: u32,
    /// The text of the line; `None` where the cubin does not have the text, or no such line in it.
    pub text: Option<Cow<'s, str>>,
    /// The name of the section that has the text. Absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<&'s str>,
}

impl fmt::Display for IntermediateSource<'_> {
    /// `intermediate:3  %a = load %x`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "intermediate:{}", self.line)?;
        self.text.as_ref().map_or(Ok(()), |text| write!(f, "  {}", text.trim_ascii_start()))
    }
}
