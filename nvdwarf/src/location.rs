//! The location of a code address: its function, source lines and PTX line. It owns its text.

use super::frame::Frame;
use super::ptx_line::PtxLine;
use crate::function::PlainNames;
use cubin_debuginfo::symbolize::{self};
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
