//! An inlined call that a PTX and the cubin made from it do not have alike.

use super::CallFault;
use crate::names::Name;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// An inlined call that the PTX states and the cubin lacks at some instructions, or the other way
/// round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LostCall {
    /// What is wrong at these instructions.
    pub fault: CallFault,
    /// The function that is inlined; `None` where its name is not known.
    pub callee: Option<Name>,
    /// The path of the call site's file; `None` for a file that is not declared.
    pub file: Option<String>,
    /// The 1-based line of the call site.
    pub line: u32,
    /// The number of instructions at which the call is lost or wrong.
    pub instructions: u64,
    /// The name of the code section of the first of these instructions.
    pub section: String,
    /// Byte offset in the code section of the first of these instructions.
    pub offset: u64,
    /// The function that has the code of the first of these instructions; `None` where no symbol
    /// covers it.
    pub function: Option<Name>,
}

impl fmt::Display for LostCall {
    /// `horner3 inlined at poly.cu:53`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.callee {
            Some(callee) => write!(f, "{callee}")?,
            None => f.write_str("??")?,
        }
        write!(f, " inlined at {}:{}", self.file.as_deref().unwrap_or("??"), self.line)
    }
}
