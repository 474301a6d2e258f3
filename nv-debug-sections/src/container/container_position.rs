//! The position of a byte in a file, or in a member of an archive.

use crate::{Error, ErrorKind};
use std::sync::Arc;

/// The position of a byte: its offset in a section of a file, or in a section of an archive member.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ContainerPosition {
    /// Name of the archive member; `None` if the file is not an archive.
    pub member: Option<Arc<str>>,
    /// Name of the section; empty if the file has no sections.
    pub section: Arc<str>,
    /// Byte offset in the section.
    pub offset: u64,
}

impl ContainerPosition {
    pub(super) fn start() -> Self {
        Self { member: None, section: "".into(), offset: 0 }
    }

    pub(super) fn at(&self, offset: u64) -> Self {
        Self { offset, ..self.clone() }
    }

    /// The archive member and the section as linkers write them: `tl.o(.nv_fatbin)`. It is only the
    /// member if the position is not in a section.
    pub fn label(&self) -> String {
        match &self.member {
            Some(member) if self.section.is_empty() => member.to_string(),
            Some(member) => format!("{member}({})", self.section),
            None => self.section.to_string(),
        }
    }

    /// A fault at byte `offset` of the section.
    pub(super) fn error(&self, offset: u64, kind: ErrorKind) -> Error {
        Error::new(self.label(), offset, kind)
    }
}
