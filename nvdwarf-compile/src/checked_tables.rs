//! Line tables for which the rules have exceptions: what is written is compared with the tables
//! that ptxas made.

use crate::error::Result;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line::{self, LineOp, Sequence};
use std::borrow::Cow;

/// The first line table section in which two cubins of the same code have other rows or steps.
/// Names, times and sizes of files do not count, since options set them.
pub(crate) fn first_that_differs(written: &[u8], of_ptxas: &[u8]) -> Result<Option<SectionKind>> {
    let (written, of_ptxas) = (Cubin::parse(written)?, Cubin::parse(of_ptxas)?);
    for kind in [SectionKind::DebugLine, SectionKind::NvDebugLineSass] {
        if programs(&written, kind)? != programs(&of_ptxas, kind)? {
            return Ok(Some(kind));
        }
    }
    Ok(None)
}

/// The line program of one code section.
#[derive(Debug, PartialEq, Eq)]
struct LineProgram {
    ops: Vec<LineOp>,
    end: u64,
}

/// The line programs of a section, none if the cubin has no such section.
fn programs(cubin: &Cubin<'_>, kind: SectionKind) -> Result<Vec<LineProgram>> {
    let bytes = match cubin.section_by_name(kind.name()) {
        Some(index) => cubin.bytes(index)?,
        None => Cow::Borrowed(&[][..]),
    };
    let sequences = line::decode(kind.name(), &bytes)?.into_iter().flat_map(|table| table.sequences);
    Ok(sequences.map(|Sequence { ops, end, .. }| LineProgram { ops, end }).collect())
}
