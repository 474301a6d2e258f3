//! The location of a code address: its function, source lines and PTX line. It owns its text.

use crate::function::PlainNames;
use cubin_debuginfo::symbolize::{self, FrameFunction};
use cubin_debuginfo::variables::InlinedCalls;
use std::fmt;

/// The function and the source lines of a code address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The functions and source lines at the address, innermost call first; empty where no row of
    /// the line table covers the address.
    pub frames: Vec<Frame>,
    /// The line of the PTX from which the code was made; `None` where the file does not say.
    pub ptx: Option<PtxLine>,
}

impl Location {
    /// What is at a place, `None` for an address outside of code. `calls` are the inlined calls of
    /// the entries.
    pub(crate) fn of(
        place: Option<symbolize::ResolvedAddress<'_>>,
        calls: Option<&InlinedCalls<'_>>,
        names: &mut PlainNames,
    ) -> Self {
        let Some(place) = place else { return Self { frames: Vec::new(), ptx: None } };
        let frames = match calls {
            Some(calls) => calls.frames(place).map(|frame| Frame::of(&frame, names)).collect(),
            None => place.frames().map(|frame| Frame::of(&frame, names)).collect(),
        };
        Self { frames, ptx: place.ptx().map(PtxLine::of) }
    }
}

impl fmt::Display for Location {
    /// `f at a.cuh:3 < k at k.cu:18`; `??` without frames.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.frames.is_empty() {
            return f.write_str("??");
        }
        for (index, frame) in self.frames.iter().enumerate() {
            write!(f, "{}{frame}", if index > 0 { " < " } else { "" })?;
        }
        Ok(())
    }
}

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

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// The path of the source file, as the cubin has it; `None` for a file number that no table
    /// has.
    pub file: Option<String>,
    /// The 1-based line in the source file; 0 for none.
    pub line: u64,
    /// The 1-based column in the source file; 0 for none. ptxas writes none.
    pub column: u64,
}

impl fmt::Display for SourceLine {
    /// `k.cu:18`, with a column where there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.as_deref().unwrap_or("??"), self.line)?;
        if self.column > 0 { write!(f, ":{}", self.column) } else { Ok(()) }
    }
}

/// A line of the PTX text that code comes from: its number, and the text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PtxLine {
    /// The 1-based number of the line.
    pub line: u32,
    /// The text of the line, if the file has the PTX text.
    pub text: Option<String>,
}

impl PtxLine {
    pub(crate) fn of(line: symbolize::PtxLine<'_>) -> Self {
        let text = line.text.map(|text| String::from_utf8_lossy(text).into_owned());
        Self { line: line.line, text }
    }
}
