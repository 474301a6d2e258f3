//! Facts outside the cubin that `verify` can use.

use super::source_file::SourceLines;
use crate::lines::{LostCall, LostFile};
use std::fmt;

/// Facts outside the cubin for [`verify_with`](super::verify_with): the lengths of source files,
/// and what the PTX says.
#[derive(Default, Clone, Copy)]
pub struct VerifyContext<'c> {
    /// The function that looks for a source file, to find rows past its end and files that are
    /// missing. It is called at most twice for each file of a line table.
    pub source_lines: Option<&'c SourceLines<'c>>,
    /// The inlined calls that the PTX and the cubin do not have alike, as
    /// [`LineLookup::lost_calls`](crate::lines::LineLookup::lost_calls) finds them.
    pub lost_calls: &'c [LostCall],
    /// The files that are lost in the same way.
    pub lost_files: &'c [LostFile],
}

impl fmt::Debug for VerifyContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("source_lines", &self.source_lines.is_some())
            .field("lost_calls", &self.lost_calls)
            .field("lost_files", &self.lost_files)
            .finish()
    }
}
