//! The note of the tool that wrote a file last.

use super::Cubin;
use crate::release::Release;
use crate::tkinfo;

/// What is made of the note of the tool that wrote a file last.
pub(super) fn with_first_note<T>(
    cubin: &Cubin<'_>,
    make: impl FnOnce(&tkinfo::ToolInfo<'_>) -> T,
) -> Option<T> {
    let bytes = cubin.bytes(cubin.section_by_name(tkinfo::NAME)?).ok()?;
    tkinfo::decode(&bytes).ok()?.first().map(make)
}

/// See [`Cubin::release`].
pub(super) fn release(cubin: &Cubin<'_>) -> Release {
    let named = |tool: &tkinfo::ToolInfo<'_>| tool.version_number().and_then(Release::of_version);
    with_first_note(cubin, named).flatten().unwrap_or(Release::NEWEST)
}
