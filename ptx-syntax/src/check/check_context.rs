//! Facts outside the text that the caller supplies.

use super::source_lines::SourceLines;
use cuda_releases::Release;
use dwarf2_reader::PathMap;

/// Facts outside the text that the caller supplies to [`check`](super::check).
#[derive(Default)]
pub struct CheckContext<'c> {
    /// A function that looks for a source file, to find lines past its end and files that are
    /// missing; it is called at most twice for each file. `None` if no file is to be looked for.
    pub source_lines: Option<&'c SourceLines<'c>>,
    /// The release of CUDA whose ptxas the check is about; 13.0 by default.
    pub release: Release,
    /// Whether ptxas is called with -c, so that other modules may define this one's `.extern`
    /// variables and functions.
    pub relocatable: bool,
    /// The number of the architecture in `-arch`, such as 90; `None`: that of the module.
    pub arch: Option<u32>,
    /// Maps of paths: paths that still have a prefix which a map replaces are found.
    pub path_map: &'c [PathMap],
}

impl std::fmt::Debug for CheckContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("source_lines", &self.source_lines.is_some())
            .field("release", &self.release)
            .field("relocatable", &self.relocatable)
            .field("arch", &self.arch)
            .field("path_map", &self.path_map)
            .finish()
    }
}
