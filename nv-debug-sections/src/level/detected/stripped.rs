//! What was stripped from a file.

use super::super::output_kind::OutputKind;
use super::super::{DebugLevel, observed};
use super::{marks, output, parsed_names};
use crate::catalog::{SectionKind, SectionName, SectionOrigin};
use crate::cubin::{CodeLocation, Cubin, SectionIndex};
use crate::tkinfo;

/// Returns the kinds of debug sections that were stripped from a file, as
/// [`DetectedLevel::removed`](super::DetectedLevel::removed) has them. It decodes only
/// names.
pub fn removed_sections(cubin: &Cubin<'_>) -> Vec<SectionKind> {
    let is_debug_only = cubin.code_location() == CodeLocation::None;
    let output = if is_debug_only { OutputKind::DebugOnly } else { output(cubin, cubin.writer().as_ref()) };
    removed(cubin, &parsed_names(cubin), output)
}

/// Whether debug sections of a kind are missing from a file because it was stripped. If `kind` is
/// `None`, any kind counts.
///
/// Symbols tell which ones there were; where they are gone too, `kind` may have been among them.
pub fn is_stripped(cubin: &Cubin<'_>, kind: Option<SectionKind>) -> bool {
    if removed_sections(cubin).is_empty() {
        return false;
    }
    let mut gone =
        marks(cubin).filter(SectionName::is_debug_contents).filter_map(|name| name.kind()).peekable();
    gone.peek().is_none() || kind.is_none_or(|kind| gone.any(|gone| gone == kind))
}

/// Whether a file has no debug sections and no sign that it was stripped.
pub fn is_bare(cubin: &Cubin<'_>) -> bool {
    !cubin.iter().any(|(_, name, _)| SectionName::parse(name).is_debug())
        && removed_sections(cubin).is_empty()
}

/// Whether a file is an image without functions, as nvlink puts one into each program: it has no
/// debug sections. Those of ptxas have frames also without a function. Before CUDA 13 files do not
/// tell who made them.
pub(super) fn is_empty_image(cubin: &Cubin<'_>) -> bool {
    let may_be_linked = cubin.is_linked() || cubin.section_by_name(tkinfo::NAME).is_none();
    may_be_linked && cubin.functions().next().is_none()
}

/// See [`DetectedLevel::removed`].
pub(super) fn removed(
    cubin: &Cubin<'_>,
    sections: &[(SectionIndex, SectionName<'_>)],
    output: OutputKind,
) -> Vec<SectionKind> {
    let is_contents =
        |name: &SectionName<'_>| name.is_debug() && name.kind() != Some(SectionKind::NvDebugShared);
    let may_lack_frames =
        output == OutputKind::DebugOnly || sections.iter().any(|(_, name)| is_contents(name));
    let is_there = |kind| sections.iter().any(|(_, name)| name.is_debug() && name.kind() == Some(kind));
    let kinds = marks(cubin)
        .filter(|name| name.is_debug_contents() && name.origin() == Some(SectionOrigin::Assembler));
    let mut removed: Vec<SectionKind> = kinds.filter_map(|name| name.kind()).collect();
    let may_lack_frames = may_lack_frames || is_empty_image(cubin);
    if !may_lack_frames && observed::level_of_frames(cubin.header.sm()) == DebugLevel::None {
        removed.push(SectionKind::DebugFrame);
    }
    removed.sort_unstable();
    removed.dedup();
    removed.retain(|kind| !is_there(*kind));
    removed
}
