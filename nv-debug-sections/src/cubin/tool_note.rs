//! The note that names the tool which wrote a file last.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubin::debug_only;

    /// Without a note, and with that of a tool that the table of releases does not have: here our
    /// own.
    #[test]
    fn a_file_of_no_known_release_is_read_as_of_the_newest() {
        let mut cubin = debug_only(Release::V13_0.target(90), &[], &[]).unwrap().cubin;
        assert_eq!((cubin.writer(), cubin.target()), (None, Release::NEWEST.target(90)));
        for version in ["0.1.0", "99.9.9", Release::V13_0.version()] {
            let mut noted = cubin.clone();
            noted.append_writer(version).unwrap();
            assert_eq!(noted.writer().and_then(|writer| writer.version).as_deref(), Some(version));
            let known = Release::of_version(version);
            assert_eq!(noted.release(), known.unwrap_or(Release::NEWEST), "{version}");
        }
        cubin.append_writer(Release::V13_0.version()).unwrap();
        let bytes = cubin.write().unwrap();
        assert_eq!(Cubin::parse(&bytes).unwrap().release(), Release::V13_0);
    }
}
