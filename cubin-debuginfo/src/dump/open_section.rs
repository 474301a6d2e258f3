//! A debug section that is about to be decoded.

use super::relocated_view::RelocatedView;
use dwarf2_reader::info::Units;
use nv_debug_sections::Result;
use nv_debug_sections::cubin::SectionIndex;
use std::cell::OnceCell;
use std::rc::Rc;

/// A section beside another one; `None` if it is not there.
pub(super) type Sibling<'c> = Result<Option<Rc<RelocatedView<'c>>>>;

/// A debug section that is about to be decoded, with the sections that it refers to. Decoded values
/// borrow from it.
#[derive(Debug)]
pub struct OpenSection<'c> {
    pub(super) index: SectionIndex,
    pub(super) name: &'c str,
    pub(super) view: Result<RelocatedView<'c>>,
    pub(super) abbrev: Sibling<'c>,
    pub(super) strings: Sibling<'c>,
    pub(super) types: Sibling<'c>,
    pub(super) units: OnceCell<Units>,
}

/// The bytes of a section beside another one; none of one that is not there.
pub(super) fn sibling_bytes<'o>(sibling: &'o Sibling<'_>) -> Result<&'o [u8]> {
    let view = sibling.as_ref().map_err(Clone::clone)?;
    Ok(view.as_ref().map_or(&[][..], |view| &view.data.bytes))
}

impl<'c> OpenSection<'c> {
    pub(super) fn view(&self) -> Result<&RelocatedView<'c>> {
        self.view.as_ref().map_err(Clone::clone)
    }

    /// The bytes of `.debug_abbrev`.
    pub(super) fn abbrev(&self) -> Result<&[u8]> {
        sibling_bytes(&self.abbrev)
    }

    /// The bytes of `.debug_str`.
    pub(super) fn strings(&self) -> Result<&[u8]> {
        sibling_bytes(&self.strings)
    }

    /// The bytes of `.nv_debug_info_reg_type`.
    pub(super) fn types(&self) -> Result<&[u8]> {
        sibling_bytes(&self.types)
    }
}
