//! Line tables for which the rules have exceptions: what is written is compared with the tables
//! that ptxas made.

use crate::error::Result;
use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::Cubin;
use nv_debug_sections::line::{self, LineTable};
use std::borrow::Cow;

/// The first line table section in which two cubins of the same code have other files, rows or
/// steps. Addresses of functions are relocated and do not count.
pub(crate) fn first_that_differs(written: &[u8], of_ptxas: &[u8]) -> Result<Option<SectionKind>> {
    let (written, of_ptxas) = (Cubin::parse(written)?, Cubin::parse(of_ptxas)?);
    for kind in [SectionKind::DebugLine, SectionKind::NvDebugLineSass] {
        let (written, of_ptxas) = (bytes(&written, kind)?, bytes(&of_ptxas, kind)?);
        if tables(kind, &written)? != tables(kind, &of_ptxas)? {
            return Ok(Some(kind));
        }
    }
    Ok(None)
}

/// The bytes of a section, none if the cubin has no such section.
fn bytes<'c>(cubin: &'c Cubin<'_>, kind: SectionKind) -> Result<Cow<'c, [u8]>> {
    Ok(match cubin.section_by_name(kind.name()) {
        Some(index) => cubin.bytes(index)?,
        None => Cow::Borrowed(&[]),
    })
}

/// The line tables of a section, without the addresses of its sequences.
fn tables(kind: SectionKind, bytes: &[u8]) -> Result<Vec<LineTable<'_>>> {
    let mut tables = line::decode(kind.name(), bytes)?;
    for sequence in tables.iter_mut().flat_map(|table| &mut table.sequences) {
        sequence.base = 0;
    }
    Ok(tables)
}
