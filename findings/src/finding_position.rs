//! The place of a finding.

use super::region::Region;
use super::section_offset::SectionOffset;
use crate::FindingFile;

/// The place of a finding: the file, and the lines, section or function in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FindingPosition {
    /// The file that the finding is in.
    pub file: FindingFile,
    /// The lines and columns of the finding; `None` if the file has no lines, or the finding is
    /// about all of it.
    pub region: Option<Region>,
    /// The section and byte offset of the finding; `None` in a text.
    pub section: Option<SectionOffset>,
    /// The symbol name of the function that the finding is about.
    pub function: Option<String>,
}
