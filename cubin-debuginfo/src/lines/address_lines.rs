//! The source lines of an address, as a chain of calls, and its PTX line.

use super::LineLookup;
use super::call_chain::CallChain;
use super::intermediate_source::IntermediateSource;
use super::named_frame::is_zero;
use super::ptx_source::PtxSource;
use crate::symbolize::ResolvedAddress;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The call chain and the PTX line that the line tables have for one address.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AddressLines<'a, 's> {
    /// The call chain of the address, innermost frame first: at most 1024 frames, in the ranges of
    /// a listing at most 64. Empty where `.debug_line` does not cover the address.
    pub frames: CallChain<'a, 's>,
    /// The number of outer frames that `frames` leaves out because there are too many. Absent where
    /// `frames` has them all.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_frames: u64,
    /// The place of the address in a text of an intermediate language, as cuTile has one. Absent
    /// where `.nv.tileir.debug_line` does not cover the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intermediate: Option<IntermediateSource<'s>>,
    /// The PTX line of the address; `None` where `.nv_debug_line_sass` does not cover the address.
    pub ptx: Option<PtxSource<'s>>,
}

impl<'a, 's> AddressLines<'a, 's> {
    /// The lines of a place, with `limit` frames at most.
    pub(super) fn new(lookup: &'a LineLookup<'s>, place: ResolvedAddress<'s>, limit: usize) -> Self {
        let ptx = place.ptx().map(|ptx| PtxSource {
            line: ptx.line,
            text: ptx.text.map(String::from_utf8_lossy),
            section: ptx.section.map(|section| lookup.cubin.section_name(section)),
        });
        let intermediate = place.intermediate().map(|line| IntermediateSource {
            file: line.file,
            line: line.line,
            text: line.text.map(String::from_utf8_lossy),
            section: line.section.map(|section| lookup.cubin.section_name(section)),
        });
        let more_frames = lookup.depth(&place).saturating_sub(limit) as u64;
        Self { frames: CallChain { lookup, place, limit }, more_frames, intermediate, ptx }
    }

    /// Whether no line table covers the address.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty() && self.ptx.is_none() && self.intermediate.is_none()
    }
}

impl fmt::Display for AddressLines<'_, '_> {
    /// `f at a.cuh:3 (inlined) <- k at k.cu:18  | ptx:46  ret;`, with `??:0` where `.debug_line`
    /// does not cover the address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut arrow = "";
        for frame in self.frames.iter() {
            write!(f, "{arrow}{frame}")?;
            arrow = " <- ";
        }
        match self.more_frames {
            0 => {}
            more => write!(f, " <- ... {more} more")?,
        }
        if self.frames.is_empty() {
            f.write_str("??:0")?;
        }
        if let Some(intermediate) = &self.intermediate {
            write!(f, "  | {intermediate}")?;
        }
        self.ptx.as_ref().map_or(Ok(()), |ptx| write!(f, "  | {ptx}"))
    }
}
