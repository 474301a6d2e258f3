//! Differences whose reason is known; docs/conformance.md has them.

use nv_debug_sections::catalog::SectionKind;
use nv_debug_sections::cubin::{Cubin, Relocation, SectionIndex};
use nv_debug_sections::generation::Generation;
use std::fmt;

/// Why a section differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// In relocatable files for sm_90 the CIE pointers of ptxas lead into the Mercury
    /// `.debug_frame`, which the file does not have; ours lead to the CIE.
    CiePointers,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CiePointers => "CIE pointers of sm_90 -c",
        })
    }
}

/// Why our section differs from that of ptxas, if nothing else in it does.
pub(crate) fn reason(
    (ours, ours_at): (&Cubin<'_>, SectionIndex),
    (theirs, theirs_at): (&Cubin<'_>, SectionIndex),
) -> Option<Reason> {
    if theirs.target().generation() != Generation::HiddenMercury || !theirs.header.is_relocatable() {
        return None;
    }
    let (our, their) = (relocations(ours, ours_at)?, relocations(theirs, theirs_at)?);
    let frame = theirs.section_by_name(SectionKind::DebugFrame.name())?;
    let is_frame = |relocation: &Relocation| {
        let symbol = theirs.symbols().get(relocation.symbol.0 as usize);
        symbol.is_some_and(|symbol| symbol.is_section() && symbol.section() == Some(frame))
    };
    let is_explained = |(our, their): (&Relocation, &Relocation)| {
        our == their || is_frame(their) && Relocation { addend: their.addend, ..*our } == *their
    };
    (our.len() == their.len() && our.iter().zip(their).all(is_explained)).then_some(Reason::CiePointers)
}

fn relocations<'c>(cubin: &'c Cubin<'_>, at: SectionIndex) -> Option<&'c [Relocation]> {
    cubin.section(at).ok()?.relocations()
}
