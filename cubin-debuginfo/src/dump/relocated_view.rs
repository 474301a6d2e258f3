//! A section with its relocations applied.

use dwarf2_reader::WorkBudget;
use nv_debug_sections::catalog::{SectionName, Space};
use nv_debug_sections::cubin::SectionIndex;
use nv_debug_sections::relocated::RelocatedSection;
use nv_debug_sections::{Error, ErrorKind, Result};

/// A section with its relocations applied.
#[derive(Debug)]
pub struct RelocatedView<'c> {
    /// The index of the section in the section table.
    pub index: SectionIndex,
    /// The name of the section.
    pub name: String,
    /// The bytes of the section, and the targets of its relocated fields.
    pub data: RelocatedSection<'c>,
}

impl RelocatedView<'_> {
    /// Returns a decoder's error with the name of this section, which may be a Mercury section.
    /// Decoders name only native sections.
    pub fn fault(&self, error: dwarf2_reader::Error) -> Error {
        let native = SectionName::native(error.section);
        let name = match SectionName::parse(&self.name).space {
            Space::Native => native.to_string(),
            Space::Mercury => native.mercury().to_string(),
        };
        Error::from(error).rebased(name, 0)
    }

    /// Takes `len` bytes from the budget for text, for the field at byte `offset` of the section.
    ///
    /// # Errors
    ///
    /// The budget is used up: too many fields refer to long strings.
    pub fn take_text(&self, budget: &mut WorkBudget, len: usize, offset: u64) -> Result<()> {
        if budget.take(len as u64) {
            return Ok(());
        }
        let text = "too many fields refer to long strings to show them all";
        Err(Error::new(&*self.name, offset, ErrorKind::Limit(text.into())))
    }
}
