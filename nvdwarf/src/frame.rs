//! One frame of a chain of calls.

use super::source_line::SourceLine;
use crate::function::PlainNames;
use cubin_debuginfo::symbolize::{self, FrameFunction};
use std::fmt;

/// One frame of a chain of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The name of the function as its programmer wrote it; `None` where it is not known.
    pub function: Option<String>,
    /// The name of the function, mangled as the compiler did; `None` where it is not known.
    pub linkage_name: Option<String>,
    /// Whether the function was inlined into the function of the next frame.
    pub is_inlined: bool,
    /// The source file and line that the frame is at.
    pub source: SourceLine,
}

impl fmt::Display for Frame {
    /// `f at a.cuh:3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.function.as_deref().unwrap_or("??"), self.source)
    }
}

impl Frame {
    pub(crate) fn of(frame: &symbolize::Frame<'_>, names: &mut PlainNames) -> Self {
        let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        let linkage_name = match frame.function {
            FrameFunction::Physical(function) => function.map(|function| function.name.to_owned()),
            FrameFunction::Inlined(callee) => callee.name.map(text),
            FrameFunction::InlinedEntry(entry) => entry.name.map(text),
        };
        let file = frame.file.path().map(str::to_owned);
        let source = SourceLine { file, line: frame.line.into(), column: frame.column };
        let (function, is_inlined) = (linkage_name.as_deref().map(|name| names.of(name)), frame.is_inlined());
        Self { function, linkage_name, is_inlined, source }
    }
}
