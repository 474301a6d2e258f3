//! The release of the toolkit whose tool wrote a cubin.

mod cubin_origin;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Cubin, ELFOSABI_CUDA_V2};
use crate::catalog::SectionKind;
use crate::release::Release;
use crate::tkinfo;

pub use cubin_origin::CubinOrigin;

/// How the toolkit release of a cubin is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseSource {
    /// The note `.note.nv.tkinfo` names the version of the tool that wrote the file.
    Note,
    /// The note `.note.nv.tkinfo` names a release newer than all known ones. The file is read by
    /// the rules of the newest known release.
    NewerNote,
    /// The header field `e_version` has the number of the release, as in files of ABI version 7.
    Header,
    /// The file does not tell. The release is 13.0 if that release could have written the file,
    /// judged by the ABI version and the version of the line tables; otherwise it is the newest
    /// release that could.
    Guess,
}

impl Cubin<'_> {
    /// Returns the architecture, the ABI version and the release of the cubin.
    pub fn origin(&self) -> CubinOrigin {
        CubinOrigin {
            arch: self.arch().to_string(),
            abi_version: self.header.abi_version,
            release: self.release().name(),
            release_source: self.release_source(),
        }
    }

    /// The warning that a newer release than those of the table wrote the file, and by which one it
    /// is read; `None` for all other files.
    pub fn newer_release_text(&self) -> Option<String> {
        let writer = self.writer().filter(|_| self.release_source() == ReleaseSource::NewerNote)?;
        let newest = Release::NEWEST;
        Some(format!("{writer} is newer than every known release; the file is read as of CUDA {newest}"))
    }

    /// Whether the rules are known by which the tool that wrote the file makes debug sections for
    /// its SM ([`Release::knows_rules_of`]).
    pub fn has_known_rules(&self) -> bool {
        self.release_source() != ReleaseSource::NewerNote && self.release().knows_rules_of(self.header.sm())
    }

    /// Describes which tool wrote the file, and by which release it is read if that is another:
    /// `written by ptxas 13.0.88`.
    pub fn origin_text(&self) -> String {
        let release = self.release();
        match (self.release_source(), self.writer()) {
            (ReleaseSource::NewerNote, Some(writer)) => {
                format!("written by {writer}, read as of CUDA {release}")
            }
            (ReleaseSource::Header, _) => format!("written by CUDA {release}"),
            (_, Some(writer)) => format!("written by {writer}"),
            (_, None) => format!("no word of who wrote it, read as of CUDA {release}"),
        }
    }
}

/// The value that `make` returns for the note of the tool that wrote a file last.
pub(super) fn with_first_note<T>(
    cubin: &Cubin<'_>,
    make: impl FnOnce(&tkinfo::ToolInfo<'_>) -> T,
) -> Option<T> {
    let bytes = cubin.bytes(cubin.section_by_name(tkinfo::NAME)?).ok()?;
    tkinfo::decode(&bytes).ok()?.first().map(make)
}

/// See [`Cubin::release`].
pub(super) fn release_of(cubin: &Cubin<'_>) -> (Release, ReleaseSource) {
    if cubin.header.os_abi != ELFOSABI_CUDA_V2
        && let Some(release) = Release::of_e_version(cubin.header.e_version)
    {
        return (release, ReleaseSource::Header);
    }
    let named = |tool: &tkinfo::ToolInfo<'_>| {
        let version = tool.version_number()?;
        let known = Release::of_version(version).map(|release| (release, ReleaseSource::Note));
        let newer =
            || Release::is_newer_version(version).then_some((Release::NEWEST, ReleaseSource::NewerNote));
        known.or_else(newer)
    };
    if let Some(named) = with_first_note(cubin, named).flatten() {
        return named;
    }
    let abi = if cubin.header.os_abi == ELFOSABI_CUDA_V2 { 8 } else { 7 };
    let (sm, lines) = (cubin.header.sm(), line_version(cubin));
    let could_write = |release: &Release| {
        release.abi_version(sm) == abi && lines.is_none_or(|version| version == release.line_version())
    };
    let usual = [Release::default()].into_iter();
    let guess = usual.chain(Release::all().rev()).find(could_write);
    (guess.unwrap_or_default(), ReleaseSource::Guess)
}

/// The version of the first line table.
fn line_version(cubin: &Cubin<'_>) -> Option<u16> {
    let table = cubin.section_by_name(SectionKind::DebugLine.name())?;
    let bytes = cubin.bytes(table).ok()?;
    bytes.get(4..)?.first_chunk().map(|version| u16::from_le_bytes(*version))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubin::debug_only;

    /// Without a note, and with that of a tool that the table of releases does not have: here our
    /// own.
    #[test]
    fn a_file_without_a_known_release_is_read_as_of_13_0() {
        let mut cubin = debug_only(Release::V13_0.target(90), &[], &[]).unwrap().cubin;
        assert_eq!((cubin.writer(), cubin.target()), (None, Release::V13_0.target(90)));
        assert_eq!(cubin.release_source(), ReleaseSource::Guess);
        for (version, source) in [
            ("0.1.0", ReleaseSource::Guess),
            ("99.9.9", ReleaseSource::NewerNote),
            (Release::V13_0.version(), ReleaseSource::Note),
        ] {
            let mut noted = cubin.clone();
            noted.append_writer(version).unwrap();
            assert_eq!(noted.writer().and_then(|writer| writer.version).as_deref(), Some(version));
            let expected = if version == "99.9.9" { Release::NEWEST } else { Release::V13_0 };
            assert_eq!(noted.release(), expected, "{version}");
            assert_eq!(noted.release_source(), source, "{version}");
        }
        cubin.append_writer(Release::V13_0.version()).unwrap();
        let bytes = cubin.write().unwrap();
        assert_eq!(Cubin::parse(&bytes).unwrap().release(), Release::V13_0);
    }

    /// The header of a file with ABI version 7 has the number of its release.
    #[test]
    fn the_header_of_older_files_names_their_release() {
        for (e_version, name, source) in [
            (117, "11.7", ReleaseSource::Header),
            (129, "12.9", ReleaseSource::Header),
            (1, "12.9", ReleaseSource::Guess),
        ] {
            let mut cubin = debug_only(Release::V13_0.target(90), &[], &[]).unwrap().cubin;
            cubin.header.os_abi = 0x33;
            cubin.header.abi_version = 7;
            cubin.header.e_flags = 0x5a_055a;
            cubin.header.e_version = e_version;
            let bytes = cubin.write().unwrap();
            let read = Cubin::parse(&bytes).unwrap();
            assert_eq!((read.release().name(), read.release_source()), (name, source));
        }
    }
}
